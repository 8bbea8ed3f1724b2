package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// Names of the layers that a drill makes.
const (
	CanaryCheck = "canary"
	ForcedCheck = "forced"
)

// Drill runs the targets on a fresh fork of the snapshot with only the state on
// it, as a drill: beside canaries, and each made to fail when its body ends.
type Drill func(ctx context.Context, how Drilling) (Drilled, error)

// Drilling says what is to be drilled.
type Drilling struct {
	State   textedit.State
	Targets []testresult.ID
	// Whole runs the whole units of the targets, for tests that need the company of
	// others. Alone runs the canaries only.
	Whole, Alone bool
	// Plain leaves in place what says that tests run, which a drill hides else.
	Plain bool
}

// Drilled is what a drill showed.
type Drilled struct {
	// Unplaceable says why canaries can't be placed in a unit of the targets; empty
	// when they can.
	Unplaceable string
	// Wrong are the canaries that were not reported as they must be.
	Wrong []Wrong
	// Endings are how the bodies of the targets ended.
	Endings map[testresult.ID]Ending
	// Aware means, of a plain drill, that code of the project has asked before the edit
	// whether tests run.
	Aware bool
	// Why is what kept a unit from being run, for people.
	Why string
	// Duration is the wall time of its test commands.
	Duration time.Duration
}

// Wrong is a canary that was not reported as it must be.
type Wrong struct {
	// Unit and Part are where it was, Shows what it does, in words.
	Unit, Part, Shows string
	Want, Got         testresult.Status
}

func (w Wrong) String() string {
	return fmt.Sprintf("%s in %s was reported as %s, not as %s", w.Shows, w.Part, w.Got, w.Want)
}

// same reports whether two are the same canary, whatever became of them.
func (w Wrong) same(other Wrong) bool {
	return w.Unit == other.Unit && w.Part == other.Part && w.Shows == other.Shows
}

// Ending is how the body of a forced target ended.
type Ending struct {
	How runner.Ending
	// Detail is what the drill said of it, and Status what was reported.
	Detail string
	Status testresult.Status
}

// Layers are the two layers that one drill serves: the canary and the forced run.
func (d Drill) Layers() []Layer {
	s := &drilling{drill: d}
	return []Layer{{Name: CanaryCheck, Check: s.canary}, {Name: ForcedCheck, Check: s.forced}}
}

// drilling shares one run between the layers.
type drilling struct {
	drill Drill
	done  *Drilled
}

// run drills the subject, once for both layers.
func (s *drilling) run(ctx context.Context, subject Subject) (Drilled, error) {
	if s.done != nil {
		return *s.done, nil
	}
	d, err := s.drill(ctx, Drilling{State: subject.State, Targets: subject.Targets})
	if err != nil {
		return Drilled{}, err
	}
	s.done = &d
	return d, nil
}

// canary demands that every canary is reported as it must be. One that isn't
// without the edit either says nothing about the edit.
func (s *drilling) canary(ctx context.Context, subject Subject) (Verdict, string, error) {
	d, err := s.run(ctx, subject)
	switch {
	case err != nil:
		return Invalid, "", err
	case d.Unplaceable != "":
		return Unplaceable, d.Unplaceable, nil
	case len(d.Wrong) == 0:
		return Confirmed, "", nil
	}
	before, err := s.drill(ctx, Drilling{Targets: subject.Targets, Alone: true})
	if err != nil {
		return Invalid, "", err
	}
	for _, w := range d.Wrong {
		if !slices.ContainsFunc(before.Wrong, w.same) {
			return Refused, fmt.Sprintf("with the edit, failures are no longer reported: %s, which is %s without it", w, w.Want), nil
		}
	}
	return Unplaceable, because("without the edit too, "+d.Wrong[0].String(), before.Why), nil
}

func because(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}

// forced demands that every target's body came to its end and that the failure
// at that end was reported. A target that needs the company of other tests gets
// it in a second run. What the drill shows in the same way without the edit says
// nothing about the edit.
func (s *drilling) forced(ctx context.Context, subject Subject) (Verdict, string, error) {
	d, err := s.run(ctx, subject)
	if err != nil || d.Unplaceable != "" {
		return Unplaceable, d.Unplaceable, err
	}
	odd := notEnded(d, subject.Targets)
	if len(odd) == 0 {
		return Confirmed, suspicions(d, subject.Targets), nil
	}
	d, err = s.drill(ctx, Drilling{State: subject.State, Targets: subject.Targets, Whole: true})
	if err != nil {
		return Invalid, "", err
	}
	if odd = notEnded(d, odd); len(odd) == 0 {
		return Confirmed, suspicions(d, subject.Targets), nil
	}
	plain, err := s.drill(ctx, Drilling{State: subject.State, Targets: subject.Targets, Whole: true, Plain: true})
	if err != nil {
		return Invalid, "", err
	}
	if still := notEnded(plain, odd); len(still) < len(odd) && !plain.Aware {
		return Refused, hidden(odd, still), nil
	} else if len(still) == 0 {
		return Confirmed, suspicions(plain, subject.Targets), nil
	}
	before, err := s.drill(ctx, Drilling{Targets: subject.Targets, Whole: true})
	if err != nil {
		return Invalid, "", err
	}
	for _, id := range odd {
		if detail := refusal(id, d.Endings[id], before.Endings[id]); detail != "" {
			return Refused, detail, nil
		}
	}
	unforced := slices.DeleteFunc(odd, func(id testresult.ID) bool { return d.Endings[id].How == runner.Tampered })
	if len(unforced) == 0 {
		return Confirmed, "", nil
	}
	return Unplaceable, because(unforced[0].String()+" can't be made to fail at its end, without the edit neither", before.Why), nil
}

// hidden says which target depends on being told that tests run.
func hidden(odd, still []testresult.ID) string {
	i := slices.IndexFunc(odd, func(id testresult.ID) bool { return !slices.Contains(still, id) })
	return fmt.Sprintf("%s passes only where something tells the code that tests run, or what they say", odd[i])
}

// notEnded are the ids whose bodies did not come to a reported end.
func notEnded(d Drilled, ids []testresult.ID) []testresult.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id testresult.ID) bool { return d.Endings[id].How == runner.Ended })
}

// suspicions are what the drill says of bodies that came to their ends, a line each.
func suspicions(d Drilled, targets []testresult.ID) string {
	var lines []string
	for _, id := range targets {
		if e := d.Endings[id]; e.How == runner.Ended && e.Detail != "" {
			lines = append(lines, fmt.Sprintf("%s passes, but %s", id, e.Detail))
		}
	}
	return strings.Join(lines, "\n")
}

// refusal says why an ending refutes the edit, or nothing.
func refusal(id testresult.ID, with, without Ending) string {
	switch with.How {
	case runner.Ended:
		return ""
	case runner.Tampered:
		if without.How == with.How && without.Detail == with.Detail {
			return ""
		}
		return fmt.Sprintf("when %s ended, %s", id, with.Detail)
	case runner.FailedBefore:
		return fmt.Sprintf("%s is reported as passed, but its body ended otherwise: %s", id, with.Detail)
	case runner.NotForced:
		if with.Status.Failing() || !without.Status.Failing() {
			return "" // it fails by itself in a drill, or can't be made to fail at all
		}
		return fmt.Sprintf("%s was made to fail at its end, and was reported as %s", id, with.Status)
	default:
		return fmt.Sprintf("%s ended in an unknown way (%d)", id, with.How)
	}
}

// Add adds what a drill showed of one unit.
func (d *Drilled) Add(how *runner.Drill, run testresult.UnitRun, targets []testresult.ID) {
	found := map[testresult.ID]testresult.Test{}
	for _, t := range run.Tests {
		found[t.ID] = t
	}
	for _, part := range how.Parts {
		for _, c := range how.Canaries {
			got := how.Reported(c, part, run)
			if got != c.Want && !(c.Optional && got == testresult.Missing) {
				d.Wrong = append(d.Wrong, Wrong{Unit: run.Unit, Part: part, Shows: c.Shows, Want: c.Want, Got: got})
			}
		}
	}
	for _, id := range targets {
		t := found[id]
		ending, detail := how.EndingOf(t)
		d.Endings[id] = Ending{How: ending, Detail: detail, Status: t.Status}
	}
	if run.Reason != testresult.NoReason {
		d.Why = run.Reason.String() + ": " + run.Detail
	} else if len(run.Unusable) > 0 {
		d.Why = describe(run.Unusable[:1])[len(": "):]
	}
}
