package gotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/testresult"
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

// show writes a run in a few words a line.
func show(run testresult.UnitRun) string {
	var b strings.Builder
	if run.Reason != testresult.NoReason {
		fmt.Fprintf(&b, "unit %s: %s%s\n", run.Reason, head(run.Detail), showAt(run.At))
	}
	for _, t := range run.Tests {
		fmt.Fprintf(&b, "%s %s", t.Status, t.ID)
		if f := t.Failure; f != nil {
			fmt.Fprintf(&b, " [%s] %s%s", f.Kind, head(f.Message), showAt(f.At))
		}
		b.WriteByte('\n')
	}
	for _, p := range run.Unusable {
		fmt.Fprintf(&b, "part %s %s: %s%s\n", p.Name, p.Reason, head(p.Detail), showAt(p.At))
	}
	return b.String()
}

func head(text string) string { return strings.ReplaceAll(text, "\n", " / ") }

func showAt(f testresult.Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf(" @%s:%d", f.File, f.Line)
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
			got := show(parse(runner.Unit{Root: "."}, report))
			if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, got)
			}
		})
	}
}
