package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/report"
	"autocoder/engine/testresult"
	"autocoder/engine/verify"
)

// result tells what the run came to.
func (l *loop) result(end ending) Result {
	return Result{
		Outcome: end.outcome, Reason: end.reason, Next: end.next, Proposer: l.cfg.Proposer.Name(),
		Fix: l.fix, Partial: l.partial, Alternatives: l.alternatives, Unverified: l.unverified,
		Attempts: slices.Clone(l.history), Baseline: l.baseline, Final: l.best.result,
		Targets: l.targets, Flaky: sorted(l.flaky), Unstable: sorted(l.unstable),
		LeftFailing: l.best.result.NotPassing(l.leftFailing),
		TestRuns:    l.testRuns, Candidates: l.cfg.Meter.Spent().Candidates, TestTime: l.testTime,
		Verification: l.verification, Warnings: l.warnings, Suspects: l.suspects,
	}
}

func sorted(set map[testresult.ID]bool) []testresult.ID {
	return slices.SortedFunc(maps.Keys(set), testresult.ID.Compare)
}

// Report fills in what the loop knows of a report. The caller knows the rest:
// where it ran, with what, at what cost, and whether it was applied.
func (r Result) Report() report.Report {
	out := report.Report{
		Schema: report.Schema, Outcome: r.Outcome, Reason: r.Reason, Next: r.Next, Proposer: r.Proposer,
		LeftFailing: r.names(r.LeftFailing), Alternatives: []report.Alternative{}, Attempts: []report.Attempt{},
		Units: []report.Unit{}, Settings: []string{}, Warnings: append([]string{}, r.Warnings...),
		Baseline: r.tests(r.Baseline), Final: r.tests(r.Final), TestRuns: r.TestRuns, Candidates: r.Candidates,
		Diff: r.Fix.Diff, Why: r.Fix.Why, Ranking: []report.Suspect{},
		Timing:       report.Timing{TestsMS: r.TestTime.Milliseconds()},
		Verification: r.verification(),
	}
	if r.Outcome == outcome.Fixed || r.Partial != nil {
		out.Warnings = append(out.Warnings, r.Verification.Warnings...)
	}
	for _, s := range r.ranking() {
		out.Ranking = append(out.Ranking, report.Suspect{File: s.File, Line: s.Line, Score: s.Score, Why: s.Why})
	}
	for _, a := range r.Alternatives {
		out.Alternatives = append(out.Alternatives, report.Alternative{ID: a.ID, Diff: a.Diff, Why: a.Why, Input: a.Input, Output: a.Output})
	}
	if p := r.Partial; p != nil {
		out.Partial = &report.Partial{Diff: p.Diff, Fixed: r.names(p.Fixed), Left: r.names(p.Left)}
	}
	for i, a := range r.Attempts {
		out.Attempts = append(out.Attempts, r.attempt(i+1, a))
		countVerdict(&out.Edits, a.Verdict)
	}
	return out
}

func countVerdict(e *report.Edits, v outcome.Verdict) {
	switch v {
	case outcome.Applied:
		e.Applied++
	case outcome.Refused:
		e.Refused++
	case outcome.RolledBack:
		e.RolledBack++
	case outcome.NotApplicable:
		e.NotApplicable++
	case outcome.InvalidVerdict:
		panic("agent: an attempt without a verdict")
	default:
		panic(fmt.Sprintf("agent: verdict %v", v))
	}
}

func (r Result) attempt(n int, a propose.Attempt) report.Attempt {
	out := report.Attempt{
		N: n, Files: append([]string{}, a.Proposal.Patch.Paths()...), Verdict: a.Verdict, Note: a.Note,
		Title: a.Proposal.Title, Origin: a.Proposal.Origin,
	}
	if a.Result != nil {
		out.Result, out.Signature = a.Result.Status().String(), r.signature(*a.Result)
	}
	return out
}

// ranking is that of the fix, or what the proposer suspected last.
func (r Result) ranking() []propose.Suspect {
	if len(r.Fix.Ranking) > 0 {
		return r.Fix.Ranking
	}
	return r.Suspects
}

// signature is that of a result, with ids as reports print them.
func (r Result) signature(result testresult.Result) string {
	if s := result.Signature(); s == "green" {
		return s
	}
	names := r.names(result.Failing())
	slices.Sort(names)
	return strings.Join(names, "|")
}

func (r Result) tests(result testresult.Result) report.Tests {
	t := report.Summarise(result, r.name)
	t.Flaky, t.Unstable = r.names(r.Flaky), r.names(r.Unstable)
	return t
}

func (r Result) name(id testresult.ID) string { return printed(id, len(r.Baseline.Units) == 1) }

func (r Result) names(ids []testresult.ID) []string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, r.name(id))
	}
	return names
}

// verification says what each check answered; one that could not be completed or
// put in place has no answer.
func (r Result) verification() report.Verification {
	v := report.Verification{
		Fresh: report.CheckPassed, Canary: r.layer("canary"), Forced: r.layer("forced"), Scan: r.layer("scan"),
	}
	bySuite := r.Verification.By == verify.SuiteCheck
	switch {
	case r.Verification.Verdict == verify.Invalid, bySuite && r.Verification.Verdict == verify.Incomplete:
		v.Fresh = report.CheckNone
	case bySuite:
		v.Fresh = report.CheckFailed
	}
	return v
}

func (r Result) layer(name string) report.Check {
	switch r.Verification.Layers[name] {
	case verify.Confirmed:
		return report.CheckPassed
	case verify.Refused:
		return report.CheckFailed
	case verify.Invalid, verify.Unplaceable, verify.Incomplete:
		return report.CheckNone
	default:
		return report.CheckNone
	}
}
