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

	gocmp "github.com/google/go-cmp/cmp"
)

// TestBaseInMemory makes a copy in memory, and on disk where memory does not have the
// room that it seemed to have.
func TestBaseInMemory(t *testing.T) {
	t.Parallel()
	for inodes, fits := range map[int]bool{40: true, 8: false} {
		folder := smallDisk(t, inodes)
		s, _ := open(t, project, workspace.Config{}, Config{Memory: folder})
		if got := strings.HasPrefix(s.base(), folder); got != fits {
			t.Errorf("with room for %d files it is in %s", inodes, s.base())
		}
		f := fork(t, s, textedit.State{})
		if diff := gocmp.Diff(contents(t, s.Root()), contents(t, f.Dir())); diff != "" {
			t.Errorf("with room for %d files the copy is another (-project +copy):\n%s", inodes, diff)
		}
		check(t, f.Close())
	}
}

// smallDisk is a folder that takes few files.
func smallDisk(t *testing.T, inodes int) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=1m,nr_inodes=%d", inodes)); err != nil {
		t.Skipf("not on this system: mounting a small file system: %v", err)
	}
	t.Cleanup(func() { check(t, syscall.Unmount(folder, 0)) })
	return folder
}

// TestFullMemory has others fill the memory in which layers are made: they are made on
// disk then.
func TestFullMemory(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, 40)
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
