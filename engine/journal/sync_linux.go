package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFolder forces the files of a folder to the disk, by one call for their
// file system: one a file would take seconds for a large project.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
