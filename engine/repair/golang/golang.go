// Package golang lets the repair engine work on Go code whose tests run under
// go test.
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
func (language) Handles(unit propose.Unit) bool {
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
