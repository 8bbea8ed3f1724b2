package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// devices are those of the host that commands get.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// hostDevices detaches the devices before /dev is covered; what the host lacks
// is left out.
func hostDevices() map[string]int {
	found := map[string]int{}
	for _, name := range devices {
		fd, err := unix.OpenTree(unix.AT_FDCWD, "/dev/"+name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err == nil {
			found[name] = fd
		}
	}
	return found
}

// makeDev mounts a /dev without the host's disks and terminals.
func makeDev(found map[string]int) *fault {
	if f := mountDev("/dev", "mode=0755,size=64k"); f != nil {
		return f
	}
	for name, fd := range found {
		path := "/dev/" + name
		f, err := os.Create(path)
		if err != nil {
			return fail(fmt.Sprintf("make %q", path), err)
		}
		f.Close()
		if f := attach(fd, path); f != nil {
			return f
		}
	}
	for _, dir := range []string{"/dev/pts", sharedMemory} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fail("make devices", err)
		}
	}
	if err := os.Mkdir(layerStage, 0o700); err != nil {
		return fail("make devices", err)
	}
	// Files without anything in them are memory too, which nobody counts.
	if f := mountTmpfs(sharedMemory, "mode=1777,nr_inodes=65536"); f != nil {
		return f
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return fail(`mount "/dev/pts"`, err)
	}
	links := map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
	for name, target := range links {
		if err := os.Symlink(target, "/dev/"+name); err != nil {
			return fail("make devices", err)
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/dev", 0, &readOnly); err != nil {
		return fail(`mount_setattr "/dev"`, err)
	}
	return nil
}

// mountDev is mountTmpfs for a place where devices work.
func mountDev(path, options string) *fault {
	if err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, options); err != nil {
		return fail(fmt.Sprintf("mount tmpfs on %q", path), err)
	}
	return nil
}
