package nodetest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// The runner's classes of failure and of items.
const (
	hookFailed     = "hookFailed"
	subtestsFailed = "subtestsFailed"
	cancelled      = "cancelledByParent"
	timedOut       = "testTimeoutFailure"
	kindSuite      = "suite"
	// leftOut is the message of the preload for a test that we skip.
	leftOut = "autocoder: left out"
	// filtered is the reason of old versions for a test whose name was not chosen.
	filtered = "test name does not match pattern"
)

// parse reads what one node --test command left.
func parse(unit runner.Unit, report runner.Report) testresult.UnitRun {
	run := testresult.UnitRun{Unit: unit.Name}
	p := parser{unit: unit, report: report, processes: readProcesses(unit, report)}
	log, err := readLog(unit, report, p.processes)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !log.started:
		run.Reason, run.Detail = nothing(report)
		return run
	case err != nil:
		run.Reason, run.Detail = testresult.ReportInvalid, err.Error()
		return run
	}
	if p.stuck, err = readStuck(unit, report); err != nil {
		run.Reason, run.Detail = testresult.ReportInvalid, err.Error()
		return run
	}
	if outside := p.outside(); outside != "" {
		run.Reason, run.Detail = testresult.TestsRunElsewhere, "the tests loaded "+outside+", outside of the copy"
		return run
	}
	for _, f := range log.files {
		p.judge(f)
	}
	p.addUnreported(log)
	return p.result(run, log)
}

// nothing explains a run without a report.
func nothing(report runner.Report) (testresult.Reason, string) {
	said := strings.TrimSpace(transcript.Clean(string(report.Output.Stderr)))
	first, _, _ := strings.Cut(said, "\n")
	first = transcript.Clip(first, 500)
	switch {
	case report.TimedOut:
		return testresult.Timeout, "killed at the limit of the whole run before the first test"
	case strings.Contains(said, "bad option"), strings.Contains(said, "is not allowed in NODE_OPTIONS"), report.Output.Exit.Code == 9:
		return testresult.ConfigError, first
	case strings.Contains(said, "Cannot find module"), strings.Contains(said, "Cannot find package"):
		return testresult.ImportError, missing(said)
	case first != "":
		return testresult.ReportMissing, fmt.Sprintf("node --test ended (%s) without a report: %s", report.Output.Exit, first)
	default:
		return testresult.ReportMissing, fmt.Sprintf("node --test ended (%s) without a report", report.Output.Exit)
	}
}

type parser struct {
	unit      runner.Unit
	report    runner.Report
	processes []*process
	stuck     map[string]stuck
	tests     []testresult.Test
	parts     []testresult.Part
	// dropped counts failures that are only our own way to leave tests out.
	dropped int
}

// outside returns a file of the project that was loaded from elsewhere.
func (p *parser) outside() string {
	var executed []string
	for _, proc := range p.processes {
		if proc.outside != "" {
			executed = append(executed, proc.outside)
		}
	}
	outside, _ := p.report.Elsewhere(executed)
	return outside
}

func (p *parser) process(part string) *process {
	for _, proc := range p.processes {
		if proc.part == part {
			return proc
		}
	}
	return nil
}

// judge adds what is known of one test file.
func (p *parser) judge(f *file) {
	n := naming{parser: p, file: f, seen: map[string]int{}}
	for _, it := range f.items {
		n.add(it, "")
	}
	p.tests = append(p.tests, n.tests...)
	p.tests = append(p.tests, p.canaries(f)...)
	if f.last != nil {
		p.judgeFile(f, len(n.tests) > 0)
	}
}

// naming walks the items of a file in order and gives each test its id.
type naming struct {
	*parser
	file  *file
	seen  map[string]int
	tests []testresult.Test
}

func (n *naming) add(it *item, prefix string) {
	name := it.Name
	if prefix != "" && name != "" {
		name = prefix + separator + name
	} else if name == "" {
		name = prefix
	}
	first := len(n.tests)
	for _, child := range it.children {
		n.add(child, name)
	}
	if it.Kind == kindSuite {
		n.blameSuite(it, n.tests[first:])
		return
	}
	n.seen[name]++
	test := testresult.Test{
		ID:   testresult.ID{Unit: n.unit.Name, Native: native(n.file.part, name, n.seen[name])},
		Part: n.file.part, Duration: time.Duration(it.Ms * float64(time.Millisecond)),
	}
	if n.status(it, &test) {
		if proc := n.process(n.file.part); proc != nil && test.Failure != nil {
			test.Failure.Output += proc.said[numbered(name, n.seen[name])]
		}
		n.tests = append(n.tests, test)
	}
}

// status fills in what an item says of its test; false leaves the test out.
func (n *naming) status(it *item, test *testresult.Test) bool {
	failure := it.Ev == "fail"
	switch {
	case it.Skip == filtered:
		return false
	case failure && it.Error != nil && it.Error.Type == hookFailed && it.Error.Message == leftOut:
		n.dropped++
		return false
	case failure && it.Todo != nil && it.Todo != false:
		test.Status, test.Failure = testresult.XFailed, n.failure(it)
	case it.Skip != nil && it.Skip != false:
		test.Status, test.Failure = testresult.Skipped, &testresult.Failure{Kind: "skip", Message: reasonOf(it.Skip, "skipped")}
	case it.Todo != nil && it.Todo != false:
		// It counts as neither for the runner.
		test.Status, test.Failure = testresult.Skipped, &testresult.Failure{Kind: "skip", Message: reasonOf(it.Todo, "todo")}
	case !failure:
		test.Status = testresult.Passed
	case it.Error != nil && it.Error.Type == subtestsFailed:
		return false // the subtests are the ids to repair
	case it.Error != nil && it.Error.Type == timedOut:
		test.Status, test.Failure = testresult.Hung, n.failure(it)
	default:
		test.Status, test.Failure = testresult.Failed, n.failure(it)
	}
	return true
}

func reasonOf(value any, otherwise string) string {
	if text, ok := value.(string); ok && text != "" {
		return text
	}
	return otherwise
}

// blameSuite lays a suite's own failure, that of a hook or of its body, at its
// tests: a suite is no test and has no id. Tests that were cancelled for it get
// its error; when all have passed, as before a failing after hook, the last one
// has failed, since it is what the hook cleans up behind.
func (n *naming) blameSuite(suite *item, tests []testresult.Test) {
	if suite.Ev != "fail" || suite.Error == nil || suite.Error.Type == subtestsFailed {
		return
	}
	cause := n.failure(suite)
	blamed := false
	for i, t := range tests {
		if t.Status == testresult.Failed && t.Failure.Kind == cancelled {
			tests[i].Failure, blamed = cause, true
		}
	}
	switch {
	case blamed, slices.ContainsFunc(tests, func(t testresult.Test) bool { return t.Status.Failing() }):
	case len(tests) > 0:
		last := &tests[len(tests)-1]
		last.Status, last.Failure = testresult.Failed, cause
	default:
		n.parts = append(n.parts, testresult.Part{
			Name: n.file.part, Reason: testresult.CollectionError, At: cause.At,
			Detail: fmt.Sprintf("suite %q: %s: %s", suite.Name, cause.Kind, cause.Message),
		})
	}
}

// addUnreported adds the tests that were open when the whole command ended
// before the runner reported their files. The core adds those that it killed.
func (p *parser) addUnreported(log *log) {
	for part, s := range p.stuck {
		if f := log.byPart[part]; f == nil || f.last == nil {
			if s.Name != "" {
				p.addHung(&file{part: part}, s)
			}
		}
	}
}

// result sorts and judges the whole.
func (p *parser) result(run testresult.UnitRun, log *log) testresult.UnitRun {
	slices.SortStableFunc(p.tests, func(a, b testresult.Test) int { return a.ID.Compare(b.ID) })
	slices.SortStableFunc(p.parts, func(a, b testresult.Part) int { return strings.Compare(a.Name, b.Name) })
	run.Tests, run.Unusable = p.tests, p.parts
	killed := p.report.TimedOut || len(p.report.Hung) > 0
	red := slices.ContainsFunc(run.Tests, func(t testresult.Test) bool { return t.Status.Failing() })
	exit := p.report.Output.Exit
	switch {
	case p.report.TimedOut:
		run.Reason, run.Detail = testresult.Timeout, "killed at the limit of the whole run"
	case !log.ended && !killed:
		run.Reason, run.Detail = testresult.ReportInvalid, fmt.Sprintf("the report ends in the middle: node --test ended with %s", exit)
	case !red && len(run.Unusable) == 0 && p.dropped == 0 && !killed && !exit.Success():
		run.Reason = testresult.InternalError
		run.Detail = fmt.Sprintf("node --test ended with %s although no test failed: %s", exit, transcript.Clip(transcript.Clean(string(p.report.Output.Stderr)), 500))
	case len(run.Tests) > 0 || len(p.report.Hung) > 0:
	case len(run.Unusable) > 0:
		first := run.Unusable[0]
		run.Reason, run.Detail, run.At = first.Reason, first.Detail, first.At
	default:
		run.Reason, run.Detail = testresult.NoTests, "no file has a test to run"
	}
	return run
}
