package shadow

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/engine/foldertest"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
)

// files is a folder as data.
type files = foldertest.Files

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents is what Look returns, without times.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	seen := foldertest.Look(t, dir)
	for p, line := range seen {
		if f := strings.Fields(line); len(f) == 4 {
			seen[p] = f[0] + " " + f[1] + " " + f[3]
		}
	}
	return seen
}

// open makes a workspace of the files and a shadow of it, and watches over the
// former.
func open(t testing.TB, f files, wcfg workspace.Config, cfg Config) (*Shadow, string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "project")
	check(t, os.Mkdir(root, 0o755))
	f.Write(t, root)
	foldertest.Untouched(t, root)
	return openAt(t, root, wcfg, cfg), root
}

func openAt(t testing.TB, root string, wcfg workspace.Config, cfg Config) *Shadow {
	t.Helper()
	wcfg.Root = root
	snap, err := workspace.Scan(context.Background(), wcfg)
	check(t, err)
	if cfg.Cache == "" {
		cfg.Cache = filepath.Join(t.TempDir(), "cache")
	}
	cfg.Memory = cmp.Or(cfg.Memory, MemoryFolder())
	s, err := Open(context.Background(), snap, cfg)
	check(t, err)
	t.Cleanup(func() {
		check(t, s.Close())
		if _, err := os.Lstat(s.Dir()); err == nil {
			t.Errorf("Close left %s", s.Dir())
		}
	})
	return s
}

func fork(t testing.TB, s *Shadow, state textedit.State) *Fork {
	t.Helper()
	f, err := s.Fork(context.Background(), state)
	check(t, err)
	return f
}

// state makes a state of whole files; an empty content deletes.
func state(t testing.TB, s *Shadow, f files) textedit.State {
	t.Helper()
	var p textedit.Patch
	for name, content := range f {
		link, target, isLink := strings.Cut(name, " -> ")
		op := textedit.Op{Kind: textedit.OpCreate, Path: name, AnyBase: true, Content: []byte(content)}
		switch {
		case isLink:
			op = textedit.Op{Kind: textedit.OpSymlink, Path: link, AnyBase: true, Target: target}
		case content == "":
			op.Kind = textedit.OpDelete
		}
		p.Ops = append(p.Ops, op)
	}
	slices.SortFunc(p.Ops, func(a, b textedit.Op) int { return cmp.Compare(a.Path, b.Path) })
	st, err := textedit.State{}.Apply(s.Read, p)
	check(t, err)
	return st
}

var project = files{
	"a.py":           "x = 1\n",
	"pkg/b.py":       "y = 1\r\n",
	"pkg/deep/c.txt": "\xef\xbb\xbfno newline",
	"empty/":         "",
	"ln -> pkg":      "",
}

func TestForkIsTheBase(t *testing.T) {
	t.Parallel()
	s, root := open(t, project, workspace.Config{}, Config{})
	f := fork(t, s, textedit.State{})
	if d := gocmp.Diff(foldertest.Look(t, root), foldertest.Look(t, f.Dir())); d != "" {
		t.Errorf("the fork is not the folder (-folder +fork):\n%s", d)
	}
	if changes, err := f.Changes(); err != nil || len(changes) > 0 {
		t.Errorf("Changes of a fresh fork = %v, %v", changes, err)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	testSet(t)
}

// setStates are the states that a fork is brought from and to.
func setStates() []files {
	return []files{
		{},
		{"a.py": "x = 2\n"},
		{"a.py": "x = 3\n", "new/dir/f.py": "z\n"},
		{"a.py": "", "pkg/b.py": "y = 2\r\n"},
		{"pkg/deep/c.txt": "", "pkg/deep/d.txt": "d"},
		{"new/dir": "a file where a folder was\n"},
		{"ln/b.py": "through a link\n"},
	}
}

// messes are what a run may leave behind.
func messes() map[string]func(t *testing.T, dir string) {
	return map[string]func(t *testing.T, dir string){
		"nothing": func(*testing.T, string) {},
		"modify": func(t *testing.T, dir string) {
			check(t, os.WriteFile(filepath.Join(dir, "pkg/deep/c.txt"), []byte("other"), 0o644))
		},
		"same size and times": func(t *testing.T, dir string) {
			p := filepath.Join(dir, "pkg/b.py")
			info, err := os.Stat(p)
			if err != nil {
				return
			}
			check(t, os.WriteFile(p, []byte(strings.Repeat("!", int(info.Size()))), 0o644))
			check(t, os.Chtimes(p, info.ModTime(), info.ModTime()))
		},
		"mode": func(t *testing.T, dir string) { check(t, os.Chmod(filepath.Join(dir, "empty"), 0)) },
		"new files": func(t *testing.T, dir string) {
			files{"pkg/__pycache__/b.pyc": "1", "x/y/z": "2", "l -> /etc/passwd": ""}.Write(t, dir)
		},
		"unwritable": func(t *testing.T, dir string) {
			files{"x/y/z": "2"}.Write(t, dir)
			check(t, os.Chmod(filepath.Join(dir, "x/y"), 0o500))
			check(t, os.Chmod(filepath.Join(dir, "pkg"), 0o500))
		},
		"folder gone": func(t *testing.T, dir string) { check(t, os.RemoveAll(filepath.Join(dir, "pkg"))) },
		"folder for a link": func(t *testing.T, dir string) {
			check(t, os.RemoveAll(filepath.Join(dir, "pkg")))
			check(t, os.Symlink("/", filepath.Join(dir, "pkg")))
		},
		"file for a folder": func(t *testing.T, dir string) {
			check(t, os.RemoveAll(filepath.Join(dir, "a.py")))
			files{"a.py/x": ""}.Write(t, dir)
		},
		"link for a folder": func(t *testing.T, dir string) {
			check(t, os.Remove(filepath.Join(dir, "ln")))
			files{"ln/b.py": "1"}.Write(t, dir)
		},
	}
}

func testSet(t *testing.T) {
	states := setStates()
	for name, mess := range messes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, project, workspace.Config{}, Config{})
			reused := fork(t, s, textedit.State{})
			var fresh []map[string]string
			for _, st := range states {
				f := fork(t, s, state(t, s, st))
				fresh = append(fresh, contents(t, f.Dir()))
				check(t, f.Close())
			}
			for _, from := range states {
				for i, to := range states {
					check(t, reused.Set(context.Background(), state(t, s, from)))
					mess(t, reused.Dir())
					check(t, reused.Set(context.Background(), state(t, s, to)))
					if d := gocmp.Diff(fresh[i], contents(t, reused.Dir())); d != "" {
						t.Fatalf("%v, then %s, then %v (-fresh +reset):\n%s", from, name, to, d)
					}
					if changes, err := reused.Changes(); err != nil || len(changes) > 0 {
						t.Fatalf("Changes after Set = %v, %v", changes, err)
					}
				}
			}
		})
	}
}

func TestTimesAreNew(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 5)
	s, _ := open(t, project, workspace.Config{}, Config{Now: func() time.Time { return now }})
	f := fork(t, s, textedit.State{})
	last := s.last
	for _, content := range []string{"x = 2\n", "x = 3\n", "x = 1\n", "x = 2\n"} {
		check(t, f.Set(context.Background(), state(t, s, files{"a.py": content})))
		info, err := os.Stat(filepath.Join(f.Dir(), "a.py"))
		check(t, err)
		if got := info.ModTime(); got.Before(last.Add(2*time.Second)) || got.Nanosecond() != 0 {
			t.Errorf("time of a.py with %q = %v, want a whole second at least 2 s after %v", content, got, last)
		}
		last = info.ModTime()
	}
}
