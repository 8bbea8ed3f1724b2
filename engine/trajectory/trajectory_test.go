package trajectory

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine/event"
	"autocoder/engine/lockfile"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write the golden files")

var start = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

const secretToken = `se"cret\value of the user`

func options(dir string, at time.Time) Options {
	return Options{
		Dir: dir, Root: "/home/u/project", Version: "1.2.3", Now: func() time.Time { return at },
		Random:  strings.NewReader("\x01\x02\x03\x04"),
		Environ: []string{"HOME=/home/u", "MY_TOKEN=" + secretToken, "SHORT_KEY=red", "PLAIN=plain text here"},
	}
}

func begin(t *testing.T, dir string, at time.Time) *Run {
	t.Helper()
	r := Start(options(dir, at))
	if err := r.Problem(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func someReport(id string) report.Report {
	cost := 0.25
	return report.Report{
		Schema: report.Schema, Run: id, Outcome: outcome.GaveUp, Reason: "2 different patches make the tests pass", Next: "choose one",
		Alternatives: []report.Alternative{{ID: id + ".1", Diff: "-a\n+b <&>\n", Why: "w", Input: "1", Output: "2"}},
		Partial:      &report.Partial{Diff: "d", Fixed: []string{"a"}, Left: []string{"b"}}, LeftFailing: []string{"c"},
		Proposer: "repair", Root: "/home/u/project", Shadow: "/cache/1", Sandbox: "isolated",
		Units: []report.Unit{{Root: ".", Runner: "go test", Command: []string{"go", "test", "./..."}}},
		Baseline: report.Tests{
			Status: testresult.Fail, Passed: 3, Failed: 2, Total: 5,
			Failing: []report.Failing{{ID: "t", Kind: "assertion", Message: "got " + secretToken, File: "a_test.go", Line: 3, Frame: "a.go:7"}},
			Flaky:   []string{"f"}, Unstable: []string{"u"},
			Unusable: []report.Unusable{{Part: "p", Reason: testresult.BuildError, Detail: "no", File: "b.go", Line: 1}},
		},
		Final:    report.Tests{Status: testresult.Fail, Passed: 3, Failed: 2, Total: 5},
		Attempts: []report.Attempt{{N: 1, Files: []string{"a.go"}, Verdict: outcome.RolledBack, Note: "n", Signature: "t", Result: "fail", Title: "x", Origin: "repair"}},
		Edits:    report.Edits{RolledBack: 1}, TestRuns: 2, Candidates: 9, Diff: "", Warnings: []string{"w"},
		Usage:  report.Usage{Model: "m", Calls: 1, PromptTokens: 2, CachedTokens: 3, CompletionTokens: 4, CostUSD: &cost},
		Timing: report.Timing{TotalMS: 1, TestsMS: 2, ShadowMS: 3}, Verification: report.Verification{Fresh: report.CheckPassed, Canary: report.CheckNone, Forced: report.CheckNone, Scan: report.CheckNone},
		Settings: []string{"allow conftest.py"}, Why: "y", Ranking: []report.Suspect{{File: "a.go", Line: 7, Score: 0.5, Why: "z"}},
	}
}

func someEvents() []event.Event {
	return []event.Event{
		{Time: start, Kind: event.RunStarted, Text: "/home/u/project", Detail: "/cache/1"},
		{Time: start.Add(time.Second), Kind: event.Proposed, N: 1, Files: []string{"a.go"}, Text: "<&> and a\nline", Blob: []byte("the patch")},
		{Time: start.Add(2 * time.Second), Kind: event.RunFinished, Text: "gave_up"},
	}
}

func somePatch() textedit.Patch {
	return textedit.Patch{Ops: []textedit.Op{{
		Kind: textedit.OpEdit, Path: "a.go", Base: textedit.HashContent([]byte("ab")), Edits: []textedit.Edit{{Start: 0, End: 1, New: "\xff"}},
	}}}
}

// TestSchemas holds the formats: what is in the golden files must stay readable
// for ever, and a change in them is a change of the contract.
func TestSchemas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, start)
	for _, e := range someEvents() {
		r.Append(e)
	}
	if err := r.SaveAlternative(1, "because", somePatch()); err != nil {
		t.Fatal(err)
	}
	r.Finish(someReport(r.ID()))
	for name, golden := range map[string]string{
		"trajectory.jsonl": "trajectory.jsonl", "report.json": "report.json", "alternatives/1.json": "alternative.json",
	} {
		got, err := os.ReadFile(filepath.Join(r.Dir(), name))
		if err != nil {
			t.Fatal(err)
		}
		golden = filepath.Join("testdata", golden)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWhatIsRecordedIsReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, start)
	if r.ID() != "20260102T030405678-01020304" {
		t.Errorf("id is %s", r.ID())
	}
	for _, e := range someEvents() {
		r.Append(e)
	}
	if err := r.SaveAlternative(1, "because", somePatch()); err != nil {
		t.Fatal(err)
	}
	want := someReport(r.ID())
	r.Finish(want)
	r.Append(event.Event{Kind: event.Warned, Text: "too late"})
	if err := r.Problem(); err != nil {
		t.Error(err)
	}
	want.Baseline.Failing[0].Message = "got [redacted]"

	for _, id := range []string{r.ID(), r.ID()[:10]} {
		got, err := Load(dir, id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(someEvents(), got.Events, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(&want, got.Report, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		if got.State != Finished || got.Header.Root != "/home/u/project" || got.Dir != r.Dir() {
			t.Errorf("state %v, header %+v, folder %s", got.State, got.Header, got.Dir)
		}
	}
	a, err := LoadAlternative(dir, r.AlternativeID(1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(somePatch(), a.Patch); diff != "" || a.Why != "because" || a.Root != "/home/u/project" {
		t.Errorf("%+v, %s", a, diff)
	}
	if all, err := Alternatives(dir); err != nil || len(all) != 1 || all[0] != r.AlternativeID(1) {
		t.Errorf("alternatives are %v, %v", all, err)
	}
	for _, path := range []string{".", "report.json", "trajectory.jsonl", "blobs"} {
		info, err := os.Stat(filepath.Join(r.Dir(), path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %o", path, info.Mode().Perm())
		}
	}
}

func TestNoSuchRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, dir, start)
	var missing *NotFound
	for _, id := range []string{"", "x", "..", "20250102T030405678-01020304", ".lock"} {
		if _, err := Load(dir, id); !errors.As(err, &missing) {
			t.Errorf("run %q: %v", id, err)
		}
	}
	for _, id := range []string{"", "1", "../../etc.1", "20260102T030405678-01020304", "20260102T030405678-01020304.1", "20260102T030405678-01020304./../x"} {
		if _, err := LoadAlternative(dir, id); !errors.As(err, &missing) {
			t.Errorf("alternative %q: %v", id, err)
		}
	}
	if all, err := List(filepath.Join(dir, "nowhere")); err != nil || len(all) > 0 {
		t.Errorf("runs of no folder: %v, %v", all, err)
	}
}

// TestAKillLosesTheLastLineOnly cuts a trajectory at every byte.
func TestAKillLosesTheLastLineOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, start)
	for _, e := range someEvents() {
		r.Append(e)
	}
	path := filepath.Join(r.Dir(), eventsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := first; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Load(dir, r.ID())
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if want := bytes.Count(whole[first:cut], []byte("\n")); len(got.Events) != want {
			t.Errorf("cut at %d: %d events of %d whole lines", cut, len(got.Events), want)
		}
	}
}

func TestReadersAndOtherVersions(t *testing.T) {
	t.Parallel()
	head := `{"schema":"autocoder.trajectory/1","run":"r","more":[1]}` + "\n"
	for _, test := range []struct {
		name, events, report string
		want                 string // of the error
	}{
		{"fields that are not known", head + `{"kind":"phase","text":"x","new":{"a":1}}` + "\n", `{"schema":"autocoder.report/1","outcome":"fixed","new":1}`, ""},
		{"a kind that is not known", head + `{"kind":"moon_phase"}` + "\n", `{"schema":"autocoder.report/1","outcome":"fixed"}`, ""},
		{"newer report", head, `{"schema":"autocoder.report/2","outcome":["x"]}`, `it is "autocoder.report/2", and this version reads "autocoder.report/1"`},
		{"newer trajectory", `{"schema":"autocoder.trajectory/2"}` + "\n" + `[]` + "\n", "", `it is "autocoder.trajectory/2", and this version reads "autocoder.trajectory/1"`},
		{"something else", `{"schema":"other/1"}` + "\n", "", `its schema is "other/1"`},
		{"a broken line", head + "{\n" + `{"kind":"phase"}` + "\n", "", "line 2"},
		{"no outcome", head, `{"schema":"autocoder.report/1"}`, "has no outcome"},
	} {
		dir := t.TempDir()
		r := begin(t, dir, start)
		for name, text := range map[string]string{eventsFile: test.events, reportFile: test.report} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(r.Dir(), name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Load(dir, r.ID())
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		var newer *Newer
		if errors.As(err, &newer) != strings.HasPrefix(test.name, "newer") {
			t.Errorf("%s: %T", test.name, err)
		}
		if all, err := List(dir); err != nil || len(all) != 1 || test.want != "" && test.name != "a broken line" && all[0].Problem == "" {
			t.Errorf("%s: list is %+v, %v", test.name, all, err)
		}
	}
}

func TestAFolderThatCannotBeWrittenStopsNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := Start(options(filepath.Join(file, "runs"), start))
	if r.Problem() == nil || r.ID() == "" {
		t.Errorf("id %q, problem %v", r.ID(), r.Problem())
	}
	r.Append(someEvents()[0])
	r.Finish(someReport(r.ID()))
	if err := r.SaveAlternative(1, "", somePatch()); err == nil {
		t.Error("an alternative was kept nowhere")
	}
}

func TestAFullDiskStopsNothing(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("not on this system: no /dev/full:", err)
	}
	dir := t.TempDir()
	r := begin(t, dir, start)
	r.events.Close()
	r.events = full
	r.Append(someEvents()[0])
	if err := r.Problem(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("problem is %v", err)
	}
	r.Append(someEvents()[1])
	r.Finish(someReport(r.ID()))
	got, err := Load(dir, r.ID())
	if err != nil || got.Report == nil || len(got.Events) != 0 {
		t.Errorf("after: %+v, %v", got, err)
	}
}

func TestStatesAndSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	day := 24 * time.Hour
	states := func() map[string]State {
		all, err := List(dir)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]State{}
		for _, s := range all {
			m[s.ID] = s.State
		}
		return m
	}
	old := begin(t, dir, start.Add(-40*day))
	old.Finish(someReport(old.ID()))
	oldLive := begin(t, dir, start.Add(-50*day))
	third := begin(t, dir, start.Add(-3*day))
	third.Finish(someReport(third.ID()))
	killed := begin(t, dir, start.Add(-2*day))
	killed.Close()
	live := begin(t, dir, start)
	if diff := cmp.Diff(map[string]State{
		old.ID(): Finished, oldLive.ID(): Live, third.ID(): Finished, killed.ID(): Interrupted, live.ID(): Live,
	}, states()); diff != "" {
		t.Error(diff)
	}

	marked, err := Sweep(dir, Keep{Runs: 10, Age: 30 * day}, start)
	if err != nil || len(marked) != 1 || marked[0] != killed.ID() {
		t.Errorf("marked %v, %v", marked, err)
	}
	if _, err := os.Stat(filepath.Join(killed.Dir(), interruptedFile)); err != nil {
		t.Error(err)
	}
	if marked, err := Sweep(dir, Keep{Runs: 10, Age: 30 * day}, start); err != nil || len(marked) > 0 {
		t.Errorf("again marked %v, %v", marked, err)
	}
	if diff := cmp.Diff(map[string]State{oldLive.ID(): Live, third.ID(): Finished, killed.ID(): Interrupted, live.ID(): Live}, states()); diff != "" {
		t.Errorf("by age: %s", diff)
	}
	if _, err := Sweep(dir, Keep{Runs: 2, Age: 100 * day}, start); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]State{oldLive.ID(): Live, killed.ID(): Interrupted, live.ID(): Live}, states()); diff != "" {
		t.Errorf("by count: %s", diff)
	}
	if _, held := lockfile.Owner(filepath.Join(live.Dir(), ownerFile)); !held {
		t.Error("a live run lost its owner")
	}
}
