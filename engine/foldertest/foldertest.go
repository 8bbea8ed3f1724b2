// Package foldertest makes folders for tests, and tells whether anything in one
// has changed: no test may touch what stands for the user's files.
package foldertest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files is a folder as data: "name/" makes a folder, "name -> target" a link,
// anything else a file with that content.
type Files map[string]string

// Write makes the files in dir.
func (f Files) Write(t testing.TB, dir string) {
	t.Helper()
	for name, content := range f {
		link, target, isLink := strings.Cut(name, " -> ")
		p := filepath.Join(dir, filepath.FromSlash(link))
		check(t, os.MkdirAll(filepath.Dir(p), 0o755))
		switch {
		case isLink:
			check(t, os.Symlink(target, p))
		case strings.HasSuffix(name, "/"):
			check(t, os.MkdirAll(p, 0o755))
		default:
			check(t, os.WriteFile(p, []byte(content), 0o644))
		}
	}
}

// Look returns a line for each entry of a folder, by slash path, with everything
// that must not change: kind, mode, size, modification time, content. The times
// of folders and links are not in it.
func Look(t testing.TB, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	check(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		line := fmt.Sprint(info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			line += " " + target
		case info.Mode().IsRegular():
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %v %x", info.Size(), info.ModTime().UnixNano(), sha256.Sum256(content))
		}
		seen[filepath.ToSlash(rel)] = line
		return nil
	}))
	return seen
}

// Untouched fails the test when anything in dir is other than now at its end.
func Untouched(t testing.TB, dir string) {
	t.Helper()
	before := Look(t, dir)
	t.Cleanup(func() {
		if d := cmp.Diff(before, Look(t, dir)); d != "" {
			t.Errorf("the user's folder changed (-before +after):\n%s", d)
		}
	})
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
