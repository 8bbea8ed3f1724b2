package custom

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"autocoder/engine/testresult"
)

// place is a file and a line in a text, as most languages write it.
var place = regexp.MustCompile(`([\w./\\-]+\.\w{1,6}):(\d+)`)

// mostFrames is how many places of one text are looked at.
const mostFrames = 100

// frames are the places in the project that a text names, in its order.
func frames(text, root string) []testresult.Frame {
	var found []testresult.Frame
	for _, m := range place.FindAllStringSubmatch(text, mostFrames) {
		line, err := strconv.Atoi(m[2])
		if file := inProject(m[1], root); err == nil && file != "" {
			found = append(found, testresult.Frame{File: file, Line: line})
		}
	}
	return found
}

// inProject is a path as the project has it; empty for one that is no file of it,
// such as the bare name that Java prints.
func inProject(path, root string) string {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return ""
		}
		path = rel
	}
	if !filepath.IsLocal(path) {
		return ""
	}
	if info, err := os.Lstat(filepath.Join(root, path)); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(path))
}
