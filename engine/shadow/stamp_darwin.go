package shadow

import (
	"io/fs"
	"syscall"
)

// identity returns an entry's change time, device and inode.
func identity(info fs.FileInfo) (ctime int64, device, inode uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return st.Ctimespec.Nano(), uint64(st.Dev), st.Ino
}
