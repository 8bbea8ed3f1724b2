//go:build unix && !linux

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
)

// mountRoot reports whether a file system is mounted at the folder.
func mountRoot(dir string) bool {
	own, err := os.Lstat(dir)
	if err != nil {
		return false
	}
	above, err := os.Lstat(filepath.Dir(dir))
	if err != nil {
		return false
	}
	a, ok := own.Sys().(*syscall.Stat_t)
	b, ok2 := above.Sys().(*syscall.Stat_t)
	return ok && ok2 && a.Dev != b.Dev
}
