package golang

import (
	"strconv"
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

// A test that goes over a map comes as far as it happens to: nothing was left behind
// by that, and the candidates go on sharing a process.
func TestOrder(t *testing.T) {
	t.Parallel()
	p := lay(t, "order.txtar")
	var batch []repair.Candidate
	for i := range 30 {
		batch = append(batch, p.change(t, i+1, "order.go", "40", strconv.Itoa(i)))
	}
	batch = append(batch, p.change(t, 31, "order.go", "40", "41"))
	// A machine that halts for a second makes a trial look like another: then once more.
	for range 4 {
		s := p.open(t, []string{"example.com/order.TestSmall"}, nil)
		got := evaluate(t, s, batch...)
		if got[31].Trial != repair.Green || got[1].Trial != repair.Failed {
			t.Fatalf("the first is %v, the last %v", got[1].Trial, got[31].Trial)
		}
		if s.state.random && !s.state.lasting {
			return
		}
	}
	t.Error("a test that goes over a map is taken for one that leaves something behind")
}

// What passes by the order in which a map is gone over, most of the time, is no
// repair.
func TestLuck(t *testing.T) {
	t.Parallel()
	p := lay(t, "luck.txtar")
	target := []string{"example.com/luck.TestFirst"}
	check(t, p, target, nil, []trial{
		{"luck.go", `best == ""`, `best != ""`, "failed"},
		{"luck.go", "n > best", "n < best", "green"},
	})

	// When it is taken that the package does the same each time, luck does.
	s := p.open(t, target, nil)
	lucky := p.change(t, 1, "luck.go", `best == ""`, `best != ""`)
	for range 20 {
		s.see(lucky).file.pkg.unordered = false
		if evaluate(t, s, lucky)[1].Trial == repair.Green {
			return
		}
	}
	t.Error("the lucky candidate never passed, so that it shows nothing")
}
