package pytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"autocoder/engine/testresult"
)

// event is one line of the report.
type event struct {
	E         string
	ID        string
	IDs       []string
	Lines     []int
	Part      string
	When      string
	Outcome   string
	XFail     *string
	T         float64 // seconds since 1970
	Duration  float64 // seconds
	After     float64 // seconds
	Kind      string
	Message   string
	Syntax    bool
	Imports   bool
	Frames    []frame
	At        *frame
	Chain     []string
	Expected  string
	Actual    string
	Output    string
	Code      int
	Elsewhere string
}

// frame is [file, line, function].
type frame struct{ testresult.Frame }

func (f *frame) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &[]any{&f.File, &f.Line, &f.Func}); err != nil {
		return fmt.Errorf("read a frame: %w", err)
	}
	return nil
}

// log is a report, read up to where it is whole.
type log struct {
	start, finish bool
	code          int
	elsewhere     string
	collected     []string       // nil before the end of the collection
	lines         map[string]int // of the ids in collected, where known
	tests         map[string]*test
	order         []string
	broken        []event
	// current is the test, part the file under collection, that was begun last and
	// has not ended.
	current, part string
	since         time.Time
	internal      *event
	interrupt     *event
	invalid       error
}

// test is what the report says of one id.
type test struct {
	status   testresult.Status
	seconds  float64
	failure  *testresult.Failure
	hang     *event
	chain    []string
	finished bool // every phase has been reported
}

// decode reads a report. A last line without its end is one that was being
// written when the process died.
func decode(data []byte) *log {
	l := &log{tests: map[string]*test{}}
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			break
		}
		data = rest
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			l.invalid = fmt.Errorf("line %d of the report is not an event", n)
			return l
		}
		l.add(e)
	}
	return l
}

func (l *log) add(e event) {
	switch e.E {
	case "start":
		l.start = true
	case "collect":
		l.part = e.Part
	case "broken":
		l.part = ""
		l.broken = append(l.broken, e)
	case "collected":
		l.part = ""
		l.collected, l.lines = append([]string{}, e.IDs...), map[string]int{}
		for i, line := range e.Lines[:min(len(e.Lines), len(e.IDs))] {
			l.lines[e.IDs[i]] = line
		}
	case "run":
		l.current, l.since = e.ID, seconds(e.T)
		l.test(e.ID)
	case "hang":
		if e.When != "collect" {
			l.test(e.ID).hang = &e
		}
	case "phase":
		l.phase(e)
	case "internal":
		l.internal = &e
	case "interrupt":
		l.interrupt = &e
	case "finish":
		l.finish, l.code, l.elsewhere = true, e.Code, e.Elsewhere
	}
}

func seconds(t float64) time.Time {
	return time.Unix(int64(t), int64((t-float64(int64(t)))*1e9))
}

func (l *log) test(id string) *test {
	t := l.tests[id]
	if t == nil {
		t = &test{}
		l.tests[id] = t
		l.order = append(l.order, id)
	}
	return t
}

// phase adds one phase to its test. Any failed phase fails the test, and the
// first says why; only a call that passed passes it.
func (l *log) phase(e event) {
	t := l.test(e.ID)
	t.seconds += e.Duration
	if e.When == "teardown" {
		t.finished = true
		if l.current == e.ID {
			l.current = ""
		}
	}
	switch {
	case t.status == testresult.Failed:
	case e.Outcome == "failed":
		t.status, t.failure, t.chain = testresult.Failed, failure(e), e.Chain
	case e.Outcome == "skipped":
		t.status = testresult.Skipped
		if e.XFail != nil {
			t.status = testresult.XFailed
		}
		t.failure = &testresult.Failure{Kind: "skip", Message: e.Message}
	case e.Outcome == "passed" && e.When == "call" && t.status == testresult.Missing:
		t.status = testresult.Passed
	}
}

func failure(e event) *testresult.Failure {
	f := &testresult.Failure{
		Kind: e.Kind, Message: e.Message, Expected: e.Expected, Actual: e.Actual, Output: e.Output,
	}
	if f.Kind == "AssertionError" {
		f.Kind = "assertion"
	}
	if f.Kind == "" {
		f.Kind = "error"
	}
	f.Frames = frames(e)
	if e.At != nil {
		f.At = e.At.Frame
		return f
	}
	f.At = place(f.Frames)
	return f
}

// place is the assertion: the deepest frame in a test file, else the deepest.
func place(frames []testresult.Frame) testresult.Frame {
	for _, f := range slices.Backward(frames) {
		name := f.File[strings.LastIndex(f.File, "/")+1:]
		if isTestFile(name) {
			return f
		}
	}
	if len(frames) > 0 {
		return frames[len(frames)-1]
	}
	return testresult.Frame{}
}

func frames(e event) []testresult.Frame {
	var all []testresult.Frame
	for _, f := range e.Frames {
		all = append(all, f.Frame)
	}
	return all
}
