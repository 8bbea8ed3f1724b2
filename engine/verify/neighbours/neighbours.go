// Package neighbours tells edits that answer the tests' own inputs from those that
// repair, by what the code does and not by how it is written.
//
// The tests are run once more, and it is noted with what they call the project's
// functions. What a function gives is asked before and after the edit: for those
// inputs, and for others near them that no test gives. An edit after which it answers
// otherwise for inputs of the tests alone knows the tests and not the matter, however
// it recognises them: by value, by hash, by a table, by the turn. What natural code
// treats by itself (nothing, one, empty, the bound of a range) is left alone.
//
// What it finds is a warning, never a refusal, and whatever keeps it from looking is
// silence: values that can't be written down, functions that do not answer twice the
// same, time that is up.
package neighbours

import (
	"context"

	"autocoder/engine/command"
)

// Work is an edit of one unit to be looked at.
type Work struct {
	// Root is the unit's folder, relative to the workspace with slashes.
	Root string
	// Interpreter runs its tests, Env are variables for it.
	Interpreter string
	Env         []string
	// Options are the project's own for the interpreter.
	Options []string
	// Tests are the repaired ones, by their native ids. Those of the same files are run
	// behind them.
	Tests []string
	// Before are the files that the edit changes as they were; nil for one that was
	// not there. What they are now lies in the workspace.
	Before map[string][]byte
	// Files are the workspace's own, with the edit made, and Read reads one; nil for what is
	// no file.
	Files []string
	Read  func(path string) []byte
	// Seconds bound all of it.
	Seconds float64
}

// Cell is where the tests run: a fresh copy with the edit.
type Cell interface {
	command.Starter
	Root() string
	Scratch() string
}

// Look looks at an edit in one language. An error means that it could not.
type Look func(ctx context.Context, cell Cell, work Work) ([]Function, error)

// Function is what was seen of one of the project's functions.
type Function struct {
	// File is its path in the workspace, Name how people call it.
	File   string  `json:"file"`
	Name   string  `json:"name"`
	Line   int     `json:"line"`
	Inputs []Input `json:"inputs"`
	// Unedited means that its own text is what it was: it gives something else because
	// of what it calls. Where that is not known it is false.
	Unedited bool `json:"unedited"`
}

// Input is one with which the tests call the function.
type Input struct {
	// Text is the call as people write it.
	Text string `json:"text"`
	Answers
	// Later is what it gives after the edit when it is asked again, where that is
	// something else and was not before the edit.
	Later *string `json:"later"`
	// Places are the values in it that may be others, by name.
	Places map[string]Value `json:"places"`
	// Near are inputs near it that no test gives.
	Near []Neighbour `json:"near"`
}

// Answers are what a call gives before and after the edit, as text; nil when that
// can't be told.
type Answers struct {
	Before *string `json:"before"`
	After  *string `json:"after"`
	// Ways say through which code the call leads, before and after: two that are equal
	// went the same way. None where that was not asked.
	Ways []string `json:"ways"`
}

// Value is a value in a place.
type Value struct {
	Text string `json:"value"`
	// At is where it lies among those of its kind; nil where they have no order.
	At *float64 `json:"at"`
	// Edge means that code naturally treats it by itself.
	Edge bool `json:"edge"`
}

// together is in the place of a place where a value was replaced wherever the input has
// it; "mixed", where arguments of different calls were put together.
const together = "together"

// Neighbour is an input that differs from one of the tests' in one place.
type Neighbour struct {
	Place string `json:"place"`
	Value
	Answers
}
