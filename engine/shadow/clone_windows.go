package shadow

import (
	"io/fs"
	"os"
)

const noFollow = 0

// cloneFile never clones here.
func cloneFile(*os.File, *os.File, fs.FileInfo) (bool, error) { return false, nil }
