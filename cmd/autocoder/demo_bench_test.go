//go:build unix

package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

// BenchmarkDemo is the time from the start of the built program to the first
// verified fix of the demo, with a warm build cache, beside one run of the
// project's own tests: it should be less than 10 s on a quiet machine.
func BenchmarkDemo(b *testing.B) {
	program := filepath.Join(b.TempDir(), "autocoder")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build the program: %v\n%s", err, out)
	}
	var fix, tests time.Duration
	for b.Loop() {
		start := time.Now()
		out, err := exec.Command(program, "demo", "--json").Output()
		fix += time.Since(start)
		var r report.Report
		if err != nil || json.Unmarshal(out, &r) != nil || r.Outcome != outcome.Fixed {
			b.Fatalf("demo: %v: %s", err, out)
		}
		own := exec.Command("go", "test", "-count=1", ".")
		own.Dir = r.Root
		start = time.Now()
		if own.Run() == nil {
			b.Fatal("the demo's folder was repaired, and should only be on a copy")
		}
		tests += time.Since(start)
	}
	b.ReportMetric(fix.Seconds()/float64(b.N), "s/fix")
	b.ReportMetric(fix.Seconds()/tests.Seconds(), "runs-of-the-tests/fix")
}
