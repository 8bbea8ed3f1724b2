//go:build unix

package lockfile

import (
	"errors"
	"os"
	"syscall"
)

func tryLock(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errBusy
	}
	return err
}

func waitLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// unlock gives the lock back for every copy of the descriptor: a process that is
// just being started holds one, until it runs its program.
func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
