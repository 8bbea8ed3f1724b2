// Package program finds programs as the user's shell would.
package program

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Find returns the programs of that name in the folders of a PATH, in order,
// each once. A link is followed, since what it leads to may be all that a cell
// can see; relative folders are left out, as they mean another folder there.
func Find(name, path string) []string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var found []string
	for _, dir := range filepath.SplitList(path) {
		file, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if err != nil || !filepath.IsAbs(file) || slices.Contains(found, file) {
			continue
		}
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			found = append(found, file)
		}
	}
	return found
}
