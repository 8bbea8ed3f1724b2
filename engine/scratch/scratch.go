// Package scratch is for files in a cell's scratch folder by which we and commands
// tell each other things. Whatever runs in the cell can put anything in the place of
// such a file or of a folder on the way to it: a link to the user's own files, a pipe
// that never ends, a file without an end. So they are reached here, and only here, by
// a handle on the scratch folder, out of which no link leads, and what is no file is
// not read.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write makes a new file at a path of a scratch folder, with the folders on the way;
// what stood there is gone. Nothing outside is written, whatever the path leads to.
func Write(folder, path string, content []byte) error {
	err := write(folder, path, content)
	if err != nil {
		return fmt.Errorf("write %q for a cell: %w", path, err)
	}
	return nil
}

func write(folder, path string, content []byte) (err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A link that is put there now is not followed.
	f, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// Open opens a file at a path of a scratch folder for reading. What is no regular
// file, and what lies outside, is an error.
func Open(folder, path string) (*os.File, error) {
	f, err := open(folder, path)
	if err != nil {
		return nil, fmt.Errorf("read %q of a cell: %w", path, err)
	}
	return f, nil
}

func open(folder, path string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Without O_NONBLOCK a pipe would hold us for ever.
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
