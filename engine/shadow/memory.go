package shadow

import (
	"os"
	"path/filepath"
	"sync/atomic"

	"autocoder/engine/lockfile"
	"autocoder/engine/workspace"
)

// memory is the part of a shadow that is in memory.
type memory struct {
	dir   string
	owner *lockfile.Lock
	free  uint64 // once the base was made
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
	m := &memory{dir: dir, owner: owner}
	m.measure()
	return m
}

// measure takes what is free now for what was free at the start.
func (m *memory) measure() {
	if m != nil {
		m.free = freeOn(m.dir)
	}
}

// The most that a base in memory may take: a part of what is free, and no more than
// that. The bases of several projects may be kept.
const (
	baseParts   = 32
	largestBase = 128 << 20
	pageSize    = 4 << 10 // of which a file takes whole ones
)

// takes reports whether a copy of entries may be in memory, where making one takes a
// tenth of the time.
func (m *memory) takes(entries []workspace.Entry) bool {
	if m == nil {
		return false
	}
	var sum int64
	for _, e := range entries {
		sum += (e.Size + pageSize - 1) / pageSize * pageSize
	}
	return sum <= min(largestBase, int64(m.free/baseParts))
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
