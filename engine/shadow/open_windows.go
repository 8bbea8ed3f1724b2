package shadow

import (
	"io/fs"
	"os"
)

func openFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
