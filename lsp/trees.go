package lsp

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autocoder/engine"

	"github.com/fsnotify/fsnotify"
)

// mostWatched is how many folders are watched at most. What is not is looked at
// when something is asked of its project, or git changes what is checked out.
const mostWatched = 4096

// settling is how long a project is left alone after something unknown appeared in
// it, before all of it is looked at.
const settling = 200 * time.Millisecond

// gitIndex changes whenever git changes the files of a project.
const gitIndex = ".git/index"

// trees are the projects' folders on disk, watched by the editor or, where it does
// not, by ourselves. They belong to one goroutine.
type trees struct {
	s      *Server
	notify *fsnotify.Watcher // nil until a folder is to be watched
	byRoot map[string]*tree
	// total is how many folders are watched, and most how many may be.
	total, most int
	// settle fires when suspects are to be looked at.
	settle *time.Timer
}

// tree is a project's folder as it was when it was looked at last.
type tree struct {
	root    string
	sources engine.Sources
	// blind: its sources can't be told, so that every change counts.
	blind bool
	// covered: the editor watches it.
	covered bool
	watched map[string]bool
	// partial: some of its folders are not watched.
	partial bool
	// suspect: it must be looked at as a whole.
	suspect bool
}

// watchDisk takes note of what changes on disk outside of the editor. Until
// something is asked of a project it costs nothing.
func (s *Server) watchDisk() {
	w := &trees{s: s, byRoot: map[string]*tree{}, most: mostWatched, settle: time.NewTimer(time.Hour)}
	w.settle.Stop()
	defer w.close()
	for {
		var events chan fsnotify.Event
		var failures chan error
		if w.notify != nil {
			events, failures = w.notify.Events, w.notify.Errors
		}
		select {
		case <-s.base.Done():
			return
		case e := <-events:
			s.safely("watch files", func() { w.take(e) })
		case err := <-failures:
			s.cfg.Log.Warn("watch files", "error", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				for _, t := range w.byRoot {
					w.suspect(t)
				}
			}
		case <-s.watchWake:
			s.safely("watch files", func() { w.catchUp(s.base) })
		case <-w.settle.C:
			s.safely("watch files", func() { w.lookAround(s.base) })
		case l := <-s.looks:
			s.safely("watch files", func() { w.lookAt(s.base, l.root) })
			close(l.done)
		}
	}
}

func (w *trees) close() {
	w.settle.Stop()
	if w.notify != nil {
		w.notify.Close()
	}
}

// catchUp watches what is to be watched by now, and looks at what was heard of.
func (w *trees) catchUp(ctx context.Context) {
	w.s.mu.Lock()
	heard := w.s.heard
	w.s.heard = nil
	wanted := map[string]bool{} // whether the editor watches it
	for root, p := range w.s.projects {
		if p.watch {
			wanted[root] = w.s.caps.watchFiles && w.s.folderOf(root) != ""
		}
	}
	w.s.mu.Unlock()
	for root, t := range w.byRoot {
		if covered, still := wanted[root]; !still || covered != t.covered {
			w.forget(t)
		}
	}
	for root, covered := range wanted {
		if w.byRoot[root] == nil {
			t := &tree{root: root, covered: covered, watched: map[string]bool{}}
			w.byRoot[root] = t
			w.find(ctx, t)
		} else if t := w.byRoot[root]; t.blind {
			w.follow(t)
		}
	}
	for _, path := range heard {
		w.changed(path)
	}
}

func (w *trees) forget(t *tree) {
	for dir := range t.watched {
		_ = w.notify.Remove(dir) // it may be gone
	}
	w.total -= len(t.watched)
	delete(w.byRoot, t.root)
}

// find looks at a whole tree, and watches its folders.
func (w *trees) find(ctx context.Context, t *tree) {
	found, err := engine.FindSources(ctx, t.root, w.s.cfg.Home)
	t.blind = err != nil
	if err != nil {
		w.s.cfg.Log.Warn("look at the files of a project", "root", t.root, "error", err)
		found = engine.Sources{Folders: []string{"."}}
	}
	t.sources = found
	w.follow(t)
}

// follow watches the folders of a tree: first those of files that something is
// shown in or offered for, then those at the top.
func (w *trees) follow(t *tree) {
	if t.covered {
		return
	}
	shown := w.s.shownFolders(t.root)
	folders := slices.Clone(t.sources.Folders)
	if t.blind {
		folders = slices.AppendSeq(folders, maps.Keys(shown))
	}
	slices.SortStableFunc(folders, func(a, b string) int {
		if shown[a] != shown[b] {
			return map[bool]int{true: -1, false: 1}[shown[a]]
		}
		return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/"))
	})
	before := t.partial
	t.partial = false
	for _, name := range append(folders, ".git") {
		dir := filepath.Join(t.root, filepath.FromSlash(name))
		if !t.watched[dir] && !w.add(t, dir) && name != ".git" {
			t.partial = true
		}
	}
	if t.partial && !before {
		w.s.note("%d of the %d folders of %s are watched: what changes in others is seen later", len(t.watched), len(folders), t.root)
	}
}

// add watches a folder; false means that it can't be watched.
func (w *trees) add(t *tree, dir string) bool {
	if w.notify == nil {
		var err error
		if w.notify, err = fsnotify.NewWatcher(); err != nil {
			w.s.cfg.Log.Warn("watch files", "error", err)
			w.most = 0
		}
	}
	if w.total >= w.most {
		return false
	}
	err := w.notify.Add(dir)
	if err != nil {
		if _, gone := os.Lstat(dir); gone != nil {
			return true
		}
		w.s.cfg.Log.Warn("watch a folder", "folder", dir, "error", err)
		return false
	}
	t.watched[dir] = true
	w.total++
	return true
}

// take takes what the system tells.
func (w *trees) take(e fsnotify.Event) {
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		w.gone(e.Name)
	}
	if e.Op != fsnotify.Chmod {
		w.changed(e.Name)
	}
}

// gone takes note that a path is no longer there, or another one is: a folder that
// comes back must be watched anew.
func (w *trees) gone(dir string) {
	for _, t := range w.byRoot {
		if t.watched[dir] {
			_ = w.notify.Remove(dir) // mostly it is gone
			delete(t.watched, dir)
			w.total--
			w.suspect(t)
		}
	}
}

// changed takes note of a path at which something may have changed.
func (w *trees) changed(file string) {
	for _, t := range w.byRoot {
		name, in := within(t.root, file)
		switch {
		case !in || name == ".":
		case path.Dir(name) == ".git":
			if t.partial && name == gitIndex {
				w.suspect(t)
			}
		case matters(name):
			w.compare(t, name)
		}
	}
}

// compare holds a file against what it was.
func (w *trees) compare(t *tree, name string) {
	before, known := t.sources.Files[name]
	switch now, exists := stampOf(filepath.Join(t.root, filepath.FromSlash(name))); {
	case t.blind:
		w.s.diskChanged(t.root, name)
	case !known: // a new file, a folder, or nothing that tests are about
		w.suspect(t)
	case !exists:
		delete(t.sources.Files, name)
		w.s.diskChanged(t.root, name)
	case now != before:
		t.sources.Files[name] = now
		w.s.diskChanged(t.root, name)
	}
}

func stampOf(file string) (stamp engine.Stamp, exists bool) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return stamp, false
	}
	return engine.Stamp{Modified: info.ModTime(), Size: info.Size()}, true
}

// suspect has a tree looked at as a whole, soon.
func (w *trees) suspect(t *tree) {
	t.suspect = true
	w.settle.Reset(settling)
}

// lookAt looks at a tree, whatever was told of it.
func (w *trees) lookAt(ctx context.Context, root string) {
	w.catchUp(ctx)
	if t := w.byRoot[root]; t != nil {
		t.suspect = true
		w.lookAround(ctx)
	}
}

// lookAround looks at the trees in which something may have changed.
func (w *trees) lookAround(ctx context.Context) {
	for _, t := range w.byRoot {
		if !t.suspect {
			continue
		}
		t.suspect = false
		before := t.sources.Files
		w.find(ctx, t)
		if t.blind {
			continue
		}
		for name, now := range t.sources.Files {
			if was, known := before[name]; (!known || was != now) && matters(name) {
				w.s.diskChanged(t.root, name)
			}
			delete(before, name)
		}
		for name := range before {
			if matters(name) {
				w.s.diskChanged(t.root, name)
			}
		}
	}
}

// shownFolders are the folders, in a root, of the files that something is shown in
// or offered for.
func (s *Server) shownFolders(root string) map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, dirs := s.project(root), map[string]bool{}
	for _, m := range p.marks {
		if name, in := within(root, m.path); in {
			dirs[path.Dir(name)] = true
		}
	}
	for _, o := range p.offers {
		for _, f := range o.files {
			dirs[path.Dir(f.Path)] = true
		}
	}
	return dirs
}
