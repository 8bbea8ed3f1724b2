//go:build unix && !linux

package shadow

import (
	"io/fs"
	"os"
	"syscall"
)

// noFollow keeps an entry that was replaced since it was listed from leading
// elsewhere, or a FIFO from blocking.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// cloneFile never clones here.
func cloneFile(*os.File, *os.File, fs.FileInfo) (bool, error) { return false, nil }
