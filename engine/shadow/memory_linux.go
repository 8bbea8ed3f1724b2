package shadow

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// sharedMemory is where nearly every Linux has a file system in memory.
const sharedMemory = "/dev/shm"

// leastMemory is what must be free there for layers to be made in it.
const leastMemory = 1 << 30

// MemoryFolder returns a folder of the user's in memory for Config.Memory, or
// nothing where there is none that layers can be made in. There a layer is made and
// removed many times faster than on a disk.
func MemoryFolder() string {
	var st unix.Statfs_t
	if unix.Statfs(sharedMemory, &st) != nil || st.Type != unix.TMPFS_MAGIC || freeOn(sharedMemory) < leastMemory {
		return ""
	}
	dir := filepath.Join(sharedMemory, fmt.Sprintf("autocoder-%d", os.Getuid()))
	if Private(dir) != nil {
		return ""
	}
	// An ordinary user's layers need attributes that older kernels don't keep there.
	if os.Getuid() != 0 && unix.Setxattr(dir, "user.autocoder", []byte{'y'}, 0) != nil {
		return ""
	}
	return dir
}

// freeOn is how many bytes are free on the file system of a folder.
func freeOn(dir string) uint64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0
	}
	return st.Bavail * uint64(st.Bsize)
}
