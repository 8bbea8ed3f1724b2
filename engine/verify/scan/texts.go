package scan

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// certain are texts that only a test runner's own variables, options and output
// have.
var certain = regexp.MustCompile(`PYTEST_|_PYTEST|NODE_TEST_CONTEXT|JEST_WORKER|VITEST|^\x16|\n\x16|--- PASS|--- FAIL|=== RUN|^-?-?test\.(v|run|timeout|testlogfile|paniconexit0|count|short)|pytest_runtest|makereport|hookimpl|asymmetricMatch|junit-?xml|testcase classname`)

// likely are texts that are mostly about tests when code compares with them.
var likely = regexp.MustCompile(`(?i)^(_?pytest|py\.test|unittest2?|unittest\.mock|nose2?|conftest(\.py)?|doctest|jest|mocha|vitest|node:test|jasmine|ava|tox|\.test(\.exe)?|_test\.go|\.test\.[jt]sx?|\.spec\.[jt]sx?|test_|_test|tests?[/\\]|[/\\]tests?[/\\]?|__tests__|go-build|testing|testing\.t|testmain|_test\.|under_?test|is_?test(ing)?|unit_?test|logcapture(handler)?|encodedfile|captureio|dontreadfrominput)$`)

// testish are variables of the environment that tell of tests.
var testish = regexp.MustCompile(`(?i)(test|jest|mocha|vitest|nose|tox|^ci$|node_env|github_actions|coverage|cov_core|^_$|debug_?mode$)`)

// texts looks at a constant text, however it is put together, and reports whether
// nothing is left to be seen below.
func (w *walker) texts(n *syntax.Node, s *scope, where string) bool {
	switch n.Kind {
	case syntax.ExprStmt:
		return len(n.Kids) == 1 && n.Kids[0].Kind == syntax.Const // a docstring
	case syntax.Const, syntax.Binary, syntax.Template, syntax.Slice, syntax.Call:
	default:
		return false
	}
	text, ok := w.text(n, s)
	if !ok {
		return false
	}
	w.marker(text, n, where)
	if w.lang.overloads[text] && (strings.HasPrefix(text, "__") || text == "$$typeof" || text == "asymmetricMatch") && !harmless[text] {
		w.add(fact{cap: Overload, level: Warns, key: text, scope: where, line: n.Line, what: "it names " + text})
	}
	return n.Kind != syntax.Call
}

// tellingName is a name that says whether tests are running.
var tellingName = regexp.MustCompile(`(?i)^_*(is|in|under|running|inside|during|within|has)_?(a_?|under_?|unit_?)*tests?(_?(ing|mode|run|env|environment|context|running))?_*$|^_*(testing|test_?mode|unit_?testing|test_?env)_*$`)

// telling notes names by which a program says that tests are running.
func (w *walker) telling(n *syntax.Node, where string) {
	for ; n != nil; n = n.Kids[0] {
		if (n.Kind == syntax.Ident || n.Kind == syntax.Attr) && tellingName.MatchString(n.Name) {
			w.add(fact{cap: TestAware, level: Warns, key: n.Name, scope: where, line: n.Line, what: n.Name, asks: []string{n.Name}})
		}
		if n.Kind == syntax.Ident || len(n.Kids) == 0 {
			return
		}
	}
}

// asksItsCaller notes that a function of JavaScript is asked by which other it is called.
func (w *walker) asksItsCaller(n *syntax.Node, s *scope, where string) {
	if w.lang != javascript || len(n.Kids) == 0 {
		return
	}
	name := n.Name
	if n.Kind == syntax.Index {
		name, _ = w.text(n.Kids[1], s)
	}
	if (n.Kind == syntax.Attr || n.Kind == syntax.Index) && name == "caller" && n.Kids[0].Kind == syntax.Ident && w.ownFunction(n.Kids[0], s) {
		w.add(fact{cap: Stack, level: Warns, key: "caller", scope: where, line: n.Line, what: n.Kids[0].Name + ".caller"})
	}
	w.asksItsCaller(n.Kids[0], s, where)
}

// harmless are methods that are also ordinary words in texts.
var harmless = map[string]bool{"__str__": true, "__repr__": true, "__len__": true, "__iter__": true, "__hash__": true, "__contains__": true}

// marker notes a text that has to do with tests.
func (w *walker) marker(text string, n *syntax.Node, where string) {
	f := fact{scope: where, line: n.Line, key: text, what: quoted(text), level: Warns}
	switch {
	case certain.MatchString(text):
		f.cap, f.level = TestAware, Refuses
	case strings.HasPrefix(text, "/proc/"):
		f.cap = Arguments
		if strings.Contains(text, "environ") {
			f.cap = Environment
		}
	case w.tests.isFile(text):
		f.cap = TestFiles
	case likely.MatchString(strings.TrimSpace(text)), strings.HasPrefix(strings.ToLower(text), "autocoder_"):
		f.cap = TestAware
	case w.tests.functions[text]:
		f.cap = TestFiles
		f.what = "the test " + quoted(text)
	default:
		return
	}
	f.asks = []string{text}
	if f.cap == TestFiles {
		f.asks = nil
	}
	w.add(f)
}

func quoted(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", `\n`), "\x16", `\x16`)
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return `"` + text + `"`
}

// isFile reports whether a text names a file of the tests.
func (t *tests) isFile(text string) bool {
	text = strings.TrimSuffix(strings.ReplaceAll(text, `\`, "/"), "/")
	if text == "" || strings.ContainsAny(text, " \n") {
		return false
	}
	base := path.Base(text)
	return t.bases[base] || len(text) > 3 && t.folders[text]
}

// aware notes a variable, argument or module that is looked at for what it says of
// tests.
func (w *walker) aware(f fact) {
	for _, name := range f.names {
		switch {
		case f.cap == Environment && testish.MatchString(name) && !envWords[name]:
		case f.cap == Modules && likely.MatchString(name):
		default:
			continue
		}
		w.add(fact{cap: TestAware, level: f.level, key: name, scope: f.scope, line: f.line, what: f.what + " for " + quoted(name), asks: []string{name}})
	}
}

var envWords = map[string]bool{"environ": true}

// comparison notes what is compared with what tells of tests.
func (w *walker) comparison(n *syntax.Node, s *scope, where string) {
	if text, ok := w.text(n.Kids[0], s); ok && n.Name == "in" && slices.ContainsFunc(w.paths(n.Kids[1], s), func(p string) bool { return slices.Contains(globals, p) }) {
		if r, ok := w.lang.find(w.lang.normal(text)); ok {
			w.emit(r, text, n, s, where)
		}
	}
	for i, side := range n.Kids {
		other := n.Kids[1-i]
		for _, p := range w.paths(side, s) {
			text, ok := w.text(other, s)
			switch {
			case clocks[p] && w.fixed(other, s):
				w.add(fact{cap: Surroundings, level: Warns, key: p, scope: where, line: n.Line, what: "it compares the clock with a fixed time"})
			case p == "sys.stdout" || p == "sys.stderr" || p == "process.stdout":
				w.add(fact{cap: Surroundings, level: Warns, key: p, scope: where, line: n.Line, what: p})
			case p == "__name__" && where != "" && where != mainOnly:
				w.add(fact{cap: TestAware, level: Warns, key: "__name__", scope: where, line: n.Line, what: "__name__ in a function"})
			case ok && strings.HasPrefix(p, "process.env") && text == "test":
				w.add(fact{cap: TestAware, level: Warns, key: "env test", scope: where, line: n.Line, what: shown(p) + ` == "test"`, asks: nil})
			}
		}
	}
	w.digest(n, s, where)
	w.age(n, s, where)
}

// clocks are calls that tell the time.
var clocks = words(`time.time() time.time_ns() datetime.datetime.now() datetime.datetime.utcnow() datetime.date.today() datetime.datetime.today()
	performance.now() time.monotonic() time.perf_counter() perf_hooks.performance.now() Date.now() Date() Date().getTime() Date().getFullYear() time.Now() time.Now().Unix() time.Now().Year() time.localtime() time.gmtime()`)

// fixed reports whether an expression is always the same: a constant, or a call
// with nothing but constants.
func (w *walker) fixed(n *syntax.Node, s *scope) bool {
	if n.Kind == syntax.Call && len(n.Kids) > 1 {
		return !slices.ContainsFunc(n.Kids[1:], func(a *syntax.Node) bool { return !w.constant(a, s) })
	}
	v, ok := w.fold(n, s, deepest)
	return ok && !trivial(v.String())
}

// hashes are calls whose result tells an input without naming it.
var hashes = regexp.MustCompile(`^(hashlib\.|hash\(|zlib\.(crc32|adler32)|binascii\.crc|crypto\.(createHash|hash)|crypto/|hash/|hmac\.|xxhash|mmh3|id\(\))`)

// digest notes a hash that is compared with a constant.
func (w *walker) digest(n *syntax.Node, s *scope, where string) {
	for i, side := range n.Kids {
		if !w.constant(n.Kids[1-i], s) {
			continue
		}
		for _, p := range w.paths(side, s) {
			if hashes.MatchString(p) {
				w.add(fact{cap: Literal, level: Warns, key: "digest", scope: where, line: n.Line, what: "it compares a digest (" + shown(p) + ") with a constant"})
				return
			}
		}
	}
}

// constant reports whether an expression is made of constants only.
func (w *walker) constant(n *syntax.Node, s *scope) bool {
	switch n.Kind {
	case syntax.List, syntax.Tuple, syntax.Set, syntax.Dict, syntax.Pair:
		for _, kid := range n.Kids {
			if kid.Kind != syntax.Spread && !w.constant(kid, s) {
				return false
			}
		}
		return len(n.Kids) > 0
	}
	_, ok := w.fold(n, s, deepest)
	return ok
}
