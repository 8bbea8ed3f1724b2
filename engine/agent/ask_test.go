package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	"golang.org/x/tools/txtar"
)

const oneRed = `-- project/calc.py --
a - b
-- rules --
test_add pass if calc.py has "a + b"
test_add fail
test_old pass
`

func redWorld(t *testing.T, propose_ func(context.Context, propose.View, []propose.Attempt) (propose.Proposal, error)) *world {
	t.Helper()
	w := newWorld(t, txtar.Parse([]byte(oneRed)), false)
	w.cfg.Proposer = propose.Func("plain function", propose_)
	return w
}

func replaceCalc(text string) textedit.Patch {
	return textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "calc.py", AnyBase: true, Content: []byte(text)}}}
}

// TestPlainFunctionFixes holds that a proposer needs nothing but a function, and
// what its view shows.
func TestPlainFunctionFixes(t *testing.T) {
	t.Parallel()
	w := redWorld(t, func(ctx context.Context, v propose.View, h []propose.Attempt) (propose.Proposal, error) {
		if len(v.Targets) != 1 || v.Targets[0].Native != "test_add" || v.Result.Count(testresult.Passed) != 1 || len(h) != 0 {
			t.Errorf("targets %v, %d passing, %d attempts", v.Targets, v.Result.Count(testresult.Passed), len(h))
		}
		f, err := v.Read("calc.py")
		if err != nil || string(f.Content) != "a - b\n" {
			t.Errorf("calc.py reads %q, %v", f.Content, err)
		}
		if v.Editable("calc.py") != nil || v.Editable("tests/test_calc.py") == nil || v.Recent(ctx, "calc.py") != nil {
			t.Error("the view shows another guard, or a history")
		}
		if _, err := v.Cell(ctx); err == nil {
			t.Error("there is a cell in a run without any")
		}
		v.Emit(event.Event{Kind: event.CandidatesTried, N: 3})
		return propose.Proposal{Patch: replaceCalc("a + b\n"), Why: "`-` should be `+`", Ranking: []propose.Suspect{{File: "calc.py", Line: 1, Score: 1}}}, nil
	})
	got := w.play()
	if got.result.Outcome != outcome.Fixed || got.result.Fix.Why != "`-` should be `+`" || len(got.result.Fix.Ranking) != 1 {
		t.Errorf("got %s, %+v", got.result.Outcome, got.result.Fix)
	}
	if !strings.Contains(got.trace(), "candidates") {
		t.Error("what the proposer emitted is not told")
	}
}

// TestEvaluate holds that a proposer's trials are run on the current state,
// guarded, charged, and no test runs of the loop's own.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	protected := textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "tests/test_x.py", AnyBase: true}}}
	misfit := textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpDelete, Path: "nowhere"}}}
	w := redWorld(t, func(ctx context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) {
		results, err := v.Evaluate(ctx, []textedit.Patch{replaceCalc("a * b"), replaceCalc("a + b"), protected, misfit}, propose.Suite)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []testresult.RunStatus{testresult.Fail, testresult.Pass, testresult.Unusable, testresult.Unusable} {
			if got := results[i].Status(); got != want {
				t.Errorf("patch %d is %s, want %s", i+1, got, want)
			}
		}
		results, err = v.Evaluate(ctx, []textedit.Patch{replaceCalc("a + b")}, propose.Targets)
		if err != nil || len(results[0].Tests()) != 1 {
			t.Errorf("the targets alone: %v, %v", results, err)
		}
		if f, err := v.Read("calc.py"); err != nil || string(f.Content) != "a - b\n" {
			t.Errorf("a trial changed the state: %q, %v", f.Content, err)
		}
		return propose.Proposal{}, propose.ErrNothingLeft
	})
	got := w.play()
	if got.result.TestRuns != 1 || got.result.Candidates != 5 || got.runs != 5 {
		t.Errorf("%d test runs, %d candidates, %d runs", got.result.TestRuns, got.result.Candidates, got.runs)
	}
}

func TestEvaluateEndsWithTheBudget(t *testing.T) {
	t.Parallel()
	w := redWorld(t, func(ctx context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) {
		for {
			if _, err := v.Evaluate(ctx, []textedit.Patch{replaceCalc("a * b")}, propose.Targets); err != nil {
				return propose.Proposal{}, err
			}
		}
	})
	limits := budget.Default()
	limits.Candidates = 3
	w.cfg.Meter = budget.NewMeter(limits, w.cfg.Now)
	if got := w.play(); got.result.Outcome != outcome.Budget || got.result.Candidates != 3 {
		t.Errorf("got %s (%s) after %d candidates", got.result.Outcome, got.result.Reason, got.result.Candidates)
	}
}

// TestForgottenCellsAreClosed holds for a proposer that returns, fails or
// panics.
func TestForgottenCellsAreClosed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func() error{
		"returns": func() error { return propose.ErrNothingLeft },
		"fails":   func() error { return errors.New("the provider is down") },
		"panics":  func() error { panic("out of ideas") },
	} {
		closed := map[int]int{}
		w := redWorld(t, func(ctx context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) {
			for i := range 3 {
				cell, err := v.Cell(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					if err := errors.Join(cell.Close(), cell.Close()); err != nil {
						t.Error(err)
					}
				}
			}
			return propose.Proposal{}, end()
		})
		opened := 0
		w.cfg.View = func(textedit.State) propose.View {
			return propose.View{Cell: func(context.Context) (*propose.Cell, error) {
				n := opened
				opened++
				return &propose.Cell{Close: func() error { closed[n]++; return nil }}, nil
			}}
		}
		got := w.play()
		if got.result.Outcome != outcome.GaveUp || got.err != nil {
			t.Errorf("%s: %s, %v", name, got.result.Outcome, got.err)
		}
		for n := range 3 {
			if closed[n] != 1 {
				t.Errorf("%s: cell %d was closed %d times", name, n, closed[n])
			}
		}
		if !strings.Contains(strings.Join(got.result.Warnings, "\n"), "2 cells") {
			t.Errorf("%s: warnings %q", name, got.result.Warnings)
		}
	}
}

// TestHistoryIsTheLoopsOwn holds that a proposer that writes into what it is
// given changes nothing.
func TestHistoryIsTheLoopsOwn(t *testing.T) {
	t.Parallel()
	w := redWorld(t, func(_ context.Context, v propose.View, h []propose.Attempt) (propose.Proposal, error) {
		for i := range h {
			h[i] = propose.Attempt{Verdict: outcome.Applied, Note: "forged"}
		}
		v.Targets[0] = testresult.ID{Native: "test_old"}
		return propose.Proposal{Patch: replaceCalc("a * b" + strings.Repeat(" ", len(h)))}, nil
	})
	got := w.play()
	if got.result.Outcome != outcome.NoProgress || got.result.Attempts[0].Note == "forged" || got.result.Targets[0].Native != "test_add" {
		t.Errorf("got %s, %+v, targets %v", got.result.Outcome, got.result.Attempts, got.result.Targets)
	}
}
