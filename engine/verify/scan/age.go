package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// readings are calls that read a clock.
var readings = words(`time.Since() time.Until() time.monotonic() time.monotonic_ns() time.perf_counter() time.perf_counter_ns() performance.now() process.hrtime()
	process.hrtime.bigint() process.uptime() time.Now().Sub() time.Now().Unix() time.Now().UnixNano() time.Now().UnixMilli() perf_hooks.performance.now()`)

// reads reports whether a path is of a call that reads a clock.
func readsClock(p string) bool {
	return clocks[p] || readings[p] || strings.HasPrefix(p, "time.Now().") && strings.HasSuffix(p, "()")
}

// age notes a comparison that depends on how long ago the file was loaded.
func (w *walker) age(n *syntax.Node, s *scope, where string) {
	clock, loaded := false, false
	syntax.Walk(n, func(c *syntax.Node) bool {
		switch c.Kind {
		case syntax.Call:
			clock = clock || slices.ContainsFunc(w.paths(c, s), readsClock)
		case syntax.Ident:
			loaded = loaded || w.readAtLoad(c, s)
		}
		return !c.Kind.Function()
	})
	if clock && loaded {
		w.add(fact{cap: Surroundings, level: Warns, key: "age", scope: where, line: n.Line, what: "it asks how long ago the program was started", asks: []string{"uptime", "Uptime"}})
	}
}

// readAtLoad reports whether a name has the time at which the file was loaded, and
// no other.
func (w *walker) readAtLoad(n *syntax.Node, s *scope) bool {
	binds, _ := s.lookup(n.Name)
	if len(binds) != 1 || binds[0].scope != w.top || binds[0].value == nil {
		return false
	}
	found := false
	syntax.Walk(binds[0].value, func(c *syntax.Node) bool {
		found = found || c.Kind == syntax.Call && slices.ContainsFunc(w.paths(c, w.top), readsClock)
		return !found && !c.Kind.Function()
	})
	return found
}
