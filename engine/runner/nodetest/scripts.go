package nodetest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/runner/custom"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// asScript judges a file in whose process no test of node:test began, as the one
// test that it is: by the error that nobody caught, by the TAP that it printed, and
// by its exit code. It is none when it checks nothing, when it could not be loaded,
// or when other code than its own ended it with success.
func (p *parser) asScript(f *file, proc *process, hasTests bool) (testresult.Test, bool) {
	if hasTests || proc == nil || len(proc.began) > 0 || f.last.Error != nil && f.last.Error.Signal != "" && p.stuck[f.part].File == "" {
		return testresult.Test{}, false
	}
	tap, isTAP := p.tap(f)
	if !proc.checks && !isTAP || proc.thrown != nil && p.whileLoading(f, proc) {
		return testresult.Test{}, false
	}
	t := testresult.Test{
		ID:   testresult.ID{Unit: p.unit.Name, Native: native(f.part, "", 1)},
		Part: f.part, Duration: time.Duration(f.last.Ms * float64(time.Millisecond)), Status: testresult.Failed,
	}
	stuck, wasStuck := p.stuck[f.part]
	failed := slices.IndexFunc(tap.Tests, func(t testresult.Test) bool { return t.Status == testresult.Failed })
	switch {
	case wasStuck:
		t.Status = testresult.Hung
		t.Failure = &testresult.Failure{Kind: runner.KindHang, Message: fmt.Sprintf("the script did not end within %s and was killed", time.Duration(stuck.Ms)*time.Millisecond)}
	case failed >= 0:
		t.Failure = p.notOK(f, tap.Tests[failed])
	case proc.thrown != nil:
		t.Failure = p.naming(f).failure(&item{reported: reported{File: p.absolute(f), Line: 1, Error: proc.thrown}})
	case f.last.Ev == "fail":
		t.Failure = &testresult.Failure{Kind: "exit code", Message: fmt.Sprintf("the script ended with exit code %d", p.exitCode(f, proc))}
	case proc.exited && !proc.natural && proc.by != f.part:
		return testresult.Test{}, false // as by process.exit in the code under test
	case isTAP && tap.Reason != testresult.NoReason:
		t.Failure = &testresult.Failure{Kind: tap.Reason.String(), Message: tap.Detail}
	default:
		t.Status = testresult.Passed
		return t, true
	}
	t.Failure.Output = p.outputOf(f) + proc.said[""]
	if t.Failure.At.File == "" {
		t.Failure.At = testresult.Frame{File: p.inWorkspace(p.absolute(f)), Line: 1}
	}
	return t, true
}

func (p *parser) naming(f *file) *naming { return &naming{parser: p, file: f} }

func (p *parser) absolute(f *file) string {
	return filepath.Join(folder(p.unit, p.report), filepath.FromSlash(f.part))
}

func (p *parser) exitCode(f *file, proc *process) int {
	if e := f.last.Error; e != nil && e.Exit != nil {
		return *e.Exit
	}
	return proc.code
}

// tap reads what a file printed as TAP. Of output that was cut, only what failed
// counts.
func (p *parser) tap(f *file) (run testresult.UnitRun, ok bool) {
	text := transcript.Clean(f.stdout.String())
	run = custom.ReadTAP(text, p.report.Root)
	if f.stdout.Len() > fileOutputCap {
		run.Reason = testresult.NoReason
	}
	begun := strings.HasPrefix(text, "TAP version 1") || strings.Contains(text, "\nTAP version 1")
	return run, begun || run.Reason == testresult.NoReason && len(run.Tests) > 0
}

// notOK is the failure of a script by a line of its TAP.
func (p *parser) notOK(f *file, t testresult.Test) *testresult.Failure {
	failure := *t.Failure
	if failure.Message == "" {
		failure.Message = t.ID.Native
	}
	failure.Frames = slices.DeleteFunc(failure.Frames, func(frame testresult.Frame) bool {
		return slices.Contains(strings.Split(frame.File, "/"), "node_modules")
	})
	for _, frame := range slices.Backward(failure.Frames) {
		if frame.File == p.inWorkspace(p.absolute(f)) {
			failure.At = frame
			break
		}
	}
	return &failure
}

// whileLoading reports whether an error comes from loading a module, and not from
// what the file itself does: the innermost frame of either tells.
func (p *parser) whileLoading(f *file, proc *process) bool {
	own := p.absolute(f)
	for line := range strings.Lines(proc.thrown.Stack) {
		switch {
		case !strings.HasPrefix(strings.TrimSpace(line), "at "):
		case strings.Contains(line, own+":"), strings.Contains(line, fileURL(own)+":"):
			return false
		case strings.Contains(line, "node:internal/modules/"):
			return true
		}
	}
	return false
}

// canaries are those of a drill that ran at the end of a script.
func (p *parser) canaries(f *file) []testresult.Test {
	proc := p.process(f.part)
	if proc == nil {
		return nil
	}
	words := map[string]testresult.Status{"pass": testresult.Passed, "fail": testresult.Failed, "skip": testresult.Skipped}
	var tests []testresult.Test
	for _, name := range slices.Sorted(maps.Keys(proc.canaries)) {
		status, known := words[proc.canaries[name]]
		if !known {
			continue
		}
		t := testresult.Test{ID: testresult.ID{Unit: p.unit.Name, Native: native(f.part, name, 1)}, Part: f.part, Status: status}
		if status.Failing() {
			t.Failure = &testresult.Failure{Kind: "failure", Message: "failed as it must"}
		}
		tests = append(tests, t)
	}
	return tests
}
