// Package golang lets the repair engine work on Go code whose tests run under
// go test.
//
// Candidates are checked by go/types in our own process first, each in its
// package with the bodies of all other functions left out. Those that compile go
// together into one build of the tests: each function that candidates change gets
// clones, a clone holds some candidates as a chain of ifs, and the function begins
// with the choice of one. A driver among the tests runs the targets once for each
// candidate, in one process. What is woven in counts rounds of loops and calls as
// fuel, ends the process when a candidate takes too long or too much memory, and
// reports line by line, so that the next process goes on behind the candidate that
// ended the last. Everything is laid over the project by -overlay: no file of the
// fork changes.
//
// What must hold:
//   - No candidate is lost: a build that fails is split until the one to blame
//     stands alone, and that one is built as the plain file it makes.
//   - A candidate sees nothing of those before it. Variables of packages that the
//     tests change get their first value back in between, with all that they lead
//     to; what ran between two trials of the code as it is that differ has a process
//     of its own each. So has a candidate whose function runs before the tests do.
//   - Green was seen twice: in the loop, and in a fresh process with the passing
//     tests of the same packages.
//
// The same weaving, with statements counted, gives the spectrum: every statement
// of a test that can fail is a row, with what the statements ran that it depends
// on. What is found is a hint, and the engine's caller verifies it.
package golang

import (
	"context"
	"errors"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
)

// New returns the language.
func New() repair.Language { return language{} }

type language struct{}

// Name returns "Go".
func (language) Name() string { return "Go" }

// Handles says whether the unit's tests run under go test.
func (language) Handles(_ propose.View, unit propose.Unit) bool {
	return unit.Runner == "go test" && unit.Interpreter != ""
}

// Dialect returns Go's.
func (language) Dialect() *node.Dialect {
	d := node.Go()
	d.Complete = complete
	return d
}

// Open reads the packages under test.
func (language) Open(ctx context.Context, task repair.Task) (repair.Session, error) {
	s := newSession(task)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}
