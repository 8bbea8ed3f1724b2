package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"autocoder/engine"
)

// TestBases has one run after the other use what the first has copied, and see
// what was edited meanwhile.
func TestBases(t *testing.T) {
	t.Parallel()
	p := newProject(t, "-- answer.txt --\nwrong\n")
	p.options.Bases = &engine.Bases{}
	p.settings.TestCommand, p.settings.Report = `sh -c 'echo 1..1; grep -q right answer.txt && echo ok 1 - answer || echo not ok 1 - answer; echo x >> answer.txt; test ! -e litter && echo litter > litter'`, "tap"
	shadows := func() []string {
		found, err := filepath.Glob(filepath.Join(p.options.CacheDir, "shadows", "shadow-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	var first string
	for i, c := range []struct {
		content string
		failing int
	}{{"wrong\n", 1}, {"right\n", 0}, {"right\n", 0}, {"wrong\n", 1}} {
		p.write(t, "answer.txt", c.content)
		w := p.open(t)
		result, err := w.RunTests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Failed; got != c.failing {
			t.Errorf("run %d: %d failing, want %d: %+v", i, got, c.failing, result)
		}
		left := shadows()
		if len(left) != 1 || (first != "" && left[0] != first) {
			t.Fatalf("run %d leaves %q, want one, %q", i, left, first)
		}
		first = left[0]
		inside, err := os.ReadDir(first)
		inside = slices.DeleteFunc(inside, func(d os.DirEntry) bool { return d.Name() == "base" }) // or that is in memory
		if err != nil || len(inside) != 2 {
			t.Errorf("the kept copy has %v, %v, want forks and owner, and perhaps the base", inside, err)
		}
	}
	if err := p.options.Bases.Close(); err != nil || len(shadows()) > 0 {
		t.Errorf("Close leaves %q, %v", shadows(), err)
	}
}
