//go:build unix

package journal

import "golang.org/x/sys/unix"

// writable says why files in a folder can't be made or removed.
func writable(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}
