package shadow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"autocoder/engine/foldertest"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
)

func write(t testing.TB, name, content string) {
	t.Helper()
	check(t, os.WriteFile(name, []byte(content), 0o644))
}

func TestRead(t *testing.T) {
	t.Parallel()
	s, root := open(t, files{
		"a": "1", "d/b": "2", "in -> d": "", "abs -> ABS": "", "out -> /etc": "", "loop -> loop": "", ".env": "secret", "node_modules/m/x": "3",
	}, workspace.Config{}, Config{})
	regular := func(content string) textedit.File {
		return textedit.File{Kind: textedit.Regular, Content: []byte(content), Mode: 0o644}
	}
	for p, want := range map[string]textedit.File{
		"a": regular("1"), "d/b": regular("2"), "in/b": regular("2"), "d": {Kind: textedit.Other}, "none": {}, "a/below": {}, "out/passwd": {}, "loop/x": {}, ".env": {},
		"in": {Kind: textedit.Symlink, Target: "d"}, "loop": {Kind: textedit.Symlink, Target: "loop"}, "node_modules/m/x": regular("3"), "node_modules/m": {Kind: textedit.Other}, "node_modules/no": {},
	} {
		got, err := s.Read(p)
		if d := gocmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("Read(%q): %v\n-want +got:\n%s", p, err, d)
		}
	}
	f := fork(t, s, textedit.State{})
	write(t, filepath.Join(f.Dir(), "a"), "run")
	if got, _ := s.Read("a"); string(got.Content) != "1" {
		t.Errorf("a run in a fork reached the base: %q", got.Content)
	}
	if s.Root() != root {
		t.Errorf("Root = %q, want %q", s.Root(), root)
	}
}

// The base is what was copied, whatever happens to the folder later.
func TestBaseIsImmutable(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{"a": "1", "b": "1"}.Write(t, root)
	s := openAt(t, root, workspace.Config{}, Config{})
	write(t, filepath.Join(root, "a"), "2")
	check(t, os.Remove(filepath.Join(root, "b")))
	f := fork(t, s, textedit.State{})
	for _, p := range []string{"a", "b"} {
		file, err := s.Read(p)
		check(t, err)
		copied, err := os.ReadFile(filepath.Join(f.Dir(), p))
		check(t, err)
		if string(file.Content) != "1" || string(copied) != "1" {
			t.Errorf("%s: base %q, fork %q, want 1", p, file.Content, copied)
		}
	}
}

// What changed between the plan and the copy is taken as it is found.
func TestFolderThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{"gone": "1", "grown": "1", "folder/gone": "1", "now a link": "1", "now a folder": "1", "same": "1"}.Write(t, root)
	snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
	check(t, err)
	check(t, os.Remove(filepath.Join(root, "gone")))
	check(t, os.RemoveAll(filepath.Join(root, "folder")))
	write(t, filepath.Join(root, "grown"), strings.Repeat("x", 3*smallFile))
	check(t, os.Remove(filepath.Join(root, "now a link")))
	check(t, os.Symlink("/etc/passwd", filepath.Join(root, "now a link")))
	check(t, os.Remove(filepath.Join(root, "now a folder")))
	check(t, os.Mkdir(filepath.Join(root, "now a folder"), 0o755))
	s, err := Open(context.Background(), snap, Config{Cache: t.TempDir()})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	if want := []string{"grown", "same"}; !slices.Equal(s.Sources(), want) {
		t.Errorf("Sources = %q, want %q", s.Sources(), want)
	}
	file, err := s.Read("grown")
	check(t, err)
	if len(file.Content) != 3*smallFile {
		t.Errorf("grown has %d bytes", len(file.Content))
	}
	fork(t, s, textedit.State{})
	if got := s.Warnings(); len(got) != 2 {
		t.Errorf("warnings = %q, want one each for the link and the folder", got)
	}
}

func TestBuffers(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"a": "disk", "same": "same", "ln -> a": ""}, workspace.Config{Buffers: map[string][]byte{
		"a": []byte("buffer"), "new/x.py": []byte("never saved"), "same": []byte("same"),
	}}, Config{})
	f := fork(t, s, textedit.State{})
	for p, want := range map[string]string{"a": "buffer", "new/x.py": "never saved", "same": "same", "ln": "buffer"} {
		got, err := os.ReadFile(filepath.Join(f.Dir(), p))
		if string(got) != want || err != nil {
			t.Errorf("%s in a fork = %q, %v, want %q", p, got, err, want)
		}
	}
	if want := []string{"a", "new/x.py", "same"}; !slices.Equal(s.Sources(), want) {
		t.Errorf("Sources = %q, want %q", s.Sources(), want)
	}
	if s.tree.nodes["same"].mtime.Equal(s.tree.nodes["a"].mtime) {
		t.Error("a buffer with the bytes of the file got a new time")
	}
}

func TestFS(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"go.mod": "m", "d/x": "1", "node_modules/.bin/tsc -> ../ts/tsc": "", "node_modules/ts/tsc": "2", "non\xffutf8": "", "ln -> d": ""}, workspace.Config{}, Config{LinkShared: true})
	for name, want := range map[string]string{"go.mod": "m", "d/x": "1", "ln/x": "1", "node_modules/.bin/tsc": "2"} {
		got, err := fs.ReadFile(s.FS(), name)
		if string(got) != want || err != nil {
			t.Errorf("ReadFile(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	var seen []string
	check(t, fs.WalkDir(s.FS(), ".", func(p string, _ fs.DirEntry, err error) error {
		seen = append(seen, p)
		return err
	}))
	want := []string{".", "d", "d/x", "go.mod", "ln", "node_modules", "node_modules/.bin", "node_modules/.bin/tsc", "node_modules/ts", "node_modules/ts/tsc"}
	if d := gocmp.Diff(want, seen); d != "" {
		t.Errorf("walk -want +got:\n%s", d)
	}
	for _, name := range []string{"../x", "/etc", "none"} {
		if _, err := fs.Stat(s.FS(), name); err == nil {
			t.Errorf("Stat(%q) succeeds", name)
		}
	}
	plain, _ := open(t, files{"a/b": "1", "c": "2"}, workspace.Config{}, Config{})
	check(t, fstest.TestFS(plain.FS(), "a/b", "c"))
}

func TestResolve(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{
		"src/a.py": "", "ln -> src": "", "up/ln -> ../src/a.py": "", "abs -> " + filepath.Join(root, "src"): "", "out -> ../../x": "", "etc -> /etc": "",
		"x -> y": "", "y -> x": "", "self -> .": "", "node_modules/m/i.js": "", "nm -> node_modules": "", "hop -> ln": "",
	}.Write(t, root)
	s := openAt(t, root, workspace.Config{}, Config{})
	gone := state(t, s, files{"ln": "", "dyn -> src": "", "evil -> /etc": ""})
	for _, test := range []struct {
		state      textedit.State
		path, want string
		says       string
	}{
		{path: "src/a.py", want: "src/a.py"},
		{path: "none/new.py", want: "none/new.py"},
		{path: "ln/a.py", want: "src/a.py"},
		{path: "hop/new.py", want: "src/new.py"},
		{path: "up/ln", want: "src/a.py"},
		{path: "abs/a.py", want: "src/a.py"},
		{path: "self/self/src/a.py", want: "src/a.py"},
		{path: "out/a", says: "out of the workspace"},
		{path: "etc/passwd", says: "out of the workspace"},
		{path: "etc", says: "out of the workspace"},
		{path: "../a", says: "out of the workspace"},
		{path: "x", says: "too many links"},
		{path: "src/a.py/b", says: "is a file"},
		{path: "self", says: "own folder"},
		{path: "node_modules/m/i.js", says: "shared folder"},
		{path: "nm/m/new.js", says: "shared folder"},
		{state: gone, path: "ln/a.py", want: "ln/a.py"},
		{state: gone, path: "dyn/a.py", want: "src/a.py"},
		{state: gone, path: "evil/passwd", says: "out of the workspace"},
	} {
		got, err := s.Resolve(test.state)(test.path)
		if got != test.want || (err != nil) != (test.says != "") || (err != nil && !strings.Contains(err.Error(), test.says)) {
			t.Errorf("Resolve(%q) = %q, %v, want %q %s", test.path, got, err, test.want, test.says)
		}
	}
}

// The guard, with the shadow to follow links, keeps edits in the workspace; and
// with a guard that allows everything they still don't leave it.
func TestEditsStayInside(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	files{"x": "1"}.Write(t, outside)
	foldertest.Untouched(t, outside)
	s, _ := open(t, files{"a.py": "", "tests/t.py": "", "out -> " + outside: "", "t -> tests": "", "node_modules/x": ""}, workspace.Config{}, Config{LinkShared: true})
	strict, err := workspace.NewGuard(nil, nil)
	check(t, err)
	lax, err := workspace.NewGuard(nil, []string{"**"})
	check(t, err)
	for p, refusedByBoth := range map[string]bool{"out/x": true, "out": true, "node_modules/x": true, "t/t.py": false, "tests/t.py": false} {
		patch := textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: p, AnyBase: true, Content: []byte("2")}}}
		if err := strict.Check(s.Read, s.Resolve(textedit.State{}), patch); err == nil {
			t.Errorf("the guard lets an edit of %q through", p)
		}
		if err := lax.Check(s.Read, s.Resolve(textedit.State{}), patch); (err != nil) != refusedByBoth {
			t.Errorf("the control's verdict on %q: %v", p, err)
		}
		st, err := textedit.State{}.Apply(s.Read, patch)
		if err != nil {
			continue
		}
		f, err := s.Fork(context.Background(), st)
		switch {
		case !refusedByBoth:
			check(t, err)
			check(t, f.Close())
		case !errors.Is(err, textedit.ErrNotApplicable):
			t.Errorf("a fork with an edit of %q: %v, want ErrNotApplicable", p, err)
		}
	}
}

func TestSharedFolders(t *testing.T) {
	t.Parallel()
	f := files{"a.js": "", "node_modules/m/i.js": "1", "node_modules/.bin/m -> ../m/i.js": "", "node_modules/m/__pycache__/x": ""}
	t.Run("to be mounted", func(t *testing.T) {
		t.Parallel()
		s, root := open(t, f, workspace.Config{}, Config{})
		k := fork(t, s, textedit.State{})
		want := []workspace.Share{{Path: "node_modules", Source: filepath.Join(root, "node_modules")}}
		if d := gocmp.Diff(want, k.Shared()); d != "" {
			t.Errorf("Shared -want +got:\n%s", d)
		}
		if list, err := os.ReadDir(filepath.Join(k.Dir(), "node_modules")); err != nil || len(list) > 0 {
			t.Errorf("the place to mount over holds %v, %v", list, err)
		}
	})
	t.Run("linked", func(t *testing.T) {
		t.Parallel()
		s, root := open(t, f, workspace.Config{}, Config{LinkShared: true})
		k := fork(t, s, textedit.State{})
		if got, err := os.Readlink(filepath.Join(k.Dir(), "node_modules")); got != filepath.Join(root, "node_modules") || err != nil {
			t.Errorf("link = %q, %v", got, err)
		}
		// A run that replaces the link can't make a reset reach through it.
		check(t, os.Remove(filepath.Join(k.Dir(), "node_modules")))
		check(t, k.Set(context.Background(), textedit.State{}))
		if changes, err := k.Changes(); err != nil || len(changes) > 0 {
			t.Errorf("Changes = %v, %v", changes, err)
		}
	})
	t.Run("copied", func(t *testing.T) {
		t.Parallel()
		s, _ := open(t, f, workspace.Config{}, Config{CopyShared: true})
		k := fork(t, s, textedit.State{})
		if len(k.Shared()) > 0 {
			t.Errorf("Shared = %v, want none", k.Shared())
		}
		write(t, filepath.Join(k.Dir(), "node_modules/m/i.js"), "run")
		want := []Change{{Path: "node_modules/m/i.js", Kind: Modified}}
		if got, err := k.Changes(); err != nil || !slices.Equal(got, want) {
			t.Errorf("Changes = %v, %v, want %v", got, err, want)
		}
		check(t, k.Set(context.Background(), textedit.State{}))
		if got, err := os.ReadFile(filepath.Join(k.Dir(), "node_modules/.bin/m")); string(got) != "1" || err != nil {
			t.Errorf("after a reset .bin/m = %q, %v", got, err)
		}
		if want := []string{"a.js"}; !slices.Equal(s.Sources(), want) {
			t.Errorf("Sources = %q, want %q", s.Sources(), want)
		}
	})
}

// A link that names the user's folder must lead into the copy.
func TestAbsoluteLinksStayInTheCopy(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{"d/x": "1", "e/ln -> " + filepath.Join(root, "d"): "", "out -> /etc/hostname": ""}.Write(t, root)
	foldertest.Untouched(t, root)
	f := fork(t, openAt(t, root, workspace.Config{}, Config{}), textedit.State{})
	write(t, filepath.Join(f.Dir(), "e/ln/x"), "run")
	if got, err := os.ReadFile(filepath.Join(f.Dir(), "d/x")); string(got) != "run" || err != nil {
		t.Errorf("d/x in the fork = %q, %v", got, err)
	}
	if got, err := os.Readlink(filepath.Join(f.Dir(), "out")); got != "/etc/hostname" || err != nil {
		t.Errorf("out = %q, %v", got, err)
	}
}

func TestChangesAndWrite(t *testing.T) {
	t.Parallel()
	s, _ := open(t, project, workspace.Config{}, Config{})
	f := fork(t, s, state(t, s, files{"a.py": "x = 2\n"}))
	check(t, f.Write("new/w.py", []byte("w")))
	check(t, f.Write("pkg/b.py", nil))
	check(t, f.Write("ln/deep/c.txt", []byte("through a link")))
	if got, err := f.Changes(); err != nil || len(got) > 0 {
		t.Errorf("Changes after Write = %v, %v, want none", got, err)
	}
	write(t, filepath.Join(f.Dir(), "a.py"), "x = 9\n")
	files{"out/log": "1", "empty2/": ""}.Write(t, f.Dir())
	check(t, os.Remove(filepath.Join(f.Dir(), "new/w.py")))
	want := []Change{{"a.py", Modified}, {"new/w.py", Deleted}, {"out/log", Created}}
	if got, err := f.Changes(); err != nil || !slices.Equal(got, want) {
		t.Errorf("Changes = %v, %v, want %v", got, err, want)
	}
	for _, p := range []string{"../x", "a.py/b", "pkg", "/x"} {
		if err := f.Write(p, []byte("1")); err == nil {
			t.Errorf("Write(%q) succeeds", p)
		}
	}
	check(t, f.Set(context.Background(), textedit.State{}))
	if d := gocmp.Diff(contents(t, fork(t, s, textedit.State{}).Dir()), contents(t, f.Dir())); d != "" {
		t.Errorf("-fresh +reset:\n%s", d)
	}
}

func TestWriteKeepsModeAndIsUndone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{"run.sh": "1"}.Write(t, root)
	check(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755))
	s := openAt(t, root, workspace.Config{}, Config{})
	f := fork(t, s, textedit.State{})
	check(t, f.Write("run.sh", []byte("2")))
	info, err := os.Stat(filepath.Join(f.Dir(), "run.sh"))
	check(t, err)
	if info.Mode() != 0o755 {
		t.Errorf("mode = %v, want 0755", info.Mode())
	}
}

func TestCancelledCopy(t *testing.T) {
	t.Parallel()
	root, cache := t.TempDir(), t.TempDir()
	project.Write(t, root)
	snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, snap, Config{Cache: cache}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open = %v, want context.Canceled", err)
	}
	list, err := os.ReadDir(cache)
	check(t, err)
	if len(list) != 1 || list[0].Name() != cacheLock {
		t.Errorf("a cancelled copy left %v", list)
	}
	s, err := Open(context.Background(), snap, Config{Cache: cache})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	if _, err := s.Fork(ctx, textedit.State{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Fork = %v, want context.Canceled", err)
	}
	if list, err := os.ReadDir(s.forksDir()); err != nil || len(list) > 0 {
		t.Errorf("a cancelled fork left %v, %v", list, err)
	}
}
