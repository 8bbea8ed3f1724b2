package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// Layered is a fork that copies nothing: the base stays the lowest layer, and what
// a state changes and what commands write lies in a layer over it. A sandbox has
// to show it. It is used from one goroutine at a time.
type Layered struct {
	s       *Shadow
	dir     string
	quick   string   // in memory; empty where layers are on disk
	made    int      // how many layers were made
	layer   string   // of the current state
	stale   []string // layers that may still be shown
	beside  []string // those of BesideLayer of the current state
	files   overlay
	laid    map[string]stamp // what Set and Write put into the upper folder
	written map[string]bool  // the paths of Write
	view    func() (*os.Root, error)
	root    *os.Root // what view returned, until the next Set
}

// The folders of a layer.
const (
	upperName = "upper"
	workName  = "work"
)

// Layered makes a fork of base plus state. view is called for the folder that
// shows the fork, when Write needs it.
func (s *Shadow) Layered(ctx context.Context, state textedit.State, view func() (*os.Root, error)) (_ *Layered, err error) {
	if s.became != "" {
		return nil, errNoBase
	}
	dir, err := s.newFork()
	if err != nil {
		return nil, err
	}
	f := &Layered{s: s, dir: dir, quick: s.memory.fork(filepath.Base(dir)), view: view}
	if err := f.Set(ctx, state); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Dir is the base, over which the layer lies.
func (f *Layered) Dir() string { return f.s.base() }

// Layer is the folder of the current layer.
func (f *Layered) Layer() string { return f.layer }

// Shared returns the folders that the fork shares with the user.
func (f *Layered) Shared() []workspace.Share { return slices.Clone(f.s.tree.shares) }

// SharedLayer is the layer that takes what is written to a shared folder, by its
// place in Shared.
func (f *Layered) SharedLayer(i int) string { return filepath.Join(f.layer, fmt.Sprint(i)) }

// BesideLayer is one more layer, for a folder beside the fork, that goes with the
// current state's.
func (f *Layered) BesideLayer() (string, error) {
	dir := filepath.Join(f.dir, fmt.Sprintf("%d-beside", f.made)) // it may grow large
	if !slices.Contains(f.beside, dir) {
		f.beside = append(f.beside, dir)
	}
	if err := makeLayer(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make a layer: %w", err)
	}
	return dir, nil
}

// Set makes a new layer of the state. The earlier one stays until Drop, because
// it is shown until the sandbox has switched.
func (f *Layered) Set(ctx context.Context, state textedit.State) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	next, err := f.s.overlay(state)
	if err != nil {
		return err
	}
	f.unsee()
	if f.layer != "" {
		f.stale = append(append(f.stale, f.layer), f.beside...)
	}
	f.beside, f.files = nil, next
	if f.quick == "" || f.s.memory.left.Load() {
		return f.next(f.dir)
	}
	err = f.next(f.quick)
	if errors.Is(err, syscall.ENOSPC) { // others fill the memory too
		f.s.memory.left.Store(true)
		f.stale = append(f.stale, f.layer)
		return f.next(f.dir)
	}
	return err
}

// next makes the next layer, in a folder of the fork's.
func (f *Layered) next(home string) error {
	f.made++
	f.layer = filepath.Join(home, fmt.Sprint(f.made))
	f.laid, f.written = map[string]stamp{}, map[string]bool{}
	if err := f.fresh(); err != nil {
		return fmt.Errorf("make a layer: %w", err)
	}
	return f.lay()
}

// fresh makes the folders of the current layer.
func (f *Layered) fresh() error {
	if err := makeLayer(f.layer, f.s.rootMode); err != nil {
		return err
	}
	for i, sh := range f.s.tree.shares {
		info, err := os.Stat(sh.Source)
		if err != nil {
			return err
		}
		if err := makeLayer(f.SharedLayer(i), info.Mode().Perm()|0o700); err != nil {
			return err
		}
	}
	return nil
}

// makeLayer makes an empty layer for a folder of that mode.
func makeLayer(dir string, mode fs.FileMode) error {
	upper := filepath.Join(dir, upperName)
	for _, d := range []string{dir, upper, filepath.Join(dir, workName)} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	return os.Chmod(upper, mode)
}

func (f *Layered) upper(p string) string {
	return filepath.Join(f.layer, upperName, filepath.FromSlash(p))
}

// lay puts the state into the current layer, which nobody sees yet.
func (f *Layered) lay() error {
	if len(f.files) == 0 {
		return nil
	}
	l := layer{f: f, implied: f.files.implied(), mtime: f.s.tick()}
	for _, p := range f.files.paths() {
		if err := l.put(p, f.files[p]); err != nil {
			return fmt.Errorf("put %q into a layer: %w", clip(p), clipped(err))
		}
	}
	for _, p := range slices.Backward(l.opened) {
		if err := os.Chmod(f.upper(p), f.folderMode(p)); err != nil {
			return fmt.Errorf("set the mode of %q in a layer: %w", clip(p), err)
		}
	}
	for p := range l.placed {
		info, err := os.Lstat(f.upper(p))
		if err != nil {
			return fmt.Errorf("look at %q in a layer: %w", clip(p), err)
		}
		f.laid[p] = stampOf(info)
	}
	return nil
}

func (f *Layered) folderMode(p string) fs.FileMode {
	if n := f.s.tree.nodes[p]; n.kind == workspace.Folder {
		return n.mode.Perm()
	}
	return 0o755
}

// Write changes one file of the fork, as commands see it, until the next Set; a
// nil content deletes it. It does not count among Changes.
func (f *Layered) Write(p string, content []byte) error {
	err := f.write(p, content)
	if err != nil {
		return fmt.Errorf("write %q into a fork: %w", p, err)
	}
	return nil
}

func (f *Layered) write(p string, content []byte) error {
	at, err := f.s.tree.resolve(textedit.State{}, p, content != nil)
	if err != nil {
		return err
	}
	file := textedit.File{Kind: textedit.Absent}
	if content != nil {
		file = textedit.File{Kind: textedit.Regular, Content: content, Mode: f.s.mode(f.files, at)}
	}
	if _, err := f.s.with(f.files, at, file); err != nil {
		return err
	}
	if f.root == nil {
		if f.root, err = f.view(); err != nil {
			return err
		}
	}
	if err := rewrite(f.root, filepath.FromSlash(at), file, f.s.tick()); err != nil {
		return clipped(err)
	}
	f.written[at] = true
	delete(f.laid, at)
	if info, err := os.Lstat(f.upper(at)); err == nil {
		f.laid[at] = stampOf(info)
	}
	return nil
}

// unsee gives up the folder that shows the fork.
func (f *Layered) unsee() {
	if f.root != nil {
		_ = f.root.Close() // nothing was written through it that could be lost
		f.root = nil
	}
}

// Drop removes, in the background, what nobody sees after the sandbox has
// switched to the current layer.
func (f *Layered) Drop() {
	for _, dir := range f.stale {
		f.s.removeLater(dir)
	}
	f.stale = nil
}

// Close removes the fork, in the background. Nobody may see it any more.
func (f *Layered) Close() error {
	f.unsee()
	f.s.removeLater(f.dir)
	if f.quick != "" {
		f.s.removeLater(f.quick)
	}
	return nil
}

// layer is a layer in the making.
type layer struct {
	f       *Layered
	implied map[string]bool
	mtime   time.Time
	opened  []string // folders made, outer ones first
	placed  map[string]bool
}

// put makes what the state has at a path.
func (l *layer) put(p string, file textedit.File) error {
	if file.Kind == textedit.Absent {
		return l.remove(p)
	}
	if err := l.folders(path.Dir(p)); err != nil {
		return err
	}
	name := l.f.upper(p)
	l.mark(p)
	if file.Kind == textedit.Symlink {
		return os.Symlink(l.f.s.tree.copied(p, file.Target), name)
	}
	_, err := writeFile(name, file.Content, file.Mode.Perm(), l.mtime)
	return err
}

// remove hides what the base has at a path, where nothing else will stand.
func (l *layer) remove(p string) error {
	n, ok := l.f.s.tree.nodes[p]
	if !ok {
		return nil
	}
	if l.implied[p] {
		if n.kind == workspace.Folder {
			return l.hideBelow(p)
		}
		return nil // the folder that will stand there hides it
	}
	if err := l.folders(path.Dir(p)); err != nil {
		return err
	}
	l.mark(p)
	return whiteout(l.f.upper(p))
}

// hideBelow hides what the base has in a folder.
func (l *layer) hideBelow(dir string) error {
	for p := range l.f.s.tree.nodes {
		if path.Dir(p) != dir {
			continue
		}
		if _, ok := l.f.files[p]; ok {
			continue
		}
		if err := l.remove(p); err != nil {
			return err
		}
	}
	return nil
}

func (l *layer) mark(p string) {
	if l.placed == nil {
		l.placed = map[string]bool{}
	}
	l.placed[p] = true
}

// folders makes the folders of a path in the layer, writable for now.
func (l *layer) folders(dir string) error {
	if dir == "." || slices.Contains(l.opened, dir) {
		return nil
	}
	if err := l.folders(path.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(l.f.upper(dir), 0o700); err != nil {
		return err
	}
	l.opened = append(l.opened, dir)
	return nil
}
