package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"autocoder/engine/foldertest"
	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
)

// readFolder is a textedit.Reader of what is on disk now.
func readFolder(root string) textedit.Reader {
	return func(p string) (textedit.File, error) {
		dir, err := os.OpenRoot(root)
		if err != nil {
			return textedit.File{}, err
		}
		defer dir.Close()
		return (&applier{root: root, dir: dir}).read(p)
	}
}

// remembered is a Reader that goes on giving what was there when it was made.
func remembered(t testing.TB, root string) textedit.Reader {
	t.Helper()
	tree := map[string]textedit.File{}
	for p := range foldertest.Look(t, root) {
		f, err := readFolder(root)(p)
		check(t, err)
		tree[p] = f
	}
	return func(p string) (textedit.File, error) { return tree[p], nil }
}

func create(p, content string) textedit.Op {
	return textedit.Op{Kind: textedit.OpCreate, Path: p, AnyBase: true, Content: []byte(content)}
}

func remove(p string) textedit.Op {
	return textedit.Op{Kind: textedit.OpDelete, Path: p, AnyBase: true}
}

func rename(from, to string) textedit.Op {
	return textedit.Op{Kind: textedit.OpRename, Path: from, To: to, AnyBase: true}
}

func stateOf(t testing.TB, base textedit.Reader, ops ...textedit.Op) textedit.State {
	t.Helper()
	s, err := textedit.State{}.Apply(base, textedit.Patch{Ops: ops})
	check(t, err)
	return s
}

// shown is a folder's files and links as data.
func shown(t testing.TB, root string) files {
	t.Helper()
	f := files{}
	for p := range foldertest.Look(t, root) {
		file, err := readFolder(root)(p)
		check(t, err)
		switch file.Kind {
		case textedit.Regular:
			f[p] = string(file.Content)
		case textedit.Symlink:
			f[p+" -> "+file.Target] = ""
		case textedit.Absent, textedit.Other:
		}
	}
	return f
}

func TestApply(t *testing.T) {
	t.Parallel()
	start := files{"a.py": "1", "d/b.txt": "\xef\xbb\xbfx\r\ny", "d/c": "c", "ln -> a.py": "", "dir -> d": ""}
	tests := map[string]struct {
		ops  []textedit.Op
		want files
	}{
		"nothing": {nil, start},
		"edit keeps bytes": {
			[]textedit.Op{{Kind: textedit.OpEdit, Path: "d/b.txt", AnyBase: true, Edits: []textedit.Edit{{Start: 3, End: 4, New: "z"}}}},
			files{"a.py": "1", "d/b.txt": "\xef\xbb\xbfz\r\ny", "d/c": "c", "ln -> a.py": "", "dir -> d": ""},
		},
		"create, delete, rename": {
			[]textedit.Op{create("new/deep/x", "n"), remove("d/c"), rename("a.py", "b.py")},
			files{"b.py": "1", "d/b.txt": "\xef\xbb\xbfx\r\ny", "new/deep/x": "n", "ln -> a.py": "", "dir -> d": ""},
		},
		"change of case": {
			[]textedit.Op{rename("a.py", "A.py")},
			files{"A.py": "1", "d/b.txt": "\xef\xbb\xbfx\r\ny", "d/c": "c", "ln -> a.py": "", "dir -> d": ""},
		},
		"through a link": {
			[]textedit.Op{create("ln", "2")},
			files{"a.py": "2", "d/b.txt": "\xef\xbb\xbfx\r\ny", "d/c": "c", "ln -> a.py": "", "dir -> d": ""},
		},
		"odd names": {
			[]textedit.Op{create("a b/new\nline '\"", "x")},
			files{"a.py": "1", "d/b.txt": "\xef\xbb\xbfx\r\ny", "d/c": "c", "ln -> a.py": "", "dir -> d": "", "a b/new\nline '\"": "x"},
		},
		"delete of a link": {
			[]textedit.Op{remove("ln")},
			files{"a.py": "1", "d/b.txt": "\xef\xbb\xbfx\r\ny", "d/c": "c", "dir -> d": ""},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "change of case" && runtime.GOOS != "linux" {
				t.Skip("not on this system: needs a file system that minds case")
			}
			root := folder(t, start)
			base := remembered(t, root)
			check(t, Apply(root, base, stateOf(t, base, test.ops...)))
			if d := cmp.Diff(test.want, shown(t, root)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestApplyThroughAFolderLink(t *testing.T) {
	t.Parallel()
	root := folder(t, files{"d/c": "c", "dir -> d": ""})
	base := func(p string) (textedit.File, error) { return readFolder(root)(strings.Replace(p, "dir/", "d/", 1)) }
	check(t, Apply(root, base, stateOf(t, base, create("dir/c", "2"), create("dir/new", "n"))))
	want := files{"d/c": "2", "d/new": "n", "dir -> d": ""}
	if d := cmp.Diff(want, shown(t, root)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestApplyKeepsModes(t *testing.T) {
	t.Parallel()
	root := folder(t, files{"run": "1", "ro": "1", "later": "1"})
	check(t, os.Chmod(filepath.Join(root, "run"), 0o755))
	check(t, os.Chmod(filepath.Join(root, "ro"), 0o444))
	base := remembered(t, root)
	s := stateOf(t, base, create("run", "2"), create("ro", "2"), create("later", "2"), create("new", "2"))
	check(t, os.Chmod(filepath.Join(root, "later"), 0o700))
	check(t, Apply(root, base, s))
	for name, want := range map[string]os.FileMode{"run": 0o755, "ro": 0o444, "later": 0o700, "new": 0o644} {
		info, err := os.Stat(filepath.Join(root, name))
		check(t, err)
		if info.Mode() != want {
			t.Errorf("mode of %s = %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestApplyRefusesWhatChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(root string) error{
		"content": func(root string) error { return os.WriteFile(filepath.Join(root, "a"), []byte("user"), 0o644) },
		"deleted": func(root string) error { return os.Remove(filepath.Join(root, "a")) },
		"now a folder": func(root string) error {
			return errors.Join(os.Remove(filepath.Join(root, "a")), os.Mkdir(filepath.Join(root, "a"), 0o755))
		},
		"now a link": func(root string) error {
			return errors.Join(os.Remove(filepath.Join(root, "a")), os.Symlink("b", filepath.Join(root, "a")))
		},
		"created meanwhile": func(root string) error { return os.WriteFile(filepath.Join(root, "new"), nil, 0o644) },
		"behind a link":     func(root string) error { return os.WriteFile(filepath.Join(root, "real"), []byte("user"), 0o644) },
		"deleted here too":  func(root string) error { return os.WriteFile(filepath.Join(root, "gone"), []byte("user"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, files{"a": "1", "b": "1", "real": "1", "ln -> real": "", "gone": "1"})
			base := remembered(t, root)
			s := stateOf(t, base, create("a", "2"), create("b", "2"), create("new", "2"), create("ln", "2"), remove("gone"))
			check(t, change(root))
			foldertest.Untouched(t, root)
			err := Apply(root, base, s)
			var e *ChangedError
			if !errors.As(err, &e) || len(e.Paths) != 1 {
				t.Fatalf("error = %v, want a ChangedError that names one file", err)
			}
		})
	}
}

func TestApplyStaysInside(t *testing.T) {
	t.Parallel()
	outside := folder(t, files{"x": "1"})
	foldertest.Untouched(t, outside)
	for name, p := range map[string]string{"a link": "ln", "a folder link": "dir/x", "a new file": "dir/new"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, files{"ln -> " + filepath.Join(outside, "x"): "", "dir -> " + outside: ""})
			foldertest.Untouched(t, root)
			base := remembered(t, root)
			if err := Apply(root, base, stateOf(t, base, create(p, "2"))); err == nil {
				t.Error("Apply wrote outside the folder")
			}
		})
	}
}
