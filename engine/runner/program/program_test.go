package program

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not on this system: Windows has no executable bit")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"a", "b", "c", "d"} {
		if err := os.Mkdir(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"a/tool": 0o644, "b/tool": 0o755, "d/tool": 0o755} {
		if err := os.WriteFile(at(name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("b/tool"), at("c/tool")); err != nil {
		t.Fatal(err)
	}
	path := at("a") + ":" + at("c") + ":" + at("b") + "::relative:" + at("none") + ":" + at("d")
	if diff := cmp.Diff([]string{at("b/tool"), at("d/tool")}, Find("tool", path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
