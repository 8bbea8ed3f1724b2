package runner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"
)

// shell is an adapter for tests that are shell scripts, each NAME.sh, with a
// report of lines "run NAME", "pass NAME", "fail NAME" and "end".
func shell() runner.Adapter {
	return runner.Adapter{Name: "shell", Command: shellCommand, Parse: shellParse, Running: shellRunning}
}

const loop = `for f in $TESTS; do
echo "run $f" >> "$REPORT"
if sh "$f"; then echo "pass $f" >> "$REPORT"; else echo "fail $f" >> "$REPORT"; fi
done
echo end >> "$REPORT"`

func shellCommand(unit runner.Unit, sel runner.Selection, report runner.Report, limits runner.Limits) ([]command.Spec, error) {
	ids := sel.IDs
	if ids == nil {
		ids = unit.Parts
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(sel.Skip, id) })
	return []command.Spec{{
		Args: []string{"sh", "-c", loop},
		Env:  []string{"TESTS=" + strings.Join(ids, " "), "REPORT=" + filepath.Join(report.Folder, "report")},
	}}, nil
}

func shellParse(unit runner.Unit, report runner.Report) testresult.UnitRun {
	data, err := report.ReadFile("report")
	if err != nil {
		return testresult.UnitRun{Unit: unit.Name, Reason: testresult.ReportMissing, Detail: err.Error()}
	}
	return shellResult(unit, data)
}

func shellResult(unit runner.Unit, data []byte) testresult.UnitRun {
	run := testresult.UnitRun{Unit: unit.Name, Reason: testresult.ExitedEarly, Detail: "no end"}
	for line := range strings.Lines(string(data)) {
		word, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		test := testresult.Test{ID: testresult.ID{Native: id}, Duration: 10 * time.Millisecond}
		switch word {
		case "pass":
			test.Status = testresult.Passed
		case "fail":
			test.Status = testresult.Failed
			test.Failure = &testresult.Failure{Kind: "exit", Message: "\x1b[31mfailed\x1b[0m"}
		case "end":
			run.Reason, run.Detail = testresult.NoReason, ""
			continue
		default:
			continue
		}
		run.Tests = append(run.Tests, test)
	}
	return run
}

func shellRunning(report runner.Report) (string, time.Time, bool) {
	data, err := report.ReadEnd("report", 1<<10)
	if err != nil {
		return "", time.Time{}, false
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	id, running := strings.CutPrefix(string(lines[len(lines)-1]), "run ")
	info, err := os.Stat(filepath.Join(report.Folder, "report"))
	if err != nil {
		return "", time.Time{}, false
	}
	return id, info.ModTime(), running
}

const forever = "while :; do sleep 1; done"

var scripts = map[string]string{
	"a.sh": "exit 0", "b.sh": "exit 1", "c.sh": "exit 0", "hang.sh": forever, "hang2.sh": forever, "slow.sh": "sleep 1.2",
	"kill.sh": "kill -9 $PPID",
	"huge.sh": `head -c 70000000 /dev/zero > "$REPORT.more"; sleep 1000`,
	"loud.sh": `head -c 3000000 /dev/zero`,
}

// start lays the named scripts and returns the cell and the unit.
func start(t *testing.T, names ...string) (runner.Cell, runner.Unit) {
	t.Helper()
	var files []txtar.File
	for _, n := range names {
		files = append(files, txtar.File{Name: n, Data: []byte(scripts[n])})
	}
	return runnertest.OpenCell(t, runnertest.Write(t, "project", files)), runner.Unit{Name: "u", Root: ".", Parts: names}
}

func statuses(run testresult.UnitRun) map[string]string {
	got := map[string]string{}
	for _, t := range run.Tests {
		got[t.ID.String()] = t.Status.String()
	}
	return got
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about  string
		tests  []string
		sel    runner.Selection
		limits runner.Limits
		want   map[string]string
		reason testresult.Reason
	}{
		{
			about: "all", tests: []string{"b.sh", "a.sh"},
			want: map[string]string{"u::a.sh": "passed", "u::b.sh": "failed"},
		},
		{
			about: "a selection", tests: []string{"a.sh", "b.sh"}, sel: runner.Selection{IDs: []string{"b.sh"}},
			want: map[string]string{"u::b.sh": "failed"},
		},
		{
			about: "no test", sel: runner.Selection{IDs: []string{}}, want: map[string]string{}, reason: testresult.NoTests,
		},
		{
			about: "hanging tests are killed and the rest is run",
			tests: []string{"a.sh", "hang.sh", "b.sh", "hang2.sh", "c.sh"}, limits: runner.Limits{Test: time.Second},
			want: map[string]string{
				"u::a.sh": "passed", "u::b.sh": "failed", "u::c.sh": "passed", "u::hang.sh": "hung", "u::hang2.sh": "hung",
			},
		},
		{
			about: "a hanging test of a selection", tests: []string{"a.sh", "hang.sh", "b.sh", "c.sh"},
			sel: runner.Selection{IDs: []string{"hang.sh", "c.sh"}}, limits: runner.Limits{Test: time.Second},
			want: map[string]string{"u::hang.sh": "hung", "u::c.sh": "passed"},
		},
		{
			about: "the overall limit without an id to blame", tests: []string{"a.sh", "hang.sh"},
			limits: runner.Limits{Suite: 2 * time.Second},
			want:   map[string]string{"u::a.sh": "passed"}, reason: testresult.Timeout,
		},
		{
			about: "a process that ends early", tests: []string{"a.sh", "kill.sh", "c.sh"},
			want: map[string]string{"u::a.sh": "passed"}, reason: testresult.ExitedEarly,
		},
		{
			about: "a report without bounds", tests: []string{"a.sh", "huge.sh"},
			want: map[string]string{}, reason: testresult.ReportTooLarge,
		},
		{about: "output without bounds", tests: []string{"loud.sh"}, want: map[string]string{"u::loud.sh": "passed"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			cell, unit := start(t, c.tests...)
			run, err := runner.Run(context.Background(), cell, shell(), unit, c.sel, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, statuses(run)); diff != "" || run.Reason != c.reason {
				t.Errorf("reason %q, want %q; tests (-want +got):\n%s", run.Reason, c.reason, diff)
			}
		})
	}
}

// TestRunHangThenLimit checks that a run with a hung id is a red one, not an
// unusable one, when the overall limit ends it.
func TestRunHangThenLimit(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "hang.sh", "a.sh", "hang2.sh")
	a := shell()
	a.Rest = func(runner.Unit, runner.Selection, testresult.UnitRun, runner.Report) (runner.Selection, bool) {
		return runner.Selection{IDs: []string{"a.sh", "hang2.sh"}}, true
	}
	running := a.Running
	a.Running = func(r runner.Report) (string, time.Time, bool) {
		id, since, ok := running(r)
		return id, since, ok && id == "hang.sh" // nobody sees that hang2.sh runs
	}
	run, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, runner.Limits{Test: time.Second, Suite: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"u::hang.sh": "hung", "u::a.sh": "passed"}
	if diff := cmp.Diff(want, statuses(run)); diff != "" || run.Reason != testresult.NoReason || len(run.Warnings) != 1 {
		t.Errorf("reason %q, warnings %q, tests (-want +got):\n%s", run.Reason, run.Warnings, diff)
	}
}

func TestRunShrinksTheLimitAfterAHang(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "a.sh", "hang.sh", "c.sh")
	a := shell()
	var given []time.Duration
	build := a.Command
	a.Command = func(u runner.Unit, s runner.Selection, r runner.Report, l runner.Limits) ([]command.Spec, error) {
		given = append(given, l.Test)
		return build(u, s, r, l)
	}
	limits := runner.Limits{Test: 2 * time.Second}
	if _, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, limits); err != nil {
		t.Fatal(err)
	}
	// The slowest test that finished took 10 ms: ten times that is under the least.
	if want := []time.Duration{2 * time.Second, 500 * time.Millisecond}; !slices.Equal(given, want) {
		t.Errorf("limits were %v, want %v", given, want)
	}
}

// TestRunGivesTheWholeLimitOnce runs slow tests behind hanging ones.
func TestRunGivesTheWholeLimitOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about  string
		tests  []string
		limits runner.Limits
		want   map[string]string
	}{
		{
			"the first hang lowers the limit",
			[]string{"hang.sh", "slow.sh", "hang2.sh"},
			runner.Limits{Test: 4 * time.Second},
			map[string]string{"u::hang.sh": "hung", "u::slow.sh": "passed", "u::hang2.sh": "hung"},
		},
		{
			"a limit that was lowered before",
			[]string{"a.sh", "slow.sh"},
			runner.Limits{Test: 300 * time.Millisecond, Full: 4 * time.Second},
			map[string]string{"u::a.sh": "passed", "u::slow.sh": "passed"},
		},
		{
			"after a real hang nothing more, when it was lowered before",
			[]string{"hang.sh", "slow.sh"},
			runner.Limits{Test: 300 * time.Millisecond, Full: 2 * time.Second},
			map[string]string{"u::hang.sh": "hung", "u::slow.sh": "hung"},
		},
		{
			"control: never lowered",
			[]string{"a.sh", "slow.sh"},
			runner.Limits{Test: 300 * time.Millisecond},
			map[string]string{"u::a.sh": "passed", "u::slow.sh": "hung"},
		},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			cell, unit := start(t, c.tests...)
			run, err := runner.Run(context.Background(), cell, shell(), unit, runner.Selection{}, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, statuses(run)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLowered(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct{ limit, slowest, want time.Duration }{
		{10 * s, 0, s / 2}, {10 * s, s / 100, s / 2}, {10 * s, s / 2, 5 * s}, {10 * s, 3 * s, 10 * s}, {s / 4, 0, s / 4},
	} {
		if got := runner.Lowered(c.limit, c.slowest); got != c.want {
			t.Errorf("Lowered(%v, %v) = %v, want %v", c.limit, c.slowest, got, c.want)
		}
	}
}

func TestRunCleansTexts(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "b.sh")
	run, err := runner.Run(context.Background(), cell, shell(), unit, runner.Selection{}, runner.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Tests[0].Failure.Message; got != "failed" {
		t.Errorf("message %q", got)
	}
}

// TestRunSeveralCommands runs two commands that write the same file: the second
// one's report must not hold what the first one left.
func TestRunSeveralCommands(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "a.sh", "b.sh")
	a := shell()
	a.Command = func(u runner.Unit, _ runner.Selection, r runner.Report, l runner.Limits) ([]command.Spec, error) {
		first, err := shellCommand(u, runner.Selection{IDs: []string{"a.sh"}}, r, l)
		return append(first, command.Spec{Args: []string{"true"}}), err
	}
	run, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, runner.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Unusable) != 1 || run.Unusable[0].Reason != testresult.ReportMissing {
		t.Errorf("the second command's missing report was not seen: %+v", run)
	}
}

func TestRunStdoutReport(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "a.sh", "hang.sh", "b.sh")
	a := shell()
	a.StdoutReport = true
	a.Command = func(u runner.Unit, s runner.Selection, r runner.Report, l runner.Limits) ([]command.Spec, error) {
		specs, err := shellCommand(u, s, r, l)
		specs[0].Env = append(specs[0].Env, "REPORT=/dev/stdout")
		return specs, err
	}
	a.Parse = func(u runner.Unit, r runner.Report) testresult.UnitRun {
		data, err := r.ReadFile(runner.StdoutFile)
		if err != nil || !bytes.Equal(data, r.Output.Stdout) {
			t.Errorf("the report is %q (%v), the output %q", data, err, r.Output.Stdout)
		}
		return shellResult(u, data)
	}
	a.Running = func(r runner.Report) (string, time.Time, bool) {
		if err := os.Link(filepath.Join(r.Folder, runner.StdoutFile), filepath.Join(r.Folder, "report")); err != nil && !os.IsExist(err) {
			t.Error(err)
		}
		return shellRunning(r)
	}
	run, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, runner.Limits{Test: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"u::a.sh": "passed", "u::hang.sh": "hung", "u::b.sh": "failed"}
	if diff := cmp.Diff(want, statuses(run)); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
}

func TestRunMissingProgram(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"no-such-program", "/no/such/program"} {
		cell, unit := start(t, "a.sh")
		a := shell()
		a.Command = func(runner.Unit, runner.Selection, runner.Report, runner.Limits) ([]command.Spec, error) {
			return []command.Spec{{Args: []string{program}}}, nil
		}
		run, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, runner.Limits{})
		if err != nil || run.Reason != testresult.NotInstalled || !strings.Contains(run.Detail, program) {
			t.Errorf("got %+v, %v; want it not installed", run, err)
		}
	}
}

func TestRunUnusableUnit(t *testing.T) {
	t.Parallel()
	unit := runner.Unit{Name: "u", Reason: testresult.NotInstalled, Detail: "no shell"}
	run, err := runner.Run(context.Background(), nil, shell(), unit, runner.Selection{}, runner.Limits{})
	if err != nil || run.Reason != testresult.NotInstalled || run.Detail != "no shell" {
		t.Errorf("got %+v, %v", run, err)
	}
}

func TestRunCancelled(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "hang.sh")
	a := shell()
	ctx, cancel := context.WithCancel(context.Background())
	a.Running = func(r runner.Report) (string, time.Time, bool) {
		id, since, ok := shellRunning(r)
		if ok {
			cancel()
		}
		return id, since, ok
	}
	_, err := runner.Run(ctx, cell, a, unit, runner.Selection{}, runner.Limits{Test: time.Minute})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it cancelled", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cell.Scratch(), "report-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestRunEndsWhenNothingNewComes checks that an adapter that always has more to
// run does not run for ever.
func TestRunEndsWhenNothingNewComes(t *testing.T) {
	t.Parallel()
	cell, unit := start(t, "a.sh")
	a := shell()
	rounds := 0
	a.Rest = func(_ runner.Unit, sel runner.Selection, _ testresult.UnitRun, _ runner.Report) (runner.Selection, bool) {
		rounds++
		return sel, true
	}
	if _, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, runner.Limits{}); err != nil {
		t.Fatal(err)
	}
	if rounds != 2 {
		t.Errorf("%d rounds, want 2", rounds)
	}
}

func TestReportReadsOnlyRegularFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	report := runner.Report{Folder: folder}
	if err := os.WriteFile(filepath.Join(folder, "file"), []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", filepath.Join(folder, "link")); err != nil {
		t.Skipf("not on this system: symlink: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "folder"} {
		if data, err := report.ReadFile(name); err == nil {
			t.Errorf("read %q as %q", name, data)
		}
	}
	if _, err := report.ReadFile("none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing report: %v", err)
	}
	if data, err := report.ReadEnd("file", 3); err != nil || string(data) != "789" {
		t.Errorf("the end is %q, %v", data, err)
	}
	if data, err := report.ReadFile("file"); err != nil || string(data) != "0123456789" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

func TestCombine(t *testing.T) {
	t.Parallel()
	test := func(id string, s testresult.Status) testresult.Test {
		return testresult.Test{ID: testresult.ID{Unit: "u", Native: id}, Status: s}
	}
	ok := testresult.UnitRun{Unit: "u", Tests: []testresult.Test{test("b", testresult.Passed), test("c", testresult.Failed)}}
	more := testresult.UnitRun{Unit: "u", Tests: []testresult.Test{test("a", testresult.Passed), test("b", testresult.Failed), test("c", testresult.Passed)}}
	none := testresult.UnitRun{Unit: "u", Reason: testresult.NoTests}
	dead := testresult.UnitRun{Unit: "u", Reason: testresult.Crashed, Detail: "SIGSEGV"}
	for _, c := range []struct {
		about string
		a, b  testresult.UnitRun
		want  string
	}{
		{"failing wins over passing", ok, more, "a passed, b failed, c failed"},
		{"no tests in one of two", ok, none, "b passed, c failed"},
		{"no tests in the first", none, ok, "b passed, c failed"},
		{"a dead command beside a good one", ok, dead, "b passed, c failed, part u crashed"},
		{"a good one after a dead one", dead, ok, "b passed, c failed, part u crashed"},
		{"both dead", dead, none, "reason crashed SIGSEGV"},
		{"the first of all", testresult.UnitRun{Unit: "u"}, dead, "reason crashed SIGSEGV"},
	} {
		got := runner.Combine(c.a, c.b)
		var said []string
		for _, t := range got.Tests {
			said = append(said, fmt.Sprintf("%s %s", t.ID.Native, t.Status))
		}
		for _, p := range got.Unusable {
			said = append(said, fmt.Sprintf("part %s %s", p.Name, p.Reason))
		}
		if got.Reason != testresult.NoReason {
			said = append(said, fmt.Sprintf("reason %s %s", got.Reason, got.Detail))
		}
		if s := strings.Join(said, ", "); s != c.want {
			t.Errorf("%s: got %q, want %q", c.about, s, c.want)
		}
	}
}

func TestElsewhere(t *testing.T) {
	t.Parallel()
	report := runner.Report{Root: filepath.FromSlash("/work/copy")}
	inside := []string{filepath.FromSlash("/work/copy/a.py"), filepath.FromSlash("/work/copy/src/b.py")}
	if file, elsewhere := report.Elsewhere(inside); elsewhere {
		t.Errorf("%q was taken for elsewhere", file)
	}
	for _, file := range []string{"/work/copy2/a.py", "/home/dev/a.py"} {
		file = filepath.FromSlash(file)
		if got, elsewhere := report.Elsewhere(append(slices.Clone(inside), file)); !elsewhere || got != file {
			t.Errorf("Elsewhere(%q) = %q, %v", file, got, elsewhere)
		}
	}
}

// TestRunKeepsToItsFolder has tests put a link to somebody's folder in the place of
// the report's folder: what is in the former is neither read nor removed, and nothing
// is written there.
func TestRunKeepsToItsFolder(t *testing.T) {
	t.Parallel()
	for _, stdout := range []bool{false, true} {
		cell, unit := start(t, "a.sh")
		victim := t.TempDir()
		if err := os.WriteFile(filepath.Join(victim, "precious"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(victim, "report"), []byte("run a.sh\npass a.sh\nend\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		a := shell()
		a.StdoutReport = stdout
		a.Command = func(_ runner.Unit, _ runner.Selection, r runner.Report, _ runner.Limits) ([]command.Spec, error) {
			swap := fmt.Sprintf("mv '%s' '%s.aside' && ln -s '%s' '%s'", r.Folder, r.Folder, victim, r.Folder)
			return []command.Spec{{Args: []string{"sh", "-c", swap}}, {Args: []string{"sh", "-c", "echo written"}}}, nil
		}
		run, err := runner.Run(context.Background(), cell, a, unit, runner.Selection{}, runner.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Tests) > 0 {
			t.Errorf("somebody's file was read as a report: %+v", run)
		}
		entries, err := os.ReadDir(victim)
		if err != nil || len(entries) != 2 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
}
