//go:build unix

package shadow

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// mine says why a folder may be somebody else's to change.
func mine(dir string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%q belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%q is open to other users", dir)
	}
	return nil
}
