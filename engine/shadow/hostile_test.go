//go:build unix

package shadow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/foldertest"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestSetRestoresModes has a run change the modes of folders, the fork's own
// among them.
func TestSetRestoresModes(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"a.py": "a = 1\n", "dir/b.py": "b = 1\n", "dir/sub/c.py": "c = 1\n"}, workspace.Config{}, Config{})
	for name, mode := range map[string]uint32{"closed": 0, "read-only": 0o555, "sticky": 0o1777, "set-group": 0o2755} {
		t.Run(name, func(t *testing.T) {
			f := fork(t, s, textedit.State{})
			want := modes(t, f.Dir())
			for _, p := range []string{"dir/sub", "dir", "."} {
				check(t, unix.Chmod(filepath.Join(f.Dir(), p), mode))
			}
			_, err := f.Changes()
			check(t, err)
			check(t, f.Set(context.Background(), textedit.State{}))
			if diff := gocmp.Diff(want, modes(t, f.Dir())); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
			check(t, unix.Chmod(f.Dir(), mode))
			check(t, f.Write("new.py", []byte("n = 1\n")))
			check(t, unix.Chmod(f.Dir(), mode))
			check(t, f.Close())
		})
	}
}

func modes(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	seen := map[string]fs.FileMode{}
	check(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			seen[strings.TrimPrefix(p, dir)] = info.Mode()
		}
		return err
	}))
	return seen
}

// nest makes folders in dir, each in the one before, with a file and a folder
// that can't be passed in the last.
func nest(t *testing.T, dir, name string, depth int) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	check(t, err)
	for range depth {
		check(t, at.Mkdir(name, 0o700))
		next, err := at.OpenRoot(name)
		check(t, err)
		check(t, at.Close())
		at = next
	}
	check(t, at.WriteFile("file", []byte("x"), 0o600))
	check(t, at.MkdirAll("locked/inner", 0o700))
	check(t, at.Chmod("locked", 0))
	check(t, at.Close())
}

// TestLongPaths has a run make paths that are longer than the system takes.
func TestLongPaths(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"a.py": "a = 1\n", "dir/b.py": "b = 1\n"}, workspace.Config{}, Config{})
	for name, c := range map[string]struct{ length, depth int }{
		"long names": {100, 50}, "longest names": {255, 20}, "short names": {1, 120},
	} {
		length, depth := c.length, c.depth
		t.Run(name, func(t *testing.T) {
			f := fork(t, s, textedit.State{})
			want := foldertest.Look(t, f.Dir())
			nest(t, f.Dir(), strings.Repeat("d", length), depth)
			nest(t, filepath.Join(f.Dir(), "dir"), strings.Repeat("d", length), depth)
			if _, err := os.Lstat(f.Dir() + strings.Repeat("/"+strings.Repeat("d", length), depth)); length > 1 && !errors.Is(err, unix.ENAMETOOLONG) {
				t.Fatalf("the path is not too long: %v", err)
			}
			_, err := f.Changes()
			check(t, err)
			check(t, f.Set(context.Background(), textedit.State{}))
			got := foldertest.Look(t, f.Dir())
			for _, seen := range []map[string]string{want, got} { // its time is that of the last entry in it
				delete(seen, ".")
				delete(seen, "dir")
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
			nest(t, f.Dir(), strings.Repeat("e", length), depth)
			check(t, f.Close())
			if _, err := os.Lstat(f.Dir()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Close left the fork: %v", err)
			}
		})
	}
	nest(t, s.Dir(), strings.Repeat("s", 100), 50) // Close, at the end of the test, removes it
}

// TestLoosen has trees that can be removed only after it: an ordinary user may not
// pass the one, and nobody can have as many files open as the other has folders.
func TestLoosen(t *testing.T) {
	t.Parallel()
	for name, depth := range map[string]int{"shallow": 3, "at the limit": maxDepth, "deep": 2*maxDepth + 7} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := t.TempDir()
			dir := filepath.Join(above, "top")
			check(t, os.Mkdir(dir, 0o700))
			nest(t, dir, "d", depth)
			nest(t, dir, "e", depth)
			check(t, os.Symlink("/etc", filepath.Join(dir, "link")))
			check(t, os.Chmod(dir, 0))
			root, err := os.OpenRoot(above)
			check(t, err)
			defer root.Close()
			check(t, loosen(root, "top"))
			files := 0
			check(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if n := strings.Count(p[len(dir):], "/"); n > maxDepth+2 {
					t.Fatalf("%d folders in each other are left", n)
				}
				if d.Name() == "file" {
					files++
				}
				info, err := d.Info()
				if err == nil && d.IsDir() && info.Mode().Perm() != 0o700 {
					t.Errorf("%q is %v", p, info.Mode())
				}
				return err
			}))
			if files != 2 {
				t.Errorf("%d files are left, want both", files)
			}
			check(t, os.Chmod(dir, 0))
			check(t, removeHampered(dir))
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it is left: %v", err)
			}
		})
	}
}

func TestErrorsAreClipped(t *testing.T) {
	t.Parallel()
	long := &fs.PathError{Op: "open", Path: strings.Repeat("p", 5000), Err: fs.ErrPermission}
	if err := clipped(long); len(err.Error()) > 2*maxText || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
	if err := clipped(fs.ErrPermission); err != fs.ErrPermission {
		t.Errorf("a short one is %v", err)
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lay  func(dir string) error
		want string
	}{
		"nothing there": {func(string) error { return nil }, ""},
		"made before":   {func(dir string) error { return os.Mkdir(dir, 0o700) }, ""},
		"open":          {func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)) }, "open to other users"},
		"a file":        {func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "no folder"},
		"a link":        {func(dir string) error { return os.Symlink(filepath.Dir(dir), dir) }, "no folder"},
		"another's":     {func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 65534, 65534)) }, "another user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "another's" && os.Getuid() != 0 {
				t.Skip("not on this system: only root can give folders away")
			}
			dir := filepath.Join(t.TempDir(), "mine")
			check(t, c.lay(dir))
			err := Private(dir)
			if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if info, err := os.Lstat(dir); c.want == "" && (err != nil || info.Mode() != fs.ModeDir|0o700) {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}
