package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// resolved returns c with the real paths of its folders, so that they can be
// compared.
func (c Config) resolved() (Config, error) {
	var err error
	real := func(path string) string {
		p, e := folder(path)
		if e != nil {
			err = errors.Join(err, e)
		}
		return p
	}
	c.Root, c.Scratch = real(c.Root), real(c.Scratch)
	writable := make([]string, len(c.Writable))
	for i, p := range c.Writable {
		writable[i] = real(p)
	}
	c.Writable = writable
	if err != nil {
		return c, fmt.Errorf("open cell: %w", err)
	}
	return c, c.check()
}

// resolved returns t with the real paths of its folders.
func (t Tree) resolved() (Tree, error) {
	var err error
	if t.Dir, err = folder(t.Dir); err != nil {
		return t, fmt.Errorf("look at tree: %w", err)
	}
	if t.Layer, err = layerFolder(t.Layer); err != nil {
		return t, fmt.Errorf("look at the tree's layer: %w", err)
	}
	kept := make([]Kept, len(t.Kept))
	for i, k := range t.Kept {
		if kept[i].Dir, err = folder(k.Dir); err != nil {
			return t, fmt.Errorf("look at kept folder: %w", err)
		}
		if kept[i].Layer, err = layerFolder(k.Layer); err != nil {
			return t, fmt.Errorf("look at the layer of kept folder %q: %w", k.Dir, err)
		}
	}
	t.Kept = kept
	shared := make([]Shared, len(t.Shared))
	for i, s := range t.Shared {
		shared[i] = s
		if shared[i].Source, err = folder(s.Source); err != nil {
			return t, fmt.Errorf("look at shared folder %q: %w", s.Path, err)
		}
		if shared[i].Layer, err = layerFolder(s.Layer); err != nil {
			return t, fmt.Errorf("look at the layer of shared folder %q: %w", s.Path, err)
		}
	}
	t.Shared = shared
	return t, nil
}

// layerFolder is folder where there may be no layer.
func layerFolder(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return folder(path)
}

// folder returns the real path of a folder.
func folder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", errors.Join(err, fmt.Errorf("%q is not a directory", path))
	}
	return real, nil
}
