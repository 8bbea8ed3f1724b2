package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/report"
	"autocoder/engine/testresult"
	"autocoder/engine/workspace"
)

func TestWithoutConsentNothingIsRun(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.settings.Sandbox = config.SandboxSupervised
	p.options.Proposer = propose.Func("never", func(context.Context, propose.View, []propose.Attempt) (propose.Proposal, error) {
		t.Error("the proposer was asked")
		return propose.Proposal{}, propose.ErrNothingLeft
	})
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.Unrunnable || !strings.HasPrefix(r.Reason, "sandbox_unavailable: ") || !strings.Contains(r.Next, ", or ") {
		t.Errorf("outcome %s, reason %q, next %q", r.Outcome, r.Reason, r.Next)
	}
	wholeReport(t, r)

	p.options.Consent, p.options.Proposer = true, nil
	if r = p.fix(t, engine.FixRequest{}); r.Outcome != outcome.Fixed || r.Sandbox != "supervised" {
		t.Errorf("with consent: outcome %s, sandbox %s, reason %s", r.Outcome, r.Sandbox, r.Reason)
	}
	wholeReport(t, r)
}

// wholeReport makes sure that readers of the JSON find lists where they expect
// them.
func wholeReport(t *testing.T, r report.Report) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"alternatives", "left_failing", "units", "attempts", "warnings", "settings", "ranking", "failing", "flaky", "unstable", "unusable"} {
		if strings.Contains(string(text), `"`+name+`":null`) {
			t.Errorf("%s is null in %s", name, text)
		}
	}
	if r.Schema == "" || r.Run == "" || r.Root == "" || r.Verification.Fresh == "" {
		t.Errorf("the report is not whole: %s", text)
	}
}

// TestCancelled stops runs at many moments; what has to hold is in tryFix.
func TestCancelled(t *testing.T) {
	t.Parallel()
	moments := map[string]func(event.Event) bool{
		"reading":   func(e event.Event) bool { return e.Text == "reading the project" },
		"copied":    func(e event.Event) bool { return e.Kind == event.RunStarted },
		"baseline":  func(e event.Event) bool { return e.Text == "running the tests" },
		"tested":    func(e event.Event) bool { return e.Kind == event.TestsFinished },
		"asking":    func(e event.Event) bool { return e.Text == "looking for a fix" },
		"proposed":  func(e event.Event) bool { return e.Kind == event.Proposed },
		"verifying": func(e event.Event) bool { return e.Text == "verifying" },
	}
	for name, moment := range moments {
		for _, inPlace := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " in place"}[inPlace], func(t *testing.T) {
				t.Parallel()
				p := redSums(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p.options.Sink = func(e event.Event) {
					if moment(e) {
						cancel()
					}
				}
				r, err := p.tryFix(t, ctx, engine.FixRequest{InPlace: inPlace})
				if err != nil || r.Outcome != outcome.Cancelled || r.Applied {
					t.Errorf("outcome %s, applied %t, error %v", r.Outcome, r.Applied, err)
				}
				wholeReport(t, r)
			})
		}
	}
}

// TestCancelledWhileATestRuns stops a run whose test has started a daemon and
// would run for ever.
func TestCancelledWhileATestRuns(t *testing.T) {
	t.Parallel()
	p := newProject(t, `
-- test_slow.py --
import pathlib, subprocess, time, os

def test_slow():
    subprocess.Popen(["setsid", "sleep", "1000"], start_new_session=True)
    pathlib.Path(os.environ["HOME"], "begun").touch()
    time.sleep(1000)
`)
	p.need(t, "pytest", "setsid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		look := time.NewTicker(10 * time.Millisecond) // the test has no other way to tell us
		defer look.Stop()
		for ctx.Err() == nil {
			<-look.C
			if begun, _ := filepath.Glob(filepath.Join(p.cache, "shadows", "shadow-*", "scratch", "*", "home", "begun")); len(begun) > 0 {
				if len(working(filepath.Dir(p.root))) == 0 {
					t.Error("the daemon can't be seen: that it is gone would say nothing")
				}
				cancel()
			}
		}
	}()
	r, err := p.tryFix(t, ctx, engine.FixRequest{})
	<-done
	if err != nil || r.Outcome != outcome.Cancelled {
		t.Errorf("outcome %s, %v: %s", r.Outcome, err, r.Reason)
	}
}

func TestErrorsOfRequests(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.write(t, "bad.json", "[{]")
	usage := func(err error) bool { return errors.As(err, new(*engine.UsageError)) }
	for name, c := range map[string]struct {
		change func()
		req    engine.FixRequest
		is     func(error) bool
		text   string
	}{
		"unknown id":       {nil, engine.FixRequest{Only: []string{"test_calc.py::test_ad"}}, usage, `did you mean "test_calc.py::test_add"?`},
		"unknown unit":     {nil, engine.FixRequest{Unit: "web"}, usage, `no unit is called "web"`},
		"unknown choice":   {nil, engine.FixRequest{Choose: "x.1"}, usage, `no alternative is called "x.1"`},
		"unknown runner":   {func() { p.settings.Runner = "jest" }, engine.FixRequest{}, usage, `no runner is called "jest"`},
		"unknown proposer": {func() { p.settings.Proposer = "wizard" }, engine.FixRequest{}, usage, `no proposer is called "wizard"`},
		"no model":         {func() { p.settings.Proposer = "model" }, engine.FixRequest{}, usage, "no model is named"},
		"no script":        {func() { p.settings.Proposer = "script:/not/there" }, engine.FixRequest{}, usage, "/not/there"},
		"bad script":       {func() { p.settings.Proposer = "script:" + p.path("bad.json") }, engine.FixRequest{}, usage, "not valid JSON"},
		"bad command":      {func() { p.settings.TestCommand = "pytest '" }, engine.FixRequest{}, usage, "test_command"},
		"bad report":       {func() { p.settings.TestCommand, p.settings.Report = "make test", "xml" }, engine.FixRequest{}, usage, "junit:GLOB"},
		"bad pattern": {func() { p.settings.Protect = []string{"[a"} }, engine.FixRequest{}, func(err error) bool {
			return errors.As(err, new(*workspace.PatternError))
		}, `"[a"`},
	} {
		t.Run(name, func(t *testing.T) {
			mine := p.settings
			defer func() { p.settings = mine }()
			if c.change != nil {
				c.change()
			}
			r, err := p.tryFix(t, t.Context(), c.req)
			if !c.is(err) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want one with %q", err, c.text)
			}
			if r.Outcome != outcome.Invalid {
				t.Errorf("outcome %s", r.Outcome)
			}
		})
	}
	runs, err := filepath.Glob(filepath.Join(p.state, "runs", "*", "trajectory.jsonl"))
	if err != nil || len(runs) > 0 {
		t.Errorf("requests that were refused are recorded as runs: %q, %v", runs, err)
	}
}

func TestErrorsOfFolders(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	for name, root := range map[string]string{
		"missing": p.path("not-there"), "file": p.path("calc.py"), "root": "/", "home": p.root,
	} {
		p.options.Home = p.root
		_, err := engine.Open(t.Context(), root, p.settings, p.options)
		if refused := (*workspace.RootError)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestLocked runs a second fix while the first one is asking its proposer.
func TestLocked(t *testing.T) {
	t.Parallel()
	p, other := redSums(t), redSums(t)
	other.options.StateDir = p.state
	w := p.open(t)
	p.options.Proposer = meanwhile(func() {
		_, err := w.Fix(t.Context(), engine.FixRequest{})
		var locked *engine.Locked
		if !errors.As(err, &locked) || locked.Root != p.root || !strings.Contains(locked.Owner, "process") {
			t.Errorf("a second run on the folder: %v", err)
		}
		if r := other.fix(t, engine.FixRequest{}); r.Outcome != outcome.Fixed {
			t.Errorf("a run on another folder: outcome %s, %s", r.Outcome, r.Reason)
		}
	})
	if r := p.fix(t, engine.FixRequest{}); r.Outcome != outcome.Fixed {
		t.Errorf("outcome %s, %s", r.Outcome, r.Reason)
	}
	if r, err := w.Fix(t.Context(), engine.FixRequest{}); err != nil || r.Outcome != outcome.Fixed {
		t.Errorf("after the first run ended: outcome %s, %v", r.Outcome, err)
	}
}

// TestPlainFunctions drives the loop by a program's own proposer and runner,
// without any process.
func TestPlainFunctions(t *testing.T) {
	t.Parallel()
	p := newProject(t, "-- answer.txt --\n41\n")
	p.options.Runners = []engine.Runner{{Name: "answer", Run: func(_ context.Context, dir string, ids []string) (testresult.UnitRun, error) {
		text, err := os.ReadFile(filepath.Join(dir, "answer.txt"))
		if err != nil {
			return testresult.UnitRun{}, err
		}
		test := testresult.Test{ID: testresult.ID{Native: "is 42"}, Status: testresult.Passed}
		if strings.TrimSpace(string(text)) != "42" {
			test.Status, test.Failure = testresult.Failed, &testresult.Failure{Kind: "wrong", Message: string(text)}
		}
		return testresult.UnitRun{Tests: []testresult.Test{test}}, nil
	}}}
	p.options.Proposer = propose.Func("count", func(_ context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) {
		if len(v.Targets) != 1 || v.Targets[0].Native != "is 42" {
			t.Errorf("targets %v", v.Targets)
		}
		patch := sumsPatch("42\n")
		patch.Ops[0].Path = "answer.txt"
		return propose.Proposal{Patch: patch}, nil
	})
	r := p.fix(t, engine.FixRequest{Apply: true})
	if r.Outcome != outcome.Fixed || r.Proposer != "count" || p.read(t, "answer.txt") != "42\n" {
		t.Errorf("outcome %s, reason %s", r.Outcome, r.Reason)
	}
	if len(r.Units) != 1 || r.Units[0].Runner != "answer" {
		t.Errorf("units %+v", r.Units)
	}
	wholeReport(t, r)
}
