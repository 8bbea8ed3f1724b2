// Package agent is the loop: it runs the tests, asks a proposer for an edit,
// guards it, tries it on a copy, keeps or rolls back, and verifies what makes
// the tests pass.
//
// Invariants. Every run ends in exactly one outcome. The best state is never
// worse than the baseline. The history only grows, and rolling back is going
// back to an earlier state. Limits are checked before anything is spent. A test
// that fails, a patch that is refused and a budget that ends are values; an
// error means that autocoder could not do its work. The loop never touches the
// user's files: it knows them through a Reader, and the tests through a Suite.
package agent

import (
	"context"
	"errors"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

// checkpoint is a state with its run of the whole suite.
type checkpoint struct {
	state  textedit.State
	result testresult.Result
}

// loop is the state of a run.
type loop struct {
	cfg Config

	// baseline is the run before any edit, best the best checkpoint so far, and
	// current what the next proposal builds on: best, or best plus edits that
	// changed nothing for the better.
	baseline testresult.Result
	best     checkpoint
	current  textedit.State

	targets     []testresult.ID
	leftFailing []testresult.ID
	// flaky and unstable are the ids that don't count, whole the units that are
	// always run whole.
	flaky, unstable map[testresult.ID]bool
	whole           map[string]bool

	// history is append-only; seen are the states that were tested.
	history []propose.Attempt
	// suspects are the lines that the proposer suspected last.
	suspects []propose.Suspect
	seen     map[textedit.Hash]bool
	stall    int
	stalled  stallKind

	// reserve is kept for the verification; limit is the most a test may take,
	// lowered once when a test has hung.
	reserve time.Duration
	limit   time.Duration
	hung    bool
	// fullLimit is what limit began as.
	fullLimit time.Duration
	testRuns  int
	testTime  time.Duration

	fix          Change
	partial      *Partial
	alternatives []Alternative
	unverified   textedit.State
	verification verify.Verification
	warnings     []string
}

// ending is how a run ends.
type ending struct {
	outcome      outcome.Outcome
	reason, next string
}

// Run repairs what fails. An error that is a *UsageError comes without a Result;
// with any other, which says what autocoder could not do, the Result has an
// outcome too.
func Run(ctx context.Context, cfg Config) (Result, error) {
	l := newLoop(cfg)
	end, err := l.run(ctx)
	var usage *UsageError
	if errors.As(err, &usage) {
		return Result{}, err
	}
	if err != nil {
		end, err = l.interrupted(ctx, err)
	}
	if end.outcome != outcome.Fixed && err == nil {
		l.keepPartial(ctx)
	}
	if l.partial != nil {
		end.next = also(end.next, "take the partial fix with --apply --partial")
	}
	l.emit(event.Event{Kind: event.RunFinished, Text: end.outcome.String(), Detail: end.reason})
	return l.result(end), err
}

func newLoop(cfg Config) *loop {
	if cfg.Choose != nil {
		cfg.Proposer = propose.Once("chosen", propose.Proposal{Patch: *cfg.Choose, Title: "the chosen alternative", Origin: "chosen"})
	}
	if cfg.View == nil {
		cfg.View = func(textedit.State) propose.View { return propose.View{} }
	}
	l := &loop{
		cfg: cfg, flaky: map[testresult.ID]bool{}, unstable: map[testresult.ID]bool{}, whole: map[string]bool{},
		seen: map[textedit.Hash]bool{textedit.State{}.Hash(): true},
	}
	l.limit = min(cfg.Settings.TestTimeout, cfg.Meter.Limits().Time/limitShare)
	l.fullLimit = l.limit
	for _, w := range cfg.Want {
		l.whole[w.Unit] = true
	}
	return l
}

// run is the whole of a run but its partial fix.
func (l *loop) run(ctx context.Context) (ending, error) {
	if l.cfg.Choose != nil {
		if _, err := l.current.Apply(l.cfg.Base, *l.cfg.Choose); err != nil {
			return ending{outcome.GaveUp, "the files changed since the alternatives were found", "run fix again"}, nil
		}
	}
	if end, err := l.runBaseline(ctx); err != nil || end != nil {
		return deref(end), err
	}
	l.emit(event.Event{Kind: event.PhaseChanged, Text: "looking for a fix"})
	for {
		if l.stall >= max(1, l.cfg.Settings.Patience) {
			return l.noProgress(), nil
		}
		if err := l.cfg.Meter.Reserve(budget.Cost{Attempts: 1}); err != nil {
			return ending{}, err
		}
		proposal, err := l.ask(ctx)
		if err != nil {
			return l.unanswered(ctx, err)
		}
		step, err := l.attempt(ctx, proposal)
		l.take(proposal, step)
		if err != nil || step.end != nil {
			return deref(step.end), err
		}
	}
}

func deref(end *ending) ending {
	if end == nil {
		return ending{}
	}
	return *end
}

// take is the one place where an attempt changes the state of the run.
func (l *loop) take(p propose.Proposal, s step) {
	l.history = append(l.history, propose.Attempt{Proposal: p, Verdict: s.verdict, Note: s.note, Result: s.result})
	l.current = s.current
	if s.best != nil {
		l.best = *s.best
	}
	l.stalled = s.stall
	if s.stall == progress {
		l.stall = 0
	} else {
		l.stall++
	}
	l.emit(event.Event{
		Kind: event.AttemptFinished, N: len(l.history), Text: s.verdict.String(), Detail: s.note,
		Files: p.Patch.Paths(),
	})
}

// interrupted turns what ended a run before its time into an ending.
func (l *loop) interrupted(ctx context.Context, err error) (ending, error) {
	var exceeded *budget.Exceeded
	switch {
	case ctx.Err() != nil:
		return ending{outcome.Cancelled, "the run was cancelled", ""}, nil
	case errors.As(err, &exceeded):
		return l.overBudget(exceeded), nil
	default:
		return ending{outcome.GaveUp, "autocoder could not go on: " + err.Error(), ""}, err
	}
}

// ignored are the ids that are neither targets nor regressions.
func (l *loop) ignored() map[testresult.ID]bool {
	set := map[testresult.ID]bool{}
	for id := range l.flaky {
		set[id] = true
	}
	for id := range l.unstable {
		set[id] = true
	}
	return set
}

func (l *loop) warn(text string) {
	l.warnings = append(l.warnings, text)
	l.emit(event.Event{Kind: event.Warned, Text: text})
}

func (l *loop) emit(e event.Event) {
	if l.cfg.Sink == nil {
		return
	}
	e.Time = l.cfg.Now()
	l.cfg.Sink(e)
}
