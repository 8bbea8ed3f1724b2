//go:build unix

package scratch_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"autocoder/engine/scratch"
)

// traps are what a command may put into a scratch folder, in the place of ours/file.
var traps = map[string]func(dir, outside string) error{
	"a link to a file": func(dir, outside string) error {
		return os.Symlink(filepath.Join(outside, "file"), filepath.Join(dir, "ours", "file"))
	},
	"a relative link": func(dir, outside string) error {
		return os.Symlink("../../outside/file", filepath.Join(dir, "ours", "file"))
	},
	"a link that leads nowhere": func(dir, outside string) error {
		return os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "ours", "file"))
	},
	"a folder that is a link": func(dir, outside string) error {
		if err := os.Remove(filepath.Join(dir, "ours")); err != nil {
			return err
		}
		return os.Symlink(outside, filepath.Join(dir, "ours"))
	},
	"a pipe": func(dir, _ string) error { return syscall.Mkfifo(filepath.Join(dir, "ours", "file"), 0o600) },
	"a file": func(dir, _ string) error {
		return os.WriteFile(filepath.Join(dir, "ours", "file"), []byte("theirs"), 0o400)
	},
}

func place(t *testing.T, trap func(dir, outside string) error) (dir, outside string) {
	t.Helper()
	top := t.TempDir()
	dir, outside = filepath.Join(top, "scratch"), filepath.Join(top, "outside")
	for _, d := range []string{filepath.Join(dir, "ours"), outside} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "file"), []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trap(dir, outside); err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

// untouched reports whether all outside is as it was.
func untouched(t *testing.T, outside string) bool {
	t.Helper()
	entries, err := os.ReadDir(outside)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(outside, "file"))
	return err == nil && string(text) == "untouched" && len(entries) == 1
}

func TestWrite(t *testing.T) {
	t.Parallel()
	caught := 0
	for name, trap := range traps {
		dir, outside := place(t, trap)
		err := scratch.Write(dir, filepath.Join("ours", "file"), []byte("x"))
		if !untouched(t, outside) {
			t.Errorf("%s led outside: %v", name, err)
		}
		text, readErr := os.ReadFile(filepath.Join(dir, "ours", "file"))
		if name != "a folder that is a link" && (err != nil || string(text) != "x") {
			t.Errorf("%s: wrote %q, %v, %v", name, text, err, readErr)
		}
		// Without it the traps work.
		dir, outside = place(t, trap)
		if name != "a pipe" {
			_ = os.WriteFile(filepath.Join(dir, "ours", "file"), []byte("x"), 0o600)
		}
		if !untouched(t, outside) {
			caught++
		}
	}
	if want := len(traps) - 2; caught != want {
		t.Errorf("%d traps catch whoever does not look, want %d", caught, want)
	}
	dir, _ := place(t, traps["a file"])
	if err := scratch.Write(dir, filepath.Join("new", "folder", "file"), []byte("x")); err != nil {
		t.Error(err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for name, trap := range traps {
		dir, _ := place(t, trap)
		f, err := scratch.Open(dir, filepath.Join("ours", "file"))
		if (err == nil) != (name == "a file") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != "theirs" {
			t.Errorf("%s: read %q, %v", name, text, err)
		}
		f.Close()
	}
}
