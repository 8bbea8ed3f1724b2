package shadow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// stamp tells whether an entry is the one that was put there: a process can set
// a file's times back, but not its change time.
type stamp struct {
	mode          fs.FileMode
	size          int64
	mtime, ctime  int64
	device, inode uint64
}

func stampOf(info fs.FileInfo) stamp {
	if info.IsDir() {
		return stamp{mode: info.Mode()} // its times change with its entries
	}
	s := stamp{mode: info.Mode(), size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.ctime, s.device, s.inode = identity(info)
	return s
}

// scanner looks at every entry of a folder in parallel.
type scanner struct {
	dir  string
	slot chan struct{}
	wait sync.WaitGroup

	mu   sync.Mutex // guards all below
	seen map[string]stamp
	err  error
}

// scan returns the stamps of all that is in a folder, by slash path. Links are
// not followed. A folder that a run made unreadable is made readable: it is
// ours. Below a path that is as long as the system takes nothing is looked at: it
// can't be of the base, and goes with the folder it is in.
func scan(ctx context.Context, dir string) (map[string]stamp, error) {
	s := &scanner{dir: dir, slot: make(chan struct{}, 2*runtime.GOMAXPROCS(0)), seen: map[string]stamp{}}
	s.folder(ctx, "")
	s.wait.Wait()
	return s.seen, s.err
}

func (s *scanner) folder(ctx context.Context, p string) {
	if err := ctx.Err(); err != nil {
		s.fail(err)
		return
	}
	name := filepath.Join(s.dir, filepath.FromSlash(p))
	list, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrPermission) {
		if err = os.Chmod(name, 0o700); err == nil {
			list, err = os.ReadDir(name)
		}
	}
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return
	}
	if err != nil {
		s.fail(err)
		return
	}
	found := make(map[string]stamp, len(list))
	for _, d := range list {
		sub := path.Join(p, d.Name())
		info, err := d.Info()
		if errors.Is(err, fs.ErrPermission) { // a folder that can be listed, not entered
			if err = os.Chmod(name, 0o700); err == nil {
				info, err = d.Info()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errors.Is(err, syscall.ENAMETOOLONG) {
			found[sub] = stamp{mode: d.Type()}
			continue
		}
		if err != nil {
			s.fail(err)
			return
		}
		found[sub] = stampOf(info)
		if info.IsDir() {
			s.descend(ctx, sub)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, st := range found {
		s.seen[p] = st
	}
}

// descend scans a folder, beside this one when there is a slot for it.
func (s *scanner) descend(ctx context.Context, p string) {
	select {
	case s.slot <- struct{}{}:
		s.wait.Go(func() {
			defer func() { <-s.slot }()
			s.folder(ctx, p)
		})
	default:
		s.folder(ctx, p)
	}
}

func (s *scanner) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}
