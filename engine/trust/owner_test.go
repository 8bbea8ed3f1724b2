//go:build unix

package trust

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// stranger is a user that is neither root nor whoever runs the tests.
const stranger = 54321

func TestOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		spoil   func(path string) error
		foreign bool
	}{
		{"one's own", func(string) error { return nil }, false},
		{"one's group may write", func(path string) error { return os.Chmod(path, 0o770) }, false},
		{"every user may write", func(path string) error { return os.Chmod(path, 0o722) }, true},
		{"every user may write, of a sticky folder", func(path string) error { return os.Chmod(path, 0o777|os.ModeSticky) }, true},
		{"another user's", func(path string) error { return os.Chown(path, stranger, -1) }, true},
		{"not there", os.RemoveAll, false},
	} {
		for _, spoilt := range []string{"", fileName} {
			t.Run(tt.name+" "+spoilt, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "state")
				s, project := Open(dir), folder(t, "a")
				must(t, s.Trust(project, "h", since))
				if err := tt.spoil(filepath.Join(dir, spoilt)); errors.Is(err, os.ErrPermission) {
					t.Skip("not on this system: only root can give files away")
				} else {
					must(t, err)
				}
				var is *Foreign
				if got := errors.As(Own(dir, s.path()), &is); got != tt.foreign {
					t.Errorf("foreign: %v (%v), want %v", got, is, tt.foreign)
				}
				found, err := s.Lookup(project)
				if tt.foreign && (err == nil || found != (Folder{})) {
					t.Errorf("somebody else's trust counts: %+v, %v", found, err)
				}
				if !tt.foreign && err != nil {
					t.Error(err)
				}
				if again := s.Trust(project, "h2", since); (again != nil) != tt.foreign {
					t.Errorf("trusting again: %v", again)
				}
			})
		}
	}
}
