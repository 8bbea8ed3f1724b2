package engine_test

import (
	"strings"
	"syscall"
	"testing"

	"autocoder/engine"
	"autocoder/engine/outcome"
)

// TestAFullDisk gives the copies and then the records a file system that is too
// small for them. The first can't be done without and is named; without the
// second the run goes on.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]func(*project) string{
		"copies":  func(p *project) string { return p.cache },
		"records": func(p *project) string { return p.state },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := redSums(t)
			p.write(t, "large.txt", strings.Repeat("0123456789abcdef", 1<<14)) // more than fits
			dir := full(p)
			mkdir(t, dir)
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k,nr_inodes=8"); err != nil {
				t.Skipf("not on this system: mounting a small disk: %v", err)
			}
			defer func() {
				if err := syscall.Unmount(dir, 0); err != nil {
					t.Errorf("something still uses the disk: %v", err)
				}
			}()
			before := tree(t, p.root)
			w, err := engine.Open(t.Context(), p.root, p.settings, p.options)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			r, err := w.Fix(t.Context(), engine.FixRequest{})
			if name == "copies" && (err == nil || !strings.Contains(err.Error(), "no space left")) {
				t.Errorf("outcome %s: %s, error %v", r.Outcome, r.Reason, err)
			}
			if name == "records" && (err != nil || r.Outcome != outcome.Fixed) {
				t.Errorf("outcome %s: %s, error %v", r.Outcome, r.Reason, err)
			}
			p.untouched(t, before)
		})
	}
}
