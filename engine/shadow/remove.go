package shadow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveAll removes a tree in which a run may have left anything: folders that
// can't be written or read, and paths that are longer than the system takes.
func RemoveAll(dir string) error {
	err := os.RemoveAll(dir) // which goes from folder to folder, whatever the length of the path
	if errors.Is(err, fs.ErrPermission) {
		err = removeLocked(dir)
	}
	return clipped(err)
}

// removeLocked makes the folders of a tree writable and removes it.
func removeLocked(dir string) error {
	above, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer above.Close()
	return errors.Join(makeWritable(above, filepath.Base(dir)), os.RemoveAll(dir))
}

// makeWritable makes a folder and all that are in it writable. It goes from
// folder to folder, and through no link.
func makeWritable(above *os.Root, name string) error {
	info, err := above.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
		return nil
	}
	if err == nil {
		err = above.Chmod(name, 0o700)
	}
	if err != nil {
		return err
	}
	folder, err := above.OpenRoot(name)
	if err != nil {
		return err
	}
	defer folder.Close()
	list, err := fs.ReadDir(folder.FS(), ".")
	for _, d := range list {
		if d.IsDir() {
			err = errors.Join(err, makeWritable(folder, d.Name()))
		}
	}
	return err
}

// maxText is how much of a path, and of an error about one, is told: a run may
// have made any.
const maxText = 400

func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return s[:maxText/2] + "…" + s[len(s)-maxText/2:]
}

// clippedError is an error of which less is told.
type clippedError struct{ err error }

func (e clippedError) Error() string { return clip(e.err.Error()) }
func (e clippedError) Unwrap() error { return e.err }

func clipped(err error) error {
	if err == nil || len(err.Error()) <= maxText {
		return err
	}
	return clippedError{err}
}
