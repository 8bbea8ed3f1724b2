package golang

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// session is one module at work. Its methods may be called one at a time.
type session struct {
	task repair.Task
	cell *propose.Cell
	lib  *library
	// module is the import path of the module, folder where it is in the cell.
	module, folder string
	// targets and passing are names of tests by package.
	targets, passing map[string][]string
	// roots are the packages with targets, sorted; own the module's packages that
	// they need.
	roots, own []string
	sources    map[string]*source
	byPath     map[string]*file
	tests      map[string]*testPackage
	builds     int
	traced     *trace
	// marks are what the marks stand for that are woven into tests and their helpers.
	marks []mark
	// helpers are the marks of files that help tests.
	helpers map[*file][]textedit.Edit
	state   state
}

func newSession(task repair.Task) *session {
	return &session{
		task: task, targets: byPackage(task.Targets), passing: byPackage(task.Passing),
		sources: map[string]*source{}, byPath: map[string]*file{}, tests: map[string]*testPackage{},
	}
}

// open leases a cell and reads the packages under test.
func (s *session) open(ctx context.Context) error {
	s.roots = slices.Sorted(maps.Keys(s.targets))
	if len(s.roots) == 0 {
		return fmt.Errorf("no failing test of %s is a Go test", s.task.Place())
	}
	cell, err := s.task.View.Cell(ctx)
	if err != nil {
		return fmt.Errorf("lease a cell: %w", err)
	}
	s.cell = cell
	if s.lib, err = s.list(ctx, append([]string{"-test"}, s.roots...)...); err != nil {
		return err
	}
	// What an edit may import is seldom more than what the tests need anyway. It is
	// asked for without its own tests, which no build cache has.
	more := slices.DeleteFunc(slices.Sorted(slices.Values(knownPaths())), func(path string) bool { return s.lib.packages[path] != nil })
	if len(more) > 0 {
		known, err := s.list(ctx, more...)
		if err != nil {
			return err
		}
		s.lib.add(known)
	}
	return s.read()
}

// list asks for packages and what they need.
func (s *session) list(ctx context.Context, args ...string) (*library, error) {
	return list(ctx, s.cell, s.spec(append([]string{s.task.Unit.Interpreter, "list", "-e", "-export", "-deps", "-json=" + fields}, args...)))
}

// spec is a command of the unit.
func (s *session) spec(args []string) command.Spec {
	return command.Spec{Args: args, Dir: s.task.Unit.Root, Env: s.task.Unit.Env}
}

// read reads the module's own packages and their tests.
func (s *session) read() error {
	s.own = s.lib.below(s.roots)
	for _, path := range s.own {
		p := s.lib.packages[path]
		src, err := read(s.lib, p, slices.Concat(p.GoFiles, p.CgoFiles), s.cell.Root, s.task.View.Read)
		if err != nil {
			return err
		}
		s.sources[path] = src
		for _, f := range src.files {
			s.byPath[f.path] = f
		}
	}
	for _, path := range s.roots {
		p := s.lib.packages[path]
		if s.sources[path] == nil || p.Module == nil {
			return fmt.Errorf("package %s is not one of the module's own", path)
		}
		s.module, s.folder = p.Module.Path, p.Module.Dir
		t, err := s.readTests(p)
		if err != nil {
			return err
		}
		s.tests[path] = t
		t.keep(s.targets, s.passing)
	}
	s.roots = slices.DeleteFunc(s.roots, func(path string) bool { return len(s.targets[path]) == 0 })
	if len(s.roots) == 0 {
		return fmt.Errorf("no failing test of %s is one that can be called", s.task.Place())
	}
	return nil
}

// keep drops the names of tests that can't be called, as those that are fuzzed.
func (t *testPackage) keep(lists ...map[string][]string) {
	for _, list := range lists {
		list[t.ImportPath] = slices.DeleteFunc(list[t.ImportPath], func(name string) bool {
			f := testName{test: name}.function()
			return t.inner[f] == "" && t.outer[f] == ""
		})
	}
}

// runtimePath is the import path of what is woven in.
func (s *session) runtimePath() string { return s.module + "/" + alias }

// Parse returns the tree of a file in the current state.
func (s *session) Parse(_ context.Context, name string) (*node.Node, error) {
	if f := s.byPath[name]; f != nil {
		return tree(f.pkg.fset, f.syntax, f.pkg.types, f.pkg.info), nil
	}
	f, err := s.task.View.Read(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	fset, syntax, err := parseFile(name, f.Content)
	if err != nil {
		return nil, err
	}
	return tree(fset, syntax, nil, nil), nil
}

// Close ends everything that runs in the cell.
func (s *session) Close() error {
	if s.cell == nil {
		return nil
	}
	err := s.cell.Close()
	s.cell = nil
	return err
}

// testPackage are the tests of a package: those inside it and those outside.
type testPackage struct {
	*listed
	internal, external *source
	// woven are the test files with their marks, by absolute path.
	woven map[string][]byte
	// inner and outer are the test functions inside and outside the package.
	inner, outer map[string]string
	// at is the place of each test function among the others, in the order in which go
	// test runs them.
	at  map[string]int
	dir string // relative to the workspace
}

// readTests reads and weaves the test files of a package.
func (s *session) readTests(p *listed) (*testPackage, error) {
	t := &testPackage{listed: p, woven: map[string][]byte{}}
	dir, ok := inside(s.cell.Root, p.Dir)
	if !ok {
		return nil, fmt.Errorf("package %s is outside the workspace", p.ImportPath)
	}
	t.dir = dir
	variant := s.variant(p.ImportPath+" ["+p.ImportPath+".test]", p)
	inner, err := read(s.lib, variant, slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles), s.cell.Root, s.task.View.Read)
	if err != nil {
		return nil, err
	}
	variant = s.variant(p.ImportPath+"_test ["+p.ImportPath+".test]", p)
	outer, err := read(s.lib, variant, p.XTestGoFiles, s.cell.Root, s.task.View.Read)
	if err != nil {
		return nil, err
	}
	t.internal, t.external = inner, outer
	for _, src := range []*source{inner, outer} {
		for _, f := range src.files {
			if !strings.HasSuffix(f.path, "_test.go") {
				continue
			}
			if err := s.weaveTest(t, f); err != nil {
				return nil, err
			}
		}
	}
	t.inner, t.outer = testFunctions(inner), testFunctions(outer)
	t.at = places(inner, outer)
	return t, nil
}

// variant is a package as its tests see it, with the folder and module of the
// package itself.
func (s *session) variant(path string, p *listed) *listed {
	v := *p
	if found := s.lib.packages[path]; found != nil {
		v.ImportMap = found.ImportMap
	}
	return &v
}

func (s *session) weaveTest(t *testPackage, f *file) error {
	w := s.marker(f)
	if len(w.edits) == 0 {
		return nil
	}
	w.importRuntime(f.syntax, s.runtimePath(), nil)
	content, err := w.apply(f.content)
	if err != nil {
		return fmt.Errorf("weave %s: %w", f.path, err)
	}
	t.woven[s.absolute(f.path)] = content
	return nil
}

// marker weaves marks into a file of tests or of their helpers.
func (s *session) marker(f *file) *testWeaver {
	w := &testWeaver{weaver: weaver{offset: f.offset}, file: f, marks: &s.marks, done: map[*ast.BlockStmt]bool{}}
	w.tests()
	return w
}
