//go:build unix

package shadow

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock waits for the exclusive lock of a file; closing the file gives it back.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// tryLock takes the exclusive lock of a file, unless somebody has it.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
