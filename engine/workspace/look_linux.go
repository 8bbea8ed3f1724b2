package workspace

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lookAt looks at an entry of an open folder, which saves the way to it.
func lookAt(folder *os.File, d fs.DirEntry) (look, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(folder.Fd()), d.Name(), &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return look{}, err
		}
	}
	return look{
		size: st.Size, mode: modeOf(st.Mode), mtime: time.Unix(st.Mtim.Unix()),
		id: Identity{Changed: st.Ctim.Nano(), Device: uint64(st.Dev), Inode: st.Ino},
	}, nil
}

// modeOf is the mode in the words of package fs.
func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	default:
		mode |= fs.ModeIrregular // whatever it has become, it is nothing to copy
	}
	if bits&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
