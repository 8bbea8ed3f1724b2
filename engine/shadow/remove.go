package shadow

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// RemoveAll removes a tree in which a run may have left anything: folders that
// can't be written or read, paths that are longer than the system takes, and more
// folders in each other than files can be open.
func RemoveAll(dir string) error {
	err := os.RemoveAll(dir) // which goes from folder to folder, whatever the length of the path
	if hampered(err) {
		err = removeHampered(dir)
	}
	return clipped(err)
}

// hampered reports whether a tree could not be removed for what loosen remedies.
func hampered(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EMFILE)
}

func removeHampered(dir string) error {
	above, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer above.Close()
	return errors.Join(loosen(above, filepath.Base(dir)), os.RemoveAll(dir))
}

// maxDepth is how many folders in each other loosen leaves.
const maxDepth = 100

// loosen makes a folder and all that are in it writable, and moves those that are
// too deep in it up. It goes from folder to folder, and through no link.
func loosen(above *os.Root, name string) error {
	top, err := openFolder(above, name)
	if top == nil {
		return err
	}
	defer top.Close()
	l := loosener{top: top}
	err = l.folder(top, ".", 0)
	for i := 0; i < len(l.moved); i++ {
		err = errors.Join(err, l.enter(top, l.moved[i], l.moved[i], 0))
	}
	return err
}

// openFolder makes a folder writable and opens it; it returns nil for what is none.
func openFolder(above *os.Root, name string) (*os.Root, error) {
	info, err := above.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
		return nil, nil
	}
	if err == nil {
		err = above.Chmod(name, 0o700)
	}
	if err != nil {
		return nil, err
	}
	return above.OpenRoot(name)
}

type loosener struct {
	top   *os.Root
	moved []string // names in top
}

// folder loosens what is in a folder, which is at the path p of top.
func (l *loosener) folder(at *os.Root, p string, depth int) error {
	list, err := fs.ReadDir(at.FS(), ".")
	for _, d := range list {
		sub := path.Join(p, d.Name())
		switch {
		case !d.IsDir():
		case depth < maxDepth:
			err = errors.Join(err, l.enter(at, d.Name(), sub, depth+1))
		default:
			err = errors.Join(err, l.move(sub))
		}
	}
	return err
}

func (l *loosener) enter(above *os.Root, name, p string, depth int) error {
	at, err := openFolder(above, name)
	if at == nil {
		return err
	}
	defer at.Close()
	return l.folder(at, p, depth)
}

// move moves a folder up, into a new one.
func (l *loosener) move(p string) error {
	into := ".deep-" + rand.Text()
	if err := l.top.Mkdir(into, 0o700); err != nil {
		return err
	}
	if err := l.top.Chmod(filepath.FromSlash(p), 0o700); err != nil { // or it can't get another parent
		return err
	}
	l.moved = append(l.moved, into)
	return l.top.Rename(filepath.FromSlash(p), filepath.Join(into, "d"))
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
