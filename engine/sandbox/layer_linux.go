package sandbox

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// layerStage is where a layer is mounted for as long as it takes to lay it over
// another folder: the kernel wants layers that are mounted somewhere, and all
// that is mounted elsewhere is read-only. Commands see an empty folder.
const layerStage = privateDev + "/.layer"

// tree returns a detached mount of a tree without its shared folders.
func (m *mounts) tree(t Tree) (int, *fault) {
	if t.Layer == "" {
		return m.clone(t.Dir, true)
	}
	return m.layered(t.Dir, t.Layer)
}

// shared returns a detached mount of a shared folder: read-only where nothing
// can be laid over it, which a file system that the folder is on may forbid.
func (m *mounts) shared(s Shared) (int, *fault) {
	if s.Layer != "" {
		if fd, f := m.layered(s.Source, s.Layer); f == nil {
			return fd, nil
		}
	}
	return m.clone(s.Source, false)
}

// layered returns a detached mount of a folder with a layer over it.
func (m *mounts) layered(lower, layer string) (int, *fault) {
	low, err := m.source(lower)
	if err != nil {
		return -1, fail(fmt.Sprintf("open %q", lower), err)
	}
	defer unix.Close(low)
	over, f := m.clone(layer, true)
	if f != nil {
		return -1, f
	}
	if fd, f := m.layOverFiles(low, over); f == nil {
		unix.Close(over)
		return fd, nil
	}
	if f := attach(over, layerStage); f != nil {
		return -1, f
	}
	fd, f := m.layOver(low)
	if err := unix.Unmount(layerStage, unix.MNT_DETACH); err != nil && f == nil {
		unix.Close(fd)
		return -1, fail(fmt.Sprintf("unmount %q", layerStage), err)
	}
	return fd, f
}

// layOver lays the staged layer over a folder.
func (m *mounts) layOver(low int) (int, *fault) {
	return m.overlay(func(fs int) *fault {
		for _, o := range [][2]string{
			{"lowerdir", fmt.Sprintf("/proc/self/fd/%d", low)},
			{"upperdir", layerStage + "/upper"},
			{"workdir", layerStage + "/work"},
		} {
			if err := unix.FsconfigSetString(fs, o[0], o[1]); err != nil {
				return noLayers(fmt.Sprintf("fsconfig overlay %s=%s", o[0], o[1]), err)
			}
		}
		return nil
	})
}

// layOverFiles is layOver for a layer that is mounted nowhere. Only newer kernels
// take that, but each unmounting waits for all processors.
func (m *mounts) layOverFiles(low, layer int) (int, *fault) {
	return m.overlay(func(fs int) *fault {
		for _, o := range []struct {
			name, sub string
			at        int
		}{{"lowerdir+", "", low}, {"upperdir", "upper", layer}, {"workdir", "work", layer}} {
			fd := o.at
			if o.sub != "" {
				var err error
				if fd, err = unix.Openat(o.at, o.sub, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
					return noLayers("open a layer's "+o.sub, err)
				}
				defer unix.Close(fd)
			}
			if err := unix.FsconfigSetFd(fs, o.name, fd); err != nil {
				return noLayers("fsconfig overlay "+o.name, err)
			}
		}
		return nil
	})
}

// overlay makes a detached overlay of the layers that set names. What is written is
// not worth a sync: a layer that a crash leaves half written is removed at the next
// start.
func (m *mounts) overlay(set func(fs int) *fault) (int, *fault) {
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, noLayers("fsopen overlay", err)
	}
	defer unix.Close(fs)
	if f := set(fs); f != nil {
		return -1, f
	}
	options := [][2]string{{"index", "off"}, {"metacopy", "off"}}
	if m.allUsers {
		// Without it a folder of the lower layer can't be renamed.
		options = append(options, [2]string{"redirect_dir", "on"})
	}
	for _, o := range options {
		if err := unix.FsconfigSetString(fs, o[0], o[1]); err != nil {
			return -1, noLayers(fmt.Sprintf("fsconfig overlay %s=%s", o[0], o[1]), err)
		}
	}
	flags := []string{"volatile"}
	if !m.allUsers {
		flags = append(flags, "userxattr")
	}
	for _, flag := range flags {
		if err := unix.FsconfigSetFlag(fs, flag); err != nil {
			return -1, noLayers("fsconfig overlay "+flag, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, noLayers("create overlay", err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return -1, noLayers("fsmount overlay", err)
	}
	return fd, nil
}

// allUsers reports whether we are in the first user namespace, where overlays keep
// what they remember in attributes that only root may set. Root may be in another
// one.
func allUsers() bool {
	b, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(b)), " ") == "0 0 4294967295" && privileged()
}

func noLayers(what string, err error) *fault {
	f := fail(what, err)
	f.NoLayers = true
	return f
}

// hold keeps a reference to a layered mount for letGo.
func (m *mounts) hold(fd int) {
	if held, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err == nil {
		m.held = append(m.held, held)
	}
}

// letGo drops what was held, beside everything else: taking a file system apart
// takes as long as it has files that were looked at.
func (m *mounts) letGo() {
	files := make([]*os.File, 0, len(m.held))
	for _, fd := range m.held {
		files = append(files, os.NewFile(uintptr(fd), "layer"))
	}
	m.held = nil
	go closeAll(files) // ends by itself, at the latest with the process
}
