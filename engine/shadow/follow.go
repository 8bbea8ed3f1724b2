package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"autocoder/engine/workspace"
)

// ErrOther is wrapped by the error of Follow when the snapshot is too different
// for this shadow to follow: make another.
var ErrOther = errors.New("the copy can't follow")

// Follow makes the base what a later snapshot of the same folder found, and
// copies only what has changed since: a file is the same as long as its size,
// times and inode are. There must be no forks. After any error the shadow is only
// good for Close.
func (s *Shadow) Follow(ctx context.Context, snap *workspace.Snapshot) error {
	if s.became != "" || snap.Root() != s.snap.Root() || s.cfg.CopyShared || !slices.Equal(snap.Shares(), s.snap.Shares()) || !slices.Equal(snap.Roots(), s.tree.roots) {
		return ErrOther
	}
	info, err := os.Stat(snap.Root())
	if err != nil {
		return fmt.Errorf("look at the folder %q: %w", snap.Root(), err)
	}
	s.removing.Wait()
	s.snap, s.warnings, s.rootMode = snap, snap.Warnings(), info.Mode().Perm()|0o700
	if err := s.follow(ctx); err != nil {
		return fmt.Errorf("copy the changes of %q: %w", snap.Root(), err)
	}
	s.listSources()
	return nil
}

func (s *Shadow) follow(ctx context.Context) error {
	items := s.planned()
	if err := s.planShared(ctx, &items); err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	same, err := s.unchanged(ctx, items)
	if err != nil {
		return err
	}
	wanted := make(map[string]bool, len(items))
	var changed []item
	for i, it := range items {
		wanted[it.path] = true
		if !same[i] {
			changed = append(changed, it)
		}
	}
	u := updater{s: s, opened: map[string]bool{}}
	if err := u.clear(wanted, changed); err != nil {
		return err
	}
	for _, it := range changed {
		if err := u.open(path.Dir(it.path)); err != nil {
			return err
		}
	}
	if err := s.take(ctx, changed); err != nil {
		return err
	}
	if err := u.close(); err != nil {
		return err
	}
	if err := s.layBuffers(); err != nil {
		return err
	}
	s.linkShared()
	return nil
}

// unchanged reports, for each item, whether the base has it already.
func (s *Shadow) unchanged(ctx context.Context, items []item) ([]bool, error) {
	same := make([]bool, len(items))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(2*runtime.GOMAXPROCS(0), len(items)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) || ctx.Err() != nil {
					return
				}
				same[i] = s.has(items[i])
			}
		})
	}
	wg.Wait()
	return same, ctx.Err()
}

// has reports whether the base has an item as it is now.
func (s *Shadow) has(it item) bool {
	n, ok := s.tree.nodes[it.path]
	if _, shared := s.tree.share(it.path); shared {
		return ok
	}
	if !ok || n.kind != it.node.kind {
		return false
	}
	switch n.kind {
	case workspace.Folder:
		return n.mode == it.node.mode
	case workspace.Symlink:
		return n.target == it.node.target
	case workspace.File:
		return n.source != stamp{} && it.stands() == n.source
	case workspace.InvalidKind:
		return false
	default:
		return false
	}
}

// stands is the stamp of the user's file, as the scan has seen it or as it is now.
func (it item) stands() stamp {
	if it.node.source != (stamp{}) {
		return it.node.source
	}
	info, err := os.Lstat(it.from)
	if err != nil {
		return stamp{}
	}
	return stampOf(info)
}

// updater changes the base, whose folders may have to be opened for that.
type updater struct {
	s      *Shadow
	opened map[string]bool
}

// clear removes what is not wanted any more and what will be copied again, but
// not folders that stay.
func (u *updater) clear(wanted map[string]bool, changed []item) error {
	var gone []string
	for p := range u.s.tree.nodes {
		if !wanted[p] {
			gone = append(gone, p)
		}
	}
	for _, it := range changed {
		if _, ok := u.s.tree.nodes[it.path]; ok {
			gone = append(gone, it.path)
		}
	}
	slices.Sort(gone)
	for _, p := range slices.Backward(gone) { // what is in a folder before the folder
		if err := u.remove(p); err != nil {
			return err
		}
	}
	return nil
}

// remove removes an entry of the base. A folder with entries that stay only loses
// its node: the copier finds it there.
func (u *updater) remove(p string) error {
	if err := u.open(path.Dir(p)); err != nil {
		return err
	}
	err := os.Remove(u.s.baseFile(p))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && u.s.tree.nodes[p].kind != workspace.Folder {
		return err
	}
	delete(u.s.tree.nodes, p)
	return nil
}

// open makes a folder of the base writable until close.
func (u *updater) open(dir string) error {
	if dir == "." || u.opened[dir] {
		return nil
	}
	if err := u.open(path.Dir(dir)); err != nil {
		return err
	}
	err := os.Chmod(u.s.baseFile(dir), 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be made
	}
	u.opened[dir] = true
	return err
}

// close gives the folders that were opened their modes, inner ones first.
func (u *updater) close() error {
	dirs := make([]string, 0, len(u.opened))
	for dir := range u.opened {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range slices.Backward(dirs) {
		n, ok := u.s.tree.nodes[dir]
		if !ok || n.kind != workspace.Folder {
			continue
		}
		name := filepath.Clean(u.s.baseFile(dir))
		if err := errors.Join(os.Chmod(name, n.mode.Perm()), os.Chtimes(name, n.mtime, n.mtime)); err != nil {
			return err
		}
	}
	return nil
}
