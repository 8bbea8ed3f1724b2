package agent

import (
	"time"

	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

// Result is what a run came to.
type Result struct {
	Outcome outcome.Outcome
	// Reason is one sentence; Next says what the user can do, or is empty.
	Reason, Next string
	// Proposer is the proposer's name.
	Proposer string
	// Fix is the verified patch of a run that ended as fixed, and empty otherwise.
	Fix Change
	// Partial is the best patch of a run that did not, when it was verified.
	Partial *Partial
	// Alternatives are patches that all make the tests pass, best first.
	Alternatives []Alternative
	// Unverified is a patch that made the tests pass and whose verification could
	// not be completed. It is kept and not offered.
	Unverified textedit.State
	// Attempts is the history, the oldest first.
	Attempts []propose.Attempt
	// Baseline and Final are runs of the whole suite, before any edit and with the
	// best patch.
	Baseline, Final testresult.Result
	// Targets are the ids to repair, Flaky and Unstable those that are neither
	// targets nor regressions, and LeftFailing failing ids that Only left out.
	Targets, Flaky, Unstable, LeftFailing []testresult.ID
	// TestRuns counts the trees that were tested: the baseline and each attempt
	// that was run.
	TestRuns int
	// Candidates counts what proposers tried by themselves.
	Candidates int
	// TestTime is the time with a test command running.
	TestTime time.Duration
	// Verification is the last verification; its Verdict is Invalid when there was
	// none.
	Verification verify.Verification
	Warnings     []string
	// Suspects are the lines that the proposer suspected last, whether it found an edit
	// or not, most suspicious first.
	Suspects []propose.Suspect
}

// Change is a patch on the snapshot.
type Change struct {
	State textedit.State
	Diff  string
	Why   string
	// Ranking are the lines that its proposer suspected.
	Ranking []propose.Suspect
}

// Partial is a patch that repairs some of the targets.
type Partial struct {
	Change
	Fixed, Left []testresult.ID
}

// Alternative is one of several patches that make the tests pass.
type Alternative struct {
	// ID is the run's id and the number of the alternative.
	ID string
	Change
	Input, Output string
}
