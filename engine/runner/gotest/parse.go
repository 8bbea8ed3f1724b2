package gotest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// parse reads what one go test command left.
func parse(unit runner.Unit, report runner.Report) testresult.UnitRun {
	run := testresult.UnitRun{Unit: unit.Name}
	s, err := readStream(report, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		run.Reason, run.Detail = testresult.ReportMissing, "nothing is left of what go test printed"
		return run
	case err != nil:
		run.Reason, run.Detail = testresult.ReportInvalid, err.Error()
		return run
	case len(s.packages) == 0:
		part := nothing(unit, report, s)
		run.Reason, run.Detail, run.At = part.Reason, part.Detail, part.At
		return run
	}
	p := parser{unit: unit, report: report, stream: s, skipped: skippedBy(report.Command.Args)}
	for _, pkg := range s.packages {
		p.judge(pkg)
	}
	return p.result(run)
}

type parser struct {
	unit   runner.Unit
	report runner.Report
	stream *stream
	// skipped are the names of the tests that the command left out.
	skipped []string
	tests   []testresult.Test
	parts   []testresult.Part
}

// judge adds what the stream says of a package.
func (p *parser) judge(pkg *pkg) {
	if pkg.failedBuild != "" || brokenBuild(pkg) {
		p.parts = append(p.parts, p.brokenPart(pkg))
		return
	}
	blame := p.unfinished(pkg)
	for _, t := range pkg.tests {
		p.judgeTest(pkg, t, blame[t])
	}
	if part := p.badEnd(pkg, len(blame) > 0); part.Reason != testresult.NoReason {
		p.parts = append(p.parts, part)
	}
}

// judgeTest adds a test's result. A test that fails only through its subtests
// is left out: they are the ids to repair. One without an end is left out too,
// unless it is to blame, as it did not get its turn.
func (p *parser) judgeTest(pkg *pkg, t *testCase, blame kind) {
	test := testresult.Test{
		ID:   testresult.ID{Unit: p.unit.Name, Native: native(pkg.name, t.name)},
		Part: pkg.name, Duration: t.elapsed,
	}
	switch {
	case slices.Contains(p.report.Hung, test.ID.Native) && !t.ended():
		test.Status, test.Failure = testresult.Hung, p.failure(t, kindHang)
	case blame == kindHang:
		test.Status, test.Failure = testresult.Hung, p.failure(t, blame)
	case blame != "":
		test.Status, test.Failure = testresult.Failed, p.failure(t, blame)
	case t.action == "pass" && !p.halfRun(t):
		test.Status = testresult.Passed
	case t.action == "skip":
		test.Status, test.Failure = testresult.Skipped, p.failure(t, kindSkip)
	case t.action == "fail" && (len(failing(t.children)) == 0 || hasOwnError(t)):
		test.Status, test.Failure = testresult.Failed, p.failure(t, kindFailure)
	default:
		return
	}
	p.tests = append(p.tests, test)
}

// halfRun reports whether a test passed without a subtest that was left out
// because it hung or crashed before: the verdict on it was given then.
func (p *parser) halfRun(t *testCase) bool {
	return slices.ContainsFunc(p.skipped, func(name string) bool { return strings.HasPrefix(name, t.name+"/") })
}

func failing(tests []*testCase) []*testCase {
	var out []*testCase
	for _, t := range tests {
		if t.action == "fail" {
			out = append(out, t)
		}
	}
	return out
}

// unfinished finds who is to blame when a package's process ended, or was ended,
// in the middle of its tests.
func (p *parser) unfinished(pkg *pkg) map[*testCase]kind {
	for _, t := range pkg.tests {
		passPanicDown(t)
	}
	blame := map[*testCase]kind{}
	if pkg.action == "" {
		return blame
	}
	if name := timedOutTest(pkg); name != "" && pkg.byName[name] != nil {
		blame[pkg.byName[name]] = kindHang
		return blame
	}
	var running []*testCase
	for _, t := range pkg.tests {
		if !t.ended() && panicIn(t.output.String()) != "" {
			blame[t] = kindPanic
		}
		if t.runningLeaf() {
			running = append(running, t)
		}
	}
	if len(blame) > 0 || pkg.action != "fail" {
		return blame
	}
	for _, t := range running {
		blame[t] = kindCrash
	}
	return blame
}

// badEnd says what is wrong with a package beyond its tests, if anything.
// blamed means that a test is already held to account for it.
func (p *parser) badEnd(pkg *pkg, blamed bool) testresult.Part {
	part := testresult.Part{Name: pkg.name}
	output := cleanText(pkg.output.String())
	switch {
	case pkg.action == "" && len(p.report.Hung) > 0, blamed:
		return part // the run of the rest tells more
	case pkg.action == "" && p.report.TimedOut:
		part.Reason, part.Detail = testresult.Timeout, "killed at the limit of the whole run: "+whereItWas(pkg)
	case pkg.action == "":
		part.Reason = testresult.Crashed
		part.Detail = fmt.Sprintf("go test ended (%s) before the package did: %s", p.report.Output.Exit, whereItWas(pkg))
	case pkg.action == "fail" && len(failing(pkg.tests)) == 0:
		part = p.crashedPart(part, output, len(pkg.tests) > 0)
	case pkg.action == "pass" && len(pkg.tests) == 0 && !strings.Contains(output, "[no tests to run]"):
		part.Reason, part.Detail = testresult.ExitedEarly, "the test program ended with success and ran no test: look at its TestMain"
	}
	return part
}

// crashedPart tells the ways in which a package fails without a failing test.
func (p *parser) crashedPart(part testresult.Part, output string, ran bool) testresult.Part {
	switch text := panicIn(output); {
	case strings.Contains(output, "signal: killed"):
		part.Reason, part.Detail = testresult.OutOfMemory, "the test program was killed: it may have used up the memory"
	case text != "":
		part.Reason, part.Detail = testresult.Crashed, panicMessage(text)
		part.At = deepest(p.frames(text))
	case ran:
		part.Reason, part.Detail = testresult.Crashed, "the package failed although no test did: "+cmp.Or(lastWords(output), "it did not say why")
	default:
		part.Reason, part.Detail = testresult.ExitedEarly, "the test program ended before its first test: "+cmp.Or(lastWords(output), "it did not say why")
	}
	return part
}

// whereItWas names the tests that were open when the stream ended.
func whereItWas(pkg *pkg) string {
	var open []string
	for _, t := range pkg.tests {
		if t.runningLeaf() {
			open = append(open, t.name)
		}
	}
	if len(open) == 0 {
		return "no test was running"
	}
	return "running: " + strings.Join(open, ", ")
}

// result sorts and judges the whole.
func (p *parser) result(run testresult.UnitRun) testresult.UnitRun {
	slices.SortFunc(p.tests, func(a, b testresult.Test) int { return a.ID.Compare(b.ID) })
	slices.SortFunc(p.parts, func(a, b testresult.Part) int { return strings.Compare(a.Name, b.Name) })
	run.Tests, run.Unusable = p.tests, p.parts
	switch {
	case len(run.Tests) > 0:
	case len(run.Unusable) > 0:
		first := run.Unusable[0]
		run.Reason, run.Detail, run.At = first.Reason, first.Detail, first.At
	case len(p.report.Hung) == 0:
		run.Reason, run.Detail = testresult.NoTests, "no package has a test to run"
	}
	return run
}
