// Package javascript lets the repair engine work on JavaScript and TypeScript, JSX
// included, whose tests run under node --test.
//
// Sources are parsed here, by TypeScript's own parser. The project's code is run
// by a worker, a few embedded files on the project's own Node, one in each cell: a
// process that watches, and a thread in it that loads the project's files, anew for
// each candidate, and calls the tests that they register with a stand-in for
// node:test. What is woven into the code ends loops and recursion; the watching
// process ends the rest. Sources with types, JSX or module syntax are made into
// plain ones before they are sent.
//
// The first green candidates are run once more by the project's own command, and
// all of them when that shows that the stand-in was wrong. Where it can't run the
// failing tests at all, every candidate is.
//
// Where the tests are run by a command of the user's, as of mocha, jest or vitest,
// there are stand-ins for those too: what fails in the thread is then what is to be
// repaired, and the command's word counts. The same is so of a file that is one test
// to node --test, a script: it is looked into by the same stand-ins.
//
// What is found is a hint, and the engine's caller verifies it.
package javascript

import (
	"context"
	"slices"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
)

// New returns the language.
func New() repair.Language { return language{} }

type language struct{}

// Name returns "JavaScript".
func (language) Name() string { return "JavaScript" }

// Handles says whether the unit's tests run under node --test, or by a command in a
// project that has tests in JavaScript.
func (language) Handles(view propose.View, unit propose.Unit) bool {
	return unit.Runner == "node --test" && unit.Interpreter != "" || unit.Runner == byCommand && slices.ContainsFunc(view.Files, isTest)
}

// Dialect returns JavaScript's.
func (language) Dialect() *node.Dialect { return node.JavaScript() }

// Open starts workers and runs the tests once.
func (language) Open(ctx context.Context, task repair.Task) (repair.Session, error) {
	s := newSession(task)
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
