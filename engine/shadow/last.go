package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autocoder/engine/workspace"
)

// errNoBase is the error of what would need the base after Last.
var errNoBase = errors.New("the last fork has taken the place of the base")

// Last makes a fork of the base itself, which saves a second copy where one look
// is all that is wanted. No other fork may be made before it. After it there is no
// base: Fork, Read and Last are errors, Set can't undo what a command wrote, and FS
// shows what commands have made of it.
func (s *Shadow) Last(ctx context.Context) (_ *Fork, err error) {
	if s.became != "" {
		return nil, errNoBase
	}
	dir := filepath.Join(filepath.Dir(s.base()), "last")
	if err := os.Rename(s.base(), dir); err != nil {
		return nil, fmt.Errorf("make the last fork: %w", err)
	}
	s.became = dir
	f := &Fork{s: s, dir: dir, files: overlay{}, written: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make the last fork: %w", err), f.Close())
		}
	}()
	if f.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if f.stamps, err = scan(ctx, dir); err != nil {
		return nil, err
	}
	var dirty []string
	for p, n := range s.tree.nodes {
		if !n.standsAs(f.stamps[p].mode) {
			dirty = append(dirty, p)
		}
	}
	if err := f.become(overlay{}, dirty); err != nil {
		return nil, err
	}
	return f, os.Chmod(dir, s.rootMode)
}

// standsAs reports whether the base's entry of that mode is as forks have it: the
// base keeps folders writable, and has none of the links to shared folders.
func (n node) standsAs(mode fs.FileMode) bool {
	switch n.kind {
	case workspace.Folder:
		return mode.IsDir() && mode.Perm() == n.mode.Perm()
	case workspace.Symlink:
		return mode&fs.ModeSymlink != 0
	case workspace.File:
		return mode.IsRegular()
	case workspace.InvalidKind:
		return true
	default:
		return true
	}
}
