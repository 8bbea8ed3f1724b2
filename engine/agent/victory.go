package agent

import (
	"cmp"
	"context"
	"fmt"

	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

// mostAlternatives is how many different patches are looked at, the proposed one
// included.
const mostAlternatives = 5

// green is a state with which every target passes and nothing is worse.
type green struct {
	checkpoint
	alternative propose.Alternative
}

// victory decides about an attempt that made every target pass: it is verified,
// or listed when several different patches would do.
func (l *loop) victory(ctx context.Context, p propose.Proposal, won checkpoint) (step, error) {
	greens := []green{{won, propose.Alternative{Patch: p.Patch, Why: p.Why, Input: p.Input, Output: p.Output}}}
	others, err := l.survivors(ctx, p)
	if err != nil {
		return l.dropped(ctx, &won.result, err)
	}
	greens = append(greens, others...)
	if len(greens) > 1 || p.Unsure {
		if err := l.listAlternatives(greens, p); err != nil {
			return l.dropped(ctx, &won.result, err)
		}
		if l.cfg.Settings.Ambiguous == config.AmbiguousAsk {
			return l.ambiguous(&won.result), nil
		}
		l.warn(l.alternativesReason() + ": the first that the verification accepts is taken")
	}
	return l.verifyFirst(ctx, p, greens)
}

// verifyFirst verifies the greens in order until one is not refused.
func (l *loop) verifyFirst(ctx context.Context, p propose.Proposal, greens []green) (step, error) {
	var s step
	for _, g := range greens {
		v := l.verify(ctx, g.state, l.targets)
		if ctx.Err() != nil {
			l.unverified = g.state
			return l.dropped(ctx, &g.result, ctx.Err())
		}
		var err error
		if s, err = l.settle(v, p, g); err != nil {
			return l.dropped(ctx, &g.result, err)
		}
		if v.Verdict != verify.Refused {
			return s, nil
		}
	}
	l.alternatives = nil
	return s, nil
}

// settle turns the verdict of a verification into the step of the attempt.
func (l *loop) settle(v verify.Verification, p propose.Proposal, g green) (step, error) {
	switch v.Verdict {
	case verify.Refused:
		l.warn(fmt.Sprintf("attempt %d was refused by the verification (%s): %s", len(l.history)+1, v.By, v.Detail))
		return l.rolledBack(&g.result, stallVictory, "the verification refused it: "+inWords(v.By)), nil
	case verify.Incomplete:
		l.unverified = g.state
		return l.unverifiedStep(&g.result, "unverified: the "+inWords(v.By)+" could not be completed: "+v.Detail, ""), nil
	case verify.Unplaceable:
		if !l.cfg.Settings.AllowUnverified {
			l.unverified = g.state
			return l.unverifiedStep(&g.result, "unverifiable: the "+inWords(v.By)+" could not be put in place: "+v.Detail,
				"run it with --allow-unverified to accept it all the same"), nil
		}
		l.warn("accepted without the " + inWords(v.By) + ", which could not be put in place: " + v.Detail)
		return l.fixed(v, p, g)
	case verify.Confirmed:
		return l.fixed(v, p, g)
	case verify.Invalid:
		return step{}, fmt.Errorf("verify the patch: there was no verdict")
	default:
		return step{}, fmt.Errorf("verify the patch: unknown verdict %v", v.Verdict)
	}
}

// inWords is what people call a check of the verification.
func inWords(check string) string {
	if check == verify.ForcedCheck {
		return "forced run"
	}
	return check
}

func (l *loop) fixed(v verify.Verification, p propose.Proposal, g green) (step, error) {
	change, err := l.change(v.State, g.alternative.Why)
	if err != nil {
		return step{}, err
	}
	change.Ranking = p.Ranking
	l.fix = change
	reason, next := l.fixedReason(v.Result)
	note := cmp.Or(g.alternative.Why, p.Title, "every target passes")
	return step{
		verdict: outcome.Applied, note: note, result: &g.result, current: v.State,
		best: &checkpoint{v.State, v.Result}, end: &ending{outcome.Fixed, reason, next},
	}, nil
}

// unverifiedStep ends the run with a patch that is kept and not offered.
func (l *loop) unverifiedStep(result *testresult.Result, reason, next string) step {
	s := l.rolledBack(result, stallVictory, reason)
	s.end = &ending{outcome.GaveUp, reason, next}
	return s
}

// verify runs a verification with the time that was kept for it.
func (l *loop) verify(ctx context.Context, state textedit.State, targets []testresult.ID) verify.Verification {
	l.emit(event.Event{Kind: event.PhaseChanged, Text: "verifying"})
	l.cfg.Meter.Keep(0)
	defer l.cfg.Meter.Keep(l.reserve)
	v := verify.Run(ctx, verify.Config{
		State: state, Protected: l.cfg.Protected,
		Run: func(ctx context.Context, state textedit.State, ids []testresult.ID) (testresult.Result, error) {
			return l.at(state, Verifying, true)(ctx, ids)
		},
		Baseline: l.baseline, Targets: targets, Ignore: l.ignored(), Layers: l.layers(),
	})
	l.verification = v
	l.file(v.Flaky, v.Unstable)
	l.emit(event.Event{Kind: event.Verified, Text: v.Verdict.String(), Detail: v.Detail})
	return v
}

// survivors are the alternatives that hold on the whole suite as the proposed
// patch does.
func (l *loop) survivors(ctx context.Context, p propose.Proposal) ([]green, error) {
	var greens []green
	for _, a := range p.Alternatives[:min(len(p.Alternatives), mostAlternatives-1)] {
		next, _, verdict := l.admit(a.Patch)
		if verdict != outcome.Applied {
			continue
		}
		l.seen[next.Hash()] = true
		result, err := l.test(ctx, Request{State: next, Phase: Comparing})
		if err != nil {
			return nil, err
		}
		if len(testresult.GrownParts(l.best.result, result)) > 0 || len(result.NotPassing(l.targets)) > 0 {
			continue
		}
		worse, err := l.worse(ctx, checkpoint{next, result})
		if err != nil {
			return nil, err
		}
		if len(worse) == 0 {
			greens = append(greens, green{checkpoint{next, result}, a})
		}
	}
	return greens, nil
}

func (l *loop) listAlternatives(greens []green, p propose.Proposal) error {
	l.alternatives = nil
	for i, g := range greens {
		change, err := l.change(g.state, g.alternative.Why)
		if err != nil {
			return err
		}
		change.Ranking = p.Ranking
		l.alternatives = append(l.alternatives, Alternative{
			ID: fmt.Sprintf("%s.%d", l.cfg.ID, i+1), Change: change,
			Input: g.alternative.Input, Output: g.alternative.Output,
		})
	}
	return nil
}

// ambiguous ends the run: the user is asked.
func (l *loop) ambiguous(result *testresult.Result) step {
	s := l.rolledBack(result, stallVictory, l.alternativesReason())
	s.end = &ending{
		outcome.GaveUp, l.alternativesReason(),
		fmt.Sprintf("look at them and take one with --choose %s, or let the first be taken with --ambiguous best", l.alternatives[0].ID),
	}
	return s
}

func (l *loop) alternativesReason() string {
	if len(l.alternatives) == 1 {
		return "a patch makes the tests pass, but its proposer doubts that it is right"
	}
	return fmt.Sprintf("%d different patches make the tests pass", len(l.alternatives))
}

// change is a state as it is offered.
func (l *loop) change(state textedit.State, why string) (Change, error) {
	diff, err := textedit.Diff(l.cfg.Base, state)
	if err != nil {
		return Change{}, fmt.Errorf("show the patch: %w", err)
	}
	return Change{State: state, Diff: diff, Why: why}, nil
}

// keepPartial verifies the best patch of a run that did not repair everything,
// with what it repairs in the place of the targets. It never changes the outcome.
func (l *loop) keepPartial(ctx context.Context) {
	left := l.best.result.NotPassing(l.targets)
	repaired := testresult.Without(l.targets, testresult.Set(left))
	if l.best.state.Empty() || len(repaired) == 0 || ctx.Err() != nil {
		return
	}
	v := l.verify(ctx, l.best.state, repaired)
	ok := v.Verdict == verify.Confirmed || (v.Verdict == verify.Unplaceable && l.cfg.Settings.AllowUnverified)
	if !ok {
		l.warn(fmt.Sprintf("the partial fix (%d of %d) is not offered: the verification was %s (%s): %s",
			len(repaired), len(l.targets), v.Verdict, v.By, v.Detail))
		return
	}
	change, err := l.change(v.State, "")
	if err != nil {
		l.warn("the partial fix is not offered: " + err.Error())
		return
	}
	l.partial = &Partial{Change: change, Fixed: repaired, Left: left}
}
