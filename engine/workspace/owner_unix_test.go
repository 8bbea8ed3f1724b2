//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file that root replaces stays that of its owner.
func TestApplyKeepsOwners(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not on this system: only root can give files away")
	}
	const somebody = 12345
	root := folder(t, files{"a": "1"})
	base := remembered(t, root)
	check(t, os.Lchown(filepath.Join(root, "a"), somebody, somebody))
	check(t, Apply(root, base, stateOf(t, base, create("a", "2"), create("new", "2"))))
	for name, want := range map[string]uint32{"a": somebody, "new": 0} {
		info, err := os.Stat(filepath.Join(root, name))
		check(t, err)
		if st := info.Sys().(*syscall.Stat_t); st.Uid != want || st.Gid != want {
			t.Errorf("%s belongs to %d:%d, want %d", name, st.Uid, st.Gid, want)
		}
	}
}
