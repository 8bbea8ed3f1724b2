package custom

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite what the captures are read as")

// captures are what real tools left, by file, with the exit code they ended with:
// pytest 7.2.1 (junit_family xunit1), ctest 3.25.1, the JUnit platform's console
// 1.9.1 (without its list of properties), PHPUnit 9.6.7, vitest 4.1.12, and
// node --test of Node 20.20.2.
var captures = map[string]int{
	"pytest_fail.xml": 1, "pytest_fixerr.xml": 1, "pytest_imp_err.xml": 2, "pytest_coll_partial.xml": 1,
	"pytest_skips.xml": 1, "pytest_none.xml": 5,
	"ctest_fail.xml": 8, "ctest_nomatch.xml": 8, "junit5_fail.xml": 1, "phpunit_fail.xml": 2, "phpunit_exit0.xml": 0,
	"vitest_fail.xml": 1, "vitest_syn_test.xml": 1, "vitest_unhandled.xml": 1, "node_fail.xml": 1, "node_skips.xml": 0,
	"node_fail.tap": 1, "node_subt.tap": 1, "node_skips.tap": 0, "node_none.tap": 0, "node_exit1.tap": 1, "node_green.tap": 0,
}

// TestCaptures reads each capture and holds the run against the file beside it.
func TestCaptures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.[xt][ma][lp]")
	if err != nil || len(files) != len(captures) {
		t.Fatalf("there are %d captures, %d are known, %v", len(files), len(captures), err)
	}
	for name, code := range captures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			format := map[string]Format{".xml": JUnit, ".tap": TAP}[filepath.Ext(name)]
			got := told(parse(Report{Format: format}, left(t, format, string(text), code)))
			file := filepath.Join("testdata", name+".want")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// left is a report as a command with that exit code would leave it.
func left(t testing.TB, format Format, text string, code int) runner.Report {
	t.Helper()
	folder := t.TempDir()
	name := runner.StdoutFile
	if format == JUnit {
		name = filepath.Join(collected, "1.xml")
	}
	write(t, filepath.Join(folder, name), text)
	root := t.TempDir()
	write(t, filepath.Join(root, "test_f.py"), "")
	return runner.Report{Folder: folder, Root: root, Output: command.Output{Exit: command.Exit{Code: code}}}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// told writes a run, a line for each thing.
func told(run testresult.UnitRun) string {
	var b strings.Builder
	if run.Reason != testresult.NoReason {
		fmt.Fprintf(&b, "unusable: %s: %s\n", run.Reason, run.Detail)
	}
	for _, p := range run.Unusable {
		fmt.Fprintf(&b, "part %s: %s: %s\n", p.Name, p.Reason, p.Detail)
	}
	for _, t := range run.Tests {
		fmt.Fprintf(&b, "%s %s (%s)\n", t.Status, t.ID.Native, t.Part)
		if f := t.Failure; f != nil {
			fmt.Fprintf(&b, "    %s: %q at %s:%d, want %q, got %q\n", f.Kind, f.Message, f.At.File, f.At.Line, f.Expected, f.Actual)
		}
	}
	for _, w := range run.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

func TestTAP(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		code int
		want string
	}{
		"plain":            {"1..2\nok 1 - a\nok 2 - b\n", 0, "passed a ()\npassed b ()\n"},
		"plan at the end":  {"ok\nnot ok\n1..2\n", 1, "passed test  ()\nfailed test  #2 ()\n    not ok: \"\" at :0, want \"\", got \"\"\n"},
		"names twice":      {"ok 1 a\nok 2 a\n1..2\n", 0, "passed a ()\npassed a #2 ()\n"},
		"numbers taken":    {"ok 1 a\nok 2 a\nok 3 a #2\nok 4 a\n1..4\n", 0, "passed a ()\npassed a #2 ()\npassed a #2 #2 ()\npassed a #3 ()\n"},
		"directives":       {"1..3\nok 1 a # skip later\nnot ok 2 b # TODO one day\nok 3 c # todo\n", 0, "skipped a ()\nxfailed b ()\npassed c ()\n"},
		"a hash in a name": {"1..1\nok 1 - issue #12 is fixed\n", 0, "passed issue #12 is fixed ()\n"},
		"no plan":          {"ok 1 a\n", 0, "unusable: report_invalid: the output has no TAP plan (1..N)\n"},
		"short":            {"1..2\nok 1 a\n", 0, "unusable: exited_early: the TAP plan says 2 tests, 1 were reported\n"},
		"bail out":         {"1..2\nok 1 a\nBail out! no database\n", 1, "unusable: exited_early: the tests bailed out: no database\n"},
		"all skipped":      {"1..0 # SKIP nothing here\n", 0, "unusable: no_tests: the command reported no test\n"},
		"red by code":      {"1..1\nok 1 a\n", 1, "unusable: internal_error: no test failed, but the command ended with exit code 1\n"},
		"green by code":    {"1..1\nnot ok 1 a\n", 0, "failed a ()\n    not ok: \"\" at :0, want \"\", got \"\"\nwarning: the command ended with exit code 0 although tests failed\n"},
		"subtests": {
			"1..1\n    ok 1 - x\n        not ok 1 - deep\n    not ok 2 - y\n    1..2\nnot ok 1 - top\n", 1,
			"passed top > x ()\nfailed top > y > deep ()\n    not ok: \"\" at :0, want \"\", got \"\"\nfailed top > y ()\n    not ok: \"\" at :0, want \"\", got \"\"\nfailed top ()\n    not ok: \"\" at :0, want \"\", got \"\"\n",
		},
		"diagnostics": {
			"1..1\nnot ok 1 - a\n  ---\n  message: 'wrong'\n  wanted: 1\n  found: 2\n  diff: |-\n    ...\n    not ok 7\n  location: 'test_f.py:3:1'\n  ...\n", 1,
			"failed a ()\n    not ok: \"wrong\" at test_f.py:3, want \"1\", got \"2\"\n",
		},
		"timeout":     {"1..1\n", 124, "unusable: timeout: the command ended with exit code 124, as one that ran out of time does\n"},
		"not found":   {"", 127, "unusable: not_installed: the command could not be run\n"},
		"a crash":     {"1..1\nok 1 a\n", 139, "unusable: crashed: the command ended with exit code 139\n"},
		"killed":      {"1..1\nok 1 a\n", 137, "unusable: out_of_memory: the command was killed, most likely for want of memory\n"},
		"windows":     {"1..1\r\nok 1 - a\r\n", 0, "passed a ()\n"},
		"other words": {"TAP version 14\n# a comment\nokay\npragma +strict\n1..1\nok 1 - a\n", 0, "passed a ()\n"},
	} {
		if got := told(parse(Report{Format: TAP}, left(t, TAP, c.text, c.code))); got != c.want {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(c.want, got))
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		code int
		want string
	}{
		"cut off":      {`<testsuite><testcase name="a"/>`, 0, "unusable: report_invalid: read the JUnit report: XML syntax error on line 1: unexpected EOF\n"},
		"empty":        {"", 0, "unusable: report_invalid: read the JUnit report: EOF\n"},
		"another file": {`<html><testcase name="a"/></html>`, 0, "unusable: report_invalid: read the JUnit report: it begins with <html>, not with a test suite\n"},
		"no tests":     {`<testsuites/>`, 0, "unusable: no_tests: the command reported no test\n"},
		"red by code":  {`<testsuite><testcase name="a"/></testsuite>`, 1, "unusable: internal_error: no test failed, but the command ended with exit code 1\n"},
		"latin 1":      {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><testsuite><testcase name=\"\xe4\"/></testsuite>", 0, "passed ä (ä)\n"},
		"no encoding":  {`<?xml version="1.0" encoding="x-none"?><testsuite/>`, 0, "unusable: report_invalid: read the JUnit report: xml: opening charset \"x-none\": the encoding \"x-none\" is not known\n"},
		"entities":     {`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&e;"/></testsuite>`, 0, "unusable: report_invalid: read the JUnit report: XML syntax error on line 1: invalid character entity &e;\n"},
	} {
		if got := told(parse(Report{Format: JUnit}, left(t, JUnit, c.text, c.code))); got != c.want {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(c.want, got))
		}
	}
}

func TestNamesAreFreeOfTheFolder(t *testing.T) {
	t.Parallel()
	r := left(t, TAP, "", 1)
	tap := "1..1\nnot ok 1 - " + r.Root + "/a.test.js\n"
	junit := `<testsuite><testcase name="x" classname="` + r.Root + `/a.test.js"/></testsuite>`
	write(t, filepath.Join(r.Folder, runner.StdoutFile), tap)
	write(t, filepath.Join(r.Folder, collected, "1.xml"), junit)
	if run := parse(Report{Format: TAP}, r); run.Tests[0].ID.Native != "a.test.js" {
		t.Errorf("TAP: %q", run.Tests[0].ID.Native)
	}
	r.Output.Exit.Code = 0
	if run := parse(Report{Format: JUnit}, r); run.Tests[0].ID.Native != "a.test.js::x" {
		t.Errorf("JUnit: %q", run.Tests[0].ID.Native)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		0: "passed cmd ()\n", 1: "failed cmd ()\n    exit code: \"the command ended with exit code 1\" at :0, want \"\", got \"\"\n",
		126: "unusable: not_installed: the command could not be run\n", 134: "unusable: crashed: the command ended with exit code 134\n",
	} {
		if got := told(parse(Report{Format: Exit}, left(t, Exit, "", code))); got != want {
			t.Errorf("exit code %d (-want +got):\n%s", code, cmp.Diff(want, got))
		}
	}
}

func FuzzTAP(f *testing.F) {
	for name := range captures {
		if text, err := os.ReadFile(filepath.Join("testdata", name)); err == nil && filepath.Ext(name) == ".tap" {
			f.Add(string(text))
		}
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) { sound(t, ReadTAP(text, root)) })
}

func FuzzJUnit(f *testing.F) {
	for name := range captures {
		if text, err := os.ReadFile(filepath.Join("testdata", name)); err == nil && filepath.Ext(name) == ".xml" {
			f.Add(string(text))
		}
	}
	r := left(f, JUnit, "", 0)
	f.Fuzz(func(t *testing.T, text string) {
		write(t, filepath.Join(r.Folder, collected, "1.xml"), text)
		sound(t, readJUnit(r))
	})
}

// sound holds what is true of every run: each id once, and a failure where one is.
func sound(t *testing.T, run testresult.UnitRun) {
	t.Helper()
	seen := map[string]bool{}
	for _, test := range run.Tests {
		if seen[test.ID.Native] {
			t.Errorf("%q is there twice", test.ID.Native)
		}
		seen[test.ID.Native] = true
		if (test.Status == testresult.Failed) != (test.Failure != nil) {
			t.Errorf("%q is %s with the failure %v", test.ID.Native, test.Status, test.Failure)
		}
	}
}
