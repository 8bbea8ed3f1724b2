package agent

import (
	"context"
	"testing"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"

	"golang.org/x/tools/txtar"
)

// recorder keeps the requests of a run.
type recorder struct {
	inner    Suite
	requests []Request
}

func (r *recorder) Run(ctx context.Context, req Request) (testresult.Result, error) {
	r.requests = append(r.requests, req)
	return r.inner.Run(ctx, req)
}

// record plays a scenario and returns what was asked of its suite.
func record(t *testing.T, text string) (Result, []Request) {
	t.Helper()
	w := newWorld(t, txtar.Parse([]byte(text)), false)
	r := &recorder{inner: w}
	w.cfg.Suite = r
	result, err := Run(t.Context(), w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return result, r.requests
}

func TestHangsLowerTheLimit(t *testing.T) {
	t.Parallel()
	_, requests := record(t, "-- project/a --\n-- rules --\ntest_hang hang\ntest_ok pass\n-- proposals --\n[{\"write\":{\"a\":\"x\"}}]\n")
	if len(requests) < 3 {
		t.Fatalf("%d runs", len(requests))
	}
	if got := requests[0].TestLimit; got != 10*time.Second {
		t.Errorf("the first run has the limit %v", got)
	}
	if len(requests[1].Skip) != 1 || requests[1].Skip[0].Native != "test_hang" {
		t.Errorf("the repeat of the baseline leaves out %v", requests[1].Skip)
	}
	for _, r := range requests[1:] {
		if r.FullLimit != 10*time.Second {
			t.Errorf("a later run (%s) has the full limit %v", r.Phase, r.FullLimit)
		}
		if r.TestLimit != 500*time.Millisecond {
			t.Errorf("a later run (%s) has the limit %v", r.Phase, r.TestLimit)
		}
	}
}

func TestTheLimitIsATenthOfTheTime(t *testing.T) {
	t.Parallel()
	_, requests := record(t, "-- run --\ntime 20s\n-- project/a --\n-- rules --\ntest_a fail\ntest_b pass\n-- proposals --\n[]\n")
	if got := requests[0].TestLimit; got != 2*time.Second {
		t.Errorf("the limit is %v", got)
	}
}

func TestVerificationIsFresh(t *testing.T) {
	t.Parallel()
	result, requests := record(t, "-- project/a --\n-- rules --\ntest_a pass if a has \"x\"\ntest_a fail\n-- proposals --\n[{\"write\":{\"a\":\"x\"}}]\n")
	if result.Outcome != outcome.Fixed {
		t.Fatalf("got %s", result.Outcome)
	}
	for i, r := range requests {
		last := i == len(requests)-1
		if r.Fresh != last || (r.Phase == Verifying) != last {
			t.Errorf("run %d of %d: fresh %v, %s", i+1, len(requests), r.Fresh, r.Phase)
		}
	}
	if last := requests[len(requests)-1]; last.IDs != nil || last.State.Hash() != result.Fix.State.Hash() {
		t.Errorf("verified %v of %v", last.IDs, last.State.Paths())
	}
}

func TestWantedPartsAreRunWithTheirUnit(t *testing.T) {
	t.Parallel()
	_, requests := record(t, `-- run --
want new_test.py new_test.py::test_n
-- project/a --
-- rules --
part:new_test.py ok if a has "x"
part:new_test.py build_error
new_test.py::test_n pass
old_test.py::test_o pass
-- proposals --
[{"write":{"a":"y"}}]
`)
	last := requests[len(requests)-1]
	if len(last.Whole) != 1 || len(last.IDs) != 1 || last.IDs[0].Native != "new_test.py::test_n" {
		t.Errorf("ran %v, whole %q", last.IDs, last.Whole)
	}
}

// TestTimeEndsARun holds that a run which takes longer than what is left is cut
// off and ends as budget, and is no failure of the tests.
func TestTimeEndsARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, txtar.Parse([]byte("-- project/a --\n-- rules --\ntest_a fail\ntest_b pass\n-- proposals --\n[{\"write\":{\"a\":\"x\"}}]\n")), false)
	limits := budget.Default()
	limits.Time = 500 * time.Millisecond
	w.cfg.Meter = budget.NewMeter(limits, time.Now)
	w.cfg.Suite = endless{w.suite}
	got, err := Run(t.Context(), w.cfg)
	if err != nil || got.Outcome != outcome.Budget || len(got.Attempts) != 1 || got.Attempts[0].Verdict != outcome.RolledBack {
		t.Errorf("got %s (%s), %d attempts, %v", got.Outcome, got.Reason, len(got.Attempts), err)
	}
	w.cfg.Meter = budget.NewMeter(limits, time.Now)
	w.cfg.Suite = w.suite
	w.cfg.Proposer = propose.Func("slow", func(ctx context.Context, _ propose.View, _ []propose.Attempt) (propose.Proposal, error) {
		<-ctx.Done()
		return propose.Proposal{}, ctx.Err()
	})
	if got, err = Run(t.Context(), w.cfg); err != nil || got.Outcome != outcome.Budget {
		t.Errorf("a slow proposer: got %s (%s), %v", got.Outcome, got.Reason, err)
	}
}

// endless runs attempts until its context ends.
type endless struct{ Suite }

func (e endless) Run(ctx context.Context, r Request) (testresult.Result, error) {
	if r.Phase == Trying {
		<-ctx.Done()
		return testresult.Result{}, ctx.Err()
	}
	return e.Suite.Run(ctx, r)
}

// TestBaselineThatDoesNotEnd holds that such a suite is unrunnable.
func TestBaselineThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, txtar.Parse([]byte("-- project/a --\n-- rules --\n-- proposals --\n[]\n")), false)
	limits := budget.Default()
	limits.Time = 50 * time.Millisecond
	w.cfg.Meter = budget.NewMeter(limits, time.Now)
	w.cfg.Suite = suiteFunc(func(ctx context.Context, _ Request) (testresult.Result, error) {
		<-ctx.Done()
		return testresult.Result{}, ctx.Err()
	})
	got, err := Run(t.Context(), w.cfg)
	if err != nil || got.Outcome != outcome.Unrunnable {
		t.Errorf("got %s (%s), %v", got.Outcome, got.Reason, err)
	}
}

type suiteFunc func(context.Context, Request) (testresult.Result, error)

func (f suiteFunc) Run(ctx context.Context, r Request) (testresult.Result, error) { return f(ctx, r) }

func TestUnits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, txtar.Parse([]byte("-- project/a --\n-- rules --\n-- proposals --\n[{\"write\":{\"a\":\"x\"}}]\n")), false)
	w.cfg.Only = []string{"api::t"}
	w.cfg.Suite = suiteFunc(func(ctx context.Context, r Request) (testresult.Result, error) {
		status := testresult.Failed
		if _, edited := r.State.Lookup("a"); edited {
			status = testresult.Passed
		}
		var units []testresult.UnitRun
		for _, unit := range []string{"api", "web"} {
			units = append(units, testresult.UnitRun{Unit: unit, Tests: []testresult.Test{{ID: testresult.ID{Unit: unit, Native: "t"}, Status: status}}})
			if unit == "api" {
				status = testresult.Failed
			}
		}
		return testresult.Result{Units: units}, nil
	})
	got, err := Run(t.Context(), w.cfg)
	if err != nil || got.Outcome != outcome.Fixed {
		t.Fatalf("got %s (%s), %v", got.Outcome, got.Reason, err)
	}
	r := got.Report()
	if len(r.LeftFailing) != 1 || r.LeftFailing[0] != "web::t" || r.Attempts[0].Signature != "web::t" {
		t.Errorf("left failing %q, signature %q", r.LeftFailing, r.Attempts[0].Signature)
	}
}

// TestWarm holds the time that is kept for the verification to that of a run with
// all built, also when each test took less than its runner's clock can tell.
func TestWarm(t *testing.T) {
	t.Parallel()
	run := func(wall time.Duration, tests ...time.Duration) testresult.Result {
		u := testresult.UnitRun{}
		for _, d := range tests {
			u.Tests = append(u.Tests, testresult.Test{Status: testresult.Passed, Duration: d})
		}
		return testresult.Result{Units: []testresult.UnitRun{u}, Duration: wall}
	}
	const s = time.Second
	for _, c := range []struct {
		about         string
		first, second testresult.Result
		want          time.Duration
	}{
		{"a cold build", run(60*s, 0, 0), run(s, 0, 0), s},
		{"a part is repeated", run(60*s, 10*s, 20*s), run(11*s, 10*s), 31 * s},
		{"side by side", run(10*s, 9*s, 9*s), run(10*s, 9*s, 9*s), 10 * s},
		{"nothing to repeat", run(60*s, s), testresult.Result{}, 60 * s},
		{"a slower second run", run(2*s, s), run(9*s, s), 2 * s},
	} {
		if got := warm(c.first, c.second); got != c.want {
			t.Errorf("%s: %v, want %v", c.about, got, c.want)
		}
	}
}
