//go:build unix

package custom

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// TestReportsThatAreNoFiles has tests put something else in the place of the
// reports: nothing of it is read, and nothing waits for it.
func TestReportsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	const good = `<testsuite><testcase name="a"/></testsuite>`
	secret := filepath.Join(t.TempDir(), "secret.xml")
	write(t, secret, good)
	for name, spoil := range map[string]func(file string) error{
		"link": func(file string) error { return os.Symlink(secret, file) },
		"fifo": func(file string) error { return syscall.Mkfifo(file, 0o600) },
	} {
		for format, file := range map[Format]string{JUnit: filepath.Join(collected, "1.xml"), TAP: runner.StdoutFile} {
			r := left(t, format, good, 0)
			file = filepath.Join(r.Folder, file)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := spoil(file); err != nil {
				t.Skipf("needs %s: %v", name, err)
			}
			if run := parse(Report{Format: format}, r); run.Reason == testresult.NoReason {
				t.Errorf("%s for %v: read as %v", name, format, run)
			}
		}
	}
	r := left(t, JUnit, good, 0)
	if err := os.RemoveAll(filepath.Join(r.Folder, collected)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(secret), filepath.Join(r.Folder, collected)); err != nil {
		t.Fatal(err)
	}
	if run := parse(Report{Format: JUnit}, r); run.Reason != testresult.ReportMissing {
		t.Errorf("a link to a folder: read as %v", run)
	}
}
