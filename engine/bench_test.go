package engine_test

import (
	"fmt"
	"testing"

	"autocoder/engine"
	"autocoder/engine/outcome"
)

// BenchmarkLoopOverhead is what the loop takes besides running tests: with a
// suite of two seconds, five attempts and a patience of six it should be less
// than 5 % of the whole on a quiet machine.
func BenchmarkLoopOverhead(b *testing.B) {
	p := newProject(b, sums+`
-- test_slow.py --
import time
import pytest

@pytest.mark.parametrize("n", range(20))
def test_slow(n):
    time.sleep(0.1)
`)
	p.need(b, "pytest")
	edits := ""
	for i := range 4 {
		edits += fmt.Sprintf(`{"write": {"calc.py": "def add(a, b):\n    return %d\n"}}, `, i)
	}
	p.script(b, "["+edits+sumsScript+"]")
	p.settings.Patience = 6
	var total, tests int64
	for b.Loop() {
		r := p.fix(b, engine.FixRequest{})
		if r.Outcome != outcome.Fixed || len(r.Attempts) != 5 {
			b.Fatalf("outcome %s after %d attempts: %s", r.Outcome, len(r.Attempts), r.Reason)
		}
		total, tests = total+r.Timing.TotalMS, tests+r.Timing.TestsMS
	}
	b.ReportMetric(float64(total-tests)*100/float64(total), "overhead-%")
	b.ReportMetric(float64(tests)/float64(b.N), "tests-ms/op")
}

// BenchmarkDoctor10k is what doctor takes on a tree of 10,000 files besides the
// runner's own time: it should be less than a second on a quiet machine.
func BenchmarkDoctor10k(b *testing.B) {
	p := newProject(b, sums)
	p.need(b, "pytest")
	for i := range 10_000 {
		p.write(b, fmt.Sprintf("src/p%d/m%d.py", i/100, i), fmt.Sprintf("def f%d(a):\n    return a + %d\n", i, i))
	}
	var own, shadow int64
	for b.Loop() {
		d, err := p.open(b).Doctor(b.Context())
		if err != nil || len(d.Units) != 1 || d.Units[0].Tests != 1 {
			b.Fatalf("doctor: %+v, %v", d, err)
		}
		own, shadow = own+d.Timing.TotalMS-d.Timing.TestsMS, shadow+d.Timing.ShadowMS
	}
	b.ReportMetric(float64(own)/float64(b.N), "own-ms/op")
	b.ReportMetric(float64(shadow)/float64(b.N), "copy-ms/op")
}
