package sandbox

import (
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refusedCalls are system calls that no test needs and that reach round the
// other restrictions.
var refusedCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_VHANGUP, unix.SYS_SYSLOG,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_FANOTIFY_INIT,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT,
	unix.SYS_REBOOT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
}

// toldCalls are those of the refused ones that a test may want for itself, by their
// names: the broker is told of them, so that it can be said why a test failed.
var toldCalls = map[uint32]string{
	unix.SYS_MOUNT: "mount", unix.SYS_UMOUNT2: "umount", unix.SYS_PIVOT_ROOT: "pivot_root", unix.SYS_CHROOT: "chroot",
	unix.SYS_UNSHARE: "unshare", unix.SYS_SETNS: "setns", unix.SYS_CLONE: "clone into new namespaces",
	unix.SYS_PTRACE: "ptrace", unix.SYS_PROCESS_VM_READV: "process_vm_readv", unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev",
	unix.SYS_BPF: "bpf", unix.SYS_PERF_EVENT_OPEN: "perf_event_open", unix.SYS_USERFAULTFD: "userfaultfd",
	unix.SYS_KEYCTL: "keyctl", unix.SYS_ADD_KEY: "add_key", unix.SYS_REQUEST_KEY: "request_key",
	unix.SYS_SETHOSTNAME: "sethostname", unix.SYS_SETTIMEOFDAY: "settimeofday", unix.SYS_CLOCK_SETTIME: "clock_settime",
	unix.SYS_SHMGET: "shmget", unix.SYS_MSGGET: "msgget", unix.SYS_SEMGET: "semget", unix.SYS_MQ_OPEN: "mq_open",
}

// newestCall is the latest that these lists know. Later ones do old things in new
// ways; who is told that they don't exist takes the old.
const newestCall = unix.SYS_MSEAL

// sharedCalls reach what processes of a user share by numbers, which no folder
// confines. In isolated there is a namespace for it.
var sharedCalls = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// flagRequests are ioctls by which the owner of a file changes it, though it be open
// for reading only: FS_IOC_SETFLAGS with its form for 32 bits, FS_IOC_SETVERSION,
// FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY and FS_IOC_SET_ENCRYPTION_POLICY.
var flagRequests = []uint32{unix.FS_IOC_SETFLAGS, 0x40046602, 0x40087602, 0x401c5820, unix.FS_IOC_ENABLE_VERITY, unix.FS_IOC_SET_ENCRYPTION_POLICY}

// families are the kinds of socket that commands may have. Of the others some
// are shared by all namespaces, such as those to a virtual machine's host.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// newNamespaces are the flags of clone that would make one.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Offsets into struct seccomp_data, on little-endian machines.
const (
	atCall     = 0
	atArch     = 4
	atArgument = 16
	atSecond   = 24
	atThird    = 32
)

// tiocLinux is the ioctl that pastes into a console.
const tiocLinux = 0x541c

// sieve says which system calls are looked at.
type sieve struct {
	// noNetwork refuses all sockets but those of the Unix domain.
	noNetwork bool
	// files has those that the broker makes for others wait for it, told those of
	// toldCalls, which it refuses.
	files, told bool
}

// seccomp puts s on the calling thread, with the calls that nobody needs refused. The
// listener on which calls wait is returned, or -1 when none do. Where it is only told
// of calls, and this system can't have it, nobody is.
func seccomp(s sieve) (int, *fault) {
	fd, f := s.install()
	if f != nil && s.told && !s.files {
		s.told = false
		fd, f = s.install()
	}
	return fd, f
}

func (s sieve) install() (int, *fault) {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return -1, fail("seccomp filter for "+runtime.GOARCH, unix.ENOSYS)
	}
	program, flags := s.program(arch), uintptr(0)
	if s.files || s.told {
		// A signal that comes while the broker works would have the call made twice.
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return -1, fail("seccomp", errno)
	}
	if flags == 0 {
		return -1, nil
	}
	// Who waits is on the same processor as we are then; old kernels don't know it.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	return int(fd), nil
}

const (
	refuseCall = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	noSuchCall = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func jump(test uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func end(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

// refuse is the verdict on calls that are refused: the broker is told of some.
func (s sieve) refuse(call uint32) uint32 {
	if s.told && (toldCalls[call] != "" || call == unix.SYS_SOCKET || call == unix.SYS_SOCKETPAIR) {
		return unix.SECCOMP_RET_USER_NOTIF
	}
	return refuseCall
}

// refused ends with the verdict on each of the calls.
func (s sieve) refused(calls []uint32) []unix.SockFilter {
	var program []unix.SockFilter
	for _, call := range calls {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), end(s.refuse(call)))
	}
	return program
}

// each ends with verdict for each of the calls.
func each(calls []uint32, verdict uint32) []unix.SockFilter {
	var program []unix.SockFilter
	for _, call := range calls {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), end(verdict))
	}
	return program
}

// program is the filter: calls of another architecture end the process, because
// their numbers mean something else; so are those of x32 refused.
func (s sieve) program(arch uint32) []unix.SockFilter {
	program := []unix.SockFilter{
		load(atArch),
		jump(unix.BPF_JEQ, arch, 1, 0), end(unix.SECCOMP_RET_KILL_PROCESS),
		load(atCall),
		jump(unix.BPF_JGE, 0x40000000, 0, 1), end(refuseCall),
		jump(unix.BPF_JGT, newestCall, 0, 1), end(noSuchCall),
	}
	program = append(program, s.refused(refusedCalls)...)
	if s.files {
		program = append(program, s.fileCalls()...)
	}
	program = append(program, s.cloneCalls()...)
	// What is typed into a terminal, or pasted.
	program = append(program,
		jump(unix.BPF_JEQ, unix.SYS_IOCTL, 0, 4),
		load(atSecond),
		jump(unix.BPF_JEQ, unix.TIOCSTI, 1, 0), jump(unix.BPF_JEQ, tiocLinux, 0, 1), end(refuseCall),
		load(atCall))
	allowed := families
	if s.noNetwork {
		allowed = families[:1]
	}
	program = append(program, jump(unix.BPF_JEQ, unix.SYS_SOCKET, 0, uint8(len(allowed)+2)), load(atArgument))
	for i, family := range allowed {
		program = append(program, jump(unix.BPF_JEQ, family, uint8(len(allowed)-i), 0))
	}
	return append(program, end(s.refuse(unix.SYS_SOCKET)), end(unix.SECCOMP_RET_ALLOW))
}

// fileCalls has the broker make what Landlock has no rights for.
func (s sieve) fileCalls() []unix.SockFilter {
	calls := slices.DeleteFunc(slices.Concat(brokered, legacyCalls), func(call uint32) bool {
		return call == unix.SYS_CONNECT && !s.noNetwork
	})
	program := each(calls, unix.SECCOMP_RET_USER_NOTIF)
	if s.noNetwork { // a datagram needs no connection to reach a service
		for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
			program = append(program,
				jump(unix.BPF_JEQ, call, 0, 4),
				load(atSecond),
				unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf},
				jump(unix.BPF_JEQ, unix.SOCK_DGRAM, 0, 1), end(s.refuse(call)),
				load(atCall))
		}
	}
	program = append(program, s.refused(sharedCalls)...)
	program = append(program, nameCalls()...)
	for call, argument := range processCalls {
		program = append(program, // on themselves they may
			jump(unix.BPF_JEQ, call, 0, 3),
			load(argument),
			jump(unix.BPF_JEQ, 0, 1, 0), end(unix.SECCOMP_RET_USER_NOTIF),
			load(atCall))
	}
	for _, request := range flagRequests {
		program = append(program,
			jump(unix.BPF_JEQ, unix.SYS_IOCTL, 0, 3),
			load(atSecond),
			jump(unix.BPF_JEQ, request, 0, 1), end(refuseCall),
			load(atCall))
	}
	program = append(program, each(obsolete, noSuchCall)...)
	attributes := []uint32{unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR}
	return append(program, each(attributes, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOTSUP))...)
}

// cloneCalls refuses new namespaces. clone3 has its flags where a filter can't see
// them; who is told that it does not exist takes clone.
func (s sieve) cloneCalls() []unix.SockFilter {
	return []unix.SockFilter{
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), end(noSuchCall),
		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 3),
		load(atArgument),
		jump(unix.BPF_JSET, newNamespaces, 0, 1), end(s.refuse(unix.SYS_CLONE)),
		load(atCall),
	}
}
