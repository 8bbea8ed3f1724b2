package scan

import (
	"path"
	"slices"
	"strings"
)

// change is a file before and after, as units; nil where it is not there.
type change struct {
	path          string
	before, after *unit
}

// compare finds what the changed code can do that it could not.
func (x *scanner) compare() []Finding {
	var found []Finding
	var changes []change
	for _, p := range x.in.State.Paths() {
		l := languageOf(p)
		if l == nil {
			continue
		}
		c := change{path: p}
		if t := x.trees[p]; t.root != nil && !x.isNew(p) {
			c.before = newUnit(p, l, t.root)
		}
		t, ok := x.trees[after+p]
		switch {
		case !ok: // deleted
		case t.root == nil:
			found = append(found, Finding{Capability: Unreadable, Level: Warns, Path: p, What: t.problem})
			continue
		default:
			c.after = newUnit(p, l, t.root)
			if t.problem != "" && x.trees[p].problem == "" {
				found = append(found, Finding{Capability: Unreadable, Level: Warns, Path: p, What: t.problem})
			}
		}
		changes = append(changes, c)
	}
	x.acquaint(changes)
	lost := map[string]int{}
	facts := make([][2][]fact, len(changes))
	for i, c := range changes {
		facts[i] = x.facts(c)
		gone(lost, facts[i])
	}
	for i, c := range changes {
		for _, f := range news(c, facts[i], lost) {
			if !x.tests.asked(f.asks) {
				found = append(found, Finding{Capability: f.cap, Level: f.level, Path: c.path, Line: f.line, What: f.what})
			}
		}
	}
	return found
}

// acquaint lets changed files, and those that share a Go package, know each other.
func (x *scanner) acquaint(changes []change) {
	befores, afters := map[string]*unit{}, map[string]*unit{}
	for _, c := range changes {
		name := strings.TrimSuffix(path.Base(c.path), path.Ext(c.path))
		befores[name], afters[name] = c.before, c.after
	}
	for _, c := range changes {
		if c.before != nil {
			c.before.peers = befores
		}
		if c.after != nil {
			c.after.peers = afters
			if c.after.lang == golang {
				c.after.siblings = x.siblings(c, changes)
			}
		}
	}
}

func (x *scanner) siblings(c change, changes []change) []*unit {
	var out []*unit
	for _, other := range changes {
		if other.after != nil && other.path != c.path && path.Dir(other.path) == path.Dir(c.path) {
			out = append(out, other.after)
		}
	}
	for _, p := range x.in.Files {
		_, changed := x.in.State.Lookup(p)
		if t := x.trees[p]; t.root != nil && !changed && path.Dir(p) == path.Dir(c.path) && !strings.HasSuffix(p, "_test.go") && path.Ext(p) == ".go" {
			out = append(out, newUnit(p, golang, t.root))
		}
	}
	return out
}

// facts are what a file could do, and what it can.
func (x *scanner) facts(c change) [2][]fact {
	var out [2][]fact
	if c.before != nil {
		out[0] = factsOf(c.before, x.tests)
	}
	if c.after != nil {
		w := newWalker(c.after, x.tests)
		w.facts = factsOf(c.after, x.tests)
		w.borrowedNames()
		w.shadowsBuiltins(c.before)
		w.literals(constantsOf(c.before))
		w.counts()
		w.turns()
		w.assignedOverloads()
		w.forgets(c.before)
		w.weakens(c.before)
		out[1] = w.facts
	}
	return out
}

func (f fact) id() string { return string(rune('A'+f.cap)) + " " + f.key }

// gone counts what a file lost: moved to another, it is no news there.
func gone(lost map[string]int, facts [2][]fact) {
	for i, list := range facts {
		for _, f := range list {
			if i == 0 {
				lost[f.id()]++
			} else {
				lost[f.id()]--
			}
		}
	}
}

// news are the facts of a file that are new: not there before in the same place,
// nor moved from another.
func news(c change, facts [2][]fact, lost map[string]int) []fact {
	places, keys, kinds := map[string]bool{}, map[string]int{}, map[Capability]bool{}
	for _, f := range facts[0] {
		places[f.id()+"@"+f.scope] = true
		keys[f.id()]++
		kinds[f.cap] = true
	}
	scopes := map[string]bool{}
	if c.before != nil {
		for _, s := range c.before.scopes {
			scopes[s.name] = true
		}
	}
	var out []fact
	for _, f := range facts[1] {
		moved := (c.before == nil || f.scope != "" && !scopes[f.scope]) && (keys[f.id()] > 0 || lost[f.id()] >= 0 && c.before == nil && someLost(lost, f))
		switch {
		case f.excused:
			continue
		case f.always:
		case f.class != "" && c.before != nil && c.before.top.binds[f.class] != nil:
			continue
		case places[f.id()+"@"+f.scope]:
			continue
		case f.cap.coarse() && (kinds[f.cap] && !f.bare || keys[f.id()] > 0):
			continue
		case f.cap == TestAware && keys[f.id()] > 0:
			continue
		case moved:
			keys[f.id()]--
			continue
		}
		out = append(out, f)
	}
	return out
}

// someLost reports whether as many places elsewhere lost the capability as have it
// now: then it was moved.
func someLost(lost map[string]int, f fact) bool {
	n, ok := lost[f.id()]
	return ok && n >= 0
}

// builtins are names of Python that tests check with.
var builtins = words(`abs all any bool dict enumerate filter float int isinstance issubclass iter len list map max min next print range repr
	reversed round set sorted str sum tuple type zip open hash id pytest unittest approx raises AssertionError Exception object vars getattr hasattr`)

// predeclared are names of Go that a package may declare anew, for its tests too.
var predeclared = words(`any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64 imag
	int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune string true uint uint16 uint32 uint64 uint8 uintptr`)

// shadowsBuiltins notes new names at the top of a module that would replace
// builtins in a test that imports all of its names.
func (w *walker) shadowsBuiltins(before *unit) {
	name := strings.TrimSuffix(path.Base(w.path), path.Ext(w.path))
	names, whose := builtins, "tests that import everything from here"
	switch {
	case w.lang == golang:
		names, whose = predeclared, "the whole package, its tests too"
	case w.lang != python || !w.tests.stars[name]:
		return
	}
	for n, binds := range w.top.binds {
		if !names[n] || before != nil && before.top.binds[n] != nil {
			continue
		}
		line := 0
		if i := slices.IndexFunc(binds, func(b binding) bool { return b.value != nil }); i >= 0 {
			line = binds[i].value.Line
		}
		w.add(fact{cap: Patch, level: Warns, key: "name " + n, line: line, what: "the builtin " + n + " in " + whose})
	}
}
