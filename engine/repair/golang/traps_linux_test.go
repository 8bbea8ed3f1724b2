package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/repair"
)

// trapping is a test file that puts links to what is outside in the place of all that
// is ours in the cell's scratch folder.
const trapping = `package calc

import (
	"os"
	"path/filepath"
)

func init() {
	ours := filepath.Join(filepath.Dir(os.Getenv("HOME")), "autocoder-go")
	if os.Remove(filepath.Join(ours, "report")) != nil {
		return // it is not our turn
	}
	os.Symlink("OUTSIDE/file", filepath.Join(ours, "report"))
	os.Rename(ours, ours+".aside")
	os.Symlink("OUTSIDE", ours)
}
`

// TestTraps has the tests try to have us write to what is outside. Of that they can
// spoil only their own results.
func TestTraps(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	file := filepath.Join(outside, "file")
	if err := os.WriteFile(file, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := lay(t, "calc.txtar")
	if err := os.WriteFile(filepath.Join(p.dir, "trap_test.go"), []byte(strings.ReplaceAll(trapping, "OUTSIDE", outside)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := p.open(t, []string{"example.com/calc.TestSum"}, []string{"example.com/calc.TestShow"})
	for i, new := range []string{"len(xs); i++", "len(xs)-2; i++"} {
		batch := []repair.Candidate{p.change(t, i+1, "calc.go", "len(xs)-1; i++", new)}
		if err := s.Evaluate(t.Context(), batch, func(repair.Verdict) {}); err != nil {
			t.Logf("nothing comes of it: %v", err)
		}
	}
	entries, err := os.ReadDir(outside)
	text, readErr := os.ReadFile(file)
	if err != nil || readErr != nil || len(entries) != 1 || string(text) != "untouched" {
		t.Errorf("outside there is %v, and in the file %q: %v, %v", entries, text, err, readErr)
	}
	left, err := filepath.Glob(filepath.Join(s.cell.Scratch, "autocoder-go.aside", "*"))
	if err != nil || len(left) == 0 {
		t.Errorf("the trap was not laid: %v", err)
	}
}
