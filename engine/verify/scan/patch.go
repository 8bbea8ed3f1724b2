package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// assignment looks at an assignment: whether it changes what the file does not
// own, and what its parts can do.
func (w *walker) assignment(n *syntax.Node, s *scope, where string) {
	value := n.Kids[len(n.Kids)-1]
	for _, target := range n.Kids[:len(n.Kids)-1] {
		if !w.failure(value, s) || !slices.Contains(w.paths(target, s), "process.exitCode") {
			w.changes(target, s, where, n.Line)
		}
		w.classMember(target, value, s, where)
		for _, kid := range target.Kids {
			w.visit(kid, s, where)
		}
		if w.lang == javascript && n.Name == "=" && target.Kind == syntax.Ident && !declared(target.Name, s) {
			w.add(fact{cap: Patch, level: Warns, key: target.Name, scope: where, line: n.Line, what: "the global name " + target.Name})
		}
	}
	w.visit(value, s, where)
}

// declared reports whether a name is declared in the file, and not only assigned.
func declared(name string, s *scope) bool {
	binds, _ := s.lookup(name)
	return slices.ContainsFunc(binds, func(b binding) bool { return b.declared })
}

// changes notes an assignment to, or deletion of, a member of something foreign.
func (w *walker) changes(target *syntax.Node, s *scope, where string, line int) {
	switch target.Kind {
	case syntax.Tuple, syntax.List:
		for _, t := range target.Kids {
			w.changes(t, s, where, line)
		}
		return
	case syntax.Unary:
		if w.foreign(target.Kids[0], s) {
			w.patched(w.paths(target.Kids[0], s)[0], where, line)
		}
		return
	case syntax.Attr, syntax.Index:
	default:
		return
	}
	object := target.Kids[0]
	name := target.Name
	if target.Kind == syntax.Index {
		name, _ = w.text(target.Kids[1], s)
	}
	if name == "__class__" || name == "__proto__" || name == "__code__" || name == "__bases__" || name == "__defaults__" {
		w.patched(name, where, line)
		return
	}
	for _, p := range w.paths(object, s) {
		full := w.lang.normal(p + "." + name)
		if full == "process.exitCode" && where == mainOnly {
			return
		}
		if full == "process.exitCode" {
			w.add(fact{cap: Exit, level: Warns, key: full, scope: where, line: line, what: full, asks: []string{"exitCode"}})
			return
		}
		if w.foreignPath(p) {
			w.patched(full, where, line)
			return
		}
		if strings.HasPrefix(p, "logging.getLogger()") && (name == "disabled" || name == "propagate" || name == "handlers" || name == "filters") {
			w.add(fact{cap: Patch, level: Warns, key: "assigned " + full, scope: where, line: line, what: shown(full) + " (what tests see of the log)", asks: []string{name}})
			return
		}
	}
}

// testPaths are libraries that tests check by.
var testPaths = []string{"assert", "pytest", "_pytest", "unittest", "test.", "test(", "chai", "expect", "jest", "mock", "testing."}

func (w *walker) patched(p, where string, line int) {
	level := Warns
	if slices.ContainsFunc(testPaths, func(t string) bool { return strings.HasPrefix(p+".", t) }) {
		level = Refuses
	}
	var asks []string
	for _, variables := range []string{"os.environ", "process.env"} {
		if rest, ok := strings.CutPrefix(p, variables); ok && boundary(rest) {
			p, asks = variables, []string{variables}
		}
	}
	w.add(fact{cap: Patch, level: level, key: "assigned " + p, scope: where, asks: asks, line: line, what: shown(strings.TrimSuffix(p, ".")) + owner(p)})
}

// owners say in words what a path belongs to.
var owners = []struct{ prefix, words string }{
	{"time.", "the clock"},
	{"Date", "the clock"},
	{"datetime.", "the clock"},
	{"performance.", "the clock"},
	{"setTimeout", "the clock"},
	{"random", "random numbers"},
	{"Math.random", "random numbers"},
	{"math/rand", "random numbers"},
	{"crypto", "random numbers"},
	{"assert", "the test library"},
	{"pytest", "the test library"},
	{"_pytest", "the test library"},
	{"unittest", "the test library"},
	{"test", "the test library"},
	{"sys.path", "how modules are loaded"},
	{"sys.meta_path", "how modules are loaded"},
	{"sys.modules", "how modules are loaded"},
	{"importlib", "how modules are loaded"},
	{"require.", "how modules are loaded"},
	{"Module", "how modules are loaded"},
	{"os.environ", "the environment"},
	{"process.env", "the environment"},
	{"sys.std", "the output of the process"},
	{"os.Std", "the output of the process"},
	{"process.std", "the output of the process"},
	{"console", "the output of the process"},
}

// owner says in parentheses what a path belongs to.
func owner(p string) string {
	for _, o := range owners {
		if strings.HasPrefix(p, o.prefix) {
			return " (" + o.words + ")"
		}
	}
	switch {
	case strings.Contains(p, "prototype") || strings.Contains(p, "__proto__"):
		return " (a prototype)"
	case !strings.ContainsAny(p, "./") && !strings.HasPrefix(p, "__"):
		return " (one of the builtins)"
	default:
		return ""
	}
}

// foreignPath reports whether a path is of something that the file did not make:
// a module, a builtin, a prototype.
func (w *walker) foreignPath(p string) bool {
	switch {
	case strings.Contains(p, "__builtins__"):
		return true
	case strings.HasPrefix(p, "Object.getPrototypeOf()"), strings.HasPrefix(p, "Reflect.getPrototypeOf()"):
		return true
	case strings.HasPrefix(p, unknown):
		return strings.HasSuffix(p, ".__proto__") || strings.HasSuffix(p, ".constructor.prototype") || strings.HasSuffix(p, ".__class__") || p == "?.constructor"
	case strings.HasPrefix(p, "type()"):
		return true
	case strings.Contains(p, "()") || strings.Contains(p, "[]"):
		return false
	case w.lang == javascript:
		root, _, _ := strings.Cut(p, ".")
		return root != "exports" && root != "module" && root != "this" && root != "" && root != "arguments" && root != "super" && !w.own(p) || strings.HasPrefix(p, "module.constructor")
	default:
		return !w.own(p)
	}
}

// own reports whether a module is one of the project's.
func (w *walker) own(p string) bool {
	if w.lang.slashes && strings.HasPrefix(p, ".") {
		return true
	}
	if w.lang == golang {
		ours := w.tests.module != "" && strings.HasPrefix(p, w.tests.module)
		return ours || !slices.ContainsFunc(w.root.Kids, func(n *syntax.Node) bool {
			return n.Kind == syntax.Import && strings.HasPrefix(p, n.Path)
		})
	}
	root, _, _ := strings.Cut(strings.TrimLeft(p, "."), ".")
	return strings.HasPrefix(p, ".") || w.tests.modules[root]
}

// pythonChangers are methods by which an object is changed.
var pythonChangers = words("update setdefault pop clear insert append extend remove popitem __setitem__ __setattr__ __delitem__ __delattr__ sort reverse add discard register")

// changesByCall notes calls that change something foreign.
func (w *walker) changesByCall(p string, n *syntax.Node, s *scope, where string) {
	if slices.Contains(w.lang.mutators, p) && len(n.Kids) > 1 {
		if paths := w.paths(n.Kids[1], s); slices.ContainsFunc(paths, w.foreignPath) {
			name := ""
			if len(n.Kids) > 2 {
				name, _ = w.text(n.Kids[2], s)
			}
			w.patched(strings.TrimSuffix(paths[0]+"."+name, "."), where, n.Line)
		}
		return
	}
	if w.lang != python || n.Kids[0].Kind != syntax.Attr || !pythonChangers[n.Kids[0].Name] {
		return
	}
	object := n.Kids[0].Kids[0]
	for _, q := range w.paths(object, s) {
		if w.foreignPath(q) && (strings.Contains(q, ".") || object.Kind == syntax.Call || object.Kind == syntax.Attr) && !strings.HasPrefix(q, "atexit") {
			w.patched(q, where, n.Line)
			return
		}
	}
}
