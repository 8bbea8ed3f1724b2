package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/textedit"
)

// ChangedError names the files that are no longer as they were when the patch
// was made for them.
type ChangedError struct{ Paths []string }

// Error names them.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("nothing was applied, because these files changed meanwhile: %q", e.Paths)
}

// Apply writes a state to the user's folder: all of it or nothing. A file is
// replaced in one step and keeps its mode; a link is written through to the file
// that it leads to, which must lie in the folder. When a file that the state
// touches is not as base has it, a *ChangedError is returned and nothing is
// written. When a write fails, what was written before is put back.
func Apply(root string, base textedit.Reader, s textedit.State) error {
	folder, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("find the folder %q: %w", root, err)
	}
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open the folder %q: %w", root, err)
	}
	defer dir.Close()
	a := applier{root: folder, dir: dir}
	plan, err := a.plan(base, s)
	if err != nil {
		return err
	}
	for i, c := range plan {
		if err := a.replace(c.at, c.before, c.after); err != nil {
			return errors.Join(fmt.Errorf("write %q: %w", c.path, err), a.undo(plan[:i]))
		}
	}
	return nil
}

// applier writes below one folder.
type applier struct {
	root string
	dir  *os.Root
	made []string // folders that were made, outermost first
}

// change is what is to happen to one file.
type change struct {
	path          string // as the state names it
	at            string // where it lies, links followed
	before, after textedit.File
}

// plan compares every touched file with its base, and orders the changes so
// that nothing is deleted before what replaces it is written.
func (a *applier) plan(base textedit.Reader, s textedit.State) ([]change, error) {
	var plan []change
	var stale []string
	for _, p := range s.Paths() {
		c, same, err := a.change(base, s, p)
		if err != nil {
			return nil, err
		}
		if !same {
			stale = append(stale, p)
		}
		plan = append(plan, c)
	}
	if len(stale) > 0 {
		return nil, &ChangedError{Paths: stale}
	}
	slices.SortStableFunc(plan, func(x, y change) int { return cmp.Compare(rank(plan, x), rank(plan, y)) })
	return plan, nil
}

// change finds out where a path of the state lies, and whether it is still as
// the base has it.
func (a *applier) change(base textedit.Reader, s textedit.State, p string) (c change, same bool, err error) {
	c = change{path: p}
	c.after, _ = s.Lookup(p)
	if c.at, err = a.locate(p, false); err != nil {
		return c, false, err
	}
	was, same, err := a.compare(base, p, &c)
	if err != nil || !same {
		return c, false, err
	}
	if was.Kind == textedit.Symlink && c.after.Kind == textedit.Regular {
		if c.at, err = a.locate(p, true); err != nil {
			return c, false, err
		}
		if was, same, err = a.compare(base, c.at, &c); err != nil || !same {
			return c, false, err
		}
	}
	if c.before.Kind == textedit.Regular && c.after.Mode.Perm() == was.Mode.Perm() {
		c.after.Mode = c.before.Mode // a change of mode that the user made stays
	}
	return c, true, nil
}

// compare reads what stands on disk into c and compares it with the base.
func (a *applier) compare(base textedit.Reader, p string, c *change) (was textedit.File, same bool, err error) {
	if was, err = base(p); err != nil {
		return was, false, fmt.Errorf("read %q of the snapshot: %w", p, err)
	}
	if c.before, err = a.read(c.at); err != nil {
		return was, false, fmt.Errorf("read %q: %w", p, err)
	}
	return was, c.before.Hash() == was.Hash() && was.Kind != textedit.Other, nil
}

// rank puts first what must make room, last what is only deleted. On a file
// system that ignores case, the old name of a file that changes its case must
// go before the new one comes, or the deletion would hit the new one.
func rank(plan []change, c change) int {
	if c.after.Kind != textedit.Absent {
		return 1
	}
	for _, other := range plan {
		if other.after.Kind != textedit.Absent && strings.EqualFold(other.at, c.at) {
			return 0
		}
	}
	return 2
}

// locate returns where a path lies once the links of its folders, and with last
// also a link in its own place, are followed.
func (a *applier) locate(p string, last bool) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", fmt.Errorf("%q is not below the folder", p)
	}
	dir, rest := path.Dir(p), path.Base(p)
	if last {
		dir, rest = p, ""
	}
	for {
		real, err := filepath.EvalSymlinks(filepath.Join(a.root, filepath.FromSlash(dir)))
		if err == nil {
			rel, inside := relative(a.root, real)
			if !inside {
				return "", fmt.Errorf("%q leads out of the folder, to %q", p, real)
			}
			return path.Join(rel, rest), nil
		}
		if last || !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("follow %q: %w", p, err)
		}
		if _, err := os.Lstat(filepath.Join(a.root, filepath.FromSlash(dir))); err == nil {
			return "", fmt.Errorf("%q leads through a broken link", p)
		}
		dir, rest = path.Dir(dir), path.Join(path.Base(dir), rest)
	}
}

// read returns what stands at a path, the last link not followed.
func (a *applier) read(p string) (textedit.File, error) {
	info, err := a.dir.Lstat(filepath.FromSlash(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return textedit.File{}, nil
	case err != nil:
		return textedit.File{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := a.dir.Readlink(filepath.FromSlash(p))
		return textedit.File{Kind: textedit.Symlink, Target: target}, err
	case !info.Mode().IsRegular():
		return textedit.File{Kind: textedit.Other}, nil
	}
	content, err := a.dir.ReadFile(filepath.FromSlash(p))
	return textedit.File{Kind: textedit.Regular, Content: content, Mode: info.Mode()}, err
}

// replace puts after in the place of before, unless something else is there.
func (a *applier) replace(p string, before, after textedit.File) error {
	now, err := a.read(p)
	if err != nil {
		return err
	}
	if now.Hash() != before.Hash() {
		return &ChangedError{Paths: []string{p}}
	}
	return a.put(p, after)
}

// put makes a path what f says.
func (a *applier) put(p string, f textedit.File) error {
	name := filepath.FromSlash(p)
	switch f.Kind {
	case textedit.Absent:
		return a.dir.Remove(name)
	case textedit.Regular, textedit.Symlink:
		if err := a.folders(path.Dir(p)); err != nil {
			return err
		}
		temp, err := a.temporary(path.Dir(p), f)
		if err != nil {
			return err
		}
		KeepOwner(a.dir, name, temp)
		if err := a.dir.Rename(temp, name); err != nil {
			return errors.Join(err, a.dir.Remove(temp))
		}
		return nil
	case textedit.Other:
		return errors.New("it is no file and no link")
	default:
		return fmt.Errorf("unknown kind of file %d", f.Kind)
	}
}

// folders makes the missing folders above a file and remembers them.
func (a *applier) folders(dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := a.dir.Stat(filepath.FromSlash(dir)); err == nil {
		return nil
	}
	if err := a.folders(path.Dir(dir)); err != nil {
		return err
	}
	if err := a.dir.Mkdir(filepath.FromSlash(dir), 0o755); err != nil {
		return err
	}
	a.made = append(a.made, dir)
	return nil
}

// temporary makes f under a free name in a folder and returns that name.
func (a *applier) temporary(dir string, f textedit.File) (string, error) {
	for i := 0; ; i++ {
		name := filepath.Join(filepath.FromSlash(dir), fmt.Sprintf(".autocoder-%d.tmp", i))
		err := a.create(name, f)
		if errors.Is(err, fs.ErrExist) && i < 1000 {
			continue
		}
		return name, err
	}
}

func (a *applier) create(name string, f textedit.File) error {
	if f.Kind == textedit.Symlink {
		return a.dir.Symlink(f.Target, name)
	}
	file, err := a.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode.Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, bytes.NewReader(f.Content))
	err = errors.Join(err, a.dir.Chmod(name, f.Mode.Perm()), file.Sync(), file.Close())
	if err != nil {
		return errors.Join(err, a.dir.Remove(name))
	}
	return nil
}

// undo puts back what was there before the changes, the last one first.
func (a *applier) undo(done []change) error {
	var failed []error
	for _, c := range slices.Backward(done) {
		if err := a.put(c.at, c.before); err != nil {
			failed = append(failed, fmt.Errorf("put back %q: %w", c.path, err))
		}
	}
	for _, dir := range slices.Backward(a.made) {
		if err := a.dir.Remove(filepath.FromSlash(dir)); err != nil {
			failed = append(failed, fmt.Errorf("remove the new folder %q: %w", dir, err))
		}
	}
	return errors.Join(failed...)
}
