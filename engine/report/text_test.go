package report

import (
	"errors"
	"strings"
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
)

func attempt(n int, file string, v outcome.Verdict, result, note string) Attempt {
	return Attempt{N: n, Files: strings.Fields(file), Verdict: v, Result: result, Note: note}
}

func tests(status testresult.RunStatus, passed, failed, skipped int) Tests {
	return Tests{Status: status, Passed: passed, Failed: failed, Skipped: skipped, Total: passed + failed + skipped}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		report Report
		want   string
	}{
		{"a useless proposer", Report{
			Shadow: "/cache/1", Outcome: outcome.NoProgress, Reason: "no edit changed which tests fail: no model configured",
			Baseline: tests(testresult.Fail, 0, 1, 0), Final: tests(testresult.Fail, 0, 1, 0),
			Edits: Edits{Applied: 2}, TestRuns: 3,
			Attempts: []Attempt{
				attempt(1, "target.py", outcome.Applied, "fail", "no model configured"),
				attempt(2, "target.py", outcome.Applied, "fail", "no model configured"),
			},
		}, `working on a copy at /cache/1
outcome: no_progress
attempts 2, edits 2 applied / 0 refused, 3 test runs
baseline  fail   0 passed, 1 failed
  #1 target.py                    applied  fail   no model configured
  #2 target.py                    applied  fail   no model configured
final     fail   0 passed, 1 failed
`},
		{"everything there is", Report{
			Outcome: outcome.Budget, Reason: "the limit of 5 attempts is reached", Next: "raise --max-attempts",
			Spent:    "Turns: 3/30 | Tokens: 12,345/200,000 | Cost: $0.123/$5.00",
			Baseline: Tests{Status: testresult.Fail, Passed: 1, Failed: 3, Skipped: 2, Total: 6, Flaky: []string{"f1", "f2"}, Unstable: []string{"u"}, Unusable: []Unusable{{Part: "db", Reason: testresult.ImportError}}},
			Final:    tests(testresult.Fail, 2, 2, 2),
			Edits:    Edits{Applied: 1, Refused: 1, RolledBack: 1, NotApplicable: 1}, TestRuns: 3, LeftFailing: []string{"other"},
			Attempts: []Attempt{
				attempt(1, "a/rather/long/name/of/a/source/file.py", outcome.Applied, "fail", "1 of 2 targets pass"),
				attempt(2, "tests/test_a.py", outcome.Refused, "", "it is protected"),
				attempt(3, "a.py b.py", outcome.RolledBack, "unusable", "line one\nline two\x1b[31m"),
				attempt(4, "", outcome.NotApplicable, "", "the proposal is empty"),
			},
			Partial:      &Partial{Fixed: []string{"t1"}, Left: []string{"t2", "t3"}},
			Alternatives: []Alternative{{ID: "run.1", Why: "`<` should be `<=`", Input: "f(1)", Output: "2"}, {ID: "run.2", Why: "x"}},
			Warnings:     []string{"the suite is slow"},
		}, `outcome: budget
attempts 4, edits 1 applied / 1 refused / 1 rolled back / 1 not applicable, 3 test runs
baseline  fail   1 passed, 3 failed, 2 skipped
  not run: db (import_error)
  #1 a/rather/long/name/of/a/source/file.py applied  fail   1 of 2 targets pass
  #2 tests/test_a.py              refused         it is protected
  #3 a.py b.py                    rolled_back unusable line one line two [31m
  #4 (nothing)                    not_applicable        the proposal is empty
final     fail   2 passed, 2 failed, 2 skipped
flaky: f1, f2
unstable: u
left failing: other
partial: 1 of 3 repaired, still failing: t2, t3
alternative run.1: ` + "`<` should be `<=`" + `
  on f(1) it returns 2
alternative run.2: x
warning: the suite is slow
reason: the limit of 5 attempts is reached
spent: Turns: 3/30 | Tokens: 12,345/200,000 | Cost: $0.123/$5.00
next: raise --max-attempts
`},
		{
			"nothing was run",
			Report{Outcome: outcome.Unrunnable, Reason: "sandbox_unavailable: no user namespaces", Next: "autocoder doctor"},
			"outcome: unrunnable\nattempts 0, edits 0 applied / 0 refused, 0 test runs\nreason: sandbox_unavailable: no user namespaces\nnext: autocoder doctor\n",
		},
		{"fixed says it all", Report{
			Outcome: outcome.Fixed, Reason: "the failing test passes now", TestRuns: 2, Edits: Edits{Applied: 1},
			Baseline: tests(testresult.Fail, 0, 1, 0), Final: tests(testresult.Pass, 1, 0, 0),
			Attempts: []Attempt{attempt(1, "a.py", outcome.Applied, "pass", "plus")},
		}, "outcome: fixed\nattempts 1, edits 1 applied / 0 refused, 2 test runs\nbaseline  fail   0 passed, 1 failed\n" +
			"  #1 a.py                         applied  pass   plus\nfinal     pass   1 passed, 0 failed\n"},
		{
			"where to look",
			Report{Outcome: outcome.GaveUp, Reason: "nothing left", Ranking: []Suspect{
				{File: "a.py", Line: 7, Why: "run by 2 failing tests"}, {File: "a.py", Line: 8, Why: "w"}, {File: "b.py", Line: 1, Why: "w"}, {File: "b.py", Line: 2, Why: "w"},
			}},
			"outcome: gave_up\nattempts 0, edits 0 applied / 0 refused, 0 test runs\nreason: nothing left\n" +
				"suspect: a.py:7 (run by 2 failing tests)\nsuspect: a.py:8 (w)\nsuspect: b.py:1 (w)\n",
		},
		{"the reason of a refusal is told", Report{
			Outcome: outcome.NoProgress, Reason: "the last edit was refused: it is protected", Edits: Edits{Refused: 1}, TestRuns: 1,
			Attempts: []Attempt{attempt(1, "t.py", outcome.Refused, "", "it is protected")},
		}, "outcome: no_progress\nattempts 1, edits 0 applied / 1 refused, 1 test runs\n" +
			"  #1 t.py                         refused         it is protected\nreason: the last edit was refused: it is protected\n"},
	} {
		var b strings.Builder
		if err := Text(&b, c.report); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// full refuses to write.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestTextTellsWhatCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	if err := Text(full{}, Report{Outcome: outcome.Fixed}); err == nil {
		t.Error("a report that could not be written is not an error")
	}
}

// TestTextObeysNobody: what a test or a model wrote can't steer a terminal, or show
// a line in another order than it has.
func TestTextObeysNobody(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := Report{Outcome: outcome.GaveUp, Reason: "a\x1b[2J\u009b1m\u202eb\u2066\u2028c\u200d\r\nd"}
	if err := Text(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := "reason: a [2J 1m b  c\u200d  d\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q, want %q at its end", b.String(), want)
	}
}
