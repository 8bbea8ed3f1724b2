package shadow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// TestFullMemory has others fill the memory in which layers are made: they are made on
// disk then.
func TestFullMemory(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m,nr_inodes=40"); err != nil {
		t.Skipf("not on this system: mounting a small file system: %v", err)
	}
	t.Cleanup(func() { check(t, syscall.Unmount(folder, 0)) })
	s, _ := open(t, project, workspace.Config{}, Config{Memory: folder})
	f, err := s.Layered(context.Background(), textedit.State{}, nil)
	check(t, err)
	if !strings.HasPrefix(f.Layer(), folder) {
		t.Fatalf("the first layer is %s, not in memory", f.Layer())
	}
	for i := range 20 {
		check(t, f.Set(context.Background(), state(t, s, files{"new.py": fmt.Sprintf("x = %d\n", i)})))
	}
	if !strings.HasPrefix(f.Layer(), s.Dir()) {
		t.Errorf("the last layer is %s", f.Layer())
	}
	if text, err := os.ReadFile(filepath.Join(f.Layer(), upperName, "new.py")); err != nil || string(text) != "x = 19\n" {
		t.Errorf("it has %q, %v", text, err)
	}
	f.Drop()
	check(t, f.Close())
}
