// Package python lets the repair engine work on Python code whose tests run
// under pytest.
//
// All work on the code is done by a worker, a program of a few embedded files on
// the project's own interpreter: it parses, traces lines, and tries candidates.
// There is one worker in each cell. It never imports the project itself; what
// runs project code is a child of it, watched, and replaced when it dies or
// hangs. Candidates are tried in two ways: plain test functions are called
// directly, one candidate after the other in one process, with all project
// modules loaded anew for each; everything else, and whatever is green that way,
// runs in a pytest session of its own, forked from one that is already set up.
//
// What is found is a hint, and the engine's caller verifies it.
package python

import (
	"context"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
)

// New returns the language.
func New() repair.Language { return language{} }

type language struct{}

// Name returns "Python".
func (language) Name() string { return "Python" }

// Handles says whether the unit's tests run under pytest.
func (language) Handles(_ propose.View, unit propose.Unit) bool {
	return unit.Runner == "pytest" && unit.Interpreter != ""
}

// Dialect returns Python's.
func (language) Dialect() *node.Dialect { return node.Python() }

// Open starts workers and runs the tests once.
func (language) Open(ctx context.Context, task repair.Task) (repair.Session, error) {
	s := newSession(task)
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
