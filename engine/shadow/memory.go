package shadow

import (
	"os"
	"path/filepath"
	"sync/atomic"

	"autocoder/engine/lockfile"
)

// memory is the part of a shadow that is in memory.
type memory struct {
	dir   string
	owner *lockfile.Lock
	free  uint64 // at the start
	left  atomic.Bool
}

// claimMemory makes a shadow's part in memory, or returns nil: without it all is on
// disk.
func claimMemory(folder, root string) *memory {
	if folder == "" {
		return nil
	}
	_, _ = Sweep(folder) // what can't be removed is in nobody's way
	dir, owner, err := claim(folder, root)
	if err != nil {
		return nil
	}
	return &memory{dir: dir, owner: owner, free: freeOn(dir)}
}

// fork makes a folder for the layers of a fork, and returns nothing where it can't.
func (m *memory) fork(name string) string {
	if m == nil || m.left.Load() {
		return ""
	}
	dir := filepath.Join(m.dir, name)
	if os.Mkdir(dir, 0o700) != nil {
		return ""
	}
	return dir
}

func (m *memory) close() error {
	if m == nil {
		return nil
	}
	return discard(m.dir, m.owner)
}

// LeaveMemory has later layers made on disk when so much was written to those in
// memory that more might not fit, and reports whether it has come to that just now:
// what ran may then have failed for it.
func (s *Shadow) LeaveMemory() bool {
	if s.memory == nil || s.memory.left.Load() || freeOn(s.memory.dir) > s.memory.free-s.memory.free/memoryParts {
		return false
	}
	return s.memory.left.CompareAndSwap(false, true)
}

// memoryParts is how small a part of what was free may be written.
const memoryParts = 16
