package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/budget"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/testresult"
)

const (
	// verifications is how many times the suite's own time is kept for the
	// verification at the end.
	verifications = 3
	// longShare is the share of all time beyond which a suite is not run twice whole.
	longShare = 5
)

// runBaseline runs the suite as it is, finds the targets, and keeps the time for
// the verification. It returns an ending when there is nothing to repair, or no
// way to tell.
func (l *loop) runBaseline(ctx context.Context) (*ending, error) {
	l.emit(event.Event{Kind: event.PhaseChanged, Text: "running the tests"})
	first, err := l.test(ctx, Request{Phase: Baseline, counts: true})
	if err != nil {
		return l.tooLong(ctx, err)
	}
	l.baseline, l.best = first, checkpoint{result: first}
	for _, u := range first.Units {
		for _, warning := range u.Warnings {
			l.warn(warning)
		}
	}
	if first.Status() == testresult.Unusable {
		return l.unusable(first), nil
	}
	named, err := l.named(first)
	if err != nil {
		return nil, err
	}
	if first.Status() == testresult.Pass && len(first.NotPassing(named)) == 0 {
		return &ending{outcome.AlreadyGreen, "every test passes", ""}, nil
	}
	l.reserve = verifications * inTests(first)
	if end := l.fits(); end != nil {
		return end, nil
	}
	second, err := l.repeat(ctx, first)
	if err != nil {
		return l.tooLong(ctx, err)
	}
	l.reserve = verifications * warm(first, second)
	if end := l.fits(); end != nil {
		return end, nil
	}
	l.cfg.Meter.Keep(l.reserve)
	return l.chooseTargets(named), nil
}

// tooLong says so when the time ended before the baseline did.
func (l *loop) tooLong(ctx context.Context, err error) (*ending, error) {
	var exceeded *budget.Exceeded
	if ctx.Err() == nil && errors.As(err, &exceeded) && exceeded.What == budget.Time {
		return l.suiteTooLong(), nil
	}
	return nil, err
}

// fits returns an ending when what is left of the time can't hold what is kept
// for the verification.
func (l *loop) fits() *ending {
	if l.cfg.Meter.Elapsed()+l.reserve <= l.cfg.Meter.Limits().Time {
		return nil
	}
	return l.suiteTooLong()
}

func (l *loop) suiteTooLong() *ending {
	return &ending{
		outcome.Unrunnable,
		fmt.Sprintf("%s: the baseline and %d more runs for the verification don't fit into %s",
			testresult.SuiteLongerThanBudget, verifications, l.cfg.Meter.Limits().Time),
		"raise --max-time, or leave a slow unit out with --unit",
	}
}

// repeat runs the red suite once more by the identical command, without what
// hung, and files what differs as flaky or unstable. Of a suite that takes over
// a fifth of the time only the failing files are repeated, which can't call
// anything flaky: what passes there is a target that is run with its whole unit. It
// returns the second run, which is empty when there was nothing to repeat.
func (l *loop) repeat(ctx context.Context, first testresult.Result) (testresult.Result, error) {
	hung := first.With(func(s testresult.Status) bool { return s == testresult.Hung })
	if first.Duration > l.cfg.Meter.Limits().Time/longShare {
		l.warn(fmt.Sprintf("the first run took more than a fifth of %s: only its failing files were run twice", l.cfg.Meter.Limits().Time))
		ids := testresult.Without(inFailingParts(first), testresult.Set(hung))
		if len(ids) == 0 {
			return testresult.Result{}, nil
		}
		second, err := l.test(ctx, Request{Phase: Baseline, IDs: ids, Skip: hung})
		if err != nil {
			return second, err
		}
		for _, id := range first.Failing() {
			if second.Lookup(id).Status == testresult.Passed {
				l.whole[id.Unit] = true
			}
		}
		return second, nil
	}
	second, err := l.test(ctx, Request{Phase: Baseline, Skip: hung})
	if err != nil {
		return second, err
	}
	l.compare(first, second, testresult.Set(hung))
	return second, nil
}

// compare files what two identical runs show differently.
func (l *loop) compare(first, second testresult.Result, skip map[testresult.ID]bool) {
	for _, t := range append(first.Tests(), second.Tests()...) {
		a, b := first.Lookup(t.ID).Status, second.Lookup(t.ID).Status
		switch {
		case skip[t.ID] || a == b:
		case a == testresult.Missing || b == testresult.Missing:
			l.unstable[t.ID] = true
		case a.Failing() && b.Failing():
			// It fails either way, as a crash or as a hang: no doubt that it is red.
		default:
			l.flaky[t.ID] = true
		}
	}
}

// inFailingParts returns the ids of the parts (files, packages) that hold a
// failing id.
func inFailingParts(r testresult.Result) []testresult.ID {
	type part struct{ unit, name string }
	red := map[part]bool{}
	for _, t := range r.Tests() {
		if t.Status.Failing() {
			red[part{t.ID.Unit, t.Part}] = true
		}
	}
	var ids []testresult.ID
	for _, t := range r.Tests() {
		if t.Status.Failing() || (t.Part != "" && red[part{t.ID.Unit, t.Part}]) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// named resolves the names in Only; nil when there are none.
func (l *loop) named(r testresult.Result) ([]testresult.ID, error) {
	var ids []testresult.ID
	var names []string
	one := len(r.Units) == 1
	for _, t := range r.Tests() {
		names = append(names, printed(t.ID, one))
	}
	for _, name := range l.cfg.Only {
		found := false
		for _, t := range r.Tests() {
			if name == t.ID.String() || name == t.ID.Native {
				ids, found = append(ids, t.ID), true
			}
		}
		if !found {
			near, _ := config.Nearest(name, names)
			return nil, &UsageError{ID: name, Nearest: near}
		}
	}
	return ids, nil
}

// printed is an id as reports print it: native when there is one unit.
func printed(id testresult.ID, oneUnit bool) string {
	if oneUnit {
		return id.Native
	}
	return id.String()
}

// chooseTargets fills in the targets, and ends the run when none is left.
func (l *loop) chooseTargets(named []testresult.ID) *ending {
	failing := l.baseline.Failing()
	scope := failing
	if named != nil {
		scope = l.baseline.NotPassing(named)
	}
	for _, w := range l.cfg.Want {
		scope = append(append(scope, w.build()), w.IDs...)
	}
	slices.SortFunc(scope, testresult.ID.Compare)
	scope = slices.Compact(scope)
	var blocked, unsteady []testresult.ID
	for _, id := range scope {
		switch {
		case l.baseline.Lookup(id).Status == testresult.Blocked:
			blocked = append(blocked, id)
		case l.flaky[id] || l.unstable[id]:
			unsteady = append(unsteady, id)
		default:
			l.targets = append(l.targets, id)
		}
	}
	for _, id := range named {
		if l.flaky[id] && !slices.Contains(unsteady, id) {
			unsteady = append(unsteady, id)
		}
	}
	if named != nil {
		l.leftFailing = l.leftOut(failing, scope)
	}
	l.mention(blocked)
	switch {
	case len(l.targets) > 0:
		return nil
	case len(blocked) > 0:
		return l.blockedEnding(blocked)
	case len(unsteady) > 0:
		return &ending{
			outcome.GaveUp, "only flaky failures: " + l.list(unsteady),
			"these tests pass and fail without any edit: make them steady first",
		}
	default:
		return &ending{outcome.AlreadyGreen, "every named test passes", ""}
	}
}

// leftOut are the failing ids outside the scope that would be targets else.
func (l *loop) leftOut(failing, scope []testresult.ID) []testresult.ID {
	return testresult.Without(testresult.Without(failing, testresult.Set(scope)), l.ignored())
}

// mention warns of what the run can't repair: unusable parts and blocked tests.
func (l *loop) mention(blocked []testresult.ID) {
	for _, p := range l.baseline.UnusableParts() {
		l.warn("left out, because it can't be run: " + describePart(p))
	}
	if len(l.targets) == 0 {
		return
	}
	for _, id := range blocked {
		l.warn(fmt.Sprintf("left out, because the sandbox blocks it: %s%s", l.name(id), l.blockedBy(id)))
	}
}

// blockedBy says what a blocked test was refused, and what would allow it.
func (l *loop) blockedBy(id testresult.ID) string {
	f := l.baseline.Lookup(id).Failure
	if f == nil {
		return ""
	}
	text := ""
	if f.Thing != "" {
		text += " needs " + f.Thing
	}
	if f.Setting != "" {
		text += " (allow it with " + f.Setting + ")"
	}
	return text
}

func (l *loop) blockedEnding(blocked []testresult.ID) *ending {
	next := "allow what the tests need"
	if f := l.baseline.Lookup(blocked[0]).Failure; f != nil && f.Setting != "" {
		next = "allow it with " + f.Setting
	}
	return &ending{
		outcome.Unrunnable,
		fmt.Sprintf("%s: %s%s", testresult.SandboxBlocked, l.name(blocked[0]), l.blockedBy(blocked[0])), next,
	}
}

// unusable is the ending of a suite without a failing id that is not green.
func (l *loop) unusable(r testresult.Result) *ending {
	if parts := r.UnusableParts(); len(parts) > 0 {
		return &ending{outcome.Unrunnable, describePart(parts[0]) + andMore(len(parts)-1), remedy(parts[0].Reason)}
	}
	detail := "the suite has no test"
	if n := len(r.Tests()); n > 0 {
		detail = fmt.Sprintf("none of the %d tests passed or failed: all are skipped", n)
	}
	return &ending{outcome.Unrunnable, fmt.Sprintf("%s: %s", testresult.NoTests, detail), remedy(testresult.NoTests)}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// describePart tells an unusable part in one line, its reason first.
func describePart(p testresult.Part) string {
	text := p.Reason.String()
	if p.Name != "" && p.Name != "." {
		text += " in " + p.Name
	}
	detail := p.Detail
	if p.At.File != "" && !strings.Contains(detail, p.At.File) {
		detail = strings.TrimSuffix(fmt.Sprintf("%s:%d: %s", p.At.File, p.At.Line, detail), ": ")
	}
	if detail != "" {
		text += ": " + detail
	}
	return text
}
