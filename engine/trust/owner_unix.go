//go:build unix

package trust

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// everybody is the permission to write that every user has.
const everybody = 0o002

// foreign says why somebody else may have written a file; empty for nobody.
func foreign(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("belongs to another user (uid %d)", st.Uid)
	case info.Mode().Perm()&everybody != 0:
		return "can be written by every user"
	default:
		return ""
	}
}
