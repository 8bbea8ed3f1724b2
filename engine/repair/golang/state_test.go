package golang

import (
	"testing"

	"autocoder/engine/repair"
)

// What a candidate leaves in variables does not reach the next.
func TestState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target string
		trials []trial
	}{
		{"example.com/state/kept.TestDouble", []trial{
			{"kept/kept.go", "n * 3", "n * 4", "failed"},
			{"kept/kept.go", "n * 3", "n * 2", "green"},
		}},
		{"example.com/state/lasting.ExampleName", []trial{
			{"lasting/lasting.go", `"no"`, `"yes "`, "failed"},
			{"lasting/lasting.go", `"no"`, `"no "`, "green"},
		}},
	} {
		p := lay(t, "state.txtar")
		check(t, p, []string{c.target}, nil, c.trials)

		// Without the care for state the second candidate sees what the first left.
		s := p.open(t, []string{c.target}, nil)
		if err := s.measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.state.lasting {
			t.Errorf("%s: each candidate gets a process", c.target)
		}
		s.state = state{}
		var batch []repair.Candidate
		for i, x := range c.trials {
			batch = append(batch, p.change(t, i+1, x.path, x.old, x.new))
		}
		if got := evaluate(t, s, batch...)[2].Trial; got != repair.Failed {
			t.Errorf("%s: without care the second candidate is %v", c.target, got)
		}
	}
}
