package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watch has the caller's inotify tell of a file that it may read: Landlock would let
// it learn what happens in a folder in which it can't even look.
func (b *broker) watch(c caller, a [6]uint64) (int, error) {
	name, ok := c.text(uintptr(a[1]))
	if !ok {
		return 0, unix.EFAULT
	}
	if name == "" {
		return 0, unix.ENOENT
	}
	how := 0
	if mask := uint32(a[2]); mask&unix.IN_DONT_FOLLOW != 0 {
		how = unix.AT_SYMLINK_NOFOLLOW
	}
	file, flags := c.file(unix.AT_FDCWD, name, how)
	fd, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	path := append(fmt.Appendf(nil, "/proc/self/fd/%d", fd), 0)
	if !b.mayWrite(string(path[:len(path)-1])) && !b.mayRead(string(path[:len(path)-1])) {
		return 0, unix.EACCES
	}
	instance, err := c.open(int(int32(a[0])))
	if err != nil {
		return 0, err
	}
	defer unix.Close(instance)
	wd, _, errno := unix.Syscall(unix.SYS_INOTIFY_ADD_WATCH, uintptr(instance), uintptr(unsafe.Pointer(&path[0])), uintptr(uint32(a[2])&^unix.IN_DONT_FOLLOW))
	if errno != 0 {
		return 0, errno
	}
	return int(wd), nil
}

// mayRead reports whether the file that is open lies where the command may read.
func (b *broker) mayRead(open string) bool {
	if len(b.readable) == 0 {
		return true
	}
	real, err := os.Readlink(open)
	return err == nil && slices.ContainsFunc(b.readable, func(dir string) bool { return within(filepath.Clean(real), dir) })
}
