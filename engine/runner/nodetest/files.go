package nodetest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// judgeFile explains the runner's word on a file as a whole.
func (p *parser) judgeFile(f *file, hasTests bool) {
	proc := p.process(f.part)
	part := testresult.Part{Name: f.part}
	s, wasStuck := p.stuck[f.part]
	if script, ok := p.asScript(f, proc, hasTests); ok {
		p.tests = append(p.tests, script)
		return
	}
	switch {
	case wasStuck && s.Name != "":
		p.addHung(f, s)
		return
	case wasStuck:
		part.Reason = testresult.Hang
		part.Detail = fmt.Sprintf("nothing happened for %s and no test was running: while the file was loaded, in a hook, or behind its tests because something keeps the process alive",
			time.Duration(s.Ms)*time.Millisecond)
	case slices.ContainsFunc(p.report.Hung, func(id string) bool { file, _ := splitID(id); return file == f.part }):
		return
	case p.blameCrash(f, proc):
		return
	case f.last.Ev == "pass" && (hasTests || proc != nil && (proc.natural || !proc.exited)):
		return // a file without tests, as a helper in the folder of the tests
	case f.last.Ev == "pass":
		part.Reason, part.Detail = testresult.ExitedEarly, "the process ended with success before a test had a result, as by process.exit"
	default:
		part = p.loadError(f, part, hasTests)
	}
	p.parts = append(p.parts, part)
}

func (p *parser) addHung(f *file, s stuck) {
	p.tests = append(p.tests, testresult.Test{
		ID:     testresult.ID{Unit: p.unit.Name, Native: native(f.part, s.Name, s.N)},
		Status: testresult.Hung, Part: f.part, Duration: time.Duration(s.Ms) * time.Millisecond,
		Failure: &testresult.Failure{
			Kind: runner.KindHang, Output: p.outputOf(f),
			Message: fmt.Sprintf("the test did not end within %s and was killed", time.Duration(s.Ms)*time.Millisecond),
		},
	})
}

// blameCrash blames the end of a file's process on the test that was running
// last, if one was.
func (p *parser) blameCrash(f *file, proc *process) bool {
	if proc == nil || proc.exited && proc.natural {
		return false
	}
	leaves := proc.leaves()
	if len(leaves) == 0 {
		return false
	}
	t := leaves[len(leaves)-1]
	id := testresult.ID{Unit: p.unit.Name, Native: native(f.part, t.name, t.n)}
	if slices.ContainsFunc(p.tests, func(t testresult.Test) bool { return t.ID == id }) {
		return false
	}
	p.tests = append(p.tests, testresult.Test{
		ID: id, Status: testresult.Failed, Part: f.part,
		Failure: &testresult.Failure{Kind: runner.KindCrash, Message: howItDied(f, proc), Output: p.outputOf(f)},
	})
	return true
}

func howItDied(f *file, proc *process) string {
	switch {
	case strings.Contains(f.stderr.String(), "heap out of memory"):
		return "the process ran out of memory during the test"
	case proc.exited:
		return fmt.Sprintf("the process exited with code %d during the test, as by process.exit", proc.code)
	case f.last.Error != nil && f.last.Error.Signal != "":
		return fmt.Sprintf("the process was ended by %s during the test", f.last.Error.Signal)
	default:
		return "the process ended during the test"
	}
}

func (p *parser) outputOf(f *file) string {
	return transcript.Clip(transcript.Clean(f.stdout.String()+f.stderr.String()), outputCap)
}

// What node prints before the message of an error that ends the process: the
// place, the source line and a mark below it.
var (
	fatalPlace = regexp.MustCompile(`^((?:file://)?(?:/|[A-Za-z]:).*?):(\d+)$`)
	fatalError = regexp.MustCompile(`^(?:Uncaught )?(?:([A-Z]\w*(?:Error|Exception))(?: \[(\w+)\])?|Error(?: \[(\w+)\])?): (.*)$`)
)

// strayError is what the runner says of an error outside of all tests.
var strayError = regexp.MustCompile(`(?:Error|Warning): [^\n]*created the error "([^\n]*)" (?:and|which)`)

// loadError explains why a file's process ended badly while no test was running.
func (p *parser) loadError(f *file, part testresult.Part, hasTests bool) testresult.Part {
	said := transcript.Clean(f.stderr.String())
	message := ""
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if m := fatalPlace.FindStringSubmatch(line); m != nil && part.At.File == "" {
			if file := p.inWorkspace(m[1]); file != "" {
				n, _ := strconv.Atoi(m[2]) // the pattern has digits only
				part.At = testresult.Frame{File: file, Line: n}
			}
		}
		if fatalError.MatchString(line) {
			message = line
			break
		}
	}
	if part.At.File == "" {
		n := naming{parser: p}
		part.At = last(n.frames(said))
	}
	if m := strayError.FindStringSubmatch(said); m != nil {
		message = m[1]
	}
	part.Reason, part.Detail = classify(f, said, message, hasTests)
	return part
}

func classify(f *file, said, message string, hasTests bool) (testresult.Reason, string) {
	how := "the process of the file ended badly"
	if e := f.last.Error; e != nil && e.Signal != "" {
		how = "the process of the file was ended by " + e.Signal
	} else if e != nil && e.Exit != nil {
		how = "the process of the file exited with code " + strconv.Itoa(*e.Exit)
	}
	detail := transcript.Clip(message, 1000)
	switch {
	case strings.Contains(said, "heap out of memory"):
		return testresult.OutOfMemory, "the process of the file ran out of memory"
	case strings.Contains(message, "does not provide an export named"):
		return testresult.ImportError, detail
	case strings.HasPrefix(message, "SyntaxError"), strings.Contains(message, "ERR_INVALID_TYPESCRIPT_SYNTAX"):
		return testresult.SyntaxError, detail
	case missingModule.MatchString(message):
		return testresult.ImportError, missing(message)
	case message != "" && !hasTests:
		return testresult.CollectionError, detail
	case message != "":
		return testresult.Crashed, how + ": " + detail
	case f.last.Error != nil && f.last.Error.Signal != "", hasTests:
		return testresult.Crashed, how
	default:
		return testresult.ExitedEarly, how + " before a test had a result"
	}
}

var (
	missingModule = regexp.MustCompile(`Cannot find (?:module|package) '([^']+)'`)
	absolute      = regexp.MustCompile(`^(?:/|[A-Za-z]:|file:)`)
)

// missing is the message about a missing module, with the remedy for one that
// is to be installed.
func missing(said string) string {
	m := missingModule.FindStringSubmatchIndex(said)
	if m == nil {
		return ""
	}
	line, _, _ := strings.Cut(said[m[0]:], "\n")
	name := said[m[2]:m[3]]
	if !strings.HasPrefix(name, ".") && !absolute.MatchString(name) {
		line += " (is it installed? run npm install)"
	}
	return transcript.Clip(line, 500)
}
