package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// brokered are the system calls that a launcher makes for a confined command,
// because Landlock has no rights for them: those that change modes, owners and
// times, that connect to a socket of a file, that watch what happens to files, and that
// may concern all processes of a user.
var brokered = []uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT, unix.SYS_CONNECT,
	unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_INOTIFY_ADD_WATCH,
}

// processCalls are those that change a process, with where a filter finds which.
var processCalls = map[uint32]uint32{
	unix.SYS_PRLIMIT64: atArgument, unix.SYS_SCHED_SETAFFINITY: atArgument, unix.SYS_SCHED_SETSCHEDULER: atArgument,
	unix.SYS_SCHED_SETPARAM: atArgument, unix.SYS_SCHED_SETATTR: atArgument,
}

// broker makes calls for a command where they concern files that it may write.
// It looks at a file and changes it by the same open file, so that nothing can be
// put in its place in between.
type broker struct {
	listener int
	writable []string
	readable []string // beside what is writable; none means all
	names    int      // the private folder of shared names; -1 for none
	refused  refusals
}

// notification and reply are the kernel's struct seccomp_notif and
// seccomp_notif_resp.
type notification struct {
	ID         uint64
	Pid, Flags uint32
	Call       int32
	Arch       uint32
	IP         uint64
	Args       [6]uint64
}

type reply struct {
	ID    uint64
	Value int64
	Error int32
	Flags uint32
}

// serve answers until the launcher ends, or nobody is left who could ask.
func (b *broker) serve() {
	for {
		var n notification
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n)))
		if errno == 0 {
			go b.answer(n) // a connection may have to wait
		} else if errno != unix.EINTR && errno != unix.ENOENT { // those: who asked was killed
			return
		}
	}
}

func (b *broker) answer(n notification) {
	r := reply{ID: n.ID}
	concerned, of := n.process()
	call, args, names := n.ofNames()
	words, refused := n.refused()
	switch {
	case names:
		if b.name(&r, caller{int(n.Pid)}, call, args) {
			return
		}
	case refused:
		b.refused.add(words)
		r.Error = -int32(unix.EPERM)
	case uint32(n.Call) == unix.SYS_INOTIFY_ADD_WATCH:
		wd, err := b.watch(caller{int(n.Pid)}, n.Args)
		r.Value, r.Error = int64(wd), -int32(errnoOf(err))
	case !of:
		r.Error = -int32(b.do(n))
	case concerned == 0 || isOurs(concerned):
		r.Flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	default:
		r.Error = -int32(unix.EPERM)
	}
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r))) // who asked may be dead
}

// process is the process that a call concerns, for those that concern one; 0 is the
// caller, or its group. For those that concern more than that it is a process that
// is never a command's.
func (n notification) process() (pid int, of bool) {
	which, who := int(int32(n.Args[0])), int(int32(n.Args[1]))
	switch call := uint32(n.Call); call {
	case unix.SYS_SETPRIORITY:
	case unix.SYS_IOPRIO_SET:
		which-- // its kinds count from one
	default:
		_, of = processCalls[call]
		return which, of
	}
	if which == unix.PRIO_PROCESS || which == unix.PRIO_PGRP && who == 0 {
		return who, true
	}
	return 1, true
}

// isOurs reports whether a process or a thread descends from us.
func isOurs(pid int) bool {
	for pid = (caller{pid}).process(); pid > 1; {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		_, parent, ok := parents(b)
		if !ok || parent == os.Getpid() {
			return ok
		}
		pid = parent
	}
	return false
}

// do makes the call.
func (b *broker) do(n notification) unix.Errno {
	a := n.Args
	c := caller{pid: int(n.Pid)}
	switch call := uint32(n.Call); call {
	case unix.SYS_CONNECT:
		return b.connect(c, int(int32(a[0])), uintptr(a[1]), int(a[2]))
	case unix.SYS_FCHMOD:
		return b.at(c, int(int32(a[0])), 0, 0, func(path string) error { return unix.Chmod(path, uint32(a[1])) })
	case unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2:
		flags := 0
		if call == unix.SYS_FCHMODAT2 {
			flags = int(int32(a[3]))
		}
		return b.at(c, int(int32(a[0])), uintptr(a[1]), flags, func(path string) error { return unix.Chmod(path, uint32(a[2])) })
	case unix.SYS_UTIMENSAT:
		times := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
		if a[2] != 0 {
			if !c.read(uintptr(a[2]), unsafe.Slice((*byte)(unsafe.Pointer(&times[0])), int(2*unsafe.Sizeof(times[0])))) {
				return unix.EFAULT
			}
		}
		return b.at(c, int(int32(a[0])), uintptr(a[1]), int(int32(a[3])), func(path string) error {
			return unix.UtimesNanoAt(unix.AT_FDCWD, path, times, 0)
		})
	case unix.SYS_FCHOWN:
		return b.at(c, int(int32(a[0])), 0, 0, keepOwner(a[1], a[2]))
	case unix.SYS_FCHOWNAT:
		return b.at(c, int(int32(a[0])), uintptr(a[1]), int(int32(a[4])), keepOwner(a[2], a[3]))
	case chmodCall:
		return b.at(c, unix.AT_FDCWD, uintptr(a[0]), 0, func(path string) error { return unix.Chmod(path, uint32(a[1])) })
	default:
		if slices.Contains(chownCalls, call) {
			return b.at(c, unix.AT_FDCWD, uintptr(a[0]), 0, keepOwner(a[1], a[2]))
		}
		return unix.ENOSYS
	}
}

// keepOwner changes no owner, for which commands have no rights, but lets them say
// who it is.
func keepOwner(user, group uint64) func(path string) error {
	same := func(id uint64, own int) bool { return int32(id) == -1 || int(int32(id)) == own }
	return func(string) error {
		if !same(user, os.Getuid()) || !same(group, os.Getgid()) {
			return unix.EPERM
		}
		return nil
	}
}

// at is on for a path in the caller's memory, relative to one of its folders; no
// path is that file itself.
func (b *broker) at(c caller, dir int, path uintptr, flags int, change func(path string) error) unix.Errno {
	name := ""
	if path != 0 {
		var ok bool
		if name, ok = c.text(path); !ok {
			return unix.EFAULT
		}
		if name == "" && flags&unix.AT_EMPTY_PATH == 0 {
			return unix.ENOENT
		}
	}
	file, how := c.file(dir, name, flags)
	return b.on(c, file, how, change)
}

// on makes a change to a file that the command may write.
func (b *broker) on(c caller, file string, flags int, change func(path string) error) unix.Errno {
	fd, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(fd)
	path := fmt.Sprintf("/proc/self/fd/%d", fd)
	if !b.mayWrite(path) && !c.ownMemory(file, path) {
		return unix.EACCES
	}
	return errnoOf(change(path))
}

// mayWrite reports whether the file that is open lies where the command may write.
func (b *broker) mayWrite(open string) bool {
	real, err := os.Readlink(open)
	return err == nil && slices.ContainsFunc(b.writable, func(dir string) bool { return within(filepath.Clean(real), dir) })
}

// ownMemory reports whether the file, which is open, is one in memory without a name
// and was reached as one that the caller has open: other processes have such files
// too.
func (c caller) ownMemory(file, open string) bool {
	real, err := os.Readlink(open)
	return err == nil && strings.HasPrefix(real, "/memfd:") && filepath.Dir(filepath.Clean(file)) == fmt.Sprintf("/proc/%d/fd", c.pid)
}

// connect connects a socket of the caller to that of a file.
func (b *broker) connect(c caller, socket int, address uintptr, length int) unix.Errno {
	raw := make([]byte, min(max(length, 0), unix.SizeofSockaddrUnix))
	if len(raw) < 3 || !c.read(address, raw) {
		return unix.EINVAL
	}
	name, _, _ := bytes.Cut(raw[2:], []byte{0})
	if binary.NativeEndian.Uint16(raw) != unix.AF_UNIX || len(name) == 0 {
		return unix.EPERM // what has no file is not the command's own for sure
	}
	fd, err := c.open(socket)
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(fd)
	file, flags := c.file(unix.AT_FDCWD, string(name), 0)
	return b.on(c, file, flags, func(path string) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: path}) })
}

func errnoOf(err error) unix.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(unix.Errno); ok {
		return errno
	}
	return unix.EIO
}

// caller is a thread that waits for its call.
type caller struct{ pid int }

// process is the process that the thread is of.
func (c caller) process() int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		return c.pid
	}
	for line := range strings.Lines(string(b)) {
		if id, ok := strings.CutPrefix(line, "Tgid:"); ok {
			if pid, err := strconv.Atoi(strings.TrimSpace(id)); err == nil {
				return pid
			}
		}
	}
	return c.pid
}

// open returns one of the caller's open files as ours.
func (c caller) open(file int) (int, error) {
	pidfd, err := unix.PidfdOpen(c.process(), 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(pidfd)
	return unix.PidfdGetfd(pidfd, file, 0)
}

// file is the path by which we reach what the caller means, and how to open it.
func (c caller) file(dir int, name string, flags int) (string, int) {
	how := 0
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how = unix.O_NOFOLLOW
	}
	base := fmt.Sprintf("/proc/%d/cwd", c.pid)
	if dir != unix.AT_FDCWD {
		base = fmt.Sprintf("/proc/%d/fd/%d", c.pid, dir)
	}
	switch {
	case name == "":
		return base, 0
	case strings.HasPrefix(name, "/proc/self/"):
		return fmt.Sprintf("/proc/%d/", c.pid) + strings.TrimPrefix(name, "/proc/self/"), how
	case strings.HasPrefix(name, "/"):
		return name, how
	default:
		return base + "/" + name, how
	}
}

// read copies from the caller's memory.
func (c caller) read(at uintptr, into []byte) bool {
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	n, err := unix.ProcessVMReadv(c.pid, local, []unix.RemoteIovec{{Base: at, Len: len(into)}}, 0)
	return err == nil && n == len(into)
}

// text reads a string that ends in a zero, page by page: what is behind it may not
// be there.
func (c caller) text(at uintptr) (string, bool) {
	page := uintptr(os.Getpagesize())
	var text []byte
	for len(text) <= unix.PathMax {
		part := make([]byte, page-at%page)
		if !c.read(at, part) {
			return "", false
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(text, part[:end]...)), true
		}
		text = append(text, part...)
		at += uintptr(len(part))
	}
	return "", false
}
