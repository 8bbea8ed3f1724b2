package scan

import (
	"path"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// walker finds what a file can do.
type walker struct {
	*unit
	tests *tests
	facts []fact
	// shown are expressions that are only written for people.
	shown map[*syntax.Node]bool
	// spelled are expressions that become a part of a longer text.
	spelled map[*syntax.Node]bool
}

func newWalker(u *unit, t *tests) *walker {
	return &walker{unit: u, tests: t, shown: map[*syntax.Node]bool{}, spelled: map[*syntax.Node]bool{}}
}

// factsOf returns what a file can do, place by place.
func factsOf(u *unit, t *tests) []fact {
	w := newWalker(u, t)
	where := ""
	if path.Base(u.path) == "__main__.py" && !t.words["__main__"] {
		where = mainOnly
	}
	for _, kid := range u.root.Kids {
		w.visit(kid, u.top, where)
	}
	if slices.ContainsFunc(w.facts, func(f fact) bool { return !f.bare }) {
		w.facts = slices.DeleteFunc(w.facts, func(f fact) bool { return f.bare && w.used(f.cap) })
	}
	return w.facts
}

// used reports whether the capability is there by more than a module's name.
func (w *walker) used(c Capability) bool {
	return slices.ContainsFunc(w.facts, func(f fact) bool { return f.cap == c && !f.bare })
}

func (w *walker) add(f fact) { w.facts = append(w.facts, f) }

// visit looks at a node that is no part of a chain of members and calls. where is
// the function around; "" runs while the file is loaded.
func (w *walker) visit(n *syntax.Node, s *scope, where string) {
	w.incomparable(n, s, where)
	if w.texts(n, s, where) {
		return
	}
	switch n.Kind {
	case syntax.Import:
		w.imported(n, where)
	case syntax.Func, syntax.Method, syntax.Lambda:
		w.function(n, s, where)
	case syntax.Class:
		w.class(n, s, where)
	case syntax.If:
		w.branch(n, s, where)
	case syntax.Assign:
		w.assignment(n, s, where)
	case syntax.Delete:
		for _, target := range n.Kids {
			w.changes(target, s, where, n.Line)
		}
		w.kids(n, s, where)
	case syntax.Ident, syntax.Attr, syntax.Index, syntax.Call:
		w.chain(n, s, where)
	case syntax.Keyword:
		w.flag(n, where)
		w.kids(n, s, where)
	case syntax.Compare:
		w.comparison(n, s, where)
		w.kids(n, s, where)
	case syntax.Try, syntax.With:
		w.swallows(n, s, where)
		w.kids(n, s, where)
	case syntax.For:
		for _, kid := range n.Kids[1:] {
			w.visit(kid, s, where)
		}
	case syntax.ExprStmt:
		if n.Name == "go" && where == "" {
			w.add(fact{cap: Spawn, level: Warns, key: "go", line: n.Line, what: "a goroutine while the package is loaded"})
		}
		w.kids(n, s, where)
	case syntax.Directive:
		w.directive(n, where)
	case syntax.Dict:
		w.members(n, s, where)
		w.kids(n, s, where)
	case syntax.Template, syntax.Binary:
		w.marksSpelled(n)
		w.kids(n, s, where)
	default:
		w.kids(n, s, where)
	}
}

func (w *walker) kids(n *syntax.Node, s *scope, where string) {
	for _, kid := range n.Kids {
		w.visit(kid, s, where)
	}
}

// function looks at a function: its defaults and decorators run where it is
// declared, its body when it is called.
func (w *walker) function(n *syntax.Node, s *scope, where string) {
	inner := w.scopes[n]
	w.hook(n, where)
	w.overload(n, s, where)
	name := inner.name
	if w.lang == golang && n.Kind == syntax.Func && n.Name == "init" {
		name = ""
	}
	if w.lang == golang && n.Kind == syntax.Func && n.Name == "main" && w.root.Name == "main" && !w.tests.words["main"] {
		name = mainOnly
	}
	if where == "" && n.Kind == syntax.Lambda && w.calledAtOnce(n) {
		name = ""
	}
	for _, kid := range n.Kids {
		switch kid.Kind {
		case syntax.Param, syntax.Decorator:
			w.kids(kid, s, where)
		default:
			w.visit(kid, inner, name)
		}
	}
}

// calledAtOnce reports whether a function at the top of a file is called where it
// stands.
func (w *walker) calledAtOnce(n *syntax.Node) bool {
	found := false
	syntax.Walk(w.root, func(c *syntax.Node) bool {
		found = found || c.Kind == syntax.Call && c.Kids[0] == n
		return !found
	})
	return found
}

func (w *walker) class(n *syntax.Node, s *scope, where string) {
	inner := w.scopes[n]
	for _, kid := range n.Kids {
		if kid.Kind == syntax.Block {
			w.kids(kid, inner, where)
		} else {
			w.visit(kid, s, where)
		}
	}
}

// mainOnly is where code runs that runs only as a program.
const mainOnly = "(main)"

// branch tells code that runs only where the file is the program.
func (w *walker) branch(n *syntax.Node, s *scope, where string) {
	inner := where
	if where == "" && w.isMainGuard(n.Kids[0], s) {
		inner = mainOnly
	} else {
		w.visit(n.Kids[0], s, where)
	}
	for _, kid := range n.Kids[1:] {
		w.visit(kid, s, inner)
	}
}

func (w *walker) isMainGuard(n *syntax.Node, s *scope) bool {
	if n.Kind != syntax.Compare || n.Name != "==" {
		return false
	}
	left, right := w.paths(n.Kids[0], s), w.paths(n.Kids[1], s)
	if slices.Contains(left, "require.main") && slices.Contains(right, "module") {
		return true
	}
	text, ok := w.text(n.Kids[1], s)
	return ok && text == "__main__" && slices.Contains(left, "__name__")
}

// chain looks at a whole chain of members, keys and calls at once.
func (w *walker) chain(n *syntax.Node, s *scope, where string) {
	w.called(n, s, where)
	w.named(n, s, where)
	w.links(n, s, where)
}

// named notes what a chain stands for, by the strongest rule that names it.
func (w *walker) named(n *syntax.Node, s *scope, where string) {
	w.telling(n, where)
	w.asksItsCaller(n, s, where)
	paths := w.paths(n, s)
	if w.tangled {
		w.tangled = false
		w.add(fact{cap: Dynamic, level: Warns, key: "tangled", scope: where, line: n.Line, what: "its names are too tangled to be followed"})
	}
	for _, p := range paths {
		if root, _, _ := strings.Cut(p, "."); w.tests.injected[strings.TrimSuffix(root, "()")] {
			w.add(fact{cap: Borrow, level: Warns, key: root, scope: where, line: n.Line, what: root + ", which a test declares for everybody"})
		}
		var best rule
		for _, r := range w.lang.all(p) {
			if r.level > best.level && !w.result(n, s, r) {
				best = r
			}
		}
		if best.level != InvalidLevel {
			w.emit(best, p, n, s, where)
			return
		}
	}
}

// result reports whether a chain begins with the name of what a call gave that the
// rule names: the call is the place to tell, not every use of what it gave.
func (w *walker) result(n *syntax.Node, s *scope, r rule) bool {
	for n.Kind != syntax.Ident {
		if len(n.Kids) == 0 {
			return false
		}
		n = n.Kids[0]
	}
	binds, _ := s.lookup(n.Name)
	return slices.ContainsFunc(binds, func(b binding) bool {
		return b.value != nil && slices.ContainsFunc(w.follow(b.value, b.scope, farthest), func(p string) bool {
			return r.matches(p) && strings.Contains(p, "()")
		})
	})
}

// links visits what lies inside of a chain: arguments, keys, and what it begins
// with.
func (w *walker) links(n *syntax.Node, s *scope, where string) {
	switch n.Kind {
	case syntax.Attr:
		w.inner(n.Kids[0], s, where)
	case syntax.Index, syntax.Call:
		w.inner(n.Kids[0], s, where)
		if slices.Contains(w.paths(n.Kids[0], s), "util.promisify") {
			return // the same function, and told where it is called
		}
		for _, kid := range n.Kids[1:] {
			w.visit(kid, s, where)
		}
	}
}

func (w *walker) inner(n *syntax.Node, s *scope, where string) {
	switch n.Kind {
	case syntax.Ident:
	case syntax.Attr, syntax.Index:
		w.links(n, s, where)
	case syntax.Call:
		w.called(n, s, where)
		w.links(n, s, where)
	default:
		w.visit(n, s, where)
	}
}

// emit notes a chain that a rule names.
func (w *walker) emit(r rule, p string, n *syntax.Node, s *scope, where string) {
	switch {
	case r.loading && where != "":
		return
	case (r.cap == Exit || r.cap == Arguments) && where == mainOnly:
		return
	case r.cap == Exit && w.saysFailure(n, s, p), r.cap == Spawn && (onlyNamed(p) || w.onlyWrapped(n, s)), r.cap == Overload && (w.harmlessProxy(p, n) || n.Kind == syntax.Call && len(w.functions(n.Kids[0], s)) > 0):
		return
	case p == "Error.captureStackTrace()" && len(n.Kids) > 1 && isSelf(n.Kids[1]), p == "Error.captureStackTrace":
		return
	case p == "runtime.GOMAXPROCS()" && len(n.Kids) == 2 && w.zero(n.Kids[1], s):
		return // it only asks
	case ownContext(p):
		return
	}
	f := fact{cap: r.cap, level: r.level, key: r.prefix, scope: where, line: n.Line, what: shown(p), names: w.names(n, s)}
	f.bare = p == r.prefix && w.lang.slashes && r.cap == Files
	if r.cap == Exit && where == "" && p != "SystemExit" {
		f.level = Refuses
		f.key += " while loaded"
	}
	f.asks = w.asks(f, n, s)
	f.excused = w.excused(r, n, s, where)
	w.add(f)
	w.aware(f)
}

// shown is a path as people read it.
func shown(p string) string {
	p = strings.TrimPrefix(p, unknown)
	return strings.ReplaceAll(p, "[]", "[…]")
}

// names are the constants in a chain's arguments and keys.
func (w *walker) names(n *syntax.Node, s *scope) []string {
	var out []string
	for n != nil {
		switch n.Kind {
		case syntax.Attr:
			out = append(out, n.Name)
		case syntax.Index, syntax.Call:
			for _, kid := range n.Kids[1:] {
				syntax.Walk(kid, func(c *syntax.Node) bool {
					text, ok := w.text(c, s)
					if ok {
						out = append(out, text)
					}
					return !ok
				})
			}
		default:
			return out
		}
		n = n.Kids[0]
	}
	return out
}

// imported notes imports that are capabilities by themselves, or name a member
// that is one.
func (w *walker) imported(n *syntax.Node, where string) {
	p := w.lang.normal(n.Path)
	w.borrows(n, p, where)
	w.importsData(n.Path, n.Line, where)
	if ownContext(p) {
		return
	}
	for _, r := range w.lang.rules {
		if !r.matches(p) && !(r.importing && strings.HasPrefix(p, r.prefix+"/")) {
			continue
		}
		if !r.importing && !strings.Contains(strings.TrimPrefix(p, "."), ".") && r.exact && p != r.prefix {
			continue
		}
		f := fact{cap: r.cap, level: r.level, key: r.prefix, scope: where, line: n.Line, what: p}
		f.bare = !r.importing || r.cap == Spawn || n.Path == "embed"
		f.asks = w.asks(f, n, w.top)
		if !r.loading {
			w.add(f)
		}
		return
	}
}
