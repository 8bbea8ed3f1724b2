package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// privateTmp is where isolated commands have their temporary files; the cell's
// own folder is mounted there.
const privateTmp = "/tmp"

// privateDev is where isolated commands have a few devices, and in it sharedMemory,
// in which what is needed of the host's is shown.
const (
	privateDev   = "/dev"
	sharedMemory = "/dev/shm"
)

// hostRun is where the services of the host and of the user's session listen.
const hostRun = "/run"

// serviceFolders are where services listen in folders that commands may otherwise
// read.
var serviceFolders = []string{hostRun, "/nix/var/nix/daemon-socket", "/nix/var/nix/gc-socket"}

// privateProc shows a launcher's PID namespace in its own mount namespace, which
// still follows the supervisor's switches. While it can be written, work is done.
func privateProc(work func()) *fault {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fail("make mounts of the command private", err)
	}
	const safe = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("proc", "/proc", "proc", safe, ""); err != nil {
		return fail(`mount "/proc"`, err)
	}
	work()
	// Read-only, for root may set the kernel's parameters even without capabilities.
	if err := unix.Mount("", "/proc", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|safe, ""); err != nil {
		return fail(`make "/proc" read-only`, err)
	}
	return nil
}

// mounts are what an isolated cell sees: the host read-only, with the scratch
// and a few folders writable, a private /tmp and /dev, an empty /run, and the tree
// over the workspace.
type mounts struct {
	root   string
	covers []cover
	shown  bool
	// held are the layers that are shown, so that the last reference to each is
	// ours.
	held []int
	// kept are the folders over which a layer is mounted beside the tree.
	kept []string
	// allUsers is whether we are in the first user namespace.
	allUsers bool
}

// place is a folder or file of the host to be seen at its own path.
type place struct {
	path     string
	fd       int // a detached mount
	writable bool
	folder   bool
}

// makeMounts lays everything but the tree.
func makeMounts(c Config) (*mounts, *fault) {
	if c.Root == "/" {
		return nil, fail(`mount over "/"`, unix.EBUSY)
	}
	for _, path := range append([]string{c.Root, c.Scratch}, c.Writable...) {
		if within(path, privateDev) && !within(path, sharedMemory) {
			return nil, fail(fmt.Sprintf("show %q: commands have a /dev of their own, where only %s can show folders of the host", path, sharedMemory), unix.ENOTSUP)
		}
	}
	m := &mounts{root: c.Root, allUsers: allUsers()}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fail(`make mounts private: mount "/"`, err)
	}
	hidden := hiddenFolders(c)
	covers := append([]string{privateTmp, privateDev}, hidden...)
	places, f := m.places(c, covers)
	if f != nil {
		return nil, f
	}
	if f := m.remember([]string{privateTmp, privateDev, c.Root}); f != nil {
		return nil, f
	}
	m.rememberFound(hidden)
	tmp, f := m.clone(filepath.Join(c.Scratch, "tmp"), true)
	if f != nil {
		return nil, f
	}
	devices := hostDevices()
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return nil, fail(`make everything read-only: mount_setattr "/"`, err)
	}
	if f := attach(tmp, privateTmp); f != nil {
		return nil, f
	}
	if f := coverAll(hidden); f != nil {
		return nil, f
	}
	if f := makeDev(devices); f != nil {
		return nil, f
	}
	for _, p := range places {
		if f := m.put(p); f != nil {
			return nil, f
		}
	}
	if f := m.makeBase(); f != nil {
		return nil, f
	}
	for _, path := range hidden {
		err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &readOnly)
		if err != nil && !gone(err) && err != unix.EINVAL { // that is of a new folder of this name
			return nil, fail(fmt.Sprintf("mount_setattr %q", path), err)
		}
	}
	return m, hideSecrets(c)
}

// makeBase covers the workspace by an empty folder that is never taken away, so
// that no switch lets it be seen. Launchers follow what is mounted on it.
func (m *mounts) makeBase() *fault {
	if m.covered(m.root) {
		if err := os.MkdirAll(m.root, 0o755); err != nil {
			return fail("make workspace folder", err)
		}
	}
	if f := mountTmpfs(m.root, "mode=0555,size=4k"); f != nil {
		return f
	}
	if err := unix.Mount("", m.root, "", unix.MS_SHARED, ""); err != nil {
		return fail(fmt.Sprintf("share mount %q", m.root), err)
	}
	return nil
}

// places detaches what must be seen at its own path: what is writable, and what
// is readable but about to be covered.
func (m *mounts) places(c Config, covers []string) ([]place, *fault) {
	covered := func(path string) bool {
		return slices.ContainsFunc(covers, func(cover string) bool { return path != cover && within(path, cover) })
	}
	var ps []place
	for _, path := range append([]string{c.Scratch}, c.Writable...) {
		ps = append(ps, place{path: path, writable: true})
	}
	for _, path := range c.Readable {
		if covered(path) {
			ps = append(ps, place{path: path})
		}
	}
	if exe, err := os.Readlink("/proc/self/exe"); err == nil && covered(exe) {
		ps = append(ps, place{path: exe})
	}
	// Outer ones first, or they would hide the inner ones.
	slices.SortStableFunc(ps, func(a, b place) int { return cmp.Compare(a.path, b.path) })
	var kept []place
	for _, p := range ps {
		info, err := os.Stat(p.path)
		if err != nil && !p.writable {
			continue // a PATH may name folders that are not there
		}
		if err != nil {
			return nil, fail(fmt.Sprintf("look at %q", p.path), err)
		}
		p.folder = info.IsDir()
		var f *fault
		if p.fd, f = m.clone(p.path, p.writable); f != nil && !p.writable && gone(f.Errno) {
			continue
		} else if f != nil {
			return nil, f
		}
		kept = append(kept, p)
	}
	return kept, nil
}

// put mounts p at its own path, which it makes where a cover has hidden it.
func (m *mounts) put(p place) *fault {
	if m.covered(p.path) {
		dir := p.path
		if !p.folder {
			dir = filepath.Dir(dir)
		}
		err := os.MkdirAll(dir, 0o755)
		if err == nil && !p.folder {
			var f *os.File
			if f, err = os.OpenFile(p.path, os.O_CREATE, 0o600); err == nil {
				err = f.Close()
			}
		}
		if err != nil {
			return fail(fmt.Sprintf("make a place for %q", p.path), err)
		}
	}
	return attach(p.fd, p.path)
}

// show mounts t over the workspace, in the place of the tree that was there.
func (m *mounts) show(t Tree) *fault {
	tree, f := m.tree(t)
	if f != nil {
		return f
	}
	shared := slices.SortedFunc(slices.Values(t.Shared), func(a, b Shared) int { return cmp.Compare(a.Path, b.Path) })
	sources := make([]int, 0, len(shared))
	defer func() {
		for _, fd := range sources {
			unix.Close(fd)
		}
	}()
	for _, s := range shared {
		fd, f := m.shared(s)
		if f != nil {
			unix.Close(tree)
			return f
		}
		sources = append(sources, fd)
	}
	if f := m.hide(); f != nil {
		unix.Close(tree)
		return f
	}
	if t.Layer != "" {
		m.hold(tree)
	}
	if f := attach(tree, m.root); f != nil {
		return f
	}
	m.shown = true
	if f := m.keep(t.Kept); f != nil {
		_ = m.hide()
		return f
	}
	for i, s := range shared {
		if s.Layer != "" {
			m.hold(sources[i])
		}
		if f := m.attachBelow(sources[i], s); f != nil {
			_ = m.hide() // the first fault is the one to tell
			return f
		}
	}
	return nil
}

// hide takes the tree away. Who still works in it keeps it.
func (m *mounts) hide() *fault {
	if !m.shown {
		return nil
	}
	if err := unix.Unmount(m.root, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
		return fail(fmt.Sprintf("unmount %q", m.root), err)
	}
	m.shown = false
	for _, dir := range m.kept {
		if err := unix.Unmount(dir, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return fail(fmt.Sprintf("unmount %q", dir), err)
		}
	}
	m.kept = nil
	m.letGo()
	return nil
}

// keep mounts the layers of kept folders over these.
func (m *mounts) keep(kept []Kept) *fault {
	for _, k := range kept {
		var fd int
		var f *fault
		if k.Layer == "" {
			fd, f = m.clone(k.Dir, false)
		} else if fd, f = m.layered(k.Dir, k.Layer); f == nil {
			m.hold(fd)
		}
		if f != nil {
			return f
		}
		if f := attach(fd, k.Dir); f != nil {
			return f
		}
		m.kept = append(m.kept, k.Dir)
	}
	return nil
}

// attachBelow mounts a shared folder in the tree, through no symlink of it.
func (m *mounts) attachBelow(fd int, s Shared) *fault {
	what := fmt.Sprintf("mount shared folder %q in the tree", s.Path)
	root, err := unix.Open(m.root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail(what, err)
	}
	defer unix.Close(root)
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH}
	target, err := unix.Openat2(root, filepath.FromSlash(s.Path), &how)
	if err != nil {
		return fail(what+": openat2", err)
	}
	defer unix.Close(target)
	if err := unix.MoveMount(fd, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fail(what+": move_mount", err)
	}
	return nil
}

// clone returns a detached, private mount of a host path, whatever covers it now.
func (m *mounts) clone(path string, writable bool) (int, *fault) {
	src, err := m.source(path)
	if err != nil {
		return -1, fail(fmt.Sprintf("open %q", path), err)
	}
	defer unix.Close(src)
	fd, err := unix.OpenTree(src, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fail(fmt.Sprintf("open_tree %q", path), err)
	}
	attr := unix.MountAttr{Propagation: unix.MS_PRIVATE}
	if writable {
		attr.Attr_clr = unix.MOUNT_ATTR_RDONLY
	} else {
		attr.Attr_set = unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(fd)
		return -1, fail(fmt.Sprintf("mount_setattr %q", path), err)
	}
	return fd, nil
}

// source opens a host path, whatever covers it now.
func (m *mounts) source(path string) (int, error) {
	dir, rel := unix.AT_FDCWD, path
	longest := -1
	for _, c := range m.covers {
		if r, err := filepath.Rel(c.path, path); err == nil && filepath.IsLocal(r) && len(c.path) > longest {
			longest, dir, rel = len(c.path), c.fd, r
		}
	}
	return unix.Openat(dir, rel, unix.O_PATH|unix.O_CLOEXEC, 0)
}

// attach puts a detached mount at target and closes fd.
func attach(fd int, target string) *fault {
	defer unix.Close(fd)
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fail(fmt.Sprintf("move_mount to %q", target), err)
	}
	return nil
}

func mountTmpfs(path, options string) *fault {
	if err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fail(fmt.Sprintf("mount tmpfs on %q", path), err)
	}
	return nil
}
