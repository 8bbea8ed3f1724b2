package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"autocoder/engine/lockfile"
)

// Names in the cache folder. The cache's own lock is held while a shadow is
// claimed or given up, so that no sweep sees one without its owner's lock.
const (
	shadowPrefix = "shadow-"
	ownerName    = "owner"
	cacheLock    = ".lock"
)

// claim makes a new shadow folder with a locked owner file.
func claim(cache, root string) (dir string, owner *lockfile.Lock, err error) {
	all, err := lockCache(cache)
	if err != nil {
		return "", nil, err
	}
	defer all.Close()
	if dir, err = os.MkdirTemp(cache, shadowPrefix); err != nil { // mode 0700
		return "", nil, fmt.Errorf("make a shadow folder: %w", err)
	}
	// A folder that gives its group to what is in it would give one that a user
	// namespace doesn't know.
	if err := errors.Join(os.Lchown(dir, -1, os.Getegid()), os.Chmod(dir, 0o700)); err != nil && !errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "windows" {
		return "", nil, errors.Join(fmt.Errorf("own a shadow folder: %w", err), os.RemoveAll(dir))
	}
	owner, err = lockfile.Try(filepath.Join(dir, ownerName), fmt.Sprintf("process %d\nfolder %q", os.Getpid(), root))
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("own a shadow folder: %w", err), os.RemoveAll(dir))
	}
	return dir, owner, nil
}

// lockCache makes the cache folder when it is missing and waits for its lock.
func lockCache(cache string) (*lockfile.Lock, error) {
	if cache == "" {
		return nil, errors.New("make a shadow: no cache folder is given")
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("make the cache folder: %w", err)
	}
	all, err := lockfile.Wait(filepath.Join(cache, cacheLock), "")
	if err != nil {
		return nil, fmt.Errorf("lock the cache folder: %w", err)
	}
	return all, nil
}

// discard removes a shadow folder whose owner file we hold locked. The owner
// file goes last, so that what a crash leaves can still be swept.
func discard(dir string, owner *lockfile.Lock) error {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("remove the shadow %q: %w", dir, err), owner.Close())
	}
	for _, d := range list {
		if d.Name() == ownerName {
			continue
		}
		if err := RemoveAll(filepath.Join(dir, d.Name())); err != nil {
			return errors.Join(fmt.Errorf("remove the shadow %q: %w", dir, err), owner.Close())
		}
	}
	// An open file can't be removed on Windows. Between the two nobody may take the
	// folder for one that was left behind, and make the owner file again in it.
	if all, err := lockfile.Wait(filepath.Join(filepath.Dir(dir), cacheLock), ""); err == nil {
		defer all.Close()
	}
	if err := owner.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("remove the shadow %q: %w", dir, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the shadow %q: %w", dir, err)
	}
	return nil
}

// Sweep removes the shadows that no living process owns and returns their
// folders.
func Sweep(cache string) ([]string, error) {
	if _, err := os.Stat(cache); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	abandoned, err := abandoned(cache)
	if err != nil {
		return nil, err
	}
	var swept []string
	for dir, owner := range abandoned {
		if e := discard(dir, owner); e != nil {
			err = errors.Join(err, e)
			continue
		}
		swept = append(swept, dir)
	}
	return swept, err
}

// abandoned takes the locks of all shadows that have no owner.
func abandoned(cache string) (map[string]*lockfile.Lock, error) {
	all, err := lockCache(cache)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	list, err := os.ReadDir(cache)
	if err != nil {
		return nil, fmt.Errorf("list the cache folder: %w", err)
	}
	found := map[string]*lockfile.Lock{}
	for _, d := range list {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), shadowPrefix) {
			continue
		}
		dir := filepath.Join(cache, d.Name())
		file := filepath.Join(dir, ownerName)
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(dir) // succeeds only when it is empty: its maker died early
			continue
		}
		owner, err := lockfile.Try(file, fmt.Sprintf("process %d, which removes it", os.Getpid()))
		if err != nil {
			continue // it has an owner, or is another user's
		}
		found[dir] = owner
	}
	return found, nil
}
