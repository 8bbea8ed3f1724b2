// Package runnertest is the contract of runner adapters as a test suite: real
// projects, run with the real tools in a real cell.
//
// An adapter brings the projects as txtar archives, one for each situation of
// the contract. The archive's comment says what the run must show, a line each:
//
//	passed ID              a test and its status; every test is listed
//	part NAME REASON       a part that can't be run
//	reason REASON          a unit of which nothing can be judged
//	# anything             a remark
//
// An id may be quoted as in Go. Beside those lines the suite has its own
// demands on each situation, so that no adapter can describe a false green as
// right.
package runnertest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// Fixtures are the projects an adapter brings.
type Fixtures struct {
	// Dir holds NAME.txtar for each situation; more archives than those of the
	// contract are run too.
	Dir fs.FS
	// Environ is the user's environment, for Probe.
	Environ []string
	// Absent are the situations that the runner can't get into, with the reason.
	Absent map[string]string
}

// situation is what the contract demands of a project's run whatever the
// adapter expects.
type situation struct {
	name, about string
	demand      func(r testresult.UnitRun) error
}

func situations() []situation {
	return []situation{
		{"green", "every test passes", status(testresult.Pass)},
		{"failing", "at least one test passes and one fails by an assertion", both(testresult.Passed, testresult.Failed)},
		{"skipping", "a test is skipped beside one that passes", both(testresult.Passed, testresult.Skipped)},
		{"all_skipped", "every test is skipped: nothing is shown", status(testresult.Unusable)},
		{"one_broken", "one part can't be loaded, the rest is run", all(part, count(testresult.Passed))},
		{"all_broken", "no part can be loaded", all(status(testresult.Unusable), reason)},
		{"no_tests", "the unit has no test", all(status(testresult.Unusable), whole(testresult.NoTests))},
		{"hang", "a test loops for ever, the rest is run", both(testresult.Passed, testresult.Hung)},
		{"exit_in_test", "a test ends the process with exit code 0", notGreen},
		{"exit_at_import", "loading a part ends the process with exit code 0", notGreen},
		{"killed", "a test kills its own process", notGreen},
		{"crash", "a test crashes its process", notGreen},
		{"huge_output", "a test prints many megabytes", count(testresult.Passed)},
		{"odd_ids", "names with all that names can have", count(testresult.Passed)},
		{"report_forged", "a test writes rubbish into the report", notGreen},
		{"report_deleted", "a test deletes the report", notGreen},
	}
}

// Contract runs the suite. The package's TestMain must call sandbox.Main first.
func Contract(t *testing.T, a runner.Adapter, fixtures Fixtures) {
	known := map[string]bool{}
	for _, s := range situations() {
		known[s.name] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if why, absent := fixtures.Absent[s.name]; absent {
				t.Logf("left out: %s", why)
				return
			}
			run := fixtures.check(t, a, s.name)
			if err := s.demand(run); err != nil {
				t.Errorf("%s: %v", s.about, err)
			}
		})
	}
	more, err := fs.Glob(fixtures.Dir, "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range more {
		name := strings.TrimSuffix(file, ".txtar")
		if !known[name] {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fixtures.check(t, a, name)
			})
		}
	}
	t.Run("selection", func(t *testing.T) { fixtures.selection(t, a) })
	t.Run("spaces", func(t *testing.T) { fixtures.spaces(t, a) })
	t.Run("cancelled", func(t *testing.T) { fixtures.cancelled(t, a) })
}

// project is one archive, laid out and ready to run.
type project struct {
	cell runner.Cell
	unit runner.Unit
	want wanted
}

func (f Fixtures) open(t *testing.T, a runner.Adapter, name, folder string) project {
	t.Helper()
	data, err := fs.ReadFile(f.Dir, name+".txtar")
	if err != nil {
		t.Fatalf("the contract wants a project for this situation: %v", err)
	}
	archive := txtar.Parse(data)
	want, err := parseWanted(string(archive.Comment))
	if err != nil {
		t.Fatalf("%s.txtar: %v", name, err)
	}
	cell := OpenCell(t, Write(t, folder, archive.Files))
	return project{cell: cell, unit: Prepare(t, a, cell, f.Environ), want: want}
}

// limits give a hanging test a second, and everything time enough on a slow
// machine.
func limits(name string) runner.Limits {
	l := runner.Limits{Test: 60 * time.Second, Suite: 5 * time.Minute}
	if strings.HasPrefix(name, "hang") {
		l.Test = time.Second
	}
	return l
}

// check runs a project as a whole and compares.
func (f Fixtures) check(t *testing.T, a runner.Adapter, name string) testresult.UnitRun {
	t.Helper()
	p := f.open(t, a, name, "project")
	before := Hashes(t, p.cell.Root())
	run := p.run(t, a, runner.Selection{}, limits(name))
	for _, one := range run.Tests {
		if a.Places != nil && one.Failure != nil && one.Status.Failing() && one.Failure.At.File == "" {
			t.Errorf("nobody knows in which file %s failed", one.ID)
		}
	}
	if diff := cmp.Diff(p.want, summary(run)); diff != "" {
		t.Errorf("run of %s (-want +got):\n%s\n%s", name, diff, describe(run))
	}
	if diff := cmp.Diff(before, Hashes(t, p.cell.Root())); diff != "" {
		t.Errorf("the run changed the project's folder (-before +after):\n%s", diff)
	}
	left, err := filepath.Glob(filepath.Join(p.cell.Scratch(), "report-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("reports were left in the scratch folder: %v %v", left, err)
	}
	wellFormed(t, p.unit, run)
	return run
}

func (p project) run(t *testing.T, a runner.Adapter, sel runner.Selection, l runner.Limits) testresult.UnitRun {
	t.Helper()
	run, err := runner.Run(context.Background(), p.cell, a, p.unit, sel, l)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return run
}

// wellFormed checks what holds for every run.
func wellFormed(t *testing.T, unit runner.Unit, run testresult.UnitRun) {
	t.Helper()
	if run.Unit != unit.Name {
		t.Errorf("the run is of unit %q, want %q", run.Unit, unit.Name)
	}
	sorted := slices.IsSortedFunc(run.Tests, func(a, b testresult.Test) int { return a.ID.Compare(b.ID) })
	if !sorted {
		t.Errorf("the tests are not sorted by id")
	}
	for i, test := range run.Tests {
		if i > 0 && run.Tests[i-1].ID == test.ID {
			t.Errorf("%s is there twice", test.ID)
		}
		if test.ID.Unit != unit.Name {
			t.Errorf("%s has unit %q, want %q", test.ID, test.ID.Unit, unit.Name)
		}
		if !test.Status.Failing() {
			continue
		}
		if test.Failure == nil || test.Failure.Kind == "" || test.Failure.Message == "" {
			t.Errorf("%s fails and does not say why: %+v", test.ID, test.Failure)
			continue
		}
		if at := test.Failure.At; filepath.IsAbs(at.File) || strings.Contains(at.File, `\`) {
			t.Errorf("%s fails at %q, want a path relative to the workspace", test.ID, at.File)
		}
		if strings.ContainsAny(test.Failure.Message, "\x00\x1b") {
			t.Errorf("%s has control characters in its message", test.ID)
		}
		if len(test.Failure.Output) > 64<<10 || len(test.Failure.Message) > 64<<10 {
			t.Errorf("%s has uncapped texts", test.ID)
		}
	}
}

// selection runs single tests, and all without one.
func (f Fixtures) selection(t *testing.T, a runner.Adapter) {
	t.Parallel()
	for _, name := range []string{"failing", "odd_ids"} {
		p := f.open(t, a, name, "project")
		for id, want := range p.want.Tests {
			got := summary(p.run(t, a, runner.Selection{IDs: []string{id}}, limits(name)))
			if diff := cmp.Diff(map[string]string{id: want}, got.Tests); diff != "" {
				t.Errorf("%s, only %q (-want +got):\n%s", name, id, diff)
			}
			if name == "odd_ids" {
				continue // one start each is enough
			}
			got = summary(p.run(t, a, runner.Selection{Skip: []string{id}}, limits(name)))
			if _, there := got.Tests[id]; there || len(got.Tests) != len(p.want.Tests)-1 {
				t.Errorf("%s, all but %q: got %v", name, id, got.Tests)
			}
		}
	}
	p := f.open(t, a, "failing", "project")
	got := summary(p.run(t, a, runner.Selection{IDs: []string{"no such id"}}, limits("")))
	if len(got.Tests) > 0 || got.Reason == "" {
		t.Errorf("an id that isn't there: got %+v, want an unusable unit", got)
	}
}

// spaces runs a project at a path that a careless command line would break.
func (f Fixtures) spaces(t *testing.T, a runner.Adapter) {
	t.Parallel()
	p := f.open(t, a, "failing", "a folder's naïve [name] $HOME")
	if diff := cmp.Diff(p.want, summary(p.run(t, a, runner.Selection{}, limits("")))); diff != "" {
		t.Errorf("run at %q (-want +got):\n%s", p.cell.Root(), diff)
	}
}

// cancelled runs with a context that ends.
func (f Fixtures) cancelled(t *testing.T, a runner.Adapter) {
	t.Parallel()
	p := f.open(t, a, "green", "project")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := runner.Run(ctx, p.cell, a, p.unit, runner.Selection{}, limits(""))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("run with a cancelled context: got %v, want it to be cancelled", err)
	}
}

// wanted is a run without what differs from machine to machine.
type wanted struct {
	Tests  map[string]string // status by native id
	Parts  map[string]string // reason by name
	Reason string
}

func parseWanted(comment string) (wanted, error) {
	w := wanted{Tests: map[string]string{}, Parts: map[string]string{}}
	for line := range strings.Lines(comment) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "part":
			i := strings.LastIndex(rest, " ")
			if i < 0 {
				return w, fmt.Errorf("line %q: want part NAME REASON", line)
			}
			w.Parts[rest[:i]] = rest[i+1:]
		case "reason":
			w.Reason = rest
		default:
			if strings.HasPrefix(rest, `"`) {
				id, err := strconv.Unquote(rest)
				if err != nil {
					return w, fmt.Errorf("line %q: %w", line, err)
				}
				rest = id
			}
			w.Tests[rest] = word
		}
	}
	return w, nil
}

func summary(run testresult.UnitRun) wanted {
	w := wanted{Tests: map[string]string{}, Parts: map[string]string{}, Reason: run.Reason.String()}
	for _, t := range run.Tests {
		w.Tests[t.ID.Native] = t.Status.String()
	}
	for _, p := range run.Unusable {
		w.Parts[p.Name] = p.Reason.String()
	}
	return w
}

// describe is the run's own account of what went wrong.
func describe(run testresult.UnitRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "unit: %s %s %+v %q\n", run.Reason, run.Detail, run.At, run.Warnings)
	for _, p := range run.Unusable {
		fmt.Fprintf(&b, "part: %+v\n", p)
	}
	for _, t := range run.Tests {
		if t.Failure != nil {
			fmt.Fprintf(&b, "test: %s %s: %s at %+v\n", t.ID, t.Failure.Kind, t.Failure.Message, t.Failure.At)
		}
	}
	return b.String()
}
