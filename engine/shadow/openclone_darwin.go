package shadow

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openClone makes a file a clone of an open one, for a file system that can, and
// opens it; it returns nil where that can't be done.
func openClone(name string, src *os.File, mode fs.FileMode) *os.File {
	if unix.Fclonefileat(int(src.Fd()), unix.AT_FDCWD, name, 0) != nil {
		return nil
	}
	if err := os.Chmod(name, mode|0o200); err == nil {
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			return f
		}
	}
	_ = os.Remove(name) // it is made by other means, or that says why not
	return nil
}
