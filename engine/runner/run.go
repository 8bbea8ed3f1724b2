package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"

	"autocoder/engine/testresult"
)

// Run runs a selection of a unit's tests in a cell and returns what that
// showed: only ids that were asked for, sorted, each once, with clean texts.
//
// A test that runs longer than limits.Test is killed and recorded as hung, and
// the rest runs without it and with the limit that Lowered gives, and what hung only
// at that limit once more; so does the rest of an adapter with a Rest function
// after a test that took its process down. limits.Suite bounds all of it.
//
// A red or an unusable suite is a result; an error means that the tests could
// not be run for a reason of our own, or that ctx has ended.
func Run(ctx context.Context, cell Cell, adapter Adapter, unit Unit, sel Selection, limits Limits) (testresult.UnitRun, error) {
	r := running{cell: cell, adapter: adapter, unit: unit, limits: limits, seed: sel.Seed, all: testresult.UnitRun{Unit: unit.Name}}
	r.limits.Full, r.lowered = limits.full(), limits.full() > limits.Test
	if unit.Reason != testresult.NoReason {
		r.all.Reason, r.all.Detail = unit.Reason, unit.Detail
		return r.all, nil
	}
	r.begin(limits)
	r.left = []Selection{sel}
	for len(r.left) > 0 && !r.stopped {
		next := r.left[0]
		r.left = r.left[1:]
		known := len(r.all.Tests) + len(r.all.Unusable)
		err := r.round(ctx, next)
		if err != nil {
			return testresult.UnitRun{}, err
		}
		if len(r.all.Tests)+len(r.all.Unusable) == known {
			break // nothing new came of it: the rest would go on for ever
		}
	}
	if err := r.again(ctx); err != nil {
		return testresult.UnitRun{}, err
	}
	r.close()
	return settle(r.all, sel.IDs), nil
}

// running is the state of one Run.
type running struct {
	cell    Cell
	adapter Adapter
	unit    Unit
	// seed holds for all that is left of a selection.
	seed int
	// limits.Test shrinks after the first hang.
	limits Limits
	end    time.Time // of the whole run; zero for none
	// all is what was seen so far, left are the selections still to be run.
	all  testresult.UnitRun
	left []Selection
	hung bool
	// lowered means that the limit was a lowered one from the start.
	lowered bool
	// stopped means that the overall limit was met.
	stopped bool
}

// begin sets the end of the whole run.
func (r *running) begin(limits Limits) {
	if limits.Suite > 0 {
		r.end = time.Now().Add(limits.Suite)
	}
}

// round lays a fresh report and runs the commands of one selection.
func (r *running) round(ctx context.Context, sel Selection) error {
	folder, err := os.MkdirTemp(r.cell.Scratch(), "report-")
	if err != nil {
		return fmt.Errorf("make the folder of the test report: %w", err)
	}
	report := Report{Folder: folder, Root: r.cell.Root(), LeftOut: r.unit.LeftOut, Withheld: r.unit.Withheld}
	defer report.discard()
	if report.files, err = os.OpenRoot(folder); err != nil {
		return fmt.Errorf("open the folder of the test report: %w", err)
	}
	defer report.files.Close()
	sel.Seed = r.seed
	specs, err := r.adapter.Command(r.unit, sel, report, r.limits)
	if err != nil {
		return fmt.Errorf("prepare the command of %s: %w", r.adapter.Name, err)
	}
	laid := report.contents()
	for i, spec := range specs {
		if i > 0 {
			if err := report.sweep(laid); err != nil {
				return err
			}
		}
		if spec.Dir == "." {
			spec.Dir = ""
		}
		report.Command, report.Hung = spec, nil
		one, left, err := r.one(ctx, report, laid, sel)
		if err != nil {
			return err
		}
		r.all = Combine(r.all, one)
		r.left = append(r.left, left...)
		if r.stopped {
			return nil
		}
	}
	return nil
}

// one runs one command and returns what it showed and what it left to run.
func (r *running) one(ctx context.Context, report Report, laid map[string]int64, sel Selection) (testresult.UnitRun, []Selection, error) {
	w := watch{running: r, report: report, laid: laid}
	end, err := w.run(ctx)
	report = w.report
	switch {
	case errors.Is(err, errNotFound):
		return r.unusable(testresult.NotInstalled, err.Error()), nil, nil
	case err != nil:
		return testresult.UnitRun{}, nil, err
	case end == tooLarge:
		return r.unusable(testresult.ReportTooLarge, fmt.Sprintf("the report grew over %d MiB", ReportLimit>>20)), nil, nil
	}
	r.stopped = end == suiteLimit
	report.TimedOut = r.stopped
	run := r.adapter.Parse(r.unit, report)
	run.Unit = r.unit.Name
	run = overrun(withoutLeftOut(blocked(run, report), report), report)
	if report.Hung != nil {
		run = withHung(run, report.Hung, w.limit)
	}
	r.place(run, report)
	r.shrink(run)
	return run, r.rest(sel, run, report), nil
}

func (r *running) unusable(reason testresult.Reason, detail string) testresult.UnitRun {
	return testresult.UnitRun{Unit: r.unit.Name, Reason: reason, Detail: detail}
}

// withHung records ids as hung. Whatever else was odd about the report comes of
// our own kill.
func withHung(run testresult.UnitRun, ids []string, limit time.Duration) testresult.UnitRun {
	run.Reason, run.Detail, run.At = testresult.NoReason, "", testresult.Frame{}
	for _, id := range ids {
		hung := testresult.Test{
			ID: testresult.ID{Unit: run.Unit, Native: id}, Status: testresult.Hung, Duration: limit,
			Failure: &testresult.Failure{
				Kind:    KindHang,
				Message: fmt.Sprintf("the test did not end within %s and was killed", limit.Round(time.Millisecond)),
			},
		}
		i := slices.IndexFunc(run.Tests, func(t testresult.Test) bool { return t.ID.Native == id })
		switch {
		case i < 0:
			run.Tests = append(run.Tests, hung)
		case run.Tests[i].Status == testresult.Hung:
			run.Tests[i].Duration = limit
		default:
			hung.Part = run.Tests[i].Part
			run.Tests[i] = hung
		}
	}
	return run
}

// place fills in where a failing test stands when its failure does not say.
func (r *running) place(run testresult.UnitRun, report Report) {
	if r.adapter.Places == nil {
		return
	}
	var at func(testresult.Test) testresult.Frame
	for _, t := range run.Tests {
		if !t.Status.Failing() || t.Failure == nil || t.Failure.At.File != "" {
			continue
		}
		if at == nil {
			at = r.adapter.Places(r.unit, report)
		}
		t.Failure.At = at(t)
	}
}

// shrink lowers the per-test limit once a test has hung.
func (r *running) shrink(run testresult.UnitRun) {
	var slowest time.Duration
	for _, t := range append(slices.Clone(r.all.Tests), run.Tests...) {
		if t.Status == testresult.Hung {
			r.hung = true
			continue
		}
		slowest = max(slowest, t.Duration)
	}
	if r.hung && r.limits.Test > 0 {
		r.limits.Test = Lowered(r.limits.Test, slowest)
	}
}

// rest returns what a command that ended in the middle left to run.
func (r *running) rest(sel Selection, run testresult.UnitRun, report Report) []Selection {
	if r.stopped {
		return nil
	}
	if r.adapter.Rest != nil {
		left, ok := r.adapter.Rest(r.unit, sel, run, report)
		if !ok {
			return nil
		}
		return []Selection{left}
	}
	if report.Hung == nil {
		return nil
	}
	left := Selection{Skip: append(slices.Clone(sel.Skip), report.Hung...)}
	if sel.IDs == nil {
		return []Selection{left}
	}
	left.IDs = slices.DeleteFunc(slices.Clone(sel.IDs), func(id string) bool {
		return slices.ContainsFunc(run.Tests, func(t testresult.Test) bool { return t.ID.Native == id })
	})
	if len(left.IDs) == 0 {
		return nil
	}
	return []Selection{left}
}

// close says what the overall limit did to the run.
func (r *running) close() {
	if !r.stopped {
		return
	}
	detail := fmt.Sprintf("the tests were stopped at their limit of %s", r.limits.Suite)
	if r.hung {
		r.all.Warnings = append(r.all.Warnings, detail)
		return
	}
	r.all.Reason = testresult.Timeout
	r.all.Detail = detail
}

// errNotFound means that the program of a command isn't there.
var errNotFound = errors.New("not found")

// notFound wraps an error of Start that says the program isn't there, as the
// sandbox and os/exec say it.
func notFound(err error) error {
	var missing *exec.Error
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %v", errNotFound, err)
	}
	return err
}
