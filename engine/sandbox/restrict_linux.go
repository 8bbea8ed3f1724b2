package sandbox

import (
	"fmt"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limitsFor says what a command of a cell may do when the workspace is at root.
func limitsFor(c Config, root string) limits {
	l := limits{Tier: c.Tier, Network: c.Network, Gentle: c.Gentle, Memory: c.Memory, Processes: c.Processes, Scratch: c.Scratch, OwnUsers: c.Tier == Isolated && !privileged()}
	l.Writable = append([]string{root, c.Scratch}, c.Writable...)
	l.Devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
	if c.Tier == Isolated {
		// A warm worker must be able to write the next tree, but the kernel looks
		// for a rule on a mount's root and then on the mount point's parent, never on
		// the mount point. The parent is a read-only mount, so the rule opens
		// nothing else.
		l.Writable = append(l.Writable, filepath.Dir(root), privateTmp)
		l.Devices = append(l.Devices, "/dev/ptmx", "/dev/pts", sharedMemory)
	}
	return l
}

// restrict puts l on the calling thread and what it will start. It returns the
// broker that what is started needs, if any.
func restrict(l limits) (*broker, *fault) {
	if l.Gentle {
		giveWay()
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fail("prctl(PR_SET_NO_NEW_PRIVS)", err)
	}
	if l.Tier == Supervised {
		return nil, nil
	}
	b := &broker{writable: l.Writable, readable: l.Readable, names: -1}
	if l.Tier == Confined {
		b.names = openNames(l.Scratch)
	}
	if f := landlock(l); f != nil {
		return nil, f
	}
	if f := dropCapabilities(); f != nil {
		return nil, f
	}
	var f *fault
	b.listener, f = seccomp(sieve{files: l.Tier == Confined, told: true, noNetwork: l.Tier == Confined && l.Network != NetworkOn})
	if f != nil || b.listener < 0 {
		return nil, f
	}
	return b, nil
}

// giveWay lowers the priority of the calling thread and what it will start, unless
// it is as low already.
func giveWay() {
	// The kernel counts from 40, the highest, down to 1.
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err == nil && 20-now < gentleness {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, gentleness) // else it is as fast as the rest
	}
}

// dropCapabilities gives up every capability for good.
func dropCapabilities() *fault {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		// Without CAP_SETPCAP this fails, but then no-new-privileges keeps them out.
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // gone with the next call anyway
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return fail("capset", err)
	}
	return nil
}

// The rights to change folders, and those that a single file can have.
const (
	fileRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	treeRights = fileRights | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
)

// readRights are the rights to look at folders and files.
const readRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE

// landlock lets the calling thread write only where l says. It is the raw
// interface, because the Go library restricts all threads and ours must stay
// free. Rights that the kernel does not know are left out; the probes show
// whether what remains is enough. Network rules are not used: they know ports,
// not addresses, and would refuse loopback too.
func landlock(l limits) *fault {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		if l.Tier == Isolated {
			return nil // read-only mounts and the PID namespace do the same there
		}
		return fail("landlock_create_ruleset", errno)
	}
	handled := uint64(treeRights)
	if abi < 2 {
		handled &^= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi < 3 {
		handled &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if len(l.Readable) > 0 {
		handled |= readRights
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fail("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	for _, path := range l.Writable {
		if err := allow(int(fd), path, handled); err != nil {
			return fail(fmt.Sprintf("landlock_add_rule for %q", path), err)
		}
	}
	for _, path := range l.Devices {
		_ = allow(int(fd), path, handled) // without the rule it is only read-only
	}
	for _, path := range l.Readable {
		_ = allow(int(fd), path, readRights) // what is not there can't be read
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fail("landlock_restrict_self", errno)
	}
	return nil
}

// allow adds the rights to path and what is below it.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
