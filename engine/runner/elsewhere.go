package runner

import (
	"path/filepath"
	"strings"
)

// Elsewhere looks at the files that a runner executed as the project's own code
// and returns the first that does not lie in the copy that was to be tested: a
// run of such files judges something else. The paths must be absolute and free
// of symbolic links, as the runner itself sees them.
func (r Report) Elsewhere(executed []string) (file string, elsewhere bool) {
	for _, f := range executed {
		rel, err := filepath.Rel(r.Root, f)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return f, true
		}
	}
	return "", false
}

// Relative returns a path that a runner printed as one relative to the
// workspace with slashes; ok is false for a path outside.
func (r Report) Relative(file string) (rel string, ok bool) {
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(filepath.Clean(file)), filepath.IsLocal(file)
	}
	rel, err := filepath.Rel(r.Root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
