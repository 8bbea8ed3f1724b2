package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSchema holds the JSON against golden files: the names are a contract.
func TestSchema(t *testing.T) {
	t.Parallel()
	cost := 0.25
	result := testresult.Result{Units: []testresult.UnitRun{
		{Unit: "api", Tests: []testresult.Test{
			{ID: testresult.ID{Unit: "api", Native: "ok"}, Status: testresult.Passed},
			{ID: testresult.ID{Unit: "api", Native: "red"}, Status: testresult.Failed, Failure: &testresult.Failure{
				Kind: "AssertionError", Message: "1 != 2", At: testresult.Frame{File: "test_a.py", Line: 3},
				Frames: []testresult.Frame{{File: "test_a.py", Line: 3}, {File: "a.py", Line: 7, Func: "add"}}, Expected: "2", Actual: "1", Output: "printed",
			}},
			{ID: testresult.ID{Unit: "api", Native: "net"}, Status: testresult.Blocked, Failure: &testresult.Failure{Setting: "--network on"}},
			{ID: testresult.ID{Unit: "api", Native: "skip"}, Status: testresult.Skipped},
			{ID: testresult.ID{Unit: "api", Native: "xfail"}, Status: testresult.XFailed},
			{ID: testresult.ID{Unit: "api", Native: "slow"}, Status: testresult.Hung},
		}},
		{Unit: "web", Reason: testresult.NotInstalled, Detail: "no node", Unusable: []testresult.Part{{Name: "b.test.js", Reason: testresult.SyntaxError, At: testresult.Frame{File: "b.js", Line: 1}}}},
	}}
	sum := Summarise(result, testresult.ID.String)
	sum.Flaky, sum.Unstable = []string{"api::f"}, []string{"api::u"}
	check(t, "testdata/report.json", Report{
		Schema: Schema, Run: "20260102T030405-abc", Outcome: outcome.GaveUp, Reason: "nothing left to propose", Next: "look at it",
		Alternatives: []Alternative{{ID: "20260102T030405-abc.1", Diff: "diff", Why: "why", Input: "f(1)", Output: "2"}},
		Partial:      &Partial{Diff: "diff", Fixed: []string{"api::x"}, Left: []string{"api::red"}}, LeftFailing: []string{"api::other"},
		Applied: true, Proposer: "repair", Root: "/home/me/project", Shadow: "/cache/1", Sandbox: "isolated",
		Units:    []Unit{{Root: "api", Runner: "pytest", Command: []string{"python3", "-m", "pytest"}}},
		Baseline: sum, Final: sum, TestRuns: 2, Candidates: 17, Diff: "diff", Warnings: []string{"slow"},
		Attempts: []Attempt{{N: 1, Files: []string{"a.py"}, Verdict: outcome.RolledBack, Note: "it breaks api::ok", Signature: "api::ok|api::red", Result: "fail", Title: "plus", Origin: "repair"}},
		Edits:    Edits{Applied: 1, Refused: 2, RolledBack: 3, NotApplicable: 4},
		Spent:    "Turns: 1/30", Usage: Usage{Model: "m", Calls: 1, PromptTokens: 2, CachedTokens: 3, CompletionTokens: 4, CostUSD: &cost},
		Timing:       Timing{TotalMS: 100, TestsMS: 90, ShadowMS: 5},
		Verification: Verification{Fresh: CheckPassed, Canary: CheckNone, Forced: CheckFailed, Scan: CheckNone},
		Settings:     []string{"allow = tests/x.py"}, Why: "because", Ranking: []Suspect{{File: "a.py", Line: 7, Score: 0.5, Why: "run by every failing test"}},
	})
	check(t, "testdata/doctor.json", Doctor{
		Schema: DoctorSchema,
		Units: []DoctorUnit{{
			Root: ".", Runner: "pytest", Why: "pytest.ini", Command: []string{"python3", "-m", "pytest"}, Interpreter: "/usr/bin/python3", Version: "7.2.1",
			Tests: 5, UnusableReason: testresult.NotInstalled, Detail: "no pytest", Rejected: []Rejected{{Runner: "python3", Why: "it has no pytest"}},
		}},
		Sandbox:   DoctorSandbox{Tier: "isolated", Probes: []Probe{{Name: "network", OK: true, Detail: "refused"}}},
		Proposers: []DoctorProposer{{Name: "repair", Ready: true, Detail: "Go, Python"}}, Warnings: []string{"w"},
	})
}

func check[T any](t *testing.T, file string, value T) {
	t.Helper()
	got, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
	var back T
	if err := json.NewDecoder(bytes.NewReader(want)).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(value, back); diff != "" {
		t.Errorf("%s is read back as another (-want +got):\n%s", file, diff)
	}
}

func TestOutcomeMustBeSet(t *testing.T) {
	t.Parallel()
	if text, err := json.Marshal(Report{}); err == nil {
		t.Errorf("a report without an outcome is written: %s", text)
	}
}
