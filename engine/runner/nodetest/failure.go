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

func last(frames []testresult.Frame) testresult.Frame {
	if len(frames) == 0 {
		return testresult.Frame{}
	}
	return frames[len(frames)-1]
}
