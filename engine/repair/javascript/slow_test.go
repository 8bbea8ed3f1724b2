package javascript

import (
	"testing"

	"autocoder/engine/repair"
)

// TestSlow: a green candidate that makes the passing tests take ten times as long says
// so, and one that does not, does not.
func TestSlow(t *testing.T) {
	t.Parallel()
	p := layout(t, "testdata/trials/plain.txtar")
	s := p.open(t, 1)
	quick := p.change(t, 0, "src/fee.js", "return hours * 2", "return hours * 3")
	slow := p.change(t, 1, "src/fee.js", "xs.map((x) => x * 2)", "xs.map((x) => { for (let i = 0; i < 4000; i++); return x * 2; })")
	slow.Edits = append(quick.Edits, slow.Edits...)
	got := evaluate(t, s, []repair.Candidate{quick, slow})
	if v := got[0]; v.Trial != repair.Green || v.Slow {
		t.Errorf("the quick one: %+v", v)
	}
	if v := got[1]; v.Trial != repair.Green || !v.Slow {
		t.Errorf("the slow one: %+v", v)
	}
}
