package shadow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"autocoder/engine/foldertest"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestFollow changes the folder in every way, and the base is then what a new
// copy would be.
func TestFollow(t *testing.T) {
	t.Parallel()
	start := files{
		"a.py": "1", "b.py": "2", "dir/c.py": "3", "dir/sub/d.py": "4", "closed/e.py": "5", "ln -> a.py": "", "empty/": "",
		"node_modules/dep/i.js": "js", ".gitignore": "node_modules/\n",
	}
	changes := map[string]func(t *testing.T, root string){
		"nothing": func(*testing.T, string) {},
		"modified": func(t *testing.T, root string) {
			check(t, os.WriteFile(filepath.Join(root, "a.py"), []byte("longer"), 0o600))
		},
		"same size and times": func(t *testing.T, root string) {
			p := filepath.Join(root, "dir/c.py")
			info, err := os.Stat(p)
			check(t, err)
			check(t, os.WriteFile(p, []byte("!"), 0o600))
			check(t, os.Chtimes(p, info.ModTime(), info.ModTime()))
		},
		"mode":             func(t *testing.T, root string) { check(t, os.Chmod(filepath.Join(root, "b.py"), 0o755)) },
		"mode of a folder": func(t *testing.T, root string) { check(t, os.Chmod(filepath.Join(root, "dir"), 0o711)) },
		"deleted": func(t *testing.T, root string) {
			check(t, errors.Join(os.Remove(filepath.Join(root, "b.py")), os.RemoveAll(filepath.Join(root, "dir"))))
		},
		"new": func(t *testing.T, root string) { files{"x/y/z.py": "z", "dir/new.py": "n"}.Write(t, root) },
		"in a closed folder": func(t *testing.T, root string) {
			p := filepath.Join(root, "closed")
			check(t, os.Chmod(p, 0o700))
			check(t, os.Remove(filepath.Join(p, "e.py")))
			files{"closed/f.py": "f"}.Write(t, root)
			check(t, os.Chmod(p, 0o500))
		},
		"file for a folder": func(t *testing.T, root string) {
			check(t, os.RemoveAll(filepath.Join(root, "dir")))
			files{"dir": "a file"}.Write(t, root)
		},
		"folder for a file": func(t *testing.T, root string) {
			check(t, os.Remove(filepath.Join(root, "a.py")))
			files{"a.py/x": "1"}.Write(t, root)
		},
		"link": func(t *testing.T, root string) {
			check(t, os.Remove(filepath.Join(root, "ln")))
			files{"ln -> b.py": ""}.Write(t, root)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "project")
			check(t, os.Mkdir(root, 0o755))
			start.Write(t, root)
			check(t, os.Chmod(filepath.Join(root, "closed"), 0o500))
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "closed"), 0o700) })
			s := openAt(t, root, workspace.Config{Share: []string{"node_modules"}, Buffers: map[string][]byte{"b.py": []byte("unsaved"), "never/saved.py": []byte("x")}}, Config{})
			change(t, root)
			follow(t, s, root, nil)
			fresh := openAt(t, root, workspace.Config{Share: []string{"node_modules"}}, Config{})
			if d := gocmp.Diff(foldertest.Look(t, fresh.base()), foldertest.Look(t, s.base())); d != "" {
				t.Errorf("(-new copy +followed):\n%s", d)
			}
			if d := gocmp.Diff(fresh.Sources(), s.Sources()); d != "" {
				t.Errorf("sources (-new +followed):\n%s", d)
			}
			f := fork(t, s, textedit.State{})
			if d := gocmp.Diff(contents(t, fork(t, fresh, textedit.State{}).Dir()), contents(t, f.Dir())); d != "" {
				t.Errorf("fork (-new +followed):\n%s", d)
			}
			check(t, f.Close())
		})
	}
}

func follow(t testing.TB, s *Shadow, root string, buffers map[string][]byte) {
	t.Helper()
	snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root, Share: []string{"node_modules"}, Buffers: buffers})
	check(t, err)
	check(t, s.Follow(context.Background(), snap))
}

// TestFollowBuffers has unsaved buffers come and go.
func TestFollowBuffers(t *testing.T) {
	t.Parallel()
	s, root := open(t, files{"a.py": "disk"}, workspace.Config{}, Config{})
	for _, c := range []struct{ buffer, want string }{{"", "disk"}, {"one", "one"}, {"two", "two"}, {"", "disk"}} {
		buffers := map[string][]byte{}
		if c.buffer != "" {
			buffers = map[string][]byte{"a.py": []byte(c.buffer), "never/saved.py": []byte(c.buffer)}
		}
		follow(t, s, root, buffers)
		f, err := s.Read("a.py")
		if err != nil || string(f.Content) != c.want {
			t.Errorf("with the buffer %q: %q, %v", c.buffer, f.Content, err)
		}
		if f, err = s.Read("never/saved.py"); err != nil || string(f.Content) != c.buffer {
			t.Errorf("the file that was never saved is %q, %v, want %q", f.Content, err, c.buffer)
		}
	}
}

// TestFollowCopiesLittle leaves the files alone that have not changed.
func TestFollowCopiesLittle(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "project")
	check(t, os.Mkdir(root, 0o755))
	files{"a.py": "1", "b.py": "2"}.Write(t, root)
	s := openAt(t, root, workspace.Config{}, Config{})
	check(t, os.WriteFile(s.baseFile("a.py"), []byte("mark"), 0o600))
	check(t, os.WriteFile(s.baseFile("b.py"), []byte("mark"), 0o600))
	check(t, os.WriteFile(filepath.Join(root, "b.py"), []byte("other"), 0o600))
	follow(t, s, root, nil)
	for p, want := range map[string]string{"a.py": "mark", "b.py": "other"} {
		if f, err := s.Read(p); err != nil || string(f.Content) != want {
			t.Errorf("%s is %q, %v, want %q", p, f.Content, err, want)
		}
	}
}

// TestFollowOther refuses what it can't follow.
func TestFollowOther(t *testing.T) {
	t.Parallel()
	s, root := open(t, files{"a.py": "1", "d/b.py": "2"}, workspace.Config{}, Config{})
	_ = root
	for name, cfg := range map[string]workspace.Config{
		"another folder": {Root: t.TempDir()},
		"another share":  {Root: root, Share: []string{"d"}},
	} {
		snap, err := workspace.Scan(context.Background(), cfg)
		check(t, err)
		if err := s.Follow(context.Background(), snap); !errors.Is(err, ErrOther) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
