package shadow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"autocoder/engine/workspace"
)

// item is one thing to copy.
type item struct {
	path string // in the copy
	from string // the absolute path of a file's content
	node node
}

// copier copies items into a folder that nobody else uses.
type copier struct {
	to string
	// lost is told of a file whose content could not be read; its error ends the
	// copy, nil leaves the file out.
	lost func(it item, err error) error
	// done is told of every entry that was made, from several goroutines.
	done func(it item, info fs.FileInfo)
}

func (c *copier) dest(p string) string { return filepath.Join(c.to, filepath.FromSlash(p)) }

// run copies the items, which are sorted by path. Folders get their modes last:
// one that is not writable must be filled first.
func (c *copier) run(ctx context.Context, items []item) error {
	var folders, rest []item
	for _, it := range items {
		if it.node.kind == workspace.Folder {
			folders = append(folders, it)
			if err := c.folder(it.path); err != nil {
				return err
			}
		} else {
			rest = append(rest, it)
		}
	}
	if err := c.files(ctx, rest); err != nil {
		return err
	}
	for _, it := range slices.Backward(folders) {
		if err := c.finish(it); err != nil {
			return err
		}
	}
	return nil
}

// folder makes a folder that can be filled; one that is there stays.
func (c *copier) folder(p string) error {
	err := os.Mkdir(c.dest(p), 0o700)
	if info, e := os.Lstat(c.dest(p)); errors.Is(err, fs.ErrExist) && e == nil && info.IsDir() {
		err = os.Chmod(c.dest(p), 0o700)
	}
	return err
}

// files copies files and links in parallel.
func (c *copier) files(ctx context.Context, items []item) error {
	var wg sync.WaitGroup
	var next atomic.Int64
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for range min(2*runtime.GOMAXPROCS(0), len(items)) {
		wg.Go(func() {
			buf := make([]byte, smallFile)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) || ctx.Err() != nil {
					return
				}
				if err := c.one(items[i], buf); err != nil {
					cancel(fmt.Errorf("copy %q: %w", items[i].path, err))
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (c *copier) one(it item, buf []byte) error {
	if it.node.kind == workspace.Symlink {
		if err := os.Symlink(it.node.link, c.dest(it.path)); err != nil {
			return err
		}
		info, err := os.Lstat(c.dest(it.path))
		if err != nil {
			return err
		}
		c.done(it, info)
		return nil
	}
	src, err := openFile(it.from, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return c.lost(it, err)
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return c.lost(it, err)
	}
	if !info.Mode().IsRegular() {
		return c.lost(it, errors.New("it is no regular file any more"))
	}
	it.node.mode, it.node.mtime, it.node.source = info.Mode(), info.ModTime(), stampOf(info)
	made, err := c.file(src, info, it, buf)
	if err != nil {
		return err
	}
	if made == nil {
		return nil
	}
	c.done(it, made)
	return nil
}

// file makes the copy of an open file; it returns nil when the source could not
// be read to its end and is left out.
func (c *copier) file(src *os.File, info fs.FileInfo, it item, buf []byte) (fs.FileInfo, error) {
	name := c.dest(it.path)
	if clone := openClone(name, src, info.Mode().Perm()); clone != nil {
		defer clone.Close()
		return stampFile(clone, info.Mode().Perm(), func() error { return os.Chtimes(name, info.ModTime(), info.ModTime()) })
	}
	dst, err := openFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	if err := fill(dst, src, info, buf); err != nil {
		var r readError
		if errors.As(err, &r) {
			return nil, errors.Join(os.Remove(name), c.lost(it, r.err))
		}
		return nil, err
	}
	return stampFile(dst, info.Mode().Perm(), func() error { return os.Chtimes(name, info.ModTime(), info.ModTime()) })
}

// smallFile is up to where one read and one write beat every other way.
const smallFile = 64 << 10

// readError is an error of the source, as opposed to one of the copy.
type readError struct{ err error }

func (e readError) Error() string { return e.err.Error() }

// fill copies the content of a file: as a clone where the file system can, its
// data without the holes where it has any, else byte for byte.
func fill(dst, src *os.File, info fs.FileInfo, buf []byte) error {
	// What a small file grew by meanwhile is not asked for: its size tells the next
	// scan. Some file systems say of all files that they are empty: there the end is.
	if size := info.Size(); size < smallFile {
		if size > 0 {
			buf = buf[:size]
		}
		n, err := io.ReadFull(src, buf)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return readError{err}
		}
		if _, err = dst.Write(buf[:n]); err != nil || n < smallFile {
			return err
		}
	} else if done, err := cloneFile(dst, src, info); done || err != nil {
		return err
	}
	_, err := io.Copy(dst, src)
	return err
}

// finish gives a folder its mode and times.
func (c *copier) finish(it item) error {
	name := c.dest(it.path)
	if err := os.Chmod(name, it.node.mode.Perm()); err != nil {
		return err
	}
	if err := os.Chtimes(name, it.node.mtime, it.node.mtime); err != nil {
		return err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	c.done(it, info)
	return nil
}
