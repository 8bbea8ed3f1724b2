package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"autocoder/engine/workspace"
)

// transition is one change of a fork from what it is to base plus next.
type transition struct {
	f       *Fork
	next    overlay
	implied map[string]bool
	mtime   time.Time
	open    map[string]bool // folders that are writable for now
}

// become makes the given paths what base plus next has there, and records that.
// Folders above them are made as needed.
func (f *Fork) become(next overlay, dirty []string) error {
	t := transition{f: f, next: next, implied: next.implied(), open: map[string]bool{}}
	for p := range t.implied {
		if _, ok := f.stamps[p]; !ok {
			dirty = append(dirty, p)
		}
	}
	if len(dirty) == 0 {
		f.files = next
		return nil
	}
	slices.Sort(dirty)
	dirty = slices.Compact(dirty)
	t.mtime = f.s.tick()
	for _, step := range []func(p string) error{t.clear, t.put} {
		for _, p := range dirty {
			if err := step(p); err != nil {
				return fmt.Errorf("make %q in a fork: %w", clip(p), clipped(err))
			}
		}
	}
	if err := t.finish(); err != nil {
		return err
	}
	f.files = next
	return nil
}

func (t *transition) wanted(p string) workspace.Kind { return t.f.s.wanted(t.next, t.implied, p) }

// folderMode returns the mode that a folder should have.
func (t *transition) folderMode(p string) fs.FileMode {
	if n := t.f.s.tree.nodes[p]; n.kind == workspace.Folder {
		return n.mode.Perm()
	}
	return 0o755
}

// unlock makes a folder writable until finish, when it is one.
func (t *transition) unlock(p string) error {
	if p == "." || t.open[p] {
		return nil
	}
	name := filepath.FromSlash(p)
	info, err := t.f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
		return nil
	}
	if err != nil {
		return err
	}
	t.open[p] = true
	if info.Mode().Perm()&0o700 == 0o700 {
		return nil
	}
	return t.f.root.Chmod(name, 0o700)
}

// clear removes what stands at a path, unless it is a folder that stays one.
func (t *transition) clear(p string) error {
	if err := t.unlock(path.Dir(p)); err != nil {
		return err
	}
	delete(t.f.stamps, p)
	name := filepath.FromSlash(p)
	info, err := t.f.root.Lstat(name)
	if err != nil {
		return nil // nothing there; or below what was removed before
	}
	if info.IsDir() && t.wanted(p) == workspace.Folder {
		return t.unlock(p)
	}
	err = t.f.root.RemoveAll(name)
	if hampered(err) {
		err = errors.Join(loosen(t.f.root, name), t.f.root.RemoveAll(name))
	}
	return err
}

// put makes what should stand at a path.
func (t *transition) put(p string) error {
	if err := t.unlock(path.Dir(p)); err != nil {
		return err
	}
	name := filepath.FromSlash(p)
	switch t.wanted(p) {
	case workspace.InvalidKind:
		return nil
	case workspace.Folder:
		if err := t.f.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		t.open[p] = true
		return nil
	case workspace.Symlink:
		target := t.f.s.tree.nodes[p].link
		if file, ok := t.next[p]; ok {
			target = t.f.s.tree.copied(p, file.Target)
		}
		if err := t.f.root.Symlink(target, name); err != nil {
			return err
		}
	case workspace.File:
		if err := t.file(p, name); err != nil {
			return err
		}
	}
	info, err := t.f.root.Lstat(name)
	if err != nil {
		return err
	}
	t.f.stamps[p] = stampOf(info)
	return nil
}

// file makes a regular file, of the overlay or of the base.
func (t *transition) file(p, name string) error {
	over, ok := t.next[p]
	mode := t.f.s.tree.nodes[p].mode.Perm()
	if ok {
		mode = over.Mode.Perm()
	}
	dst, err := t.f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	defer dst.Close()
	if ok {
		_, err = dst.Write(over.Content)
	} else {
		err = t.copyBase(dst, p)
	}
	if err != nil {
		return err
	}
	_, err = stampFile(dst, mode, func() error { return t.f.root.Chtimes(name, t.mtime, t.mtime) })
	return err
}

func (t *transition) copyBase(dst *os.File, p string) error {
	src, err := os.Open(t.f.s.baseFile(p))
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	return fill(dst, src, info, make([]byte, smallFile))
}

// finish gives the folders that were opened their modes, the inner ones first:
// an outer one may forbid to go into it.
func (t *transition) finish() error {
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(t.open))) {
		name := filepath.FromSlash(p)
		info, err := t.f.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
			continue // it was removed since
		}
		if mode := t.folderMode(p); err == nil && info.Mode() != fs.ModeDir|mode {
			if err = t.f.root.Chmod(name, mode); err == nil {
				info, err = t.f.root.Lstat(name)
			}
		}
		if err != nil {
			return fmt.Errorf("set the mode of %q in a fork: %w", p, err)
		}
		t.f.stamps[p] = stampOf(info)
	}
	return nil
}
