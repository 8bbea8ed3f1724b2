package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// fill copies the snapshot into the base.
func (s *Shadow) fill(ctx context.Context) error {
	items := s.planned()
	if err := s.planShared(ctx, &items); err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	if err := s.take(ctx, items); err != nil {
		return err
	}
	if err := s.layBuffers(); err != nil {
		return err
	}
	s.linkShared()
	return nil
}

// take copies items into the base, from which what stood there is gone.
func (s *Shadow) take(ctx context.Context, items []item) error {
	var mu sync.Mutex
	c := copier{
		to: s.base(),
		lost: func(it item, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			s.warnings = append(s.warnings, fmt.Sprintf("the file %q can't be read and is left out: %v", it.path, plain(err)))
			return nil
		},
		done: func(it item, _ fs.FileInfo) {
			mu.Lock()
			defer mu.Unlock()
			s.tree.nodes[it.path] = it.node
			if it.node.mtime.After(s.last) {
				s.last = it.node.mtime
			}
		},
	}
	if err := c.run(ctx, items); err != nil {
		return err
	}
	slices.Sort(s.warnings)
	return nil
}

// layBuffers lays the unsaved buffers over the base.
func (s *Shadow) layBuffers() error {
	buffers := s.snap.Buffers()
	for _, p := range slices.Sorted(maps.Keys(buffers)) {
		if err := s.buffer(p, buffers[p]); err != nil {
			return fmt.Errorf("write the unsaved buffer %q: %w", p, err)
		}
		dir := path.Dir(p)
		if n := s.tree.nodes[dir]; n.kind == workspace.Folder {
			if err := os.Chmod(s.baseFile(dir), n.mode.Perm()); err != nil {
				return fmt.Errorf("set the mode of the folder of the unsaved buffer %q: %w", p, err)
			}
		}
	}
	return nil
}

// plain drops the path that an error of package os repeats.
func plain(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// planned turns the snapshot's entries into items.
func (s *Shadow) planned() []item {
	entries := s.snap.Entries()
	items := make([]item, 0, len(entries)+len(s.snap.Shares()))
	for _, e := range entries {
		items = append(items, s.item(e, s.snap.Root()+string(filepath.Separator)+filepath.FromSlash(e.Path)))
	}
	return items
}

func (s *Shadow) item(e workspace.Entry, from string) item {
	n := node{kind: e.Kind, mode: e.Mode, mtime: e.ModTime, target: e.Target}
	switch {
	case e.Kind == workspace.Symlink:
		n.link = s.tree.copied(e.Path, e.Target)
	case e.Identity != workspace.Identity{}:
		n.source = stamp{e.Mode, e.Size, e.ModTime.UnixNano(), e.Identity.Changed, e.Identity.Device, e.Identity.Inode}
	}
	return item{path: e.Path, from: from, node: n}
}

// planShared adds the shared folders: empty ones to stand for them, or all that
// is in them when they are to be copied.
func (s *Shadow) planShared(ctx context.Context, items *[]item) error {
	for _, sh := range s.snap.Shares() {
		if !s.cfg.CopyShared {
			if !slices.Contains(s.tree.shares, sh) {
				s.tree.shares = append(s.tree.shares, sh)
			}
			*items = append(*items, item{path: sh.Path, node: node{kind: workspace.Folder, mode: 0o755, mtime: s.cfg.Now()}})
			continue
		}
		entries, warnings, err := s.snap.Inside(ctx, sh)
		if err != nil {
			return err
		}
		s.warnings = append(s.warnings, warnings...)
		for _, e := range entries {
			from := filepath.Join(sh.Source, filepath.FromSlash(strings.TrimPrefix(e.Path, sh.Path)))
			*items = append(*items, s.item(e, from))
		}
	}
	return nil
}

// linkShared makes the nodes of shared folders links, when forks get links. The
// base itself keeps empty folders.
func (s *Shadow) linkShared() {
	if !s.cfg.LinkShared {
		return
	}
	for _, sh := range s.tree.shares {
		s.tree.nodes[sh.Path] = node{kind: workspace.Symlink, mode: fs.ModeSymlink, target: sh.Source, link: sh.Source}
	}
}

// buffer lays an unsaved buffer over the base. One that has the same bytes as
// the file leaves it as it is.
func (s *Shadow) buffer(p string, content []byte) error {
	at, err := s.tree.resolve(textedit.State{}, p, true)
	if err != nil {
		return err
	}
	name, n := s.baseFile(at), s.tree.nodes[at]
	// Writable for as long as it takes.
	if dir := filepath.Dir(name); s.tree.nodes[path.Dir(at)].kind == workspace.Folder {
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
	}
	switch n.kind {
	case workspace.File:
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if string(old) == string(content) {
			return nil
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	case workspace.InvalidKind:
		n = node{kind: workspace.File, mode: 0o644}
		if err := s.folders(path.Dir(at)); err != nil {
			return err
		}
	case workspace.Folder, workspace.Symlink:
		return errors.New("there is a folder")
	}
	n.mtime, n.source = s.tick(), stamp{}
	if _, err := writeFile(name, content, n.mode.Perm(), n.mtime); err != nil {
		return err
	}
	s.tree.nodes[at] = n
	return nil
}

// folders makes the missing folders of a buffer's path.
func (s *Shadow) folders(dir string) error {
	if dir == "." || s.tree.nodes[dir].kind == workspace.Folder {
		return nil
	}
	if err := s.folders(path.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(s.baseFile(dir), 0o755); err != nil {
		return err
	}
	s.tree.nodes[dir] = node{kind: workspace.Folder, mode: 0o755, mtime: s.cfg.Now()}
	return nil
}

// writeFile makes a new file.
func writeFile(name string, content []byte, mode fs.FileMode, mtime time.Time) (fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		return nil, err
	}
	return stampFile(f, mode, func() error { return os.Chtimes(name, mtime, mtime) })
}

// stampFile gives an open file its mode and, by setTimes, its times.
func stampFile(f *os.File, mode fs.FileMode, setTimes func() error) (fs.FileInfo, error) {
	if err := setTimes(); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return info, err
	}
	if err := f.Chmod(mode); err != nil {
		return nil, err
	}
	return f.Stat()
}
