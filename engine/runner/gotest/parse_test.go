package gotest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
)

// The captures are what go test -json of go1.26.8 printed for small modules
// "ex/NAME" in /home/dev/go/NAME, without -fullpath.

// reportOf lays a capture where Run would.
func reportOf(t testing.TB, stdout string, report runner.Report) runner.Report {
	t.Helper()
	report.Folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(report.Folder, runner.StdoutFile), []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	return report
}

func capture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestParseCaptures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ansi": `
failed ex/ansi.TestA [failure] g
passed ex/ansi.TestB
passed ex/ansi.TestC
`,
		"build_err": `
unit build_error: m.go:2:37: undefined: undefinedThing / m.go:3:26: cannot use 1 (untyped int constant) as string value in return statement @m.go:2
part ex/build_err build_error: m.go:2:37: undefined: undefinedThing / m.go:3:26: cannot use 1 (untyped int constant) as string value in return statement @m.go:2
`,
		"example": `
unit build_error: m_test.go:6:1: ExampleOk refers to unknown identifier: Ok (found by go vet, which go test runs first) @m_test.go:6
part ex/example build_error: m_test.go:6:1: ExampleOk refers to unknown identifier: Ok (found by go vet, which go test runs first) @m_test.go:6
`,
		"fail": `
failed ex/fail.TestAdd [failure] got -1, want 3 / second line /   indented
passed ex/fail.TestOk
passed ex/fail.TestTab/#00
passed ex/fail.TestTab/#00/inner
passed ex/fail.TestTab/a_b
passed ex/fail.TestTab/a_b#01
passed ex/fail.TestTab/a_b#01/inner
passed ex/fail.TestTab/a_b/inner
passed ex/fail.TestTab/c:\d
passed ex/fail.TestTab/c:\d/inner
passed ex/fail.TestTab/q"uote
passed ex/fail.TestTab/q"uote/inner
failed ex/fail.TestTab/x/y/inner [failure] bad
passed ex/fail.TestTab/é日本
passed ex/fail.TestTab/é日本/inner
`,
		"fatalgoroutine": `
passed ex/fatalgoroutine.TestLate
passed ex/fatalgoroutine.TestNext
`,
		"fuzz": `
failed ex/fuzz.FuzzA/c1 [failure] seed corp
passed ex/fuzz.FuzzA/seed#0
failed ex/fuzz.FuzzA/seed#1 [failure] seed bad
`,
		"gopanic": `
failed ex/gopanic.TestGoPanic [panic] in goroutine @m_test.go:5
passed ex/gopanic.TestOk
`,
		"green": `
passed ex/green.TestAdd
passed ex/green.TestOk
`,
		"import_missing": `
unit import_error: m.go:2:8: cannot find module providing package github.com/nosuch/thing: module lookup disabled by GOPROXY=off @m.go:2
part ex/import_missing import_error: m.go:2:8: cannot find module providing package github.com/nosuch/thing: module lookup disabled by GOPROXY=off @m.go:2
`,
		"initpanic": `
unit crashed: init boom @m_test.go:3
part ex/initpanic crashed: init boom @m_test.go:3
`,
		"loop": `
passed ex/loop.TestOk
part ex/loop crashed: go test ended (exit code 1) before the package did: running: TestLoop
`,
		"multi": `
passed ex/multi/a.TestAdd
passed ex/multi/a.TestOk
part ex/multi/b syntax_error: b/m.go:2:11: syntax error: unexpected {, expected ) @b/m.go:2
part ex/multi/d syntax_error: b/m.go:2:11: syntax error: unexpected {, expected ) @b/m.go:2
`,
		"none": `
unit no_tests: no package has a test to run
`,
		"notestfiles": `
unit no_tests: no package has a test to run
`,
		"osexit0": `
failed ex/osexit0.TestExit [panic] unexpected call to os.Exit(0) during test @m_test.go:5
passed ex/osexit0.TestOk
`,
		"osexit1": `
failed ex/osexit1.TestExit [crash] the test program ended in the middle of the test, as by os.Exit or a signal
passed ex/osexit1.TestOk
`,
		"panic": `
passed ex/panic.TestOk
failed ex/panic.TestPanic [panic] assignment to entry in nil map @m_test.go:4
`,
		"parallel": `
failed ex/parallel.TestG/x [panic] par @m_test.go:6
`,
		"race": `
failed ex/race.TestRace [failure] race detected during execution of test
`,
		"segv": `
passed ex/segv.TestOk
failed ex/segv.TestSegv [panic] runtime error: invalid memory address or nil pointer dereference / [signal SIGSEGV: segmentation violation code=0x1 addr=0x8] @m_test.go:5
`,
		"skips": `
passed ex/skips.TestOk
skipped ex/skips.TestSkip [skip] why
failed ex/skips.TestSkipAfterErr [failure] s
passed ex/skips.TestSkipSub
skipped ex/skips.TestSkipSub/s [skip] skipped
`,
		"subt": `
passed ex/subt.TestS/a
failed ex/subt.TestS/b [failure] sub
`,
		"syn_src": `
unit syntax_error: m.go:2:19: syntax error: unexpected name int in parameter list; possibly missing comma or ) @m.go:2
part ex/syn_src syntax_error: m.go:2:19: syntax error: unexpected name int in parameter list; possibly missing comma or ) @m.go:2
`,
		"syn_test": `
unit syntax_error: m_test.go:3:27: missing ',' in parameter list @m_test.go:3
part ex/syn_test syntax_error: m_test.go:3:27: missing ',' in parameter list @m_test.go:3
`,
		"testmain_exit": `
unit exited_early: the test program ended before its first test: exit status 3
part ex/testmain_exit exited_early: the test program ended before its first test: exit status 3
`,
		"testmain_exit0": `
failed ex/testmain_exit0.TestA [failure] lost
`,
		"testmain_norun": `
unit exited_early: the test program ended with success and ran no test: look at its TestMain
part ex/testmain_norun exited_early: the test program ended with success and ran no test: look at its TestMain
`,
		"testtimeout": `
hung ex/testtimeout.TestLoop [hang] still running at the time limit
passed ex/testtimeout.TestOk
`,
		"uni": `
failed ex/uni.TestGröße日本 [failure] naïve 🎉
`,
		"vet_err": `
unit build_error: m_test.go:4:42: fmt.Printf format %d has arg "str" of wrong type string / m_test.go:4:67: (*testing.common).Errorf format %s has arg 1 of wrong type int (found by go vet, which go test runs first) @m_test.go:4
part ex/vet_err build_error: m_test.go:4:42: fmt.Printf format %d has arg "str" of wrong type string / m_test.go:4:67: (*testing.common).Errorf format %s has arg 1 of wrong type int (found by go vet, which go test runs first) @m_test.go:4
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := reportOf(t, capture(t, name), runner.Report{Root: "/home/dev/go/" + name, Output: command.Output{Exit: command.Exit{Code: 1}}})
			got := runnertest.Show(parse(runner.Unit{Root: "."}, report))
			if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, got)
			}
		})
	}
}

func TestParseKilledRuns(t *testing.T) {
	t.Parallel()
	loop := capture(t, "loop")
	for name, test := range map[string]struct {
		report runner.Report
		want   string
	}{
		"at the per-test limit": {
			report: runner.Report{Hung: []string{"ex/loop.TestLoop"}},
			want:   "hung ex/loop.TestLoop [hang] still running at the time limit\npassed ex/loop.TestOk\n",
		},
		"at the limit of the whole": {
			report: runner.Report{TimedOut: true},
			want:   "passed ex/loop.TestOk\npart ex/loop timeout: killed at the limit of the whole run: running: TestLoop\n",
		},
		"by someone else": {
			report: runner.Report{Output: command.Output{Exit: command.Exit{Code: -1, Signal: "SIGKILL"}}},
			want:   "passed ex/loop.TestOk\npart ex/loop crashed: go test ended (SIGKILL) before the package did: running: TestLoop\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runnertest.Show(parse(runner.Unit{Root: "."}, reportOf(t, loop, test.report)))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestParseWithoutEvents has what go writes to stderr when it does not come to
// a package.
func TestParseWithoutEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stderr string
		out    command.Output
		late   bool
		want   string
	}{
		"go.mod": {
			stderr: "go: errors parsing go.mod:\ngo.mod:4: unknown directive: garbage\n",
			want:   "unit config_error: go: errors parsing go.mod: / go.mod:4: unknown directive: garbage\n",
		},
		"a later go": {
			stderr: "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)\n",
			want:   "unit not_installed: go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local) (install the Go release that is asked for)\n",
		},
		"a module that is not downloaded": {
			stderr: "go: example.com/x@v1.2.3: module lookup disabled by GOPROXY=off\n",
			want:   "unit build_error: go: example.com/x@v1.2.3: module lookup disabled by GOPROXY=off (the module is not downloaded: run go mod download)\n",
		},
		"a module cache that can't be written": {
			stderr: "m.go:3:8: mkdir /home/u/go/pkg/mod/cache/download/example.com/x: read-only file system\n",
			want:   "unit build_error: m.go:3:8: mkdir /home/u/go/pkg/mod/cache/download/example.com/x: read-only file system (the module is not downloaded: run go mod download) @m.go:3\n",
		},
		"a module cache that is closed": {
			stderr: "m.go:3:8: open /home/u/go/pkg/mod/cache/lock: permission denied\n",
			want:   "unit build_error: m.go:3:8: open /home/u/go/pkg/mod/cache/lock: permission denied (the module is not downloaded: run go mod download) @m.go:3\n",
		},
		"no network": {
			stderr: "m.go:3:8: example.com/x@v1.2.3: Get \"https://proxy.example/x\": dial tcp: lookup proxy.example: no such host\n",
			want:   "unit build_error: m.go:3:8: example.com/x@v1.2.3: Get \"https://proxy.example/x\": dial tcp: lookup proxy.example: no such host (the module is not downloaded: run go mod download) @m.go:3\n",
		},
		"go.sum": {
			stderr: "go: example.com/x@v1.2.3: missing go.sum entry for go.mod file; to add it:\n\tgo mod download example.com/x\n",
			want:   "unit build_error: go: example.com/x@v1.2.3: missing go.sum entry for go.mod file; to add it: / \tgo mod download example.com/x (run go mod tidy)\n",
		},
		"no packages": {
			stderr: "go: warning: \"./...\" matched no packages\nno packages to test\n",
			want:   "unit no_tests: the module has no package to test\n",
		},
		"silence": {
			out:  command.Output{Exit: command.Exit{Code: 2}},
			want: "unit report_missing: go test ended without a word: exit code 2\n",
		},
		"still building": {
			late: true,
			want: "unit timeout: killed at the limit of the whole run before the first test: still building\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.out.Stderr = []byte(test.stderr)
			report := reportOf(t, "", runner.Report{Output: test.out, TimedOut: test.late})
			if diff := cmp.Diff(test.want, runnertest.Show(parse(runner.Unit{Root: "."}, report))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	missing := runnertest.Show(parse(runner.Unit{}, runner.Report{Folder: t.TempDir()}))
	if want := "unit report_missing: nothing is left of what go test printed\n"; missing != want {
		t.Errorf("without a report: got %q, want %q", missing, want)
	}
}

// Before go1.24 the errors of a build were no events.
func TestParseBuildErrorsBesideEvents(t *testing.T) {
	t.Parallel()
	stdout := `{"Time":"2024-02-03T10:00:00Z","Action":"start","Package":"ex/b"}
{"Time":"2024-02-03T10:00:00Z","Action":"output","Package":"ex/b","Output":"FAIL\tex/b [build failed]\n"}
{"Time":"2024-02-03T10:00:00Z","Action":"fail","Package":"ex/b","Elapsed":0}
`
	report := reportOf(t, stdout, runner.Report{Output: command.Output{
		Stderr: []byte("# ex/a [ex/a.test]\na/a.go:1:1: not this\n# ex/b [ex/b.test]\nb/b.go:2:3: undefined: x\n"),
		Exit:   command.Exit{Code: 1},
	}})
	got := parse(runner.Unit{Root: "mod"}, report)
	want := []testresult.Part{{
		Name: "ex/b", Reason: testresult.BuildError, Detail: "mod/b/b.go:2:3: undefined: x",
		At: testresult.Frame{File: "mod/b/b.go", Line: 2},
	}}
	if diff := cmp.Diff(want, got.Unusable); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestGotWant(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]string{
		"got -1, want 3":                         {"3", "-1"},
		"Add(1, 2) = 4, want 3":                  {"3", "4"},
		"Add(1, 2) = 4; want 3":                  {"3", "4"},
		"f(x) returned 4, want 3":                {"3", "4"},
		"expected 3, got 4":                      {"3", "4"},
		"expected 3 but got 4":                   {"3", "4"},
		"want: 3\ngot: 4":                        {"3", "4"},
		"got:\n\ta b\nwant:\n\tc d":              {"c d", "a b"},
		"got error dial tcp: refused, want none": {"none", "error dial tcp: refused"},
		"forgot to want it":                      {},
		"boom":                                   {},
	} {
		if expected, actual := gotWant(message); [2]string{expected, actual} != want {
			t.Errorf("%q: expected %q, actual %q; want %q", message, expected, actual, want)
		}
	}
}

func TestTestifyFailure(t *testing.T) {
	t.Parallel()
	// The layout is that of testify v1.9 with go1.22.
	lines := []string{
		"    /w/m/a_test.go:12: \n", "        \tError Trace:\t/w/m/helper_test.go:30\n", "        \t            \t/w/m/a_test.go:12\n",
		"        \tError:      \tNot equal: \n", "        \t            \texpected: 3\n", "        \t            \tactual  : -1\n",
		"        \tTest:       \tTestA\n", "        \tMessages:   \tsums\n",
	}
	tc := &testCase{action: "fail"}
	tc.output.Cap = testOutput
	for _, line := range lines {
		tc.output.WriteString(line)
	}
	p := parser{unit: runner.Unit{Root: "m"}, report: runner.Report{Root: "/w"}}
	got := p.failure(tc, kindFailure)
	got.Output = ""
	want := &testresult.Failure{
		Kind: "failure", Message: "Not equal:\nexpected: 3\nactual  : -1\nsums", Expected: "3", Actual: "-1",
		At:     testresult.Frame{File: "m/helper_test.go", Line: 30},
		Frames: []testresult.Frame{{File: "m/a_test.go", Line: 12}, {File: "m/helper_test.go", Line: 30}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.out")
	if err != nil || len(files) == 0 {
		f.Fatalf("no captures: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "", false)
	}
	f.Add([]byte(""), "go: errors parsing go.mod:\ngo.mod:4: unknown directive: garbage\n", true)
	f.Fuzz(func(t *testing.T, stdout []byte, stderr string, late bool) {
		report := reportOf(t, string(stdout), runner.Report{
			Root: "/home/dev", TimedOut: late, Output: command.Output{Stderr: []byte(stderr), Exit: command.Exit{Code: 1}},
		})
		unit := runner.Unit{Name: "u", Root: "go"}
		run := parse(unit, report)
		if run.Unit != "u" {
			t.Errorf("the unit is %q", run.Unit)
		}
		for i, test := range run.Tests {
			if i > 0 && run.Tests[i-1].ID.Compare(test.ID) >= 0 {
				t.Errorf("%s is not behind %s", test.ID, run.Tests[i-1].ID)
			}
			if test.Status.Failing() && (test.Failure == nil || test.Failure.Kind == "" || test.Failure.Message == "") {
				t.Errorf("%s fails and does not say why", test.ID)
			}
		}
		if len(run.Tests) == 0 && run.Reason == testresult.NoReason {
			t.Error("nothing was shown and no reason is given")
		}
		running(report)
		rest(unit, runner.Selection{}, run, report)
	})
}

// TestExamples takes what an example printed and what its comment wants.
func TestExamples(t *testing.T) {
	t.Parallel()
	run := parse(runner.Unit{Name: "u", Root: "."}, reportOf(t, capture(t, "example_output"), runner.Report{Root: "/home/dev/go/h"}))
	if len(run.Tests) != 2 {
		t.Fatalf("got %v", run)
	}
	for i, want := range []testresult.Failure{
		{Kind: "failure", Message: "got:\na: 1\nwant: 3\nwant:\na: 2", Actual: "a: 1\nwant: 3", Expected: "a: 2"},
		{Kind: "failure", Message: "got:\n3\n2\nwant:\n2\n4", Actual: "3\n2", Expected: "2\n4"},
	} {
		got := *run.Tests[i].Failure
		got.Output = ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run.Tests[i].ID, diff)
		}
	}
}
