// Package propose is the contract between the loop and whatever writes edits:
// a script, the repair engine, a language model, a program's own function.
//
// A Proposer sees the project through a View and answers with a Proposal. It
// keeps no state of the run, starts nothing but through the View, and cannot
// tell the loop what its edit is worth: the loop runs the tests.
package propose

import (
	"context"
	"errors"

	"autocoder/engine/budget"
	"autocoder/engine/command"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// ErrNothingLeft is what Propose returns when it has nothing more to offer.
var ErrNothingLeft = errors.New("nothing left to propose")

// ErrNoProgress is what Propose's error wraps when the proposer finds that it goes
// round in circles: the run ends as no_progress.
var ErrNoProgress = errors.New("no progress")

// Proposer writes edits.
type Proposer interface {
	// Name is how reports call it.
	Name() string
	// Propose returns the next edit, on top of the current state. history has
	// every attempt of the run so far, the oldest first. ErrNothingLeft ends the
	// run as gave_up; another error does too, with its text as the reason. Of what
	// comes with an error only Ranking counts.
	Propose(ctx context.Context, view View, history []Attempt) (Proposal, error)
}

// Proposal is an edit on the current state, and why.
type Proposal struct {
	Patch textedit.Patch
	// Title is a few words for lists; Why is a sentence for people.
	Title, Why string
	// Origin says what made it: "script", "repair: comparison", a model's name.
	Origin string
	// Input is one on which this patch and an alternative differ, and Output what
	// this patch returns for it, when there are alternatives.
	Input, Output string
	// Alternatives are other patches that also make the targets pass in the
	// proposer's own trial, best first, each on the same state as Patch.
	Alternatives []Alternative
	// Unsure means that the proposer itself doubts the patch: it is then never
	// taken as the only answer.
	Unsure bool
	// Ranking are the places the proposer suspects, most suspicious first.
	Ranking []Suspect
}

// Alternative is another patch that would also do.
type Alternative struct {
	Patch         textedit.Patch
	Why           string
	Input, Output string
}

// Suspect is a line that is suspected of being at fault.
type Suspect struct {
	File  string
	Line  int
	Score float64 // 0 to 1
	Why   string
}

// Coverage is what running tests tells of where a fault is.
type Coverage struct {
	// Suspects are the suspicious lines, the most suspicious first, and Lines all that
	// the failing tests ran, by file, in order.
	Suspects []Suspect
	Lines    map[string][]int
}

// Attempt is one entry of the history.
type Attempt struct {
	Proposal Proposal
	Verdict  outcome.Verdict
	// Note says why, in words: what the guard refused, what broke.
	Note string
	// Result is the run of the targets, or of the suite; nil when nothing was run.
	Result *testresult.Result
}

// Change is a piece of a file that was changed lately.
type Change struct {
	// Line is the first line (from 1) that has come in, or the one behind which lines
	// were taken out.
	Line int
	// Before and After are the whole lines that were there and that are there now.
	Before, After string
}

// Scope is how much of the suite Evaluate runs.
type Scope uint8

// The scopes.
const (
	// Targets runs the targets only.
	Targets Scope = iota
	// Suite runs everything.
	Suite
)

// Unit is what a proposer may know of a unit.
type Unit struct {
	Name, Root, Runner, Interpreter string
	// Env is added to the unit's commands.
	Env []string
}

// Cell is a leased place to run processes, on a private fork of the current
// state. The loop closes what a proposer forgets.
type Cell struct {
	command.Starter
	// Root is the absolute path at which commands see the workspace, and Scratch a
	// folder outside it that both sides can write, at the same path.
	Root, Scratch string
	// Write puts a file into the fork; a nil content deletes it.
	Write func(path string, content []byte) error
	// Close ends every process of the cell and gives it back.
	Close func() error
}

// View is what a proposer sees. All paths are relative to the workspace.
type View struct {
	// Targets are the ids to repair, and Result is the last whole-suite result of
	// the best state, with the failures.
	Targets []testresult.ID
	Result  testresult.Result
	Units   []Unit
	// Files lists the source files of the snapshot, sorted; ignored files,
	// dependencies and secrets are not among them.
	Files []string
	// Read returns a file of the current state.
	Read textedit.Reader
	// Editable says whether the guard would let an edit of the path through, and
	// otherwise why not.
	Editable func(path string) error
	// Recent returns the lines (from 1) of a file that were changed lately: by the
	// last commit, since it, or in an unsaved buffer.
	Recent func(ctx context.Context, path string) []int
	// Changes returns what the last commit and what came after it did to a file. It
	// may be nil.
	Changes func(ctx context.Context, path string) []Change
	// Evaluate runs patches, each on the current state, by the project's own test
	// command. The result is a hint: the loop runs what is proposed again.
	Evaluate func(ctx context.Context, patches []textedit.Patch, scope Scope) ([]testresult.Result, error)
	// Cell leases a cell on a private fork of the current state. At most Cells
	// may be open at once.
	Cell  func(ctx context.Context) (*Cell, error)
	Cells int
	// Confined means that the cells are at least confined; where they are not, the
	// proposer must not try edits that delete, write, spawn or connect.
	Confined bool
	// Reserve charges the budget before something is spent; its error ends the
	// search.
	Reserve func(budget.Cost) error
	// Hold is Reserve for what is paid afterwards: the cost is the most that it may
	// be, and settle charges what it was. It may be nil.
	Hold func(budget.Cost) (settle func(budget.Cost), err error)
	// Tried is how many candidates the run has been charged for so far, by whomever:
	// the number that people are told. It may be nil.
	Tried func() int
	// Emit reports progress.
	Emit func(event.Event)
}
