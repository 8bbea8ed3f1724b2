package nodetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// layReport lays the files of a capture where a run would leave them.
func layReport(t testing.TB, files []txtar.File, report runner.Report) runner.Report {
	t.Helper()
	report.Folder = t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(report.Folder, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return report
}

func capture(t testing.TB, name string) []txtar.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "captures", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(data).Files
}

// captured is what both captures show: the runner's own words are the same in
// these releases.
const captured = `passed a.test.js > afterhooked > h1
failed a.test.js > afterhooked > h2 [Error] after boom @a.test.js:10
failed a.test.js > deep [assertion] Expected values to be strictly deep-equal: / + actual - expected /  /   { /     a: [ /       1, / +     2 / -     3 /     ] /   } @a.test.js:4
passed a.test.js > dup
failed a.test.js > dup #2 [assertion] m @a.test.js:7
failed a.test.js > hooked > h1 [Error] before boom @a.test.js:9
failed a.test.js > hooked > h2 [Error] before boom @a.test.js:9
passed a.test.js > parent > c1
failed a.test.js > parent > c2 [failure] str @a.test.js:6
skipped a.test.js > sk [skip] skipped
passed a.test.js > suite > inner > z
passed a.test.js > suite > ok
xfailed a.test.js > td [Error] t @a.test.js:8
skipped a.test.js > td2 [skip] todo
hung a.test.js > timeout [hang] test timed out after 30ms @a.test.js:11
failed a.test.js > top [assertion] Expected values to be strictly equal: /  / 1 !== 2 @a.test.js:3
passed ahang.test.mjs > first
hung ahang.test.mjs > hang [hang] the test did not end within … and was killed
failed exit.test.js > ex [crash] the process exited with code 0 during the test, as by process.exit
hung loop.test.mjs > loop [hang] the test did not end within … and was killed
failed segv.test.js > kill [crash] the process was ended by SIGSEGV during the test
passed throw.test.mjs > a
failed uncaught.test.js > later [Error] from a timer @uncaught.test.js:3
passed uncaught.test.js > ok
failed uncaught.test.js > rejects [RangeError] nobody catches @uncaught.test.js:4
part exit0.test.js exited_early: the process ended with success before a test had a result, as by process.exit
part miss.test.mjs import_error: Cannot find module '/home/dev/p/nosuch.js' imported from /home/dev/p/miss.test.mjs
part miss2.test.mjs import_error: SyntaxError: The requested module './helper.mjs' does not provide an export named 'q' @miss2.test.mjs:2
part syn.test.js syntax_error: SyntaxError: Unexpected token ';' @syn.test.js:2
part throw.test.mjs crashed: the process of the file exited with code 1: Error: top boom
`

var howLong = regexp.MustCompile(`within \S+ and`)

func TestParseCaptures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"node20", "node24"} {
		report := layReport(t, capture(t, name), runner.Report{Root: "/home/dev/p", Output: command.Output{Exit: command.Exit{Code: 1}}})
		run := parse(runner.Unit{Root: "."}, report)
		if diff := cmp.Diff(captured, howLong.ReplaceAllString(runnertest.Show(run), "within … and")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		deep := testresult.Result{Units: []testresult.UnitRun{run}}.Lookup(testresult.ID{Native: "a.test.js > deep"}).Failure
		if deep.Expected != "{ a: [ 1, 3 ] }" || deep.Actual != "{ a: [ 1, 2 ] }" {
			t.Errorf("%s: expected %q, actual %q", name, deep.Expected, deep.Actual)
		}
		if want := []testresult.Frame{{File: "a.test.js", Line: 4, Func: "TestContext.<anonymous>"}}; !slices.Equal(deep.Frames, want) {
			t.Errorf("%s: frames %+v, want %+v", name, deep.Frames, want)
		}
	}
}

func TestParseReports(t *testing.T) {
	t.Parallel()
	const start, end = `{"ev":"start","node":"v20.20.2"}` + "\n", `{"ev":"end"}` + "\n"
	const pass = `{"ev":"pass","name":"a","nesting":0,"file":"/w/a.test.js","line":1}` + "\n"
	fail := command.Output{Exit: command.Exit{Code: 1}}
	for name, test := range map[string]struct {
		events, stderr string
		report         runner.Report
		want           string
	}{
		"whole":              {events: start + pass + end, want: "passed a.test.js > a\n"},
		"no tests":           {events: start + end, want: "unit no_tests: no file has a test to run\n"},
		"without an end":     {events: start + pass, report: runner.Report{Output: fail}, want: "unit report_invalid: the report ends in the middle: node --test ended with exit code 1\npassed a.test.js > a\n"},
		"killed for a hang":  {events: start + pass + `{"ev":"pa`, report: runner.Report{Hung: []string{"b.test.js > b"}}, want: "passed a.test.js > a\n"},
		"killed at the end":  {events: start + pass, report: runner.Report{TimedOut: true}, want: "unit timeout: killed at the limit of the whole run\npassed a.test.js > a\n"},
		"rubbish":            {events: start + "rubbish\n" + end, want: "unit report_invalid: the report of node --test has a line that is none of the reporter's: rubbish / \n"},
		"rubbish at the end": {events: start + end + "rubbish", want: "unit report_invalid: the report of node --test has a line that is none of the reporter's: rubbish\n"},
		"a failure without one": {
			events: start + pass + end, report: runner.Report{Output: fail}, stderr: "no idea",
			want: "unit internal_error: node --test ended with exit code 1 although no test failed: no idea\npassed a.test.js > a\n",
		},
		"a bad option": {
			report: runner.Report{Output: command.Output{Exit: command.Exit{Code: 9}}}, stderr: "/usr/bin/node: bad option: --tset\n",
			want: "unit config_error: /usr/bin/node: bad option: --tset\n",
		},
		"a setup that is missing": {
			report: runner.Report{Output: fail}, stderr: "node:internal/modules:1\nError: Cannot find module 'tsx'\nRequire stack:\n",
			want: "unit import_error: Cannot find module 'tsx' (is it installed? run npm install)\n",
		},
		"silence": {report: runner.Report{Output: fail}, want: "unit report_missing: node --test ended (exit code 1) without a report\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []txtar.File
			if test.events != "" {
				files = append(files, txtar.File{Name: eventsFile, Data: []byte(test.events)})
			}
			test.report.Root = "/w"
			test.report.Output.Stderr = []byte(test.stderr)
			got := runnertest.Show(parse(runner.Unit{Root: "."}, layReport(t, files, test.report)))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseFindsTestsOfAnotherCopy(t *testing.T) {
	t.Parallel()
	files := []txtar.File{
		{Name: eventsFile, Data: []byte(`{"ev":"start"}` + "\n" + `{"ev":"end"}` + "\n")},
		{Name: "run-7.jsonl", Data: []byte(`{"ev":"file","file":"/w/a.test.js","pid":7,"t":1}` + "\n" +
			`{"ev":"outside","outside":"/users/own/lib.js"}` + "\n")},
	}
	got := runnertest.Show(parse(runner.Unit{Root: "."}, layReport(t, files, runner.Report{Root: "/w"})))
	if want := "unit tests_run_elsewhere: the tests loaded /users/own/lib.js, outside of the copy\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRunning(t *testing.T) {
	t.Parallel()
	const began = `{"ev":"file","file":"/w/sub/a.test.js","pid":7,"t":1000}` + "\n"
	note := func(ev, name string, t int) string {
		return fmt.Sprintf(`{"ev":%q,"name":%q,"n":1,"t":%d}`+"\n", ev, name, t)
	}
	for name, test := range map[string]struct{ notes, want string }{
		"loading":          {began, ""},
		"a test":           {began + note("run", "a", 2000), "a.test.js > a 2"},
		"the innermost":    {began + note("run", "a", 2000) + note("run", "a > b", 3000), "a.test.js > a > b 3"},
		"back in a parent": {began + note("run", "a", 2000) + note("run", "a > b", 3000) + note("done", "a > b", 5000), "a.test.js > a 5"},
		"done":             {began + note("run", "a", 2000) + note("done", "a", 3000), ""},
		"exited":           {began + note("run", "a", 2000) + `{"ev":"exit","code":0,"t":3000}` + "\n", ""},
	} {
		report := layReport(t, []txtar.File{{Name: "run-7.jsonl", Data: []byte(test.notes)}},
			runner.Report{Root: "/w", Command: command.Spec{Dir: "sub"}})
		id, since, ok := running(report)
		got := ""
		if ok {
			got = fmt.Sprintf("%s %d", id, since.Unix())
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"node20", "node24"} {
		var events, stuck, notes string
		for _, file := range capture(f, name) {
			switch file.Name {
			case eventsFile:
				events = string(file.Data)
			case stuckFile:
				stuck = string(file.Data)
			default:
				notes += string(file.Data)
			}
		}
		f.Add(events, notes, stuck, "", false)
	}
	f.Add("", "", "", "node: bad option: --x", true)
	f.Fuzz(func(t *testing.T, events, notes, stuck, stderr string, late bool) {
		report := layReport(t, []txtar.File{
			{Name: eventsFile, Data: []byte(events)}, {Name: stuckFile, Data: []byte(stuck)}, {Name: "run-1.jsonl", Data: []byte(notes)},
		}, runner.Report{Root: "/home/dev", TimedOut: late, Output: command.Output{Stderr: []byte(stderr), Exit: command.Exit{Code: 1}}})
		unit := runner.Unit{Name: "u", Root: "p"}
		run := parse(unit, report)
		for _, test := range run.Tests {
			if test.Status.Failing() && (test.Failure == nil || test.Failure.Kind == "" || test.Failure.Message == "") {
				t.Errorf("%s fails and does not say why", test.ID)
			}
			if test.ID.Unit != "u" {
				t.Errorf("%s has no unit", test.ID)
			}
		}
		if len(run.Tests) == 0 && run.Reason == testresult.NoReason {
			t.Error("nothing was shown and no reason is given")
		}
		running(report)
		rest(unit, runner.Selection{}, run, report)
	})
}
