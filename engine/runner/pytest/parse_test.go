package pytest

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"
)

var record = flag.Bool("record", false, "record the captures of testdata/captures anew with the pytest of this machine")

// A capture is what one real command left: the archive's comment names the
// tools, "exit" is how the process ended, "stderr" and "report.jsonl" are what it
// wrote, with the workspace's path replaced by /work. "want" is what parse makes
// of it.

// parseCapture runs parse on the files of a capture.
func parseCapture(t testing.TB, files map[string]string) testresult.UnitRun {
	t.Helper()
	folder := t.TempDir()
	if text, ok := files[reportFile]; ok {
		if err := os.WriteFile(filepath.Join(folder, reportFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := runner.Report{Folder: folder, Root: "/work"}
	report.Output.Stderr = []byte(files["stderr"])
	if err := json.Unmarshal([]byte(cmp.Or(files["exit"], "{}")), &report.Output.Exit); err != nil {
		t.Fatal(err)
	}
	report.TimedOut = report.Output.Exit.Killed
	return parse(runner.Unit{Name: "unit", Root: "."}, report)
}

func TestParseCaptures(t *testing.T) {
	t.Parallel()
	if *record {
		recordAll(t)
	}
	paths, err := filepath.Glob("testdata/captures/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			got := account(parseCapture(t, files))
			if *record {
				rewrite(t, path, archive, got)
				return
			}
			if diff := gocmp.Diff(files["want"], got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func rewrite(t *testing.T, path string, archive *txtar.Archive, want string) {
	t.Helper()
	var files []txtar.File
	for _, f := range archive.Files {
		if f.Name != "want" {
			files = append(files, f)
		}
	}
	archive.Files = append(files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// account writes a run as text, without durations.
func account(run testresult.UnitRun) string {
	var b strings.Builder
	if run.Reason != testresult.NoReason {
		fmt.Fprintf(&b, "unit %s: %s%s\n", run.Reason, run.Detail, at(run.At))
	}
	for _, w := range run.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, p := range run.Unusable {
		fmt.Fprintf(&b, "part %s %s: %s%s\n", p.Name, p.Reason, p.Detail, at(p.At))
	}
	for _, t := range run.Tests {
		fmt.Fprintf(&b, "%s %s\n", t.Status, t.ID)
		f := t.Failure
		if f == nil {
			continue
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", f.Kind, strings.ReplaceAll(f.Message, "\n", "\n  | "), at(f.At))
		for _, frame := range f.Frames {
			fmt.Fprintf(&b, "  in %s%s\n", frame.Func, at(frame))
		}
		if f.Expected+f.Actual != "" {
			fmt.Fprintf(&b, "  expected %s, actual %s\n", f.Expected, f.Actual)
		}
		if f.Output != "" {
			fmt.Fprintf(&b, "  output %q\n", f.Output)
		}
		if f.Thing != "" {
			fmt.Fprintf(&b, "  blocked: %s, %s\n", f.Thing, f.Setting)
		}
	}
	return b.String()
}

func at(f testresult.Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf(" at %s:%d", f.File, f.Line)
}

// recordAll records the captures: the first command of each project of the
// contract, and of those in testdata/projects.
func recordAll(t *testing.T) {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"testdata/contract/*.txtar", "testdata/projects/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if slices.Contains([]string{"huge_output.txtar", "hang_at_import.txtar", "leftover_thread.txtar", "stale_bytecode.txtar"}, name) {
			continue
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		capture := capture(t, archive)
		if err := os.WriteFile(filepath.Join("testdata/captures", name), txtar.Format(capture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func capture(t *testing.T, project *txtar.Archive) *txtar.Archive {
	t.Helper()
	dir := runnertest.Write(t, "project", project.Files)
	cell := runnertest.OpenCell(t, dir)
	unit := runnertest.Prepare(t, New(), cell, os.Environ())
	folder := t.TempDir()
	specs, err := commands(unit, runner.Selection{}, runner.Report{Folder: folder, Root: dir}, runner.Limits{Test: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := command.Run(ctx, cell, specs[0], 1<<20)
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	exit, err := json.Marshal(out.Exit)
	if err != nil {
		t.Fatal(err)
	}
	clean := strings.NewReplacer(dir, "/work", folder, "/report", cell.Scratch(), "/scratch", filepath.Dir(unit.Interpreter), "/usr/bin")
	archive := &txtar.Archive{
		Comment: fmt.Appendf(nil, "pytest %s, Python 3.11, Linux\n", unit.Version),
		Files: []txtar.File{
			{Name: "exit", Data: append(exit, '\n')},
			{Name: "stderr", Data: []byte(clean.Replace(string(out.Stderr)))},
		},
	}
	file, err := os.Open(filepath.Join(folder, reportFile))
	if err == nil {
		data, _ := io.ReadAll(file)
		file.Close()
		archive.Files = append(archive.Files, txtar.File{Name: reportFile, Data: []byte(clean.Replace(string(data)))})
	}
	return archive
}

func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/captures/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		files := map[string]string{}
		for _, file := range archive.Files {
			files[file.Name] = string(file.Data)
		}
		f.Add(files[reportFile], files["stderr"], 0, "")
		f.Add(files[reportFile], files["stderr"], -1, "SIGSEGV")
	}
	f.Fuzz(func(t *testing.T, text, stderr string, code int, signal string) {
		report := runner.Report{Folder: "/report", Root: "/work"}
		report.Output.Stderr = []byte(stderr)
		report.Output.Exit = command.Exit{Code: code, Signal: signal}
		run := interpret(testresult.UnitRun{Unit: "unit"}, report, []byte(text))
		green := (testresult.Result{Units: []testresult.UnitRun{run}}).Status() == testresult.Pass
		if green && (code != 0 || signal != "" || !strings.Contains(text, "finish")) {
			t.Errorf("a pass with exit code %d %s", code, signal)
		}
		seen := map[testresult.ID]bool{}
		for _, test := range run.Tests {
			if seen[test.ID] {
				t.Errorf("%s is there twice", test.ID)
			}
			seen[test.ID] = true
			if test.Status == testresult.Missing || test.Status.Failing() && test.Failure == nil {
				t.Errorf("%s is %s and does not say why", test.ID, test.Status)
			}
		}
	})
}

// TestPlaces tells where a test stands that was killed and left no traceback.
func TestPlaces(t *testing.T) {
	t.Parallel()
	report := runner.Report{Folder: t.TempDir(), Root: "/work"}
	text := `{"e":"start"}
{"e":"collected","ids":["sub/test_a.py::test_a","test_b.py::T::test_b"],"lines":[7,0]}
`
	if err := os.WriteFile(filepath.Join(report.Folder, reportFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := places(runner.Unit{Root: "unit"}, report)
	for id, want := range map[string]testresult.Frame{
		"sub/test_a.py::test_a": {File: "unit/sub/test_a.py", Line: 7},
		"test_b.py::T::test_b":  {File: "unit/test_b.py"},
		"test_c.py::test_c":     {File: "unit/test_c.py"},
	} {
		if got := at(testresult.Test{ID: testresult.ID{Native: id}}); got != want {
			t.Errorf("%s stands at %v, want %v", id, got, want)
		}
	}
}

// TestRunPlacesAKilledTest runs one.
func TestRunPlacesAKilledTest(t *testing.T) {
	t.Parallel()
	cell := runnertest.OpenCell(t, runnertest.Write(t, "project", []txtar.File{
		{Name: "test_k.py", Data: []byte("import os, signal\n\ndef test_ok(): pass\n\ndef test_killed():\n    os.kill(os.getpid(), signal.SIGKILL)\n")},
	}))
	unit := runnertest.Prepare(t, New(), cell, os.Environ())
	run, err := runner.Run(t.Context(), cell, New(), unit, runner.Selection{}, runner.Limits{Test: 30 * time.Second})
	if err != nil || len(run.Tests) != 2 || run.Tests[0].Failure == nil {
		t.Fatalf("got %v, %v", run, err)
	}
	if got, want := run.Tests[0].Failure.At, (testresult.Frame{File: "test_k.py", Line: 5}); got != want {
		t.Errorf("failed at %v, want %v", got, want)
	}
}

// TestRunInAFolderThatIsNoUTF8 tests a copy and not something elsewhere.
func TestRunInAFolderThatIsNoUTF8(t *testing.T) {
	t.Parallel()
	root := runnertest.Write(t, "non\xff\xfeutf8 \u00e9 \ufffd", []txtar.File{
		{Name: "calc.py", Data: []byte("def one(): return 1\n")},
		{Name: "test_calc.py", Data: []byte("import calc\n\ndef test_ok():\n    assert calc.one() == 1\n\ndef test_no():\n    assert calc.one() == 2\n")},
	})
	cell := runnertest.OpenCell(t, root)
	unit := runnertest.Prepare(t, New(), cell, os.Environ())
	run, err := runner.Run(t.Context(), cell, New(), unit, runner.Selection{}, runner.Limits{Test: 30 * time.Second})
	if err != nil || run.Reason != testresult.NoReason || len(run.Tests) != 2 {
		t.Fatalf("got %v, %v", run, err)
	}
	if got, want := run.Tests[0].Failure.At.File, "test_calc.py"; got != want {
		t.Errorf("failed in %q, want %q", got, want)
	}
}

// TestBrokenCollectionOfNoFile blames no conftest.py that isn't there.
func TestBrokenCollectionOfNoFile(t *testing.T) {
	t.Parallel()
	run := parseCapture(t, map[string]string{
		reportFile: `{"e":"start"}
{"e":"broken","part":"","kind":"PermissionError","message":"[Errno 13] Permission denied: '/work/closed'","frames":[]}
{"e":"collected","ids":[]}
{"e":"finish","code":2}
`,
		"exit": `{"Code":2}`,
	})
	if len(run.Unusable) != 1 || run.Unusable[0].Name != "." || run.Unusable[0].Reason != testresult.CollectionError {
		t.Errorf("got %v", run.Unusable)
	}
}
