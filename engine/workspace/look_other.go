//go:build !linux

package workspace

import (
	"io/fs"
	"os"
)

// lookAt looks at an entry of a folder.
func lookAt(_ *os.File, d fs.DirEntry) (look, error) {
	info, err := d.Info()
	if err != nil {
		return look{}, err
	}
	return look{size: info.Size(), mode: info.Mode(), mtime: info.ModTime()}, nil
}
