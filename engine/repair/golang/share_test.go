package golang

import (
	"testing"

	"autocoder/engine/repair"
)

// What is no part of a plain function is tried in the same program as the rest.
func TestShare(t *testing.T) {
	t.Parallel()
	p := lay(t, "share.txtar")
	for _, c := range []struct {
		target string
		trials []trial
	}{
		{"TestHigh", []trial{
			{"share.go", "8", "7", "failed"},
			{"share.go", "8", "9", "green"},
			{"share.go", "return -1", "return 9", "failed"},
			{"share.go", "return limits[name]", "return limits[name] + 1", "green"},
			{"share.go", "8", `"9"`, "rejected"},
		}},
		{"TestSafe", []trial{
			{"share.go", "r == nil", "r != nil", "green"},
			{"share.go", "*err = errLow", "*err = nil", "failed"},
		}},
	} {
		s := p.open(t, []string{"example.com/share." + c.target}, nil)
		var batch []repair.Candidate
		for i, x := range c.trials {
			batch = append(batch, p.change(t, i+1, x.path, x.old, x.new))
		}
		got := evaluate(t, s, batch...)
		for i, x := range c.trials {
			if v := got[i+1].Trial.String(); v != x.want {
				t.Errorf("%s: %q for %q is %s, want %s", c.target, x.new, x.old, v, x.want)
			}
		}
		// One to trace, one for all.
		if s.builds != 2 {
			t.Errorf("%s: %d builds", c.target, s.builds)
		}
	}
}
