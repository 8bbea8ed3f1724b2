package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refusedCalls are system calls that no test needs and that reach round the
// other restrictions; io_uring would make sockets unseen. Tracing is not among
// them: Landlock lets a command trace only its own.
var refusedCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
}

// Offsets into struct seccomp_data, on little-endian machines.
const (
	atCall     = 0
	atArch     = 4
	atArgument = 16
)

// seccomp refuses a few system calls on the calling thread and, with noNetwork,
// every socket but those of the Unix domain.
func seccomp(noNetwork bool) *fault {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return fail("seccomp filter for "+runtime.GOARCH, unix.ENOSYS)
	}
	program := filter(arch, noNetwork)
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fail("seccomp", errno)
	}
	return nil
}

// filter is the program: calls of another architecture end the process, because
// their numbers mean something else; so are those of x32 refused.
func filter(arch uint32, noNetwork bool) []unix.SockFilter {
	const refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(test uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	end := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

	program := []unix.SockFilter{
		load(atArch),
		jump(unix.BPF_JEQ, arch, 1, 0), end(unix.SECCOMP_RET_KILL_PROCESS),
		load(atCall),
		jump(unix.BPF_JGE, 0x40000000, 0, 1), end(refuse),
	}
	for _, call := range refusedCalls {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), end(refuse))
	}
	if noNetwork {
		program = append(program,
			jump(unix.BPF_JEQ, unix.SYS_SOCKET, 0, 3),
			load(atArgument),
			jump(unix.BPF_JEQ, unix.AF_UNIX, 1, 0), end(refuse))
	}
	return append(program, end(unix.SECCOMP_RET_ALLOW))
}
