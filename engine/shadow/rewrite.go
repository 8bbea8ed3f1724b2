package shadow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"autocoder/engine/textedit"
)

// rewrite puts a file in the place of whatever a root has at a name, or removes
// that. A folder that forbids it is opened for as long as it takes.
func rewrite(root *os.Root, name string, file textedit.File, mtime time.Time) error {
	dir := filepath.Dir(name)
	if file.Kind == textedit.Regular {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	info, err := root.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && file.Kind == textedit.Absent {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o300 == 0o300 {
		return replace(root, name, file, mtime)
	}
	if err := root.Chmod(dir, 0o700); err != nil {
		return err
	}
	return errors.Join(replace(root, name, file, mtime), root.Chmod(dir, info.Mode().Perm()))
}

func replace(root *os.Root, name string, file textedit.File, mtime time.Time) error {
	err := root.RemoveAll(name)
	if hampered(err) {
		err = errors.Join(loosen(root, name), root.RemoveAll(name))
	}
	if err != nil || file.Kind != textedit.Regular {
		return err
	}
	dst, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.Mode.Perm()|0o200)
	if err != nil {
		return err
	}
	defer dst.Close()
	if _, err := dst.Write(file.Content); err != nil {
		return err
	}
	_, err = stampFile(dst, file.Mode.Perm(), func() error { return root.Chtimes(name, mtime, mtime) })
	return err
}
