// Package testresult is the vocabulary of test runs: ids, statuses, failures,
// unusable parts and whole results.
//
// It is pure. A Result says what a run showed and no more: whether that is
// better or worse than another run is decided by the functions that compare
// two of them. A suite that could not run is never a suite without failures.
package testresult

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ID names one test: a unit (a runner in a folder) and the runner's own id.
type ID struct{ Unit, Native string }

// String returns the id with its unit, "unit::native".
func (id ID) String() string {
	if id.Unit == "" {
		return id.Native
	}
	return id.Unit + "::" + id.Native
}

// Compare orders ids by unit, then by native id.
func (id ID) Compare(other ID) int {
	if c := strings.Compare(id.Unit, other.Unit); c != 0 {
		return c
	}
	return strings.Compare(id.Native, other.Native)
}

// Status is what one run showed of one test.
type Status uint8

// The statuses of a test.
const (
	// Missing means that the run did not report the test: it is lost when an
	// earlier run had it.
	Missing Status = iota
	Passed
	Failed
	// Hung means that the test was stopped at the per-test limit.
	Hung
	Skipped
	// XFailed means that the test failed as its author expected.
	XFailed
	// Blocked means that it failed because the sandbox refused it something.
	Blocked
)

// String returns the status as reports print it.
func (s Status) String() string {
	switch s {
	case Missing:
		return "missing"
	case Passed:
		return "passed"
	case Failed:
		return "failed"
	case Hung:
		return "hung"
	case Skipped:
		return "skipped"
	case XFailed:
		return "xfailed"
	case Blocked:
		return "blocked"
	default:
		return fmt.Sprintf("Status(%d)", uint8(s))
	}
}

// Failing reports whether the status by itself makes a suite red. A target
// counts as failing whenever it did not pass; see Result.NotPassing.
func (s Status) Failing() bool { return s == Failed || s == Hung || s == Blocked }

// Frame is a place in the project's files, with a path relative to the
// workspace and a line counted from 1; the zero Frame means unknown.
type Frame struct {
	File string
	Line int
	Func string
}

// Failure is what is known about why a test did not pass.
type Failure struct {
	// Kind is the class of error as the runner names it: an exception's type,
	// "assertion", "panic", "hang", "crash".
	Kind    string
	Message string
	// At is the failing assertion, in the test file where that is known.
	At Frame
	// Frames are the project's frames of the traceback, the deepest last.
	Frames           []Frame
	Expected, Actual string
	// Output is what the test printed, capped.
	Output string
	// Thing and Setting of a Blocked test: what was refused, and the setting that
	// would allow it.
	Thing, Setting string
}

// Test is one test of a run.
type Test struct {
	ID     ID
	Status Status
	// Part is the unit's part (file or package) that the test belongs to.
	Part     string
	Failure  *Failure // nil when the test passed
	Duration time.Duration
}

// Ended reports whether a test came to its end. One that hung, or that ended its
// process, as a test that calls itself for ever does after seconds, says nothing of
// the time that it takes.
func (t Test) Ended() bool {
	return t.Status != Hung && (t.Failure == nil || t.Failure.Kind != "crash" && t.Failure.Kind != "panic")
}

// Part is a part of a unit, or a whole unit, that could not be run.
type Part struct {
	Name   string
	Reason Reason
	// Detail is the tool's own first words about it, for people.
	Detail string
	// At is where the source is at fault, when that is known.
	At Frame
}

// UnitRun is what one run showed of one unit.
type UnitRun struct {
	Unit string
	// Tests are sorted by id, each id once.
	Tests []Test
	// Unusable are the parts that could not be run, sorted by name.
	Unusable []Part
	// Reason is set when nothing of the unit can be judged; Detail then says more.
	Reason Reason
	Detail string
	At     Frame
	// Warnings are for people: a fallback that was taken, a report that was capped.
	Warnings []string
}

// Result is what one run of the suite, or of a selection of it, showed.
type Result struct {
	// Units are sorted by name.
	Units []UnitRun
	// Duration is the wall time with at least one test command running.
	Duration time.Duration
}

// RunStatus is the verdict on a Result taken by itself.
type RunStatus uint8

// The statuses of a run.
const (
	InvalidRun RunStatus = iota
	// Pass means that every unit is usable, at least one test passed and none
	// failed.
	Pass
	// Fail means that something is red and at least one failing id is known.
	Fail
	// Unusable means that the run allows no judgement.
	Unusable
)

// String returns the status as reports print it.
func (s RunStatus) String() string {
	switch s {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case Unusable:
		return "unusable"
	case InvalidRun:
		return "invalid"
	default:
		return fmt.Sprintf("RunStatus(%d)", uint8(s))
	}
}

// MarshalText writes the name.
func (s RunStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name written by MarshalText.
func (s *RunStatus) UnmarshalText(text []byte) error {
	for x := Pass; x <= Unusable; x++ {
		if x.String() == string(text) {
			*s = x
			return nil
		}
	}
	return fmt.Errorf("unmarshal run status: unknown status %q", text)
}

// Status judges the result by itself; whether ids were lost is a comparison
// with the baseline and not known here.
func (r Result) Status() RunStatus {
	passed, broken := 0, len(r.Units) == 0
	failing := len(r.Failing()) > 0
	for _, u := range r.Units {
		broken = broken || u.Reason != NoReason || len(u.Unusable) > 0
		for _, t := range u.Tests {
			if t.Status == Passed {
				passed++
			}
		}
	}
	switch {
	case failing:
		return Fail
	case broken || passed == 0:
		return Unusable
	default:
		return Pass
	}
}

// Tests returns all tests of all units, sorted by id.
func (r Result) Tests() []Test {
	var all []Test
	for _, u := range r.Units {
		all = append(all, u.Tests...)
	}
	slices.SortStableFunc(all, func(a, b Test) int { return a.ID.Compare(b.ID) })
	return all
}

// Place is where a test failed in the project's files.
type Place struct {
	Frame
	// Called means that code of another file had called the place.
	Called bool
}

// Places are where those of ids failed, as far as it is known.
func (r Result) Places(ids []ID) map[ID]Place {
	places := map[ID]Place{}
	for _, id := range ids {
		f := r.Lookup(id).Failure
		if f == nil || f.At.File == "" || f.At.Line <= 0 {
			continue
		}
		place := Place{Frame: f.At}
		if i := slices.Index(f.Frames, f.At); i >= 0 {
			place.Called = slices.ContainsFunc(f.Frames[:i], func(above Frame) bool { return above.File != f.At.File })
		}
		places[id] = place
	}
	return places
}

// Lookup returns the test with that id; its Status is Missing when the run does
// not have it.
func (r Result) Lookup(id ID) Test {
	for _, u := range r.Units {
		if u.Unit != id.Unit {
			continue
		}
		for _, t := range u.Tests {
			if t.ID == id {
				return t
			}
		}
	}
	return Test{ID: id}
}

// Finished is the time that the run took without the tests that did not come to an end.
func (r Result) Finished() time.Duration {
	d := r.Duration
	for _, t := range r.Tests() {
		if !t.Ended() {
			d -= t.Duration
		}
	}
	return max(0, d)
}

// With returns the ids whose status satisfies keep, sorted.
func (r Result) With(keep func(Status) bool) []ID {
	var ids []ID
	for _, t := range r.Tests() {
		if keep(t.Status) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Failing returns the ids that make the suite red, sorted.
func (r Result) Failing() []ID { return r.With(Status.Failing) }

// Passing returns the ids that passed, sorted.
func (r Result) Passing() []ID { return r.With(func(s Status) bool { return s == Passed }) }

// UnusableParts returns the unusable parts of all units; a unit that is
// unusable as a whole is a part that bears the unit's name.
func (r Result) UnusableParts() []Part {
	var parts []Part
	for _, u := range r.Units {
		if u.Reason != NoReason && !u.onlyByParts() {
			parts = append(parts, Part{Name: u.Unit, Reason: u.Reason, Detail: u.Detail, At: u.At})
		}
		parts = append(parts, u.Unusable...)
	}
	return parts
}

// onlyByParts reports whether the unit is unusable for no other reason than that
// each of its parts is: they say it all.
func (u UnitRun) onlyByParts() bool {
	same := func(p Part) bool { return p.Reason == u.Reason || u.Reason == CollectionError }
	return len(u.Tests) == 0 && len(u.Unusable) > 0 && !slices.ContainsFunc(u.Unusable, func(p Part) bool { return !same(p) })
}

// Count returns the number of tests with that status.
func (r Result) Count(s Status) int {
	return len(r.With(func(x Status) bool { return x == s }))
}
