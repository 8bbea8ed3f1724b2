package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// namespaces makes attr give the process its own namespaces. A user namespace is
// only taken by those who need it to be allowed the others: in one, even root
// can't reach the folders of other users, and their files have no owner.
func namespaces(attr *syscall.SysProcAttr, network Network) {
	attr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if network != NetworkOn {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if privileged() {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	// A user other than root loses its capabilities when it executes something,
	// unless they are ambient.
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_NET_BIND_SERVICE}
}

// privileged reports whether we may make namespaces and mounts as we are.
func privileged() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if os.Geteuid() != 0 || unix.Capget(&head, &have[0]) != nil {
		return false
	}
	const need = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_DAC_OVERRIDE
	return have[0].Effective&need == need
}

func loopbackUp() *fault {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fail("socket", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return fail("name interface lo", err)
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fail("ioctl(SIOCSIFFLAGS) on lo", err)
	}
	return nil
}

// closedFolders returns, for each path, the outermost folder on its way that
// commands, which have no capabilities, can't pass. We can, because we have.
func closedFolders(paths []string) []string {
	groups, _ := os.Getgroups() // none is the strictest reading
	groups = append(groups, os.Getgid())
	var closed []string
	for _, path := range paths {
		if dir, found := closedFolder(path, groups); found && !slices.Contains(closed, dir) {
			closed = append(closed, dir)
		}
	}
	return closed
}

func closedFolder(path string, groups []int) (string, bool) {
	parents := []string{}
	for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
		parents = append(parents, dir)
	}
	for _, dir := range slices.Backward(parents) {
		info, err := os.Stat(dir)
		if err != nil {
			return "", false // told when it is opened
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return "", false
		}
		bit := fs.FileMode(0o001)
		switch {
		case int(st.Uid) == os.Getuid():
			bit = 0o100
		case slices.Contains(groups, int(st.Gid)):
			bit = 0o010
		}
		if info.Mode()&bit == 0 {
			return dir, true
		}
	}
	return "", false
}
