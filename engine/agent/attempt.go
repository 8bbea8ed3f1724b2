package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

// stallKind says why an attempt brought no progress.
type stallKind uint8

const (
	progress stallKind = iota
	stallRefused
	stallNotApplicable
	stallRolledBack
	stallUnchanged
	stallRegression
	stallVictory
)

// step is what one attempt came to.
type step struct {
	verdict outcome.Verdict
	note    string
	result  *testresult.Result
	stall   stallKind
	// current is the state for the next proposal, best a new best when there is one,
	// end the end of the run when it ends.
	current textedit.State
	best    *checkpoint
	end     *ending
}

// attempt guards, applies and tries a proposal. With an error, which ends the
// run, the step is still one to record.
func (l *loop) attempt(ctx context.Context, p propose.Proposal) (step, error) {
	l.emit(event.Event{Kind: event.Proposed, N: len(l.history) + 1, Files: p.Patch.Paths(), Text: p.Title, Blob: encode(p.Patch)})
	next, note, verdict := l.admit(p.Patch)
	if verdict != outcome.Applied {
		kind := stallNotApplicable
		if verdict == outcome.Refused {
			kind = stallRefused
		}
		return step{verdict: verdict, note: note, stall: kind, current: l.current}, nil
	}
	l.seen[next.Hash()] = true
	return l.try(ctx, p, next)
}

// admit guards a patch on the current state and applies it.
func (l *loop) admit(p textedit.Patch) (textedit.State, string, outcome.Verdict) {
	none := textedit.State{}
	if len(p.Ops) == 0 {
		return none, "the proposal is empty", outcome.NotApplicable
	}
	if l.cfg.Guard != nil {
		if err := l.cfg.Guard(l.current, p); err != nil {
			return none, err.Error(), outcome.Refused
		}
	}
	next, err := l.current.Apply(l.cfg.Base, p)
	switch {
	case err != nil:
		return none, misfit(err), outcome.NotApplicable
	case next.Hash() == l.current.Hash():
		return none, "it changes nothing", outcome.NotApplicable
	case l.seen[next.Hash()]:
		return none, "it leads to files that were tested already", outcome.NotApplicable
	}
	return next, "", outcome.Applied
}

// misfit is why a patch does not apply, without the words that the verdict says.
func misfit(err error) string {
	return strings.ReplaceAll(err.Error(), textedit.ErrNotApplicable.Error()+": ", "")
}

// try runs the targets on the new state, and the whole suite when fewer of them
// fail than with the best.
func (l *loop) try(ctx context.Context, p propose.Proposal, next textedit.State) (step, error) {
	result, err := l.test(ctx, Request{State: next, IDs: l.targets, Phase: Trying, counts: true})
	if errors.Is(err, textedit.ErrNotApplicable) {
		return step{verdict: outcome.NotApplicable, note: misfit(err), stall: stallNotApplicable, current: l.current}, nil
	}
	if err != nil {
		return l.dropped(ctx, nil, err)
	}
	if s := l.judgeTargets(p, next, result); s != nil {
		return *s, nil
	}
	targets := result
	result, err = l.test(ctx, Request{State: next, Phase: Trying})
	if err != nil {
		return l.dropped(ctx, &targets, err)
	}
	l.runWhole(targets, result)
	if s := l.judgeTargets(p, next, result); s != nil {
		return *s, nil
	}
	worse, err := l.worse(ctx, checkpoint{next, result})
	if err != nil {
		return l.dropped(ctx, &result, err)
	}
	switch left := result.NotPassing(l.targets); {
	case len(worse) > 0 && l.cfg.Settings.RevertOnRegression:
		return l.rolledBack(&result, stallRolledBack, "it breaks "+l.list(worse)), nil
	case len(worse) > 0:
		return step{
			verdict: outcome.Applied, note: "kept although it breaks " + l.list(worse), result: &result,
			stall: stallRegression, current: next,
		}, nil
	case len(left) > 0:
		note := fmt.Sprintf("%d of %d targets pass", len(l.targets)-len(left), len(l.targets))
		return step{verdict: outcome.Applied, note: note, result: &result, current: next, best: &checkpoint{next, result}}, nil
	}
	return l.victory(ctx, p, checkpoint{next, result})
}

// judgeTargets settles an attempt by the targets alone; nil means that fewer of
// them fail than with the best.
func (l *loop) judgeTargets(p propose.Proposal, next textedit.State, result testresult.Result) *step {
	if grown := testresult.GrownParts(l.best.result, result); len(grown) > 0 {
		s := l.rolledBack(&result, stallRolledBack, "the tests can no longer be run: "+describePart(grown[0])+andMore(len(grown)-1))
		return &s
	}
	if len(result.Units) == 0 {
		s := l.rolledBack(&result, stallRolledBack, "the tests can no longer be run")
		return &s
	}
	was, failing := l.best.result.NotPassing(l.targets), result.NotPassing(l.targets)
	switch {
	case testresult.SameSet(failing, was):
		return &step{verdict: outcome.Applied, note: l.unchangedNote(p, result), result: &result, stall: stallUnchanged, current: next}
	case testresult.StrictSubset(failing, was):
		return nil
	default:
		again := testresult.Without(failing, testresult.Set(was))
		s := l.rolledBack(&result, stallRolledBack, "it breaks "+l.list(again))
		return &s
	}
}

// unchangedNote says of an edit that repaired nothing that it made a target skip
// or vanish, if it did; else it is the proposer's own word.
func (l *loop) unchangedNote(p propose.Proposal, result testresult.Result) string {
	for _, id := range l.targets {
		now := result.Lookup(id).Status
		if now == l.best.result.Lookup(id).Status {
			continue
		}
		switch now {
		case testresult.Skipped, testresult.XFailed:
			return "skipped: " + l.name(id) + " is not passed by being skipped"
		case testresult.Missing:
			return "lost: " + l.name(id) + " is not passed by being gone"
		case testresult.Passed, testresult.Failed, testresult.Hung, testresult.Blocked:
		default:
		}
	}
	if p.Why != "" {
		return p.Why
	}
	return "the same tests fail"
}

// runWhole learns from a target that passed alone and fails in the suite: its
// unit is always run whole from now on.
func (l *loop) runWhole(alone, suite testresult.Result) {
	for _, id := range suite.NotPassing(l.targets) {
		if alone.Lookup(id).Status == testresult.Passed {
			l.whole[id.Unit] = true
		}
	}
}

// worse returns the ids that are worse in a run of the suite than in best, and
// were so again. It files what turns out flaky or unstable.
func (l *loop) worse(ctx context.Context, next checkpoint) ([]testresult.ID, error) {
	suspects := testresult.Without(testresult.Worse(l.best.result, next.result), l.ignored())
	suspects = testresult.Without(suspects, testresult.Set(l.targets))
	found, err := verify.Confirm(ctx, verify.Doubt{
		Best: l.best.result, Next: next.result, Suspects: suspects,
		Here:  l.at(next.state, Confirming, false),
		There: l.at(l.best.state, Confirming, false),
	})
	if err != nil {
		return nil, err
	}
	l.file(found.Flaky, found.Unstable)
	return found.Worse, nil
}

// file keeps ids that turned out flaky or unstable out of every later judgement.
// A target never turns flaky.
func (l *loop) file(flaky, unstable []testresult.ID) {
	targets := testresult.Set(l.targets)
	for _, id := range testresult.Without(flaky, targets) {
		l.flaky[id] = true
	}
	for _, id := range testresult.Without(unstable, targets) {
		l.unstable[id] = true
	}
}

// rolledBack goes back to the best state.
func (l *loop) rolledBack(result *testresult.Result, kind stallKind, note string) step {
	return step{verdict: outcome.RolledBack, note: note, result: result, stall: kind, current: l.best.state}
}

// dropped is the step of an attempt that the end of the run cut short.
func (l *loop) dropped(ctx context.Context, result *testresult.Result, err error) (step, error) {
	note := "the run ended before it was judged"
	if errors.Is(ctx.Err(), context.Canceled) {
		note = "cancelled before it was judged"
	}
	return l.rolledBack(result, stallRolledBack, note), err
}
