package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Shared memory and semaphores have names, of which the C library makes files in
// /dev/shm. Confined has no such folder of its own, and in that of the host is what
// others share: so the broker makes these files in a private folder instead. It knows
// them by how they are opened; whatever else is tried in /dev/shm Landlock refuses.

// sharedNames is the private folder, in the cell's scratch.
const sharedNames = "shm"

// here is unix.AT_FDCWD as a filter sees it.
const here uint32 = 1<<32 + unix.AT_FDCWD

// nameCalls has the broker look at the calls that make, open, link and remove such
// files, and at as few others as a filter can tell.
func nameCalls() []unix.SockFilter {
	var program []unix.SockFilter
	for call, flags := range map[uint32]uint32{openCall: atSecond, unix.SYS_OPENAT: atThird} {
		program = append(program,
			jump(unix.BPF_JEQ, call, 0, 7),
			load(flags),
			jump(unix.BPF_JSET, unix.O_DIRECTORY|unix.O_PATH, 4, 0),
			jump(unix.BPF_JSET, unix.O_NOFOLLOW, 2, 0),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: unix.O_CREAT | unix.O_EXCL},
			jump(unix.BPF_JEQ, unix.O_CREAT|unix.O_EXCL, 0, 1), end(unix.SECCOMP_RET_USER_NOTIF),
			load(atCall))
	}
	for call, folder := range map[uint32]uint32{unix.SYS_UNLINKAT: atArgument, unix.SYS_LINKAT: atThird} {
		program = append(program,
			jump(unix.BPF_JEQ, call, 0, 3),
			load(folder),
			jump(unix.BPF_JEQ, here, 0, 1), end(unix.SECCOMP_RET_USER_NOTIF),
			load(atCall))
	}
	return append(program, each([]uint32{unlinkCall, linkCall}, unix.SECCOMP_RET_USER_NOTIF)...)
}

// openNames opens the private folder of names, which no link can lead elsewhere; -1
// when it can't be had, and then there are none.
func openNames(scratch string) int {
	dir := filepath.Join(scratch, sharedNames)
	_ = os.Mkdir(dir, 0o700) // it may be there
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// ofNames returns a call that nameCalls lets the broker see in its form with a
// folder.
func (n notification) ofNames() (call uint32, args [6]uint64, is bool) {
	a := n.Args
	switch call = uint32(n.Call); call {
	case unix.SYS_OPENAT, unix.SYS_UNLINKAT, unix.SYS_LINKAT:
		return call, a, true
	case openCall:
		return unix.SYS_OPENAT, [6]uint64{1: a[0], 2: a[1], 3: a[2]}, true
	case unlinkCall:
		return unix.SYS_UNLINKAT, [6]uint64{1: a[0]}, true
	case linkCall:
		return unix.SYS_LINKAT, [6]uint64{1: a[0], 3: a[1]}, true
	default:
		return call, a, false
	}
}

// name makes a call that concerns a shared name; with any other the kernel goes on.
// It reports whether who asked has its answer already.
func (b *broker) name(r *reply, c caller, call uint32, a [6]uint64) (answered bool) {
	name, ok := c.sharedName(uintptr(a[1]))
	if !ok {
		r.Flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
		return false
	}
	var err error
	switch call {
	case unix.SYS_OPENAT:
		var fd int
		flags := int(int32(a[2]))
		if fd, err = unix.Openat(b.names, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(a[3])&0o777); err == nil {
			defer unix.Close(fd)
			if err = b.give(r.ID, fd, flags&unix.O_CLOEXEC); err == nil {
				return true
			}
		}
	case unix.SYS_UNLINKAT:
		err = unix.Unlinkat(b.names, name, 0)
	case unix.SYS_LINKAT:
		to, ok := c.sharedName(uintptr(a[3]))
		if err = unix.EXDEV; ok {
			err = unix.Linkat(b.names, name, b.names, to, 0)
		}
	}
	r.Error = -int32(errnoOf(err))
	return false
}

// give answers a call with one of our open files.
func (b *broker) give(id uint64, fd, flags int) error {
	file := struct {
		id                         uint64
		flags, fd, newFD, newFlags uint32
	}{id: id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, fd: uint32(fd), newFlags: uint32(flags)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), unix.SECCOMP_IOCTL_NOTIF_ADDFD, uintptr(unsafe.Pointer(&file)))
	if errno != 0 {
		return errno
	}
	return nil
}

// sharedName reads a path that is that of a file in /dev/shm, and returns its name.
func (c caller) sharedName(at uintptr) (string, bool) {
	path, _ := c.text(at)
	name, ok := strings.CutPrefix(path, sharedMemory+"/")
	return name, ok && name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
}
