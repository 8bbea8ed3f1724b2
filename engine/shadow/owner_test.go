package shadow

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"autocoder/engine/lockfile"
)

// TestManyAtOnce makes and gives up shadows while others sweep: nobody's is swept, and
// nobody is in the way of another.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	check(t, os.MkdirAll(cache, 0o700))
	const rounds = 60
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range rounds {
				dir, owner, err := claim(cache, "/project")
				if err != nil {
					t.Errorf("make one: %v", err)
					return
				}
				if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
					t.Errorf("it was swept: %v", err)
				}
				if err := discard(dir, owner); err != nil {
					t.Errorf("give it up: %v", err)
				}
			}
		})
		wg.Go(func() {
			for range rounds {
				if _, err := Sweep(cache); err != nil {
					t.Errorf("sweep: %v", err)
				}
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestDiscardWaitsForSweepers gives up a shadow while somebody looks for abandoned
// ones, and might take the owner file in between.
func TestDiscardWaitsForSweepers(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	dir, owner, err := claim(cache, "/project")
	check(t, err)
	looking, err := lockfile.Wait(filepath.Join(cache, cacheLock), "")
	check(t, err)
	ended := make(chan error, 1)
	go func() { ended <- discard(dir, owner) }()
	select {
	case err := <-ended:
		t.Errorf("it did not wait: %v", err)
	default:
	}
	if _, held := lockfile.Owner(filepath.Join(dir, ownerName)); !held {
		t.Error("it can be taken while somebody looks")
	}
	check(t, looking.Close())
	check(t, <-ended)
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
}
