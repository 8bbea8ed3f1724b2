package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

// TestLayersMoveToTheDisk gives a run a small file system in memory for its layers,
// and a test that writes more than may be taken of it, and wants to be on another one:
// there layers are made once that was seen. That with less they stay is the control.
func TestLayersMoveToTheDisk(t *testing.T) {
	t.Parallel()
	const memory = 1100 // megabytes
	if out, err := exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", "/dev/shm").CombinedOutput(); err != nil {
		t.Skipf("not on this system: mounting a small /dev/shm: %v %s", err, out)
	}
	for megabytes, moves := range map[int]bool{200: true, 8: false} {
		t.Run(fmt.Sprint(megabytes), func(t *testing.T) {
			t.Parallel()
			p := newPythonProject(t)
			writeAll(t, p.root, map[string]string{"test_large.py": fmt.Sprintf(`import os


def test_large():
    with open("large", "wb") as f:
        for n in range(%d >> 3):
            os.posix_fallocate(f.fileno(), n << 23, 1 << 23)
    here = os.statvfs(".")
    assert here.f_blocks * here.f_frsize != %d << 20, "in memory"
`, megabytes, memory)})
			fix := p.fix()
			cmd := exec.Command("unshare", append([]string{"-m", "sh", "-c", `mount -t tmpfs -o size=` + fmt.Sprint(memory) + `m none /dev/shm && exec "$0" "$@"`}, fix.Args...)...)
			cmd.Env = p.env
			var said strings.Builder
			cmd.Stderr = &said
			out, _ := cmd.Output() // its code is that of the outcome
			var r report.Report
			if err := json.Unmarshal(out, &r); err != nil {
				t.Fatalf("%v: %s %s", err, out, said.String())
			}
			stays := slices.ContainsFunc(r.Baseline.Failing, func(f report.Failing) bool { return f.ID == "test_large.py::test_large" })
			if (r.Outcome == outcome.Fixed) != moves || stays == moves {
				t.Errorf("outcome %s in %s: %s; at first %+v failed", r.Outcome, r.Sandbox, r.Reason, r.Baseline.Failing)
			}
			p.nothingLeft(t)
		})
	}
}
