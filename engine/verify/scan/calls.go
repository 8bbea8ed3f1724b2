package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// globals are objects that hold all names, or all modules: a key that is put
// together at run time may name anything.
var globals = []string{
	"globalThis", "global", "window", "process", "module", "require", "globals()", "locals()", "vars()", "sys.modules", "__builtins__", "builtins", "Reflect", "fs", "os", "sys",
}

// called notes calls and keys that say more than their names.
func (w *walker) called(n *syntax.Node, s *scope, where string) {
	if n.Kind == syntax.Index {
		_, known := w.fold(n.Kids[1], s, deepest)
		for _, p := range w.paths(n.Kids[0], s) {
			if !known && slices.Contains(globals, p) {
				w.dynamic("a computed member of "+p, n.Line, where)
			}
		}
		return
	}
	if n.Kind != syntax.Call {
		return
	}
	paths := w.paths(n.Kids[0], s)
	if !slices.ContainsFunc(paths, func(p string) bool { return seenThrough[p] || p == "print" }) {
		w.handsOnModules(n.Kids[1:], s, where)
	}
	for _, p := range paths {
		w.marksShown(p, n)
		w.changesByCall(p, n, s, where)
		w.decodes(p, n, s, where)
		w.recovers(p, n, where)
		w.catches(p, n, s, where)
		w.reaches(p, n, s, where)
	}
}

func (w *walker) dynamic(what string, line int, where string) {
	w.add(fact{cap: Dynamic, level: Warns, key: what, scope: where, line: line, what: what})
}

// reaches notes calls that reach modules, members or code by text.
func (w *walker) reaches(p string, n *syntax.Node, s *scope, where string) {
	args := n.Kids[1:]
	if len(args) == 0 {
		return
	}
	first, constant := w.firstText(args, s)
	switch w.lang.calls[p] {
	case callImport:
		if !constant && (where == "" || !w.fromCaller(args[0], s)) {
			w.dynamic("a module by a computed name", n.Line, where)
		}
		w.importsData(first, n.Line, where)
	case callMember:
		if len(args) > 1 && w.foreign(args[0], s) {
			if _, ok := w.text(args[1], s); !ok {
				w.dynamic("a member by a computed name", n.Line, where)
			}
		}
	case callNone, callSame, callObject, callOwn, callGetter:
	}
	if _, ok := w.text(args[len(args)-1], s); ok && strings.HasSuffix(p, ".constructor") {
		w.dynamic("a function made of text", n.Line, where)
	}
	if constant && (p == "setTimeout" || p == "setInterval") {
		w.dynamic("a timer that runs text", n.Line, where)
	}
}

// modules are objects through which everything can be reached.
var modules = words("os sys builtins importlib process globalThis global window inspect subprocess ctypes gc _pytest pytest")

// seenThrough are functions that give nothing but what the scan follows.
var seenThrough = words("getattr vars setattr delattr hasattr Reflect.get Reflect.set Object.assign Object.defineProperty importlib.reload isinstance")

// handsOnModules notes arguments by which others could reach everything.
func (w *walker) handsOnModules(args []*syntax.Node, s *scope, where string) {
	for _, a := range args {
		if a.Kind == syntax.Spread && len(a.Kids) == 1 {
			a = a.Kids[0]
		}
		for _, p := range w.paths(a, s) {
			switch {
			case modules[p]:
				w.add(fact{cap: Dynamic, level: Warns, key: "hands on " + p, scope: where, line: a.Line, what: "it hands on " + p + " as a whole"})
			case p == "sys.stdout" || p == "sys.stderr" || p == "sys.stdin":
				w.add(fact{cap: Surroundings, level: Warns, key: p, scope: where, line: a.Line, what: p, asks: []string{p, "stdout", "stderr", "stdin", "capsys", "StringIO"}})
			}
		}
	}
}

// importsData notes data that is imported as if it were code.
func (w *walker) importsData(name string, line int, where string) {
	if strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".json") {
		w.add(fact{cap: Files, level: Warns, key: name, scope: where, line: line, what: name, asks: []string{name}})
	}
}

// foreign reports whether an expression is a module, a builtin or a member of
// one, and not something that calls made.
func (w *walker) foreign(n *syntax.Node, s *scope) bool {
	return slices.ContainsFunc(w.paths(n, s), w.foreignPath)
}

// decoders turn what can't be read into something that can.
var decoders = []string{
	"base64.", "codecs.decode", "bytes.fromhex", "bytearray.fromhex", "binascii.", "zlib.decompress", "marshal.loads", "pickle.loads", "atob", "Buffer.from",
	"encoding/hex.Decode", "encoding/base64.", "encoding/base32.", "unescape", "gzip.decompress", "lzma.decompress", "bz2.decompress", "quopri.", "binascii.unhexlify",
}

// decodes notes a constant that is decoded.
func (w *walker) decodes(p string, n *syntax.Node, s *scope, where string) {
	if !slices.ContainsFunc(decoders, func(d string) bool { return strings.HasPrefix(p, d) }) {
		return
	}
	if p == "Buffer.from" && len(n.Kids) < 3 || strings.Contains(p, "ncode") && !strings.Contains(p, "ecode") {
		return
	}
	for _, a := range n.Kids[1:] {
		if w.constant(a, s) || w.constantElement(a, s) {
			w.add(fact{cap: Decode, level: Warns, key: p, scope: where, line: n.Line, what: shown(p)})
			return
		}
	}
}

// constantElement reports whether a name stands for an element of a list of
// constants.
func (w *walker) constantElement(n *syntax.Node, s *scope) bool {
	if n.Kind != syntax.Ident {
		return false
	}
	binds, _ := s.lookup(n.Name)
	return slices.ContainsFunc(binds, func(b binding) bool {
		if !b.element || b.value == nil {
			return false
		}
		list, inner := b.value, b.scope
		if list.Kind == syntax.Ident {
			held, _ := inner.lookup(list.Name)
			if len(held) != 1 || held[0].value == nil {
				return false
			}
			list, inner = held[0].value, held[0].scope
		}
		return w.constant(list, inner)
	})
}

// directive notes comments that make the tool chain do things.
func (w *walker) directive(n *syntax.Node, where string) {
	f := fact{level: Warns, key: n.Name, scope: where, line: n.Line, what: "//go:" + n.Name}
	switch n.Name {
	case "linkname", "cgo_import_dynamic", "cgo_import_static", "cgo_ldflag":
		f.cap, f.level = Unsafe, Refuses
	case "embed":
		f.cap, f.what = Files, "//go:embed "+n.Path
		f.names = strings.Fields(n.Path)
		f.excused = w.ownData(f.names)
	case "build":
		f.cap, f.what = Pickup, "a build constraint, "+n.Path
	case "debug":
		f.cap = Patch
	case "tag":
		f.cap, f.what = Overload, "the field "+n.Path+" is left out of what is written and compared"
	default:
		if !strings.HasPrefix(n.Name, "export") {
			return
		}
		f.cap = Unsafe
	}
	f.key += " " + n.Path
	w.add(f)
}

// hook notes functions that a test runner calls by their names.
func (w *walker) hook(n *syntax.Node, where string) {
	name := n.Name
	switch {
	case w.lang == python && (strings.HasPrefix(name, "pytest_") || name == "load_tests" || name == "setUpModule" || name == "tearDownModule"):
	case w.lang == golang && name == "TestMain":
	default:
		return
	}
	w.add(fact{cap: Hook, level: Refuses, key: name, scope: where, line: n.Line, what: name})
}
