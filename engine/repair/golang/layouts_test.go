package golang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/engine/repair"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// Modules of a workspace, a TestMain, files for other systems, tests side by side,
// helpers with types of their own, examples: each is looked into and repaired.
func TestLayouts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg, file        string
		targets, passing []string
		fixes            []string
	}{
		{"level", "lib/clamp.go", []string{"TestOf"}, nil, []string{"if x > high {\n\t\treturn high"}},
		{"table", "app/table/table.go", []string{"TestRead"}, nil, []string{"continue"}},
		{
			"heap", "app/heap/heap.go",
			[]string{"TestSorts", "TestSorts/more"},
			[]string{"ExampleHeap", "TestSorts/few", "TestSorts/same", "TestSorts/none"},
			[]string{"k <= 2*i+2", "k <= 2*(i+1)", "k-1 <= 2*i+1", "k <= 2*i+1+1", "k <= 2+2*i"},
		},
	} {
		t.Run(c.pkg, func(t *testing.T) {
			t.Parallel()
			p := lay(t, "layouts.txtar")
			full := func(names []string) []testresult.ID {
				var out []string
				for _, n := range names {
					out = append(out, "example.com/app/"+c.pkg+"."+n)
				}
				return ids(out...)
			}
			view := p.view(t, suite(full(c.targets), full(c.passing)), full(c.targets))
			view.Units[0].Root = "app"
			got, err := repair.New(time.Now, New()).Propose(t.Context(), view, nil)
			if err != nil {
				t.Fatal(err)
			}
			op := got.Patch.Ops[0]
			before, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(op.Path)))
			if err != nil {
				t.Fatal(err)
			}
			after, err := textedit.ApplyEdits(before, op.Edits)
			if err != nil {
				t.Fatal(err)
			}
			if op.Path != c.file || !slices.ContainsFunc(c.fixes, func(fix string) bool { return strings.Contains(string(after), fix) }) {
				t.Errorf("the fix is another: %s\n%s", got.Why, after)
			}
		})
	}
}

// TestForeignTests: what is built before the first candidate are the tests of the
// packages under test. Tests of the standard library are in nobody's build cache, and
// building them takes longer than most repairs.
func TestForeignTests(t *testing.T) {
	t.Parallel()
	s := lay(t, "calc.txtar").open(t, []string{"example.com/calc.TestSum"}, nil)
	for path, p := range s.lib.packages {
		if p.ForTest != "" && !slices.Contains(s.roots, p.ForTest) {
			t.Errorf("%s is built for the tests of %s", path, p.ForTest)
		}
	}
	for _, path := range knownPaths() {
		if p := s.lib.packages[path]; p == nil || p.Export == "" {
			t.Errorf("nothing is known of %s, which an edit may import", path)
		}
	}
}
