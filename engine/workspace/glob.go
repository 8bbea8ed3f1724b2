package workspace

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

func (w *walker) included(p string) bool { return matchesPath(w.cfg.Include, p) }
func (w *walker) shared(p string) bool   { return matchesPath(w.cfg.Share, p) }

// matchesPath reports whether a doublestar pattern names p or a folder above it.
func matchesPath(patterns []string, p string) bool {
	for _, pattern := range patterns {
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
		for q := p; q != "."; q = path.Dir(q) {
			if ok, _ := doublestar.Match(pattern, q); ok {
				return true
			}
		}
	}
	return false
}

// validPatterns returns an error that names the first malformed pattern.
func validPatterns(patterns []string) error {
	for _, p := range patterns {
		if p == "" || !doublestar.ValidatePattern(p) {
			return &PatternError{Pattern: p}
		}
	}
	return nil
}

// PatternError names a pattern of the user's settings that is malformed.
type PatternError struct{ Pattern string }

// Error says which one.
func (e *PatternError) Error() string {
	return fmt.Sprintf("the pattern %q is malformed: patterns are paths with *, ?, [a-z], {a,b} and ** for any folders", e.Pattern)
}
