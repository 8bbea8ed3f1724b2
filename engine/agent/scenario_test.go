package agent

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what the scenarios want")

// TestScenarios runs every testdata/*.txtar: a project, the rules by which its
// tests pass, the edits that are proposed, and what has to come of it.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := newWorld(t, archive, true).play()
			for i, f := range archive.Files {
				section, ok := strings.CutPrefix(f.Name, "want")
				if !ok {
					continue
				}
				text := got.sections()[section]
				if *update {
					archive.Files[i].Data = []byte(text)
					continue
				}
				if diff := cmp.Diff(string(f.Data), text); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// played is what came of a run.
type played struct {
	result Result
	err    error
	events []event.Event
	// asked counts calls of the proposer, runs those of the suite.
	asked, runs int
}

func (p played) sections() map[string]string {
	return map[string]string{"": p.summary(), ".diff": p.diffs(), ".events": p.trace(), ".text": p.text()}
}

// summary tells everything of a result that a scenario may care about.
func (p played) summary() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if p.err != nil {
		say("error: %v", p.err)
		if p.result.Outcome == outcome.Invalid {
			return b.String()
		}
	}
	r := p.result.Report()
	say("outcome: %s", r.Outcome)
	say("reason: %s", r.Reason)
	if r.Next != "" {
		say("next: %s", r.Next)
	}
	for _, a := range r.Attempts {
		say("#%d %s", a.N, strings.TrimSpace(fmt.Sprintf("%s %s: %s", a.Verdict, a.Result, a.Note)))
	}
	say("asked %d, test runs %d, all runs %d", p.asked, r.TestRuns, p.runs)
	say("baseline %s %d/%d, final %s %d/%d", r.Baseline.Status, r.Baseline.Passed, r.Baseline.Total, r.Final.Status, r.Final.Passed, r.Final.Total)
	for _, list := range []struct {
		label string
		names []string
	}{{"flaky", r.Baseline.Flaky}, {"unstable", r.Baseline.Unstable}, {"left failing", r.LeftFailing}, {"warning", r.Warnings}} {
		for _, name := range list.names {
			say("%s: %s", list.label, name)
		}
	}
	if r.Partial != nil {
		say("partial: fixed %s; left %s", strings.Join(r.Partial.Fixed, " "), strings.Join(r.Partial.Left, " "))
	}
	for _, a := range r.Alternatives {
		say("alternative %s: %s; %s gives %s", a.ID, a.Why, a.Input, a.Output)
	}
	if !p.result.Unverified.Empty() {
		say("unverified: %s", strings.Join(p.result.Unverified.Paths(), " "))
	}
	if v := r.Verification; v.Fresh != "none" {
		say("verification: fresh %s, canary %s, forced %s, scan %s", v.Fresh, v.Canary, v.Forced, v.Scan)
	}
	return b.String()
}

// text is the report as the terminal shows it.
func (p played) text() string {
	var b strings.Builder
	if err := report.Text(&b, p.result.Report()); err != nil {
		return err.Error()
	}
	return b.String()
}

func (p played) diffs() string {
	text := p.result.Fix.Diff
	if p.result.Partial != nil {
		text += p.result.Partial.Diff
	}
	for _, a := range p.result.Alternatives {
		text += a.Diff
	}
	return text
}

func (p played) trace() string {
	var b strings.Builder
	for _, e := range p.events {
		line := fmt.Sprintf("%s %s", e.Kind, e.Text)
		if e.Kind == event.Proposed || e.Kind == event.AttemptFinished {
			line = fmt.Sprintf("%s %d %s %s", e.Kind, e.N, e.Text, strings.Join(e.Files, " "))
		}
		if e.Kind == event.TestsFinished {
			line += " (" + e.Detail + ")"
		}
		fmt.Fprintln(&b, strings.TrimSpace(line))
	}
	return b.String()
}

// check holds what is true of every run.
func (p played) check(t *testing.T) {
	t.Helper()
	if p.result.Outcome == outcome.Invalid {
		if p.err == nil {
			t.Error("a run without an outcome and without an error")
		}
		return
	}
	r := p.result
	if r.Reason == "" {
		t.Error("a run without a reason")
	}
	if r.TestRuns > 1+len(r.Attempts) {
		t.Errorf("%d test runs for %d attempts", r.TestRuns, len(r.Attempts))
	}
	if got := len(r.Final.NotPassing(r.Targets)); got > len(r.Baseline.NotPassing(r.Targets)) {
		t.Errorf("at the end %d targets fail, at the baseline %d", got, len(r.Baseline.NotPassing(r.Targets)))
	}
	if (r.Outcome == outcome.Fixed) == r.Fix.State.Empty() {
		t.Errorf("outcome %s with a patch of %v", r.Outcome, r.Fix.State.Paths())
	}
	text, err := json.Marshal(r.Report())
	if err != nil {
		t.Error(err)
	}
	if nulls := strings.Count(string(text), ":null"); nulls != strings.Count(string(text), `"partial":null`)+strings.Count(string(text), `"cost_usd":null`) {
		t.Errorf("a list of the report is null: %s", text)
	}
	finished, attempts := 0, 0
	for _, e := range p.events {
		switch e.Kind {
		case event.RunFinished:
			finished++
		case event.AttemptFinished:
			attempts++
		case event.RunStarted, event.PhaseChanged, event.TestsFinished, event.Proposed, event.CandidatesTried, event.Verified, event.Warned, event.Turned, event.Before:
		case event.Invalid:
			t.Error("an event without a kind")
		default:
			t.Errorf("event %v", e.Kind)
		}
	}
	if finished != 1 || p.events[len(p.events)-1].Kind != event.RunFinished || attempts != len(r.Attempts) {
		t.Errorf("events tell of %d ends and %d attempts, the result of %d attempts", finished, attempts, len(r.Attempts))
	}
	ignored := testresult.Set(append(append([]testresult.ID{}, r.Flaky...), r.Unstable...))
	for _, id := range r.Targets {
		if ignored[id] {
			t.Errorf("target %s turned flaky", id)
		}
	}
}
