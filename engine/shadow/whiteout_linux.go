package shadow

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// whiteout makes the entry that hides what a lower layer has by that name. Any
// user may make it where any user may lay folders over each other.
func whiteout(name string) error { return unix.Mknod(name, unix.S_IFCHR, 0) }

// folderMarks reads what an overlay has noted at a folder of its upper layer:
// that it hides the lower one, or from where it was renamed. The names of the
// notes differ between root and others.
func folderMarks(dir string) (hides bool, from string) {
	for _, class := range []string{"trusted", "user"} {
		value := make([]byte, unix.PathMax)
		if n, err := unix.Lgetxattr(dir, class+".overlay.opaque", value); err == nil {
			hides = bytes.Equal(value[:n], []byte("y"))
		}
		if n, err := unix.Lgetxattr(dir, class+".overlay.redirect", value); err == nil {
			from = string(value[:n])
		}
	}
	return hides, from
}
