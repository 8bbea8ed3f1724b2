package pytest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// Exit codes of pytest.
const (
	codeInternal = 3
	codeUsage    = 4
	codeNoTests  = 5
)

// parse reads what one command left.
func parse(unit runner.Unit, report runner.Report) testresult.UnitRun {
	run := testresult.UnitRun{Unit: unit.Name}
	data, err := report.ReadFile(reportFile)
	if err != nil {
		run.Reason, run.Detail, run.At = unread(err, report)
		return run
	}
	return interpret(run, report, data)
}

// interpret reads the text of a report into the run of its unit.
func interpret(run testresult.UnitRun, report runner.Report, data []byte) testresult.UnitRun {
	l := decode(data)
	if l.invalid != nil {
		run.Reason, run.Detail = testresult.ReportInvalid, l.invalid.Error()
		return run
	}
	p := parser{log: l, report: report, run: run}
	p.tests()
	p.parts()
	p.blame()
	p.judge()
	return p.run
}

// unread is why there is no report: the reporter writes its first line before
// anything of the project is loaded.
func unread(err error, report runner.Report) (testresult.Reason, string, testresult.Frame) {
	if !errors.Is(err, fs.ErrNotExist) {
		return testresult.ReportInvalid, err.Error(), testresult.Frame{}
	}
	said := lastLine(report.Output.Stderr, report.Output.Stdout)
	switch {
	case strings.Contains(said, "No module named pytest"):
		return testresult.NotInstalled, said, testresult.Frame{}
	case report.Output.Exit.Code == codeUsage:
		return testresult.ConfigError, usage(report), testresult.Frame{}
	default:
		return testresult.ReportMissing, fmt.Sprintf("the report is gone (%s)", report.Output.Exit), testresult.Frame{}
	}
}

// parser turns a log into the run of a unit.
type parser struct {
	*log
	report runner.Report
	run    testresult.UnitRun
}

func (p *parser) tests() {
	for _, id := range p.order {
		t := p.log.tests[id]
		out := testresult.Test{
			ID: testresult.ID{Unit: p.run.Unit, Native: id}, Status: t.status, Part: part(id),
			Failure: t.failure, Duration: time.Duration(t.seconds * float64(time.Second)),
		}
		switch {
		case t.hang != nil:
			out.Status, out.Failure = testresult.Hung, hung(t)
			out.Duration = time.Duration(t.hang.After * float64(time.Second))
		case t.status == testresult.Missing:
			continue
		case t.status == testresult.Failed:
			p.refused(&out, t.chain)
		}
		p.run.Tests = append(p.run.Tests, out)
	}
}

// refused marks a test whose error was raised because of a refusal, which the
// core sees by itself when it is the test's own error.
func (p *parser) refused(t *testresult.Test, chain []string) {
	if t.Failure.Kind == "assertion" {
		return
	}
	for _, said := range chain {
		if thing, setting, ok := p.report.Blocked(said); ok {
			t.Status, t.Failure.Thing, t.Failure.Setting = testresult.Blocked, thing, setting
			return
		}
	}
}

func hung(t *test) *testresult.Failure {
	f := t.failure
	if f == nil {
		f = &testresult.Failure{Frames: frames(*t.hang)}
		f.At = place(f.Frames)
	}
	f.Kind = runner.KindHang
	f.Message = fmt.Sprintf("the test did not end within %.3g s and was stopped (in its %s)", t.hang.After, t.hang.When)
	return f
}

// part is the file of an id.
func part(id string) string {
	file, _, _ := strings.Cut(id, "::")
	return file
}

func (p *parser) parts() {
	for _, e := range p.broken {
		out := testresult.Part{Name: cmp.Or(e.Part, "."), Reason: testresult.CollectionError}
		switch {
		case e.Kind == "_Hang":
			out.Reason = testresult.Hang
		case e.Syntax:
			out.Reason = testresult.SyntaxError
		case e.Imports:
			out.Reason = testresult.ImportError
		case e.Kind == "SystemExit":
			out.Reason = testresult.ExitedEarly
		}
		out.Detail = e.Message
		if e.Kind != "" && e.Kind != "_Hang" {
			out.Detail = e.Kind + ": " + e.Message
		}
		if n := len(e.Frames); n > 0 {
			out.At = e.Frames[n-1].Frame
			if e.Part == "" {
				out.Name = conftest(e)
			}
		}
		p.run.Unusable = append(p.run.Unusable, out)
	}
}

// conftest is the conftest.py that a broken folder's error came through.
func conftest(e event) string {
	for _, f := range slices.Backward(e.Frames) {
		if path.Base(f.File) == "conftest.py" {
			return f.File
		}
	}
	return e.Frames[len(e.Frames)-1].File
}

// blame finds what was running when the process ended in the middle.
func (p *parser) blame() {
	if p.report.TimedOut || len(p.report.Hung) > 0 {
		return
	}
	switch {
	case p.finish && p.interrupt == nil:
		return
	case p.current != "":
		p.blameTest()
	case p.part != "" && !p.finish:
		reason, detail := died(p.report)
		p.run.Unusable = append(p.run.Unusable, testresult.Part{Name: p.part, Reason: reason, Detail: detail})
	}
}

// blameTest records the test that took the process, or the session, down.
func (p *parser) blameTest() {
	_, detail := died(p.report)
	f := &testresult.Failure{Kind: runner.KindCrash, Message: detail + " while this test ran"}
	if e := p.interrupt; e != nil {
		f.Kind, f.Message = e.Kind, fmt.Sprintf("%s: %s (it ended the whole session)", e.Kind, e.Message)
		f.Frames = frames(*e)
	} else {
		f.Frames = p.fatalFrames()
	}
	f.At = place(f.Frames)
	i := slices.IndexFunc(p.run.Tests, func(t testresult.Test) bool { return t.ID.Native == p.current })
	if i < 0 {
		p.run.Tests = append(p.run.Tests, testresult.Test{
			ID: testresult.ID{Unit: p.run.Unit, Native: p.current}, Part: part(p.current),
		})
		i = len(p.run.Tests) - 1
	}
	p.run.Tests[i].Status, p.run.Tests[i].Failure = testresult.Failed, f
}

// died says how the process ended before its time.
func died(report runner.Report) (testresult.Reason, string) {
	exit := report.Output.Exit
	switch {
	case exit.Signal == "SIGKILL":
		return testresult.OutOfMemory, "the process was killed from outside, as when memory runs out,"
	case exit.Signal != "":
		return testresult.Crashed, fmt.Sprintf("the process was ended by %s", exit.Signal)
	default:
		return testresult.ExitedEarly, fmt.Sprintf("the process ended early with exit code %d", exit.Code)
	}
}

var fatalFrame = regexp.MustCompile(`(?m)^  File "([^"\n]+)", line (\d+) in (\S+)`)

// fatalFrames reads the stack that Python prints when it crashes.
func (p *parser) fatalFrames() []testresult.Frame {
	_, said, ok := strings.Cut(string(p.report.Output.Stderr), "Fatal Python error")
	if !ok {
		return nil
	}
	var frames []testresult.Frame
	for _, m := range fatalFrame.FindAllStringSubmatch(said, -1) {
		file, inside := p.report.Relative(m[1])
		if !inside || !filepath.IsAbs(m[1]) || strings.Contains(file, "site-packages") {
			continue
		}
		f := testresult.Frame{File: file, Func: m[3]}
		_, _ = fmt.Sscan(m[2], &f.Line)
		frames = append(frames, f)
	}
	slices.Reverse(frames)
	return frames
}

// judge gives the unit its reason where the report as a whole is no proof.
func (p *parser) judge() {
	exit := p.report.Output.Exit
	failing := slices.ContainsFunc(p.run.Tests, func(t testresult.Test) bool { return t.Status.Failing() })
	explained := failing || len(p.run.Unusable) > 0
	switch {
	case p.elsewhere != "":
		p.run.Reason, p.run.Detail = testresult.TestsRunElsewhere, p.elsewhere
	case p.report.TimedOut || len(p.report.Hung) > 0:
	case p.internal != nil && !explained:
		p.run.Reason, p.run.Detail = testresult.InternalError, p.internal.Message
	case !p.finish && !explained:
		p.unfinished()
	case !p.finish:
	case p.code == codeNoTests && exit.Code == codeNoTests && !explained:
		p.run.Reason, p.run.Detail = testresult.NoTests, "pytest found no tests"
	case exit.Success() && p.code == 0 && failing:
		p.run.Warnings = append(p.run.Warnings, "pytest ended with exit code 0 although tests failed")
	case exit.Success() && p.code == 0, explained:
	case p.code == codeUsage:
		p.run.Reason, p.run.Detail = testresult.ConfigError, usage(p.report)
	case exit.Signal != "" || exit.Code != p.code:
		p.run.Reason, p.run.Detail = died(p.report)
	default:
		p.run.Reason = testresult.InternalError
		p.run.Detail = fmt.Sprintf("pytest ended with exit code %d and no test failed: %s", exit.Code, usage(p.report))
	}
}

// unfinished is the reason of a process that ended outside of any test.
func (p *parser) unfinished() {
	switch {
	case p.report.Output.Exit.Code == codeUsage:
		p.run.Reason, p.run.Detail = testresult.ConfigError, usage(p.report)
	case p.report.Output.Exit.Code == codeInternal:
		p.run.Reason, p.run.Detail = testresult.InternalError, usage(p.report)
	default:
		p.run.Reason, p.run.Detail = died(p.report)
	}
}

// usage is what pytest said of its configuration, or the last thing it said.
func usage(report runner.Report) string {
	for _, mark := range []string{": error: ", "ERROR: "} {
		for line := range strings.Lines(string(report.Output.Stderr)) {
			if _, text, ok := strings.Cut(line, mark); ok {
				return transcript.Clip(strings.TrimSpace(text), 500)
			}
		}
	}
	return lastLine(report.Output.Stderr, report.Output.Stdout)
}

// lastLine is the last line that says anything, of the first stream that does.
func lastLine(streams ...[]byte) string {
	for _, s := range streams {
		if text := strings.TrimSpace(string(s)); text != "" {
			return transcript.Clip(strings.TrimSpace(text[strings.LastIndex(text, "\n")+1:]), 500)
		}
	}
	return ""
}

// lastRun tells the watch which test is running.
func lastRun(report runner.Report) (string, time.Time, bool) {
	const enough = 256 << 10 // of a report in which the longest event has some 30 kB
	data, err := report.ReadEnd(reportFile, enough)
	if err != nil {
		return "", time.Time{}, false
	}
	if len(data) == enough {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	l := decode(data)
	return l.current, l.since, l.current != ""
}

// places tells the file and the line of a test as pytest collected it.
func places(unit runner.Unit, report runner.Report) func(testresult.Test) testresult.Frame {
	lines := map[string]int{}
	if data, err := report.ReadFile(reportFile); err == nil {
		lines = decode(data).lines
	}
	return func(t testresult.Test) testresult.Frame {
		return testresult.Frame{File: path.Join(unit.Root, part(t.ID.Native)), Line: lines[t.ID.Native]}
	}
}

// rest is what is left after a process that ended in the middle.
func rest(unit runner.Unit, sel runner.Selection, run testresult.UnitRun, report runner.Report) (runner.Selection, bool) {
	if run.Reason == testresult.TestsRunElsewhere || report.TimedOut {
		return runner.Selection{}, false
	}
	data, err := report.ReadFile(reportFile)
	if err != nil {
		return runner.Selection{}, false
	}
	l := decode(data)
	if l.invalid != nil {
		return runner.Selection{}, false
	}
	if folder, ok := l.brokenFolder(unit); ok && !slices.Contains(sel.Skip, folder) {
		return runner.Selection{IDs: sel.IDs, Skip: append(slices.Clone(sel.Skip), folder)}, true
	}
	if l.finish && l.interrupt == nil && l.internal == nil {
		return runner.Selection{}, false
	}
	if l.collected == nil {
		if l.part == "" {
			return runner.Selection{}, false
		}
		return runner.Selection{IDs: sel.IDs, Skip: append(slices.Clone(sel.Skip), l.part)}, true
	}
	done := map[string]bool{}
	for _, t := range run.Tests {
		done[t.ID.Native] = true
	}
	left := slices.DeleteFunc(slices.Clone(l.collected), func(id string) bool { return done[id] })
	return runner.Selection{IDs: left}, len(left) > 0
}

// brokenFolder returns the folder, relative to the unit, of a conftest.py that
// ended the collection of everything: the rest runs without the folder.
func (l *log) brokenFolder(unit runner.Unit) (string, bool) {
	for _, e := range l.broken {
		if e.Part != "" || len(e.Frames) == 0 || len(l.collected) > 0 {
			continue
		}
		for _, f := range e.Frames {
			dir, ok := strings.CutSuffix(f.File, "/conftest.py")
			if !ok || dir == unit.Root || !runner.Within(path.Clean(unit.Root), dir) {
				continue
			}
			if unit.Root == "." {
				return dir, true
			}
			return strings.TrimPrefix(dir, unit.Root+"/"), true
		}
	}
	return "", false
}
