package trajectory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"autocoder/engine/lockfile"
)

// Keep says which runs to keep.
type Keep struct {
	// Runs is how many, and Age for how long.
	Runs int
	Age  time.Duration
}

// Sweep marks the runs that were interrupted and removes those that are too
// many or too old; a live run is left alone. It returns the ids of the runs
// that it marked.
func Sweep(dir string, keep Keep, now time.Time) (marked []string, err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil
	}
	all, err := lockfile.Wait(filepath.Join(dir, storeLock), "")
	if err != nil {
		return nil, fmt.Errorf("sweep runs: %w", err)
	}
	defer all.Close()
	runs, err := ids(dir)
	if err != nil {
		return nil, err
	}
	var problems []error
	for i, id := range runs {
		run := filepath.Join(dir, id)
		s := state(run)
		if s == Live {
			continue
		}
		if i >= keep.Runs || now.Sub(startOf(id)) > keep.Age {
			problems = append(problems, os.RemoveAll(run))
			continue
		}
		mark := filepath.Join(run, interruptedFile)
		if _, err := os.Stat(mark); err == nil || s != Interrupted {
			continue
		}
		marked = append(marked, id)
		problems = append(problems, writeWhole(mark, []byte(now.UTC().Format(time.RFC3339)+"\n")))
	}
	return marked, errors.Join(problems...)
}

// startOf returns the time in an id.
func startOf(id string) time.Time {
	t, err := time.Parse(idTime, id[:len(idTime)])
	if err != nil {
		return time.Time{}
	}
	return t
}
