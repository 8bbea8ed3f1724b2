package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RootError says why a folder can't be worked on.
type RootError struct {
	Root string
	// Unusable means that it can't be read as a folder at all; otherwise it could
	// be and is refused.
	Unusable bool
	Why      string
}

// Error is one sentence for people.
func (e *RootError) Error() string { return fmt.Sprintf("%q %s", e.Root, e.Why) }

// resolveRoot returns the real absolute path of the workspace and the absolute
// path as it was given, or a *RootError.
func resolveRoot(root, home string) (found, abs string, err error) {
	unusable := func(why string) error { return &RootError{Root: root, Unusable: true, Why: why} }
	refused := func(why string) error { return &RootError{Root: root, Why: why} }

	if abs, err = filepath.Abs(root); err != nil {
		return "", "", fmt.Errorf("find the folder %q: %w", root, err)
	}
	found, err = filepath.EvalSymlinks(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", unusable("does not exist")
	case errors.Is(err, fs.ErrPermission):
		return "", "", unusable("can't be read: permission denied")
	case err != nil:
		return "", "", unusable(fmt.Sprintf("can't be read: %v", err))
	}
	info, err := os.Stat(found)
	if err != nil {
		return "", "", unusable(fmt.Sprintf("can't be read: %v", err))
	}
	if !info.IsDir() {
		return "", "", unusable("is a file, not a folder: give the folder of the project")
	}
	if _, err := os.ReadDir(found); err != nil {
		return "", "", unusable(fmt.Sprintf("can't be read: %v", errors.Unwrap(err)))
	}
	switch {
	case found == filepath.Dir(found):
		return "", "", refused("is the root of the file system: give the folder of one project")
	case home != "" && sameFolder(found, home):
		return "", "", refused("is your home folder: give the folder of one project in it")
	case home != "" && contains(found, home):
		return "", "", refused("contains your home folder: give the folder of one project")
	case mountRoot(found):
		return "", "", refused("is a whole mounted volume: give the folder of one project on it")
	}
	return found, abs, nil
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// contains reports whether the folder inner lies below outer.
func contains(outer, inner string) bool {
	if found, err := filepath.EvalSymlinks(inner); err == nil {
		inner = found
	}
	rel, err := filepath.Rel(outer, inner)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// relative returns the slash path of an absolute path below root.
func relative(root, abs string) (string, bool) {
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
