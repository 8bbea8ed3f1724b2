package scan

import (
	"path"
	"strings"

	"autocoder/engine/textedit"
	"autocoder/engine/verify/scan/syntax"
)

// tests is what the scan knows of the project's tests: what they ask for by name,
// and the inputs and answers they know.
type tests struct {
	// words are names and texts of the tests that fail.
	words map[string]bool
	// functions are the names of test functions, helpers those of the others that
	// failing tests declare.
	functions, helpers map[string]bool
	// files are all files of the tests; bases and folders the names of those and of
	// their folders.
	files, bases, folders map[string]bool
	// declared are names that test files declare, by folder; Go's only.
	declared map[string]map[string]bool
	// injected are names that tests give to everybody.
	injected map[string]bool
	// present are all files of the project.
	present map[string]bool
	// brought are the files of the edit, with what is in them; nil for one that is deleted.
	brought map[string][]byte
	// module is the path of the Go module, and modules are the roots of the project's
	// own Python modules.
	module  string
	modules map[string]bool
	// stars are own modules of which a test imports all names.
	stars map[string]bool
	// believed are functions of which tests only ask whether they give something true.
	believed map[string]bool
	// raised are the texts of what tests raise themselves.
	raised map[string]bool
	cases  *cases
}

func newTests(in Input) *tests {
	t := &tests{
		words: map[string]bool{}, functions: map[string]bool{}, helpers: map[string]bool{}, raised: map[string]bool{}, believed: map[string]bool{}, files: map[string]bool{}, bases: map[string]bool{}, folders: map[string]bool{},
		declared: map[string]map[string]bool{}, injected: map[string]bool{}, present: map[string]bool{}, modules: map[string]bool{}, stars: map[string]bool{},
		cases: newCases(), brought: map[string][]byte{},
	}
	for _, p := range in.State.Paths() {
		if f, _ := in.State.Lookup(p); f.Kind == textedit.Regular {
			t.brought[p] = append([]byte{}, f.Content...)
		}
	}
	for _, f := range in.Files {
		t.present[f] = true
		root, _, folder := strings.Cut(f, "/")
		if !folder {
			root = strings.TrimSuffix(root, path.Ext(root))
		}
		t.modules[root] = true
		t.modules[strings.TrimSuffix(path.Base(f), path.Ext(f))] = true
		if dir := path.Base(path.Dir(f)); dir != "." {
			t.modules[dir] = true
		}
	}
	for _, f := range in.TestFiles {
		t.files[f] = true
		if dirOfTests(f) || dirOfTests(path.Dir(f)) {
			t.bases[path.Base(f)] = true
			if stem := strings.TrimSuffix(path.Base(f), path.Ext(f)); strings.Contains(stem, "_") {
				t.bases[stem] = true // as Python imports it
			}
		}
		if dir := path.Dir(f); dir != "." && dirOfTests(dir) {
			t.folders[dir], t.folders[path.Base(dir)] = true, true
		}
	}
	return t
}

// dirOfTests reports whether the name of a file or folder has to do with tests.
func dirOfTests(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.Contains(base, "test") || strings.Contains(base, "spec") || strings.Contains(base, "fixture") || strings.Contains(base, "golden") || strings.Contains(base, "snapshot")
}

// existing reports whether a text names a file that is there already.
func (t *tests) existing(name string) bool {
	name = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	for f := range t.present {
		if f == name || strings.HasSuffix(f, "/"+name) {
			return true
		}
	}
	return false
}

// named reports whether a test names a file, or the folder that it is in.
func (t *tests) named(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return t.words[p] || t.words[base] || t.words[stem] || t.words[path.Base(path.Dir(p))] || t.words[path.Dir(p)] ||
		t.words[path.Join(path.Base(path.Dir(p)), base)]
}

// read takes over what a test file has. failing says that tests of it fail: only
// such a file asks for things.
func (t *tests) read(name string, lang *language, root *syntax.Node, failing bool) {
	u := newUnit(name, lang, root)
	syntax.Walk(root, func(n *syntax.Node) bool {
		if n.Kind.Function() && len(n.Name) > 5 && strings.HasPrefix(strings.ToLower(n.Name), "test") {
			t.functions[n.Name] = true
		} else if n.Kind == syntax.Func && failing {
			t.helpers[n.Name] = true
		}
		if n.Kind == syntax.Import && n.Name == "*" {
			t.stars[lastPart(n.Path)] = true
		}
		if failing {
			t.believes(n)
			t.word(u, n)
		}
		return true
	})
	if lang == golang {
		dir := path.Dir(name)
		if t.declared[dir] == nil {
			t.declared[dir] = map[string]bool{}
		}
		for declared := range u.top.binds {
			t.declared[dir][declared] = true
		}
	}
	if failing {
		t.cases.read(u)
	}
}

func lastPart(p string) string {
	if i := strings.LastIndexAny(p, "./"); i >= 0 {
		return p[i+1:]
	}
	return p
}

// raisesItself stands among the words of tests that raise something themselves.
const raisesItself = "(raise)"

func (t *tests) word(u *unit, n *syntax.Node) {
	switch n.Kind {
	case syntax.Raise:
		t.words[raisesItself] = true
		syntax.Walk(n, func(c *syntax.Node) bool {
			if c.Kind == syntax.Const && c.Value.Kind == syntax.Text {
				t.raised[c.Value.Text] = true
			}
			return true
		})
	case syntax.Import:
		t.words[n.Name] = true
		for _, part := range parts(n.Path) {
			t.words[part] = true
		}
	case syntax.Ident, syntax.Attr, syntax.Keyword, syntax.Param:
		t.words[n.Name] = true
	case syntax.Const:
		if n.Value.Kind == syntax.Text {
			t.words[n.Value.Text] = true
		}
	}
	t.injects(u, n)
	if n.Kind == syntax.Attr || n.Kind == syntax.Call {
		for _, p := range u.paths(n, u.top) {
			t.words[p] = true
		}
	}
}

// everybodys are objects whose members are names everywhere.
var everybodys = words("builtins __builtins__ globalThis global window")

// injects notes a name that a test puts among those that are known everywhere.
func (t *tests) injects(u *unit, n *syntax.Node) {
	switch {
	case n.Kind == syntax.Assign && n.Kids[0].Kind == syntax.Attr:
		for _, p := range u.paths(n.Kids[0].Kids[0], u.top) {
			if everybodys[p] {
				t.injected[n.Kids[0].Name] = true
			}
		}
	case n.Kind == syntax.Call && strings.HasSuffix(n.Kids[0].Name, "setattr") && len(n.Kids) > 2:
		for _, p := range u.paths(n.Kids[1], u.top) {
			if name, ok := u.text(n.Kids[2], u.top); ok && everybodys[p] {
				t.injected[name] = true
			}
		}
	}
}

// asked reports whether a failing test has one of the words.
func (t *tests) asked(words []string) bool {
	for _, word := range words {
		if word != "" && t.words[word] {
			return true
		}
	}
	return false
}

// borrows notes imports of the tests' own files.
func (w *walker) borrows(n *syntax.Node, p, where string) {
	names := []string{}
	if w.lang.slashes {
		if !strings.HasPrefix(n.Path, ".") {
			return
		}
		spec := n.Path
		if head, _, ok := lastDot(spec); ok && !strings.Contains(path.Ext(spec), "/") && languageOf(spec) == nil {
			spec = head
		}
		names = append(names, path.Join(path.Dir(w.path), spec), path.Join(path.Dir(w.path), n.Path))
	} else {
		slashed := strings.ReplaceAll(strings.TrimLeft(p, "."), ".", "/")
		names = append(names, slashed, path.Dir(slashed))
	}
	for _, name := range names {
		for f := range w.tests.files {
			if languageOf(f) == nil {
				continue
			}
			bare := strings.TrimSuffix(strings.TrimSuffix(f, path.Ext(f)), "/__init__")
			if f == name || bare == name || !w.lang.slashes && strings.HasSuffix(bare, "/"+name) && name != "." {
				w.add(fact{cap: Borrow, level: Refuses, key: f, scope: where, line: n.Line, what: "it imports " + f})
				return
			}
		}
	}
}

// borrowedNames notes names of a Go file that only the test files of its package
// declare.
func (w *walker) borrowedNames() {
	declared := w.tests.declared[path.Dir(w.path)]
	if w.lang != golang || len(declared) == 0 {
		return
	}
	seen := map[string]bool{}
	var walk func(n *syntax.Node, s *scope)
	walk = func(n *syntax.Node, s *scope) {
		if inner := w.scopes[n]; inner != nil {
			s = inner
		}
		if n.Kind == syntax.Ident && declared[n.Name] && !seen[n.Name] && !w.known(n.Name, s) {
			seen[n.Name] = true
			w.add(fact{cap: Borrow, level: Refuses, key: n.Name, scope: s.name, line: n.Line, what: n.Name})
		}
		for i, kid := range n.Kids {
			if n.Kind == syntax.Pair && i == 0 && kid.Kind == syntax.Ident {
				continue // a field's name
			}
			walk(kid, s)
		}
	}
	walk(w.root, w.top)
}

// known reports whether a product file of the package declares the name.
func (w *walker) known(name string, s *scope) bool {
	if _, ok := s.lookup(name); ok {
		return true
	}
	for _, sibling := range w.siblings {
		if _, ok := sibling.top.lookup(name); ok {
			return true
		}
	}
	return false
}
