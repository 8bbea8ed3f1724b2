package nodetest

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

const (
	messageLimit = 4000
	valueLimit   = 2000
)

// failure describes what an item reports.
func (n *naming) failure(it *item) *testresult.Failure {
	f := &testresult.Failure{Kind: "failure", Output: transcript.Clean(it.output)}
	place := testresult.Frame{File: n.inWorkspace(it.File), Line: it.Line}
	if place.File != "" {
		f.At = place
	}
	e := it.Error
	if e == nil {
		f.Message = "failed without a message"
		return f
	}
	f.Kind = kindOf(e)
	f.Message = transcript.Clip(transcript.Clean(strings.TrimSpace(e.Message)), messageLimit)
	if f.Message == "" {
		f.Message = "failed without a message"
	}
	f.Expected, f.Actual = value(e.Expected), value(e.Actual)
	f.Frames = n.frames(e.Stack)
	for _, frame := range slices.Backward(f.Frames) {
		if frame.File == place.File {
			f.At = frame
			break
		}
	}
	return f
}

// kindOf names the class of a failure: that of the error where the test threw
// one, else the runner's.
func kindOf(e *thrown) string {
	switch {
	case e.Type == timedOut:
		return "hang"
	case e.Type == cancelled:
		return cancelled
	case e.Code == "ERR_ASSERTION":
		return "assertion"
	case e.Name != "":
		return e.Name
	default:
		return "failure"
	}
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return transcript.Clip(transcript.Clean(*text), valueLimit)
}

var stackLine = regexp.MustCompile(`^\s+at (?:(.*) \()?(?:async )?((?:file://)?(?:/|[A-Za-z]:).*?):(\d+):\d+\)?$`)

// frames returns the project's frames of a stack, the deepest last.
func (n *naming) frames(stack string) []testresult.Frame {
	var frames []testresult.Frame
	for line := range strings.Lines(stack) {
		m := stackLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		file := n.inWorkspace(m[2])
		line, err := strconv.Atoi(m[3])
		if err == nil && file != "" {
			frames = append(frames, testresult.Frame{File: file, Line: line, Func: strings.TrimPrefix(m[1], "async ")})
		}
	}
	slices.Reverse(frames)
	return frames
}

// inWorkspace returns a path or URL of a file as a path relative to the
// workspace; nothing for one outside, and for one of a dependency.
func (p *parser) inWorkspace(file string) string {
	if strings.HasPrefix(file, "file://") {
		u, err := url.Parse(file)
		if err != nil {
			return ""
		}
		file = filepath.FromSlash(u.Path)
	}
	if !filepath.IsAbs(file) {
		return ""
	}
	rel, ok := p.report.Relative(file)
	if !ok || slices.Contains(strings.Split(rel, "/"), "node_modules") {
		return ""
	}
	return rel
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

func last(frames []testresult.Frame) testresult.Frame {
	if len(frames) == 0 {
		return testresult.Frame{}
	}
	return frames[len(frames)-1]
}
