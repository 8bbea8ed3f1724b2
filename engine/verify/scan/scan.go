// Package scan finds what changed code newly can do.
//
// It compares the capabilities of each file before and after a patch: reading
// the environment, the stack or the tests, exiting, patching what the file does
// not own, overloading equality, answering the tests' own inputs. It reads syntax
// trees, by the language's own parser, and sees through aliases, getattr and
// names that are put together from constants; what it can't see through is a
// capability of its own. A repair rarely needs a new one. What the file could do
// before, or what a failing test asks for by name, is no finding.
//
// A finding is a suspicion in words that a person can judge. Only what no honest
// repair does is refused. That there is no finding shows nothing: a fix can be
// wrong without being able to do anything new.
package scan

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"autocoder/engine/textedit"
	pythonparser "autocoder/engine/verify/scan/python"
	"autocoder/engine/verify/scan/syntax"

	"golang.org/x/mod/modfile"
)

// Input is what a scan looks at.
type Input struct {
	// Base reads the files as they were, and State is the patch.
	Base  textedit.Reader
	State textedit.State
	// Files are all files of the project as it was.
	Files []string
	// TestFiles are those that belong to the tests, data included, and Failing those
	// of them that hold a test which failed; none means all.
	TestFiles, Failing []string
	// Python reads Python.
	Python func(ctx context.Context, texts, modules []string) (pythonparser.Answer, error)
}

// Scan returns what the patch newly can do, by file and line. That it can't make
// anything of a file for a fault of its own is an error: the edit may have been
// made for that.
func Scan(ctx context.Context, in Input) (found []Finding, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			found, err = nil, fmt.Errorf("read the edit: %v", problem)
		}
	}()
	if len(in.Failing) == 0 {
		in.Failing = in.TestFiles
	}
	x := &scanner{in: in, trees: map[string]tree{}}
	if err := x.load(ctx); err != nil {
		return nil, err
	}
	x.readTests()
	for _, p := range in.State.Paths() {
		found = append(found, x.pickup(p)...)
	}
	found = append(found, x.compare()...)
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	return once(found), nil
}

// once drops findings that say the same of one place.
func once(found []Finding) []Finding {
	seen := map[string]int{}
	var out []Finding
	for _, f := range found {
		key := fmt.Sprintf("%s:%d %d", f.Path, f.Line, f.Capability)
		if i, ok := seen[key]; ok {
			out[i].Level = max(out[i].Level, f.Level)
			continue
		}
		seen[key] = len(out)
		out = append(out, f)
	}
	return out
}

// tree is a file's tree, or why there is none.
type tree struct {
	root    *syntax.Node
	problem string
}

type scanner struct {
	in    Input
	tests *tests
	// trees are by path, with "after:" before that of a changed file.
	trees     map[string]tree
	installed []string
}

const after = "after:"

// load parses all that is needed: the changed files before and after, the tests,
// and for Go what shares a package with them.
func (x *scanner) load(ctx context.Context) error {
	var texts, keys []string
	var modules []string
	add := func(key, name string, f textedit.File) {
		l := languageOf(name)
		switch {
		case l == nil || f.Kind != textedit.Regular:
		case l.parse == nil:
			texts, keys = append(texts, string(f.Content)), append(keys, key)
		default:
			root, err := l.parse(name, f.Content)
			t := tree{root: root}
			if err != nil {
				t.problem = err.Error()
			}
			x.trees[key] = t
		}
	}
	for _, p := range x.wanted() {
		f, err := x.in.Base(p)
		if err != nil {
			return fmt.Errorf("read %q: %w", p, err)
		}
		add(p, p, f)
	}
	for _, p := range x.in.State.Paths() {
		f, _ := x.in.State.Lookup(p)
		add(after+p, p, f)
		if x.isNew(p) && languageOf(p) == python {
			modules = append(modules, moduleName(p))
		}
	}
	return x.python(ctx, keys, texts, modules)
}

// python reads Python files. That an interpreter fails at one is a finding, not an
// error: the edit may have been made for that.
func (x *scanner) python(ctx context.Context, keys, texts, modules []string) error {
	if len(texts) == 0 {
		return nil
	}
	answer, err := x.in.Python(ctx, texts, modules)
	if err == nil && len(answer.Trees) != len(keys) {
		err = fmt.Errorf("read the Python files: %d answers for %d files", len(answer.Trees), len(keys))
	}
	if ctx.Err() != nil {
		return err
	}
	for i, key := range keys {
		if err != nil {
			x.trees[key] = tree{problem: err.Error()}
		} else {
			x.trees[key] = tree{root: answer.Trees[i].Root, problem: answer.Trees[i].Problem}
		}
	}
	x.installed = answer.Installed
	return nil
}

// wanted are the files that are read as they were.
func (x *scanner) wanted() []string {
	var all []string
	folders := map[string]bool{}
	for _, p := range x.in.State.Paths() {
		if !x.isNew(p) {
			all = append(all, p)
		}
		if path.Ext(p) == ".go" {
			folders[path.Dir(p)] = true
		}
	}
	for _, p := range x.in.Failing {
		if languageOf(p) != nil {
			all = append(all, p)
		}
	}
	for _, p := range x.in.Files {
		if path.Ext(p) == ".go" && folders[path.Dir(p)] {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isNew reports whether there was no such file.
func (x *scanner) isNew(p string) bool { return !slices.Contains(x.in.Files, p) }

// mostData is how many files of the tests' data are read.
const mostData = 100

// readTests takes over what the tests know: first their code, then the data that
// it names.
func (x *scanner) readTests() {
	x.tests = newTests(x.in)
	x.tests.module = x.module()
	for _, p := range x.in.State.Paths() {
		syntax.Walk(x.trees[p].root, func(n *syntax.Node) bool {
			if n.Kind == syntax.Func || n.Kind == syntax.Method {
				x.tests.cases.called[n.Name] = true
			}
			return true
		})
	}
	for _, p := range x.in.TestFiles {
		if t := x.trees[p]; t.root != nil {
			x.tests.read(p, languageOf(p), t.root, slices.Contains(x.in.Failing, p))
		}
	}
	read := 0
	for _, p := range x.in.TestFiles {
		if languageOf(p) != nil || read >= mostData || !x.tests.named(p) {
			continue
		}
		if f, err := x.in.Base(p); err == nil && f.Kind == textedit.Regular {
			x.tests.cases.data(p, f.Content)
			read++
		}
	}
}

// module is the path of the Go module that the first changed Go file is in.
func (x *scanner) module() string {
	for _, p := range x.in.State.Paths() {
		if path.Ext(p) != ".go" {
			continue
		}
		for dir := path.Dir(p); ; dir = path.Dir(dir) {
			if f, err := x.in.Base(path.Join(dir, "go.mod")); err == nil && f.Kind == textedit.Regular {
				return modfile.ModulePath(f.Content)
			}
			if dir == "." {
				return ""
			}
		}
	}
	return ""
}
