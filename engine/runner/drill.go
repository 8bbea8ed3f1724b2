package runner

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"autocoder/engine/testresult"
)

// Drill asks a run to show that failures are still reported: the selected tests
// run beside tests of ours, the canaries, and each target is made to fail when
// its body ends, however it ends. The names are random, so that the code under
// test can't know them before.
type Drill struct {
	// Token begins the message of a failure that the drill itself makes.
	Token string
	// Canaries are placed in each process that holds a target.
	Canaries []Canary
	// Targets are the native ids to be forced, and Parts the parts that hold them.
	Targets, Parts []string
	// Failed are the places in the project's files where targets failed before, by
	// their native ids, as far as they are known.
	Failed map[string]testresult.Place
	// Texts are the files that hold those places, by their paths in the workspace.
	Texts map[string]string
	// Plain leaves in place what says that tests run: variables, arguments, flags.
	Plain bool
	// Alone leaves out every test but the canaries, in the places where they would
	// be: for a tree that the targets can't be run on.
	Alone bool
}

// Canary is a test of ours that runs among the project's own.
type Canary struct {
	// Name is random and a part of the id under which the test is reported.
	Name string
	// Shows says what it does, for people: "a failing assertion".
	Shows string
	// Want is what must be reported of it.
	Want testresult.Status
	// Optional means that it is not in every place: only its wrong status counts,
	// not that it is missing.
	Optional bool
}

// NewDrill makes a drill of targets for an adapter that can place it, with names
// made of random.
func NewDrill(adapter Adapter, targets []string, random io.Reader) (*Drill, error) {
	d := &Drill{Targets: targets, Canaries: slices.Clone(adapter.Drills.Canaries)}
	for _, id := range targets {
		d.Parts = append(d.Parts, adapter.Drills.Part(id))
	}
	slices.Sort(d.Parts)
	d.Parts = slices.Compact(d.Parts)
	names := make([]string, len(d.Canaries)+1)
	for i := range names {
		const length = 12
		letters := make([]byte, length)
		if _, err := io.ReadFull(random, letters); err != nil {
			return nil, fmt.Errorf("name the canaries: %w", err)
		}
		for j, b := range letters {
			letters[j] = 'a' + b%26
		}
		letters[0] -= 'a' - 'A'
		names[i] = string(letters)
	}
	for i := range d.Canaries {
		d.Canaries[i].Name = names[i]
	}
	d.Token = names[len(d.Canaries)]
	return d, nil
}

// Find returns the name of the canary that does what shows says, for the sources
// in which adapters name them.
func (d *Drill) Find(shows string) string {
	for _, c := range d.Canaries {
		if c.Shows == shows {
			return c.Name
		}
	}
	return ""
}

// Reported returns what was reported of a canary in a part.
func (d *Drill) Reported(c Canary, part string, run testresult.UnitRun) testresult.Status {
	for _, t := range run.Tests {
		if t.Part == part && strings.Contains(t.ID.Native, c.Name) {
			return t.Status
		}
	}
	return testresult.Missing
}

// Ending is how the body of a forced test ended, as the drill saw it from inside.
type Ending uint8

// The endings.
const (
	// NotForced means that the drill's own failure was not reported of the test.
	NotForced Ending = iota
	// Ended means that the body came to its end, and the failure was reported. What the
	// drill says of it is a suspicion.
	Ended
	// FailedBefore means that the body had failed or was skipped by itself.
	FailedBefore
	// Tampered means that something with which tests find failures had been changed.
	Tampered
)

// The words behind the token in the message of a drill's own failure.
const (
	WordEnded    = "ended"
	WordFailed   = "failed"
	WordTampered = "tampered"
)

// EndingOf reads how a forced test ended, with what the drill said of it.
func (d *Drill) EndingOf(t testresult.Test) (Ending, string) {
	if !t.Status.Failing() || t.Failure == nil {
		return NotForced, ""
	}
	said := t.Failure.Message
	if !strings.Contains(said, d.Token) {
		said = t.Failure.Output
	}
	_, said, found := strings.Cut(said, d.Token+": ")
	said, _, _ = strings.Cut(said, "\n")
	word, detail, _ := strings.Cut(said, ": ")
	switch {
	case !found:
		return NotForced, ""
	case word == WordEnded:
		return Ended, detail
	case word == WordTampered:
		return Tampered, detail
	default:
		return FailedBefore, detail
	}
}

// RunDrill runs a selection of a unit's tests as a drill. The tests that it
// returns hold the canaries as well. What crashes or hangs is not run again: a
// drill shows what it shows.
func RunDrill(ctx context.Context, cell Cell, adapter Adapter, unit Unit, sel Selection, limits Limits) (testresult.UnitRun, error) {
	r := running{cell: cell, adapter: adapter, unit: unit, limits: limits, all: testresult.UnitRun{Unit: unit.Name}}
	r.limits.Full = limits.full()
	r.begin(limits)
	if err := r.round(ctx, sel); err != nil {
		return testresult.UnitRun{}, err
	}
	r.close()
	return settle(r.all, nil), nil
}
