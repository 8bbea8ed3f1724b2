package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autocoder/engine/shadow"
)

// copies makes the folder in which runs make their copies and returns it: in the
// cache, or, when that lies in the project, in the folder of temporary files. A
// copy that lay in what it is a copy of would be copied with it.
func (w *Workspace) copies() (string, error) {
	cache, err := filepath.EvalSymlinks(w.options.CacheDir)
	if err != nil {
		return "", fmt.Errorf("look at the cache folder: %w", err)
	}
	dir := filepath.Join(w.options.CacheDir, "shadows")
	if w.inProject(cache) {
		if dir, err = w.copiesElsewhere(cache); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for copies: %w", err)
	}
	return dir, nil
}

func (w *Workspace) copiesElsewhere(cache string) (string, error) {
	temp := os.TempDir()
	for _, kv := range w.options.Environ {
		if value, ok := strings.CutPrefix(kv, "TMPDIR="); ok && filepath.IsAbs(value) {
			temp = value
		}
	}
	refuse := func(why string) error {
		return &UsageError{Message: fmt.Sprintf("the cache folder %q lies in the project, and %s: set XDG_CACHE_HOME to a folder outside the project", cache, why)}
	}
	temp, err := filepath.EvalSymlinks(temp)
	if err != nil {
		return "", refuse(fmt.Sprintf("the folder of temporary files can't be used: %v", err))
	}
	if w.inProject(temp) {
		return "", refuse(fmt.Sprintf("so does the folder of temporary files, %q", temp))
	}
	dir := filepath.Join(temp, fmt.Sprintf("autocoder-%d", os.Getuid()))
	if err := shadow.Private(dir); err != nil {
		return "", refuse(err.Error())
	}
	return filepath.Join(dir, "shadows"), nil
}

// inProject reports whether a real path is the project's folder or lies in it.
func (w *Workspace) inProject(path string) bool {
	rel, err := filepath.Rel(w.root, path)
	return err == nil && filepath.IsLocal(rel)
}
