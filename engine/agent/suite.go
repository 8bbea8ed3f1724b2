package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/runner"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

// buildSuffix ends the id that stands for a declared part's being usable.
const buildSuffix = "::(build)"

// limitShare is the share of all time that a test may take at most.
const limitShare = 10

// test runs tests, charged to the budget and within the time that is left. Its
// error is a *budget.Exceeded when a limit ends it.
func (l *loop) test(ctx context.Context, r Request) (testresult.Result, error) {
	var result testresult.Result
	err := l.charged(ctx, r, func(ctx context.Context, r Request) (err error) {
		result, err = l.cfg.Suite.Run(ctx, r)
		l.testTime += result.Duration
		l.noteHangs(result)
		return err
	})
	if err != nil {
		return testresult.Result{}, err
	}
	if r.counts {
		l.testRuns++
	}
	result = declare(result, l.cfg.Want)
	l.emit(event.Event{Kind: event.TestsFinished, N: l.testRuns, Text: summary(result), Detail: r.Phase.String()})
	return result, nil
}

// charged makes one run of tests within the budget.
func (l *loop) charged(ctx context.Context, r Request, run func(context.Context, Request) error) error {
	if err := l.cfg.Meter.Reserve(budget.Cost{TestRuns: 1}); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, l.cfg.Meter.Remaining())
	defer cancel()
	r.TestLimit, r.FullLimit = l.limit, l.fullLimit
	if r.IDs != nil {
		r.Whole, r.IDs = append(r.Whole, l.wholeUnits(r.IDs)...), l.runnable(r.IDs)
	}
	err := run(limited, r)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return l.cfg.Meter.OutOfTime()
	case err != nil:
		return fmt.Errorf("run the tests (%s): %w", r.Phase, err)
	default:
		return nil
	}
}

// layers are the checks of one verification beyond the suite.
func (l *loop) layers() []verify.Layer {
	if l.cfg.Drill == nil {
		return l.cfg.Layers
	}
	return append(verify.Drill(l.drill).Layers(), l.cfg.Layers...)
}

// drill runs targets as a drill. Ids that stand for parts have no body.
func (l *loop) drill(ctx context.Context, how verify.Drilling) (verify.Drilled, error) {
	r := Request{State: how.State, IDs: how.Targets, Fresh: true, Phase: Verifying, Failed: l.baseline.Places(how.Targets), Plain: how.Plain}
	if how.Whole {
		for _, id := range how.Targets {
			if !slices.Contains(r.Whole, id.Unit) {
				r.Whole = append(r.Whole, id.Unit)
			}
		}
	}
	shown := verify.Drilled{}
	bodies := testresult.Set(l.runnable(how.Targets))
	if len(bodies) > 0 {
		err := l.charged(ctx, r, func(ctx context.Context, r Request) (err error) {
			shown, err = l.cfg.Drill(ctx, r, how.Alone)
			l.testTime += shown.Duration
			return err
		})
		if err != nil {
			return verify.Drilled{}, err
		}
	}
	if shown.Endings == nil {
		shown.Endings = map[testresult.ID]verify.Ending{}
	}
	for _, id := range how.Targets {
		if !bodies[id] {
			shown.Endings[id] = verify.Ending{How: runner.Ended}
		}
	}
	return shown, nil
}

// noteHangs lowers the limit of a test after the first that hung, by the runner's
// own rule.
func (l *loop) noteHangs(result testresult.Result) {
	if l.hung || result.Count(testresult.Hung) == 0 {
		return
	}
	l.hung = true
	var slowest time.Duration
	for _, t := range append(result.Tests(), l.baseline.Tests()...) {
		if t.Status != testresult.Hung {
			slowest = max(slowest, t.Duration)
		}
	}
	l.limit = runner.Lowered(l.limit, slowest)
}

// wholeUnits are the units of the ids that are always run whole.
func (l *loop) wholeUnits(ids []testresult.ID) []string {
	units := map[string]bool{}
	for _, id := range ids {
		if l.whole[id.Unit] {
			units[id.Unit] = true
		}
	}
	return slices.Sorted(maps.Keys(units))
}

// runnable leaves out the ids that stand for parts: their units are run whole.
func (l *loop) runnable(ids []testresult.ID) []testresult.ID {
	parts := map[testresult.ID]bool{}
	for _, w := range l.cfg.Want {
		parts[w.build()] = true
	}
	return append([]testresult.ID{}, testresult.Without(ids, parts)...)
}

// build is the id of the part's being usable.
func (w Want) build() testresult.ID {
	return testresult.ID{Unit: w.Unit, Native: w.Part + buildSuffix}
}

// declare shows the wanted parts as tests: a part that can't be built, imported
// or collected is a failing id and no longer an unusable part.
func declare(result testresult.Result, wants []Want) testresult.Result {
	if len(wants) == 0 {
		return result
	}
	result.Units = slices.Clone(result.Units)
	for _, w := range wants {
		i := slices.IndexFunc(result.Units, func(u testresult.UnitRun) bool { return u.Unit == w.Unit })
		if i < 0 {
			continue
		}
		u := &result.Units[i]
		test := testresult.Test{ID: w.build(), Part: w.Part, Status: testresult.Passed}
		at := slices.IndexFunc(u.Unusable, func(p testresult.Part) bool { return p.Name == w.Part && notYetBuilt(p.Reason) })
		if at >= 0 {
			p := u.Unusable[at]
			test.Status = testresult.Failed
			test.Failure = &testresult.Failure{Kind: p.Reason.String(), Message: p.Detail, At: p.At}
			u.Unusable = slices.Delete(slices.Clone(u.Unusable), at, at+1)
		} else if u.Reason != testresult.NoReason {
			continue
		}
		u.Tests = append(slices.Clone(u.Tests), test)
		slices.SortFunc(u.Tests, func(a, b testresult.Test) int { return a.ID.Compare(b.ID) })
	}
	return result
}

// notYetBuilt reports whether a part is unusable because code that it needs is
// missing or wrong, as opposed to a tool or the sandbox.
func notYetBuilt(r testresult.Reason) bool {
	return r == testresult.BuildError || r == testresult.ImportError ||
		r == testresult.CollectionError || r == testresult.SyntaxError
}

// at returns a probe of one state for confirming.
func (l *loop) at(state textedit.State, phase Phase, fresh bool) func(context.Context, []testresult.ID) (testresult.Result, error) {
	return func(ctx context.Context, ids []testresult.ID) (testresult.Result, error) {
		return l.test(ctx, Request{State: state, IDs: ids, Fresh: fresh, Phase: phase})
	}
}

// summary tells a result in a few words.
func summary(r testresult.Result) string {
	text := fmt.Sprintf("%s, %d passed, %d failed", r.Status(), r.Count(testresult.Passed), len(r.Failing()))
	if n := r.Count(testresult.Skipped) + r.Count(testresult.XFailed); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	return text
}

// inTests is the time of a run that its tests took by their own word, without
// those that hung. The rest is the building and the loading of the code; tests
// side by side can't take longer than the run. A runner that tells no times
// runs all for a selection too, so that a second run shows what it takes.
func inTests(r testresult.Result) time.Duration {
	var d time.Duration
	for _, t := range r.Tests() {
		if t.Ended() {
			d += t.Duration
		}
	}
	return min(d, r.Finished())
}

// warm is the time that the suite takes once all is built: what its tests take,
// and what else the second run took. The first may have built everything.
func warm(first, second testresult.Result) time.Duration {
	if second.Duration == 0 {
		return first.Finished()
	}
	return min(first.Finished(), inTests(first)+second.Finished()-inTests(second))
}
