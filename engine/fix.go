package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"autocoder/engine/agent"
	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/lockfile"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/trajectory"
	"autocoder/engine/workspace"
)

// FixRequest says what to fix and what to do with the fix.
type FixRequest struct {
	// Only names the failing tests to repair; none means all.
	Only []string
	// Unit is the folder of the only unit to run; empty means all.
	Unit string
	// Choose is the id of an alternative of an earlier run, RUN.N, to be verified.
	Choose string
	// Patch is an edit to be verified, and nothing else is tried; nil for none.
	Patch *textedit.Patch
	// Apply writes a fix to the user's folder, and Partial a partial one too.
	Apply, Partial bool
	// InPlace runs attempts in the user's folder itself.
	InPlace bool
}

// Locked is the error of a folder that another run is working on.
type Locked struct{ Root, Owner string }

// Error says who is working there.
func (e *Locked) Error() string {
	return fmt.Sprintf("%q is being worked on by another run (%s); wait for it or cancel it", e.Root, e.Owner)
}

// NotWritten is the error of a fix that could not be written to the user's
// folder, in which nothing was changed.
type NotWritten struct {
	Root string
	Err  error
}

// Error says why, in the words of the system where it has a plain one.
func (e *NotWritten) Error() string {
	cause := e.Err
	if errno := syscall.Errno(0); errors.As(e.Err, &errno) {
		cause = errno
	}
	return fmt.Sprintf("the fix was not applied, because %q can't be written: %v", e.Root, cause)
}

// Unwrap returns what failed.
func (e *NotWritten) Unwrap() error { return e.Err }

// Fix runs the loop. The report has an outcome whatever happened. The error is a
// *UsageError, a *Locked, a *workspace.RootError, a *workspace.TooLargeError or a
// *workspace.PatternError when nothing was begun; a *workspace.ChangedError when
// the fix stands in the report and was not applied, because the files changed
// meanwhile; else it says what autocoder could not do.
func (w *Workspace) Fix(ctx context.Context, req FixRequest) (report.Report, error) {
	lock, err := w.lock()
	if err != nil {
		return report.Report{}, err
	}
	defer lock.Close()
	choice, err := w.choice(req)
	if err != nil {
		return report.Report{}, err
	}
	proposer, model, err := w.proposer(ctx)
	if err != nil {
		return report.Report{}, err
	}
	swept := w.sweep()
	record := trajectory.Start(trajectory.Options{
		Dir: w.runsDir(), Root: w.root, Version: w.options.Version, Environ: w.secrets(),
		Now: w.options.Now, Random: rand.Reader, Setup: w.setup(ctx, req, model),
	})
	defer record.Close()
	sink := w.options.Sink
	w.offers = Offers{}
	w.options.Sink = func(e event.Event) { record.Append(e); sink(e) }
	defer func() { w.options.Sink = sink }()

	r, err := w.fix(ctx, req, work{record: record, choice: choice, proposer: proposer, model: model, start: w.options.Now()})
	switch {
	case r.Outcome == outcome.Invalid && req.InPlace:
		return r, err // the record may hold what could not be put back
	case r.Outcome == outcome.Invalid:
		return r, errors.Join(err, record.Discard())
	}
	r.Warnings = append(swept, r.Warnings...)
	record.Finish(r)
	if problem := record.Problem(); problem != nil {
		r.Warnings = append(r.Warnings, problem.Error())
	}
	return r, err
}

// sweep marks runs that were interrupted, which it says, and removes old ones. It
// returns the warnings of that which belong into the report of this run: what became of
// another run is none.
func (w *Workspace) sweep() []string {
	keep := trajectory.Keep{Runs: w.settings.KeepRuns, Age: time.Duration(w.settings.KeepDays) * 24 * time.Hour}
	interrupted, err := trajectory.Sweep(w.runsDir(), keep, w.options.Now())
	for _, id := range interrupted {
		w.emit(event.Event{Kind: event.Warned, Text: "the run " + id + " was interrupted before it had a report"})
	}
	if err == nil {
		return []string{}
	}
	w.emit(event.Event{Kind: event.Warned, Text: err.Error()})
	return []string{err.Error()}
}

// lock takes the folder for this run.
func (w *Workspace) lock() (*lockfile.Lock, error) {
	dir := filepath.Join(w.options.StateDir, "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of locks: %w", err)
	}
	sum := sha256.Sum256([]byte(w.root))
	lock, err := lockfile.Try(filepath.Join(dir, hex.EncodeToString(sum[:16])), fmt.Sprintf("process %d", os.Getpid()))
	var held *lockfile.Held
	if errors.As(err, &held) {
		return nil, &Locked{Root: w.root, Owner: held.Owner}
	}
	return lock, err
}

// work is what a run was begun with.
type work struct {
	record   *trajectory.Run
	choice   *textedit.Patch
	proposer propose.Proposer
	// model is the language model among the proposers; nil when there is none.
	model *llm.Model
	start time.Time
}

// fix is Fix with the folder locked and the run recorded.
func (w *Workspace) fix(ctx context.Context, req FixRequest, k work) (r report.Report, err error) {
	s := w.settings
	meter := budget.NewMeter(budget.Limits{
		Attempts: s.MaxAttempts, Candidates: s.MaxCandidates, TestRuns: s.MaxTestRuns, Time: s.MaxTime,
		Turns: s.MaxTurns, Tokens: s.MaxTokens, Cost: s.MaxCost,
	}, w.options.Now)
	w.options.Sink = spentIn(meter, w.options.Sink)
	x, err := w.prepare(ctx, req, k.record)
	if err != nil {
		return w.unprepared(ctx, k, err)
	}
	defer func() {
		// That the copy can't be removed is no fault of the fix.
		if left := x.close(); left != nil {
			r.Warnings = append(r.Warnings, left.Error())
		}
	}()
	cfg := agent.Config{
		ID: k.record.ID(), Suite: x, Drill: x.Drill, Base: x.shadow.Read,
		Guard: x.check, Protected: x.guard.Protected,
		Proposer: k.proposer, View: x.view, Meter: meter, Settings: s,
		Layers: x.layers(),
		Only:   req.Only, Choose: k.choice, Now: w.options.Now, Sink: x.beforeEdits(w.options.Sink),
	}
	if w.options.change != nil {
		w.options.change(&cfg)
	}
	result, err := agent.Run(ctx, cfg)
	if usage := (*agent.UsageError)(nil); errors.As(err, &usage) {
		return r, errors.Join(&UsageError{Message: usage.Error()}, x.putBack(ctx))
	}
	r = x.report(k.record.ID(), result)
	if meter.Spent().Turns > 0 {
		r.Spent = meter.Text()
	}
	k.account(&r)
	err = errors.Join(err, saveAlternatives(k.record, x.shadow.Read, result), x.offer(result))
	if req.Apply || req.InPlace {
		err = errors.Join(err, x.apply(ctx, &r, result, req.Partial))
	}
	r.Timing.TotalMS = w.options.Now().Sub(k.start).Milliseconds()
	return r, err
}

// prepare makes all that a run works with, or nothing.
func (w *Workspace) prepare(ctx context.Context, req FixRequest, record *trajectory.Run) (*world, error) {
	tier, _, err := w.chooseSandbox(ctx)
	if err != nil {
		return nil, err
	}
	x, err := w.openWorld(ctx, tier, false)
	if err != nil {
		return nil, err
	}
	err = x.findUnits(ctx, req.Unit)
	if err == nil && req.InPlace {
		err = x.openInPlace(ctx, record.ID(), record.Dir())
	}
	if err != nil {
		return nil, errors.Join(err, x.putBack(ctx), x.close())
	}
	return x, nil
}

// unprepared is the report of a run that could not begin: it was cancelled, or
// there is no sandbox; any other reason is an error.
func (w *Workspace) unprepared(ctx context.Context, k work, err error) (report.Report, error) {
	end := agent.Result{Proposer: k.proposer.Name()}
	var unavailable *sandbox.Unavailable
	switch {
	case ctx.Err() != nil:
		end.Outcome, end.Reason = outcome.Cancelled, "the run was cancelled"
	case errors.As(err, &unavailable):
		end.Outcome = outcome.Unrunnable
		end.Reason = fmt.Sprintf("%s: %v is not available: %s: %s",
			testresult.SandboxUnavailable, unavailable.Tier, unavailable.Probe.Name, unavailable.Probe.Detail)
		end.Next = strings.Join(unavailable.Remedies, ", or ")
	default:
		return report.Report{}, err
	}
	r := end.Report()
	r.Run, r.Root, r.Sandbox = k.record.ID(), w.root, "none"
	r.Timing.TotalMS = w.options.Now().Sub(k.start).Milliseconds()
	w.emit(event.Event{Kind: event.RunFinished, Text: r.Outcome.String(), Detail: r.Reason})
	return r, nil
}

// choice returns the patch that is to be verified, nil for none.
func (w *Workspace) choice(req FixRequest) (*textedit.Patch, error) {
	if req.Choose == "" {
		return req.Patch, nil
	}
	a, err := trajectory.LoadAlternative(w.runsDir(), req.Choose)
	var missing *trajectory.NotFound
	if errors.As(err, &missing) {
		return nil, &UsageError{Message: fmt.Sprintf("no alternative is called %q; its id is RUN.N, as the report prints it", req.Choose)}
	}
	if err != nil {
		return nil, err
	}
	if a.Root != w.root {
		return nil, &UsageError{Message: fmt.Sprintf("the alternative %q is one for %q", req.Choose, a.Root)}
	}
	return &a.Patch, nil
}

// check is the guard over an edit of the current state.
func (x *world) check(current textedit.State, p textedit.Patch) error {
	return x.guard.Check(current.Over(x.shadow.Read), x.shadow.Resolve(current), p)
}

// apply writes what the run found to the user's folder; after attempts in place
// it puts everything else back.
func (x *world) apply(ctx context.Context, r *report.Report, result agent.Result, partial bool) error {
	state := result.Fix.State
	if result.Outcome != outcome.Fixed && partial && result.Partial != nil {
		state = result.Partial.State
	}
	var err error
	if x.place != nil {
		var lines []string
		lines, err = x.place.settle(ctx, state)
		r.Warnings = append(r.Warnings, lines...)
	} else if !state.Empty() {
		err = workspace.Apply(x.w.root, x.shadow.Read, state)
	}
	err = asChanged(err)
	var changed *workspace.ChangedError
	if errors.As(err, &changed) {
		r.Next = changed.Error() + "; run fix again"
	} else if err != nil && x.place == nil {
		err = &NotWritten{Root: x.w.root, Err: err}
		r.Next = fmt.Sprintf("make %q writable and run fix --apply again, or apply the diff yourself", x.w.root)
	}
	r.Applied = err == nil && !state.Empty()
	return err
}

// saveAlternatives keeps the alternatives, so that a person can choose later.
func saveAlternatives(record *trajectory.Run, base textedit.Reader, result agent.Result) error {
	for i, a := range result.Alternatives {
		patch, err := a.State.Patch(base)
		if err != nil {
			return fmt.Errorf("keep alternative %s: %w", a.ID, err)
		}
		if err := record.SaveAlternative(i+1, a.Why, patch); err != nil {
			return fmt.Errorf("keep alternative %s: %w", a.ID, err)
		}
	}
	return nil
}
