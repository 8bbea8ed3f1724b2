package agent

import (
	"context"
	"fmt"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

// Phase says what a run of the tests is for.
type Phase uint8

// The phases.
const (
	InvalidPhase Phase = iota
	// Baseline is a run before any edit.
	Baseline
	// Trying is a run of an attempt.
	Trying
	// Confirming is a run that tells a failure from a flaky test.
	Confirming
	// Comparing is a run of an alternative.
	Comparing
	// Verifying is a run on a fresh fork.
	Verifying
	// Searching is a run that a proposer asked for.
	Searching
)

// String returns the phase in words.
func (p Phase) String() string {
	switch p {
	case Baseline:
		return "baseline"
	case Trying:
		return "trying"
	case Confirming:
		return "confirming"
	case Comparing:
		return "comparing"
	case Verifying:
		return "verifying"
	case Searching:
		return "searching"
	case InvalidPhase:
		return "invalid"
	default:
		return fmt.Sprintf("Phase(%d)", uint8(p))
	}
}

// Request asks for one run of the tests.
type Request struct {
	// State is what is laid over the snapshot.
	State textedit.State
	// IDs are the tests to run; nil runs everything. Whole names units that are to
	// be run whole beside them, also when IDs has none of their tests.
	IDs   []testresult.ID
	Whole []string
	// Skip are tests to leave out, those that hung before.
	Skip []testresult.ID
	// Fresh asks for a new fork of the snapshot and cold tools.
	Fresh bool
	// TestLimit is the most that one test may take; FullLimit is what that was before
	// a hanging test lowered it.
	TestLimit, FullLimit time.Duration
	Phase                Phase
	// Failed are the places where tests failed at the baseline, for a drill of them.
	Failed map[testresult.ID]testresult.Place
	// Plain makes a drill hide nothing of what says that tests run.
	Plain bool
	// counts marks the first run of a tree: the baseline's, and an attempt's.
	counts bool
}

// Suite runs a project's tests.
type Suite interface {
	// Run runs tests. A suite that can't be judged is a result; an error means that
	// the run itself could not be made, or that ctx ended.
	Run(ctx context.Context, r Request) (testresult.Result, error)
}

// Want declares a part that is to come into being: that it can't be built or
// imported yet is its failing id, and its target is met only when the part is
// usable and every wanted id passes.
type Want struct {
	Unit, Part string
	IDs        []testresult.ID
}

// Config is what a run works with. Fields that say so may be nil.
type Config struct {
	// ID names the run; the ids of alternatives begin with it.
	ID string
	// Suite runs the tests, and Base reads the snapshot.
	Suite Suite
	Base  textedit.Reader
	// Guard refuses an edit of the current state by an error that says why. nil
	// refuses nothing.
	Guard func(current textedit.State, p textedit.Patch) error
	// Protected names the paths that are as in the snapshot when a patch is
	// verified. nil names none.
	Protected func(path string) bool
	// Proposer writes the edits.
	Proposer propose.Proposer
	// View gives what a proposer may see of a state, as far as the caller has it;
	// the loop fills in the rest. nil gives nothing.
	View func(current textedit.State) propose.View
	// Drill runs targets as a drill, from which a verification gets its canary and
	// its forced run; nil for neither. Layers are further checks.
	Drill  func(ctx context.Context, r Request, alone bool) (verify.Drilled, error)
	Layers []verify.Layer
	// Meter holds the limits.
	Meter *budget.Meter
	// Settings: patience, revert_on_regression, ambiguous, allow_unverified and
	// test_timeout are the loop's.
	Settings config.Settings
	// Only names the ids to repair, as reports print them; none means all.
	Only []string
	// Want are the parts that the caller declares.
	Want []Want
	// Choose is the patch of an alternative that the user chose: nothing else is
	// proposed. nil asks the Proposer.
	Choose *textedit.Patch
	// Now is the clock of events, and Sink takes them; nil for no events.
	Now  func() time.Time
	Sink event.Sink
}

// UsageError is an id that --only names and the suite does not have.
type UsageError struct {
	ID, Nearest string
}

// Error names the id, and the nearest that there is.
func (e *UsageError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("no test is called %q", e.ID)
	}
	return fmt.Sprintf("no test is called %q; did you mean %q?", e.ID, e.Nearest)
}
