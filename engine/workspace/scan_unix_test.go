//go:build unix

package workspace

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/foldertest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	root := folder(t, files{"a": ""})
	check(t, unix.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	short, err := os.MkdirTemp("/tmp", "s") // a socket's path must be short
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	check(t, os.Symlink(root, filepath.Join(short, "p")))
	l, err := net.Listen("unix", filepath.Join(short, "p", "socket"))
	check(t, err)
	t.Cleanup(func() { _ = l.Close() })
	s, err := Scan(context.Background(), Config{Root: root})
	check(t, err)
	want := plan{
		Entries: []string{"a"}, Sources: []string{"a"},
		Warnings: []string{`"fifo" is a FIFO and is left out`, `"socket" is a socket and is left out`},
	}
	if d := cmp.Diff(want, planOf(s)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestUnreadableFolders(t *testing.T) {
	t.Parallel()
	if foldertest.AsOrdinaryUser(t) {
		return
	}
	root := folder(t, files{"a": "", "locked/b": ""})
	check(t, os.Chmod(filepath.Join(root, "locked"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "locked"), 0o755) })
	s, err := Scan(context.Background(), Config{Root: root})
	check(t, err)
	if got := s.Warnings(); len(got) != 1 || !strings.Contains(got[0], `"locked" can't be read and is left out`) {
		t.Errorf("warnings = %q", got)
	}
	_, err = Scan(context.Background(), Config{Root: filepath.Join(root, "locked")})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("error = %v, want permission denied", err)
	}
}

// A write that fails in the middle leaves everything as it was.
func TestApplyPutsBack(t *testing.T) {
	t.Parallel()
	if foldertest.AsOrdinaryUser(t) {
		return
	}
	root := folder(t, files{"a": "1", "b": "1", "gone": "1", "z/f": "1"})
	before := shown(t, root)
	base := remembered(t, root)
	s := stateOf(t, base, create("a", "2"), create("k/new/x", "2"), remove("b"), rename("gone", "k/gone"), remove("z/f"))
	check(t, os.Chmod(filepath.Join(root, "z"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "z"), 0o755) })
	if err := Apply(root, base, s); err == nil || !strings.Contains(err.Error(), `write "z/f"`) {
		t.Fatalf("error = %v, want one about z/f", err)
	}
	if d := cmp.Diff(before, shown(t, root)); d != "" {
		t.Errorf("-before +after:\n%s", d)
	}
	if _, err := os.Stat(filepath.Join(root, "k")); err == nil {
		t.Error("the new folder is still there")
	}
	check(t, os.Chmod(filepath.Join(root, "z"), 0o755))
	check(t, Apply(root, base, s)) // the control: it was that folder alone
}
