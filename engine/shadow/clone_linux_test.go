package shadow

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"autocoder/engine/foldertest"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	"golang.org/x/sys/unix"
)

// TestClones: on a disk that can share blocks a copy takes none of its own, and what
// is written to it changes the copy alone. A file with the same bytes that are written
// is the control.
func TestClones(t *testing.T) {
	for _, mkfs := range [][]string{{"mkfs.btrfs", "-q"}, {"mkfs.xfs", "-q", "-m", "reflink=1"}} {
		t.Run(mkfs[0], func(t *testing.T) {
			disk := mounted(t, mkfs...)
			root := filepath.Join(disk, "project")
			check(t, os.Mkdir(root, 0o755))
			content := make([]byte, 16<<20)
			rand.Read(content)
			big := filepath.Join(root, "big.bin")
			check(t, os.WriteFile(big, content, 0o644))
			foldertest.Untouched(t, root)

			before := room(t, disk)
			s := openAt(t, root, workspace.Config{}, Config{Cache: filepath.Join(disk, "cache"), Memory: filepath.Join(disk, "memory")})
			f := fork(t, s, textedit.State{})
			if taken := before - room(t, disk); taken > 4<<20 {
				t.Errorf("copies of 16 MiB take %d bytes", taken)
			}
			copied := filepath.Join(f.Dir(), "big.bin")
			if got, err := os.ReadFile(copied); err != nil || !bytes.Equal(got, content) {
				t.Errorf("the copy differs: %v", err)
			}
			check(t, os.WriteFile(copied, []byte("other"), 0o644))

			before = room(t, disk)
			check(t, os.WriteFile(filepath.Join(disk, "same"), content, 0o644))
			if taken := before - room(t, disk); taken < 16<<20 {
				t.Errorf("control: 16 MiB take %d bytes", taken)
			}
		})
	}
}

// mounted makes a disk of 400 MiB in a file, and mounts it.
func mounted(t *testing.T, mkfs ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not on this system: only root can mount a disk")
	}
	image, disk := filepath.Join(t.TempDir(), "image"), filepath.Join(t.TempDir(), "disk")
	check(t, os.WriteFile(image, nil, 0o600))
	check(t, os.Truncate(image, 400<<20))
	check(t, os.Mkdir(disk, 0o755))
	if out, err := exec.Command(mkfs[0], append(mkfs[1:], image)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v %s", mkfs, err, out)
	}
	if out, err := exec.Command("mount", "-o", "loop", image, disk).CombinedOutput(); err != nil {
		t.Skipf("not on this system: mounting a disk in a file: %s", out)
	}
	t.Cleanup(func() { // lazily: what is removed in the background may hold it for a moment
		if out, err := exec.Command("umount", "--lazy", disk).CombinedOutput(); err != nil {
			t.Errorf("unmount: %v %s", err, out)
		}
	})
	return disk
}

// room is how many bytes are free on a disk when all has been written to it.
func room(t *testing.T, disk string) int64 {
	t.Helper()
	d, err := os.Open(disk)
	check(t, err)
	defer d.Close()
	check(t, unix.Syncfs(int(d.Fd())))
	return int64(freeOn(disk))
}
