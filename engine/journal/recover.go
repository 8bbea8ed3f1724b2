package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autocoder/engine/lockfile"
	"autocoder/engine/textedit"
)

// Recovered says what was put back in a folder that a killed run had left.
type Recovered struct {
	Root string
	Result
}

// Recover puts back what killed runs left behind: every journal in dir that has
// no living owner. One that can't be used stays, and the error says so.
func Recover(ctx context.Context, dir string) ([]Recovered, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for journals: %w", err)
	}
	var all []Recovered
	var errs []error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, err := recoverOne(ctx, filepath.Join(dir, e.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("put back what an earlier run changed, from %s: %w", filepath.Join(dir, e.Name()), err))
		}
		if r.Root != "" {
			all = append(all, r)
		}
	}
	return all, errors.Join(errs...)
}

func recoverOne(ctx context.Context, dir string) (r Recovered, err error) {
	j := &Journal{dir: dir}
	if abandoned, err := j.adopt(); !abandoned || err != nil {
		return r, err
	}
	ready, err := j.load()
	if !ready && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return r, j.finish()
	}
	if err != nil {
		return r, errors.Join(err, j.close())
	}
	if _, err := os.Stat(j.cfg.Root); errors.Is(err, fs.ErrNotExist) {
		// The whole folder is gone: that was not us.
		return r, j.finish()
	}
	if j.root, err = os.OpenRoot(j.cfg.Root); err != nil {
		return r, errors.Join(err, j.close())
	}
	if j.log, err = openLog(dir); err != nil {
		return r, errors.Join(err, j.close())
	}
	if err := j.sweepParts(ctx); err != nil {
		return r, errors.Join(err, j.close())
	}
	j.round = j.lastRound()
	r.Root = j.cfg.Root
	r.Result, err = j.end(ctx, textedit.State{})
	return r, err
}

// adopt takes the journal, unless it has an owner, or is gone: somebody else may do
// the same.
func (j *Journal) adopt() (abandoned bool, err error) {
	all, err := lockfile.Wait(filepath.Join(filepath.Dir(j.dir), storeLock), "")
	if err != nil {
		return false, err
	}
	defer all.Close()
	if _, err := os.Lstat(j.dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	j.owner, err = lockfile.Try(filepath.Join(j.dir, ownerFile), fmt.Sprintf("process %d", os.Getpid()))
	var held *lockfile.Held
	if errors.As(err, &held) {
		return false, nil
	}
	return err == nil, err
}

// lastRound is the number of the last round that saved something, so that the
// next one does not write over it.
func (j *Journal) lastRound() int {
	for round := 1; ; round++ {
		if _, err := os.Lstat(filepath.Join(j.cfg.Saved, discardedIn(round))); err != nil {
			return round - 1
		}
	}
}

// sweepParts removes the files that were being written at the kill.
func (j *Journal) sweepParts(ctx context.Context) error {
	now, err := j.scan(ctx, nil)
	if err != nil {
		return err
	}
	for p := range now {
		if _, known := j.base[p]; ours(p) && !known {
			if err := j.root.Remove(filepath.FromSlash(p)); err != nil {
				return err
			}
		}
	}
	return nil
}
