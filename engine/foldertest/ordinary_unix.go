//go:build unix

package foldertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is an ordinary user that every system has.
const nobody = 65534

// AsOrdinaryUser runs the test once more as an ordinary user when we are root,
// who may read and write everything, and reports whether it did.
func AsOrdinaryUser(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	exe, err := os.Executable()
	check(t, err)
	self, err := os.ReadFile(exe)
	check(t, err)
	dir, err := os.MkdirTemp("/tmp", "ordinary") // TMPDIR may be closed to that user
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	check(t, os.WriteFile(filepath.Join(dir, "test"), self, 0o755))
	check(t, os.Mkdir(filepath.Join(dir, "tmp"), 0o755))
	check(t, os.Chmod(filepath.Join(dir, "tmp"), 0o777))
	check(t, os.Chmod(dir, 0o755))
	cmd := exec.Command(filepath.Join(dir, "test"), "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Dir = dir
	cmd.Env = []string{"TMPDIR=" + filepath.Join(dir, "tmp")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("as an ordinary user: %v\n%s", err, out)
	}
	return true
}
