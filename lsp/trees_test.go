package lsp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
)

// forest is a watcher of one project that a test drives step by step.
type forest struct {
	t    *testing.T
	root string
	w    *trees
}

func newForest(t *testing.T, most int, names ...string) forest {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	s := newServer(t.Context(), Config{Now: time.Now, Log: log})
	s.out = newOutbox(func(context.Context, string, any) error { return nil }, log)
	f := forest{t, root, &trees{s: s, byRoot: map[string]*tree{}, most: most, settle: time.NewTimer(time.Hour)}}
	t.Cleanup(f.w.close)
	for _, name := range names {
		f.write(name, name)
	}
	s.project(root).watch = true
	f.w.catchUp(t.Context())
	return f
}

func (f forest) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

func (f forest) write(name, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// heard is how many changes a step makes known.
func (f forest) heard(step func()) int {
	p := f.w.s.project(f.root)
	before := p.disk
	step()
	f.w.lookAround(f.t.Context())
	return p.disk - before
}

func TestWhatChangesOnDisk(t *testing.T) {
	t.Parallel()
	f := newForest(t, mostWatched, ".gitignore", "a.txt", "lib/b.txt", "build/out.txt", ".git/index", ".git/HEAD")
	f.write(".gitignore", "build/\n*.xml\n")
	f.w.find(t.Context(), f.w.byRoot[f.root])
	for _, c := range []struct {
		name, file, text string
		want             int
	}{
		{"a source", "a.txt", "other", 1},
		{"in a folder", "lib/b.txt", "other", 1},
		{"the same again", "lib/b.txt", "", 0},
		{"ignored", "build/out.txt", "other", 0},
		{"a new file that is ignored", "report.xml", "other", 0},
		{"what Python makes", "lib/__pycache__/b.pyc", "other", 0},
		{"a log", "lib/x.log", "other", 0},
		{"git's own", ".git/index", "other", 0},
		{"an editor's", "lib/.b.txt.swp", "other", 0},
		{"a new file", "lib/c.txt", "other", 1},
		{"a new folder", "more/deep/d.txt", "other", 1},
	} {
		got := f.heard(func() {
			if c.text != "" {
				f.write(c.file, c.text)
			}
			f.w.changed(f.path(c.file))
		})
		if got != c.want {
			t.Errorf("%s: %d changes, want %d", c.name, got, c.want)
		}
	}
	if got := f.heard(func() {
		if err := os.RemoveAll(f.path("more")); err != nil {
			t.Error(err)
		}
		f.w.changed(f.path("more"))
	}); got != 1 {
		t.Errorf("a folder that is removed: %d changes, want that of its file", got)
	}
}

// TestFoldersThatAreWatched looks at which folders of many are watched.
func TestFoldersThatAreWatched(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("d%02d/deep/x.txt", i), fmt.Sprintf("node_modules/m%02d/x.js", i))
	}
	names = append(names, "shown/very/deep/here.txt", ".git/index", ".gitignore")
	watched := func(f forest) (list []string) {
		for dir := range f.w.byRoot[f.root].watched {
			name, _ := within(f.root, dir)
			list = append(list, name)
		}
		slices.Sort(list)
		return list
	}

	f := newForest(t, mostWatched, names...)
	got := watched(f)
	if len(got) != 1+20+20+3+1 || slices.ContainsFunc(got, func(n string) bool { return strings.HasPrefix(n, "node_modules") }) {
		t.Errorf("watched: %q", got)
	}
	if f.w.byRoot[f.root].partial {
		t.Error("all folders are watched, and it is partial")
	}

	few := newForest(t, 10, names...)
	if got := watched(few); len(got) != 10 || !few.w.byRoot[few.root].partial || !slices.Contains(got, ".") {
		t.Errorf("watched: %q", got)
	}
	// What is shown goes first, and what git does is looked at as a whole.
	p := few.w.s.project(few.root)
	p.marks = []mark{{path: few.path("shown/very/deep/here.txt"), diagnostic: protocol.Diagnostic{}}}
	few.w.forget(few.w.byRoot[few.root])
	few.w.catchUp(t.Context())
	if got := watched(few); !slices.Contains(got, "shown/very/deep") {
		t.Errorf("watched: %q", got)
	}
	if n := few.heard(func() {
		few.write("d19/deep/x.txt", "other")
		few.write("d18/deep/x.txt", "other")
		few.w.changed(few.path(gitIndex))
	}); n != 2 {
		t.Errorf("git changed two files that are not watched: %d changes", n)
	}
}

// TestBlindTrees: in a folder that is too much to look at, the folders of what is
// shown are watched.
func TestBlindTrees(t *testing.T) {
	t.Parallel()
	f := newForest(t, mostWatched, "lib/deep/a.txt", "other/b.txt")
	f.w.s.cfg.Home = f.root // which is no project
	f.w.forget(f.w.byRoot[f.root])
	p := f.w.s.project(f.root)
	f.w.catchUp(t.Context())
	p.marks = []mark{{path: f.path("lib/deep/a.txt")}}
	f.w.catchUp(t.Context())
	if tree := f.w.byRoot[f.root]; !tree.blind || !tree.watched[f.path("lib/deep")] || tree.watched[f.path("other")] {
		t.Errorf("blind %t, watched %v", tree.blind, tree.watched)
	}
	if n := f.heard(func() { f.w.changed(f.path("lib/deep/a.txt")) }); n != 1 {
		t.Errorf("%d changes", n)
	}
}

// TestFoldersThatComeBack are watched again.
func TestFoldersThatComeBack(t *testing.T) {
	t.Parallel()
	f := newForest(t, mostWatched, "lib/a.txt")
	if err := os.RemoveAll(f.path("lib")); err != nil {
		t.Fatal(err)
	}
	f.w.gone(f.path("lib"))
	if f.w.byRoot[f.root].watched[f.path("lib")] {
		t.Error("a folder is watched that is not there")
	}
	f.write("lib/a.txt", "again")
	f.w.lookAround(t.Context())
	if !f.w.byRoot[f.root].watched[f.path("lib")] {
		t.Error("the folder is not watched any more")
	}
}
