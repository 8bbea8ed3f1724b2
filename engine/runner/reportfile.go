package runner

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ReportLimit is the most that the files of one report may hold together.
const ReportLimit = 64 << 20

// ReadFile reads a file of the report's folder that a test program may have
// replaced: only a regular file is read, no link is followed, and no more than
// ReportLimit bytes are taken. A file that isn't there is fs.ErrNotExist.
func (r Report) ReadFile(name string) ([]byte, error) { return r.read(name, 0) }

// ReadEnd reads at most the last limit bytes of such a file, for a look at a
// report that is still being written.
func (r Report) ReadEnd(name string, limit int64) ([]byte, error) { return r.read(name, limit) }

func (r Report) read(name string, end int64) ([]byte, error) {
	folder, done, err := r.open()
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	defer done()
	before, err := folder.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("read report %q: it is not a regular file", name)
	}
	// Without O_NONBLOCK a FIFO put there just now would hold us for ever.
	f, err := folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if !os.SameFile(before, now) {
		return nil, fmt.Errorf("read report %q: it was replaced while it was opened", name)
	}
	if end > 0 && now.Size() > end {
		if _, err := f.Seek(now.Size()-end, io.SeekStart); err != nil {
			return nil, fmt.Errorf("read report %q: %w", name, err)
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, ReportLimit))
	if err != nil {
		return nil, fmt.Errorf("read report %q: %w", name, err)
	}
	return data, nil
}

// open returns the report's folder, and what to do when done with it. While a
// command runs it is the folder that Run made, whatever the tests have put in its
// place.
func (r Report) open() (*os.Root, func(), error) {
	if r.files != nil {
		return r.files, func() {}, nil
	}
	folder, err := os.OpenRoot(r.Folder)
	if err != nil {
		return nil, nil, err
	}
	return folder, func() { folder.Close() }, nil
}

// ReadDir lists a folder in the report's, or that itself, which is ".".
func (r Report) ReadDir(name string) ([]fs.DirEntry, error) {
	folder, done, err := r.open()
	if err != nil {
		return nil, err
	}
	defer done()
	return fs.ReadDir(folder.FS(), name)
}

// HasFolder reports whether there is a folder of that name, which no link is.
func (r Report) HasFolder(name string) bool {
	folder, done, err := r.open()
	if err != nil {
		return false
	}
	defer done()
	info, err := folder.Lstat(name)
	return err == nil && info.IsDir()
}

// contents lists the files directly in the report's folder, with their sizes.
func (r Report) contents() map[string]int64 {
	sizes := map[string]int64{}
	entries, err := r.ReadDir(".")
	if err != nil {
		return sizes // a test took the folder away: Parse will miss the report
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			sizes[e.Name()] = info.Size()
		}
	}
	return sizes
}

// sweep removes what a command left in the folder, but for what was laid there
// before it: the next command's report can't be mistaken for an older one.
func (r Report) sweep(laid map[string]int64) error {
	folder, done, err := r.open()
	if err != nil {
		return fmt.Errorf("remove the last command's report: %w", err)
	}
	defer done()
	for name := range r.contents() {
		if _, ok := laid[name]; ok {
			continue
		}
		if err := folder.Remove(name); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove the last command's report: %w", err)
		}
	}
	return nil
}

// discard removes the folder with all that tests put into it, folders without
// write permission included. What stays is only rubbish in a private folder.
func (r Report) discard() {
	if os.RemoveAll(r.Folder) == nil {
		return
	}
	_ = filepath.WalkDir(r.Folder, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(r.Folder)
}
