package golang

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"time"

	"autocoder/engine/repair/localise"
	"autocoder/engine/textedit"
)

const (
	// traceFuel, traceSoft and tracePatience bound one test of the trace.
	traceFuel     = 20_000_000
	traceSoft     = 2 * time.Second
	tracePatience = 6 * time.Second
	// traceTime and traceShare bound the trace of the passing tests of a package; the
	// quickest are traced first.
	traceTime  = 5 * time.Second
	traceShare = 0.15
)

// trace is what one run of the tests as they are showed.
type trace struct {
	counts counter
	rows   []localise.Row
	// early are the lines that ran before any test, by file.
	early map[string][]int
	// tests are the test functions by package and name.
	tests map[string]tested
}

// tested is what a test function took.
type tested struct {
	ok       bool
	ticks    int64
	duration time.Duration
	// whole means that it came to its end.
	whole bool
}

// Spectrum runs the targets and the passing tests of their packages with every
// statement counted. A failing test gives a row for each of its statements.
func (s *session) Spectrum(ctx context.Context) (localise.Spectrum, error) {
	if err := s.measure(ctx); err != nil {
		return localise.Spectrum{}, err
	}
	return localise.Spectrum{Rows: s.traced.rows}, nil
}

// measure traces the tests, once.
func (s *session) measure(ctx context.Context) error {
	if s.traced != nil {
		return nil
	}
	t := &trace{early: map[string][]int{}, tests: map[string]tested{}}
	woven, err := s.counted(&t.counts)
	if err != nil {
		return err
	}
	for _, root := range s.roots {
		if err := s.traceTests(ctx, t, s.tests[root], woven); err != nil {
			return fmt.Errorf("trace the tests of %s: %w", root, err)
		}
	}
	for i := range t.rows {
		for file, lines := range t.early {
			t.rows[i].Lines[file] = merge(t.rows[i].Lines[file], lines)
		}
	}
	s.traced = t
	s.state = s.findState()
	return nil
}

// counted weaves counting into all packages of the module that take part.
func (s *session) counted(c *counter) (layer, error) {
	l := layer{}
	for _, path := range s.own {
		for _, f := range s.sources[path].files {
			w := s.begin(f)
			if !forTests(f) {
				w.counts(f, c)
			}
			w.ticks(f.syntax)
			w.importRuntime(f.syntax, s.runtimePath(), nil)
			w.insertAt(len(f.content), useRuntime)
			content, err := w.apply(f.content)
			if err != nil {
				return nil, fmt.Errorf("weave %s: %w", f.path, err)
			}
			l[s.absolute(f.path)] = content
		}
	}
	return l, nil
}

// forTests reports whether a file helps tests: what it does when one fails is no
// sign of a fault in it.
func forTests(f *file) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing"` })
}

// begin begins the weaving of a file that is no test: one that helps tests gets
// their marks.
func (s *session) begin(f *file) *weaver {
	if !forTests(f) {
		return &weaver{offset: f.offset}
	}
	if s.helpers == nil {
		s.helpers = map[*file][]textedit.Edit{}
	}
	if _, ok := s.helpers[f]; !ok {
		s.helpers[f] = s.marker(f).edits
	}
	return &weaver{offset: f.offset, edits: slices.Clone(s.helpers[f])}
}

// useRuntime keeps the import of the runtime in use.
const useRuntime = "\nvar _ = " + alias + ".M\n"

func (s *session) absolute(path string) string {
	return filepath.Join(s.cell.Root, filepath.FromSlash(path))
}

// traceTests traces the tests of one package.
func (s *session) traceTests(ctx context.Context, t *trace, p *testPackage, woven layer) error {
	l := s.support(p, len(t.counts.spans))
	for path, content := range woven {
		l[path] = content
	}
	program, err := s.build(ctx, p, l)
	if err != nil {
		return err
	}
	r := &tracer{session: s, trace: t, tests: p}
	beside, alone := s.besides(p)
	if err := r.all(ctx, program, slices.Concat(s.targets[p.ImportPath], beside)); err != nil {
		return err
	}
	most := s.task.AtMost(traceTime, traceShare)
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	r.passing = true
	if err := r.all(limited, program, s.quickest(p, alone, most)); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// quickest are as many of a package's tests as took a time together when the suite ran,
// the quickest, in their own order: what one leaves behind the next may need.
func (s *session) quickest(p *testPackage, tests []string, most time.Duration) []string {
	took := map[string]time.Duration{}
	for _, test := range s.task.View.Result.Tests() {
		took[test.ID.Native] = test.Duration
	}
	sorted := slices.Clone(tests)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return cmp.Compare(took[p.ImportPath+"."+a], took[p.ImportPath+"."+b])
	})
	var total time.Duration
	for i, name := range sorted {
		if total += took[p.ImportPath+"."+name]; total > most {
			sorted = sorted[:i]
			break
		}
	}
	return p.inOrder(sorted)
}

// inOrder sorts names of tests as go test runs them.
func (p *testPackage) inOrder(names []string) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(p.at[testName{test: a}.function()], p.at[testName{test: b}.function()])
	})
	return names
}

// besides are the passing tests of a package: those in functions with a target,
// and the others.
func (s *session) besides(p *testPackage) (beside, alone []string) {
	with := functions(s.targets[p.ImportPath])
	for _, n := range s.passing[p.ImportPath] {
		if slices.Contains(with, testName{test: n}.function()) {
			beside = append(beside, n)
		} else {
			alone = append(alone, n)
		}
	}
	return beside, alone
}
