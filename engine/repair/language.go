// Package repair is the embedded repair engine: a proposer that finds the fault
// by coverage and tries small edits by itself, without a model.
//
// The engine localises (package localise), enumerates edits from a table of
// templates over a language-neutral tree (packages node and mutate), tries them
// in cells, ranks what is green, and proposes the best. A language adds a
// Language; nothing else here knows one from another. What the engine finds is a
// proposal only: the loop verifies it.
package repair

import (
	"context"
	"fmt"
	"time"

	"autocoder/engine/propose"
	"autocoder/engine/repair/localise"
	"autocoder/engine/repair/node"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// Language is what a language adds to the engine.
type Language interface {
	// Name is the language's own name: "Go", "Python".
	Name() string
	// Dialect returns how the language spells what templates write.
	Dialect() *node.Dialect
	// Handles says whether the language can work on a unit, by its runner and the files.
	Handles(view propose.View, unit propose.Unit) bool
	// Open starts work on a unit. It may take as long as one run of the unit's
	// tests; everything it starts runs in cells leased from task.View.
	Open(ctx context.Context, task Task) (Session, error)
}

// Task is what a session works on.
type Task struct {
	View propose.View
	Unit propose.Unit
	// Targets are the failing ids of the unit, Passing those that pass and must go
	// on passing.
	Targets, Passing []testresult.ID
	// Time is about how long the session may be at work; 0 where that is not bounded.
	Time time.Duration
	// Earlier is a session on the same state of the unit, for these targets and others,
	// open or closed: what it has learnt of the tests need not be learnt again. It is
	// nil when there was none.
	Earlier Session
}

// AtMost bounds what a session does once, before it comes to candidates, by a share of
// its time, and by a tenth of most when there is hardly any.
func (t Task) AtMost(most time.Duration, share float64) time.Duration {
	if t.Time <= 0 {
		return most
	}
	return min(most, max(most/10, time.Duration(share*float64(t.Time))))
}

// Place is how sentences call the unit: the only unit of a project has no name.
func (t Task) Place() string { return place(t.Unit) }

func place(u propose.Unit) string {
	if u.Name == "" || u.Name == "." {
		return "the project"
	}
	return fmt.Sprintf("unit %q", u.Name)
}

// Session is one language at work on one unit.
type Session interface {
	// Spectrum runs the targets, and as many of the passing tests as are cheap,
	// with line coverage.
	Spectrum(ctx context.Context) (localise.Spectrum, error)
	// Parse returns the tree of a file in the current state.
	Parse(ctx context.Context, path string) (*node.Node, error)
	// Evaluate tries candidates: compiles them, runs the targets, and for those that
	// pass the passing tests. It calls done once for each candidate, from one
	// goroutine at a time, in any order. An error means that the session itself is
	// of no more use; a candidate that hangs or kills its process is a verdict.
	Evaluate(ctx context.Context, batch []Candidate, done func(Verdict)) error
	// Behaviours runs green candidates on inputs derived from the tests and tells
	// them apart by what they return; the result is parallel to greens. A session
	// that can't derive inputs returns nil.
	Behaviours(ctx context.Context, greens []Candidate) ([]Behaviour, error)
	// Close ends everything that the session started.
	Close() error
}

// Candidate is one edit to try.
type Candidate struct {
	// ID is unique in a search.
	ID   int
	Path string
	// Edits are byte ranges into the file's current content.
	Edits []textedit.Edit
	// Template is the name of the template that made it, Line the first line it
	// changes, Cost its rank: lower is tried earlier.
	Template string
	Line     int
	Cost     float64
	// Why says what it changes, for people: "`<` should be `<=`".
	Why string
	// Patient asks for a second trial with much more fuel: the candidate ran out in
	// the first one, and nothing else turned out green.
	Patient bool
}

// Trial is how far a candidate came.
type Trial uint8

// The trials.
const (
	InvalidTrial Trial = iota
	// Rejected means that it does not parse or compile.
	Rejected
	// Failed means that a target still fails, or that a passing test was lost.
	Failed
	// OutOfFuel means that it ran for longer than is worth waiting for.
	OutOfFuel
	// Died means that it ended the process it ran in.
	Died
	// Green means that every target and every passing test that was run passes.
	Green
)

// String names the trial.
func (t Trial) String() string {
	switch t {
	case Rejected:
		return "rejected"
	case Failed:
		return "failed"
	case OutOfFuel:
		return "out of fuel"
	case Died:
		return "died"
	case Green:
		return "green"
	case InvalidTrial:
		return "invalid"
	default:
		return fmt.Sprintf("Trial(%d)", uint8(t))
	}
}

// Verdict is what trying a candidate showed.
type Verdict struct {
	ID    int
	Trial Trial
	// Passed counts the targets that passed before the trial stopped.
	Passed int
	// Further means that the first target that still fails does so later than with the
	// code as it is: more of its assertions pass.
	Further bool
	// Gained counts the examples in the documentation that a green candidate makes hold,
	// Broken those that held before and don't with it.
	Gained, Broken int
	// Slow means that a green candidate makes the tests take ten times as long.
	Slow bool
	// Changed means that the first failure differs from that of the code as it is:
	// the edit touched what matters.
	Changed bool
}

// Behaviour is what a green candidate does on derived inputs.
type Behaviour struct {
	// Cluster is equal for candidates that behaved the same on every input.
	Cluster int
	// Input is one on which the candidate differs from the first green, and Output
	// what it returned for it; empty when it does not differ.
	Input, Output string
}
