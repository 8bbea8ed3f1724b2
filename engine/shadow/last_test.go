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

// TestLast has the last fork be what any other fork is.
func TestLast(t *testing.T) {
	t.Parallel()
	project := files{
		"a.py": "a = 1\n", "dir/b.py": "b = 1\n", "node_modules/dep/index.js": "1\n", ".gitignore": "node_modules/\n", "link -> a.py": "",
	}
	for name, cfg := range map[string]Config{"mounts": {}, "links": {LinkShared: true}, "copies": {CopyShared: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := workspace.Config{Buffers: map[string][]byte{"dir/b.py": []byte("b = 2\n"), "new/c.py": []byte("c = 1\n")}}
			s, root := open(t, project, w, cfg)
			f := fork(t, s, textedit.State{})
			want := foldertest.Look(t, f.Dir())
			check(t, f.Close())
			last, err := openAt(t, root, w, cfg).Last(context.Background())
			check(t, err)
			got := foldertest.Look(t, last.Dir())
			for _, seen := range []map[string]string{want, got} { // their times are those of the copying
				delete(seen, ".")
				delete(seen, "dir/b.py")
				delete(seen, "new/c.py")
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("-fork +last:\n%s", diff)
			}
			if text := contents(t, filepath.Join(last.Dir(), "dir"))["b.py"]; text == "" {
				t.Error("the unsaved buffer is not there")
			}
			check(t, last.Set(context.Background(), textedit.State{}))
			if changes, err := last.Changes(); err != nil || len(changes) > 0 {
				t.Errorf("changes %v, %v", changes, err)
			}
			check(t, last.Close())
		})
	}
}

// TestNothingAfterLast has what needs the base fail once it is a fork.
func TestNothingAfterLast(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"a.py": "a = 1\n"}, workspace.Config{}, Config{})
	if file, err := s.Read("a.py"); err != nil || string(file.Content) != "a = 1\n" {
		t.Errorf("before, Read is %q, %v", file.Content, err)
	}
	f, err := s.Last(context.Background())
	check(t, err)
	check(t, os.WriteFile(filepath.Join(f.Dir(), "a.py"), []byte("what a command wrote"), 0o600))
	for name, do := range map[string]func() error{
		"Read": func() error { _, err := s.Read("a.py"); return err },
		"Fork": func() error { _, err := s.Fork(context.Background(), textedit.State{}); return err },
		"Last": func() error { _, err := s.Last(context.Background()); return err },
	} {
		if err := do(); !errors.Is(err, errNoBase) {
			t.Errorf("after, %s is %v", name, err)
		}
	}
}
