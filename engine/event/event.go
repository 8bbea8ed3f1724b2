// Package event is the stream of what happens in a run. Progress, report and
// resume are folds of it, and the trajectory file is it.
package event

import (
	"fmt"
	"time"
)

// Kind says what happened.
type Kind uint8

// The kinds of event.
const (
	Invalid Kind = iota
	// RunStarted: Text is the root, Detail the place of the copy.
	RunStarted
	// PhaseChanged: Text is the phase in words: "reading the project", "running
	// the tests", "looking for a fix", "verifying".
	PhaseChanged
	// TestsFinished: Text is a summary ("fail, 3 passed, 2 failed"), N the count of
	// test runs so far.
	TestsFinished
	// Proposed: N is the attempt, Files what it edits, Text the title, Blob the
	// patch as JSON.
	Proposed
	// AttemptFinished: N is the attempt, Text the verdict, Detail the note.
	AttemptFinished
	// CandidatesTried: N is how many candidates were tried in all.
	CandidatesTried
	// Turned: a language model was asked. N is the turn, from 0, Text what was spent so
	// far, Detail what came of it, Blob the turn as JSON.
	Turned
	// Before: Text is a file that is to be edited for the first time, Blob what stood
	// there before any edit, Detail "absent" when nothing did.
	Before
	// Verified: Text says what was found.
	Verified
	// Warned: Text is a warning for people.
	Warned
	// RunFinished: Text is the outcome, Detail the reason.
	RunFinished
)

// String returns the name used in trajectories.
func (k Kind) String() string {
	switch k {
	case RunStarted:
		return "run_started"
	case PhaseChanged:
		return "phase"
	case TestsFinished:
		return "tests"
	case Proposed:
		return "proposed"
	case AttemptFinished:
		return "attempt"
	case CandidatesTried:
		return "candidates"
	case Turned:
		return "turn"
	case Before:
		return "before"
	case Verified:
		return "verified"
	case Warned:
		return "warning"
	case RunFinished:
		return "run_finished"
	case Invalid:
		return "invalid"
	default:
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
}

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name written by MarshalText; an unknown name is Invalid,
// so that old readers can skip what they don't know.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Invalid
	for x := RunStarted; x <= RunFinished; x++ {
		if x.String() == string(text) {
			*k = x
		}
	}
	return nil
}

// Event is one thing that happened.
type Event struct {
	Time   time.Time `json:"time"`
	Kind   Kind      `json:"kind"`
	N      int       `json:"n,omitempty"`
	Text   string    `json:"text,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Files  []string  `json:"files,omitempty"`
	// Blob is a larger content that goes with the event (a patch, an output). A
	// trajectory keeps it under its hash, beside the line.
	Blob []byte `json:"-"`
}

// Sink takes events. It is called from one goroutine at a time and must not
// block.
type Sink func(Event)
