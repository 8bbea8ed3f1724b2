package trust

import (
	"fmt"
	"os"
)

// Foreign is the error of a file or folder that somebody else than the user may
// have written.
type Foreign struct{ Path, Why string }

// Error says what is wrong with it.
func (f *Foreign) Error() string { return fmt.Sprintf("%s %s", f.Path, f.Why) }

// Own returns a *Foreign when one of the paths belongs to another user than this
// one or root, or can be written by every user. What is not there is nobody's,
// and where the system doesn't tell, all is taken to be the user's own.
func Own(paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue // whoever reads it says what is wrong with it
		}
		if why := foreign(info); why != "" {
			return &Foreign{Path: path, Why: why}
		}
	}
	return nil
}
