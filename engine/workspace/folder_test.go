package workspace

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files is a folder as data: "name/" makes a folder, "name -> target" a link,
// anything else a file with that content.
type files map[string]string

func (f files) write(t testing.TB, dir string) {
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder makes a project folder of the files.
func folder(t testing.TB, f files) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "project")
	check(t, os.Mkdir(root, 0o755))
	f.write(t, root)
	return root
}

// look returns a line for each entry of a folder, with everything that must not
// change: kind, mode, size, modification time, content.
func look(t testing.TB, dir string) map[string]string {
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
		rel, _ := filepath.Rel(dir, p)
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

// untouched fails the test when anything in dir is other than now at its end.
func untouched(t testing.TB, dir string) {
	t.Helper()
	before := look(t, dir)
	t.Cleanup(func() {
		if d := cmp.Diff(before, look(t, dir)); d != "" {
			t.Errorf("the user's folder changed (-before +after):\n%s", d)
		}
	})
}

// scan scans an untouched folder.
func scan(t testing.TB, root string, cfg Config) *Snapshot {
	t.Helper()
	untouched(t, root)
	cfg.Root = root
	s, err := Scan(context.Background(), cfg)
	check(t, err)
	return s
}
