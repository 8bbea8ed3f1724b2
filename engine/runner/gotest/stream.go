package gotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
)

// The caps of what is kept: of a test's output, of a package's own, of a build's.
const (
	testOutput    = 32 << 10
	packageOutput = 64 << 10
)

// actionEvent is one line of go test -json; build events have an ImportPath in the
// place of a Package.
type actionEvent struct {
	Time          time.Time
	Action        string
	Package, Test string
	ImportPath    string
	Output        string
	Elapsed       float64
	FailedBuild   string
}

// stream is what the events say.
type stream struct {
	packages []*pkg
	byName   map[string]*pkg
	builds   map[string]*transcript.Buffer
	// raw are the lines that are no events: the go command's own errors, and the
	// build errors of releases before go1.24.
	raw transcript.Buffer
}

// pkg is one package's part of the stream.
type pkg struct {
	name string
	// action is the last word on the package: pass, fail, skip, or nothing when
	// the stream ended before.
	action      string
	failedBuild string
	output      transcript.Buffer
	tests       []*testCase
	byName      map[string]*testCase
}

// testCase is one test's part of the stream.
type testCase struct {
	name   string
	parent *testCase
	// action is pass, fail, skip, or nothing while it has not ended.
	action string
	// paused means that it waits for its turn among parallel tests.
	paused bool
	// since is when it last began to do something by itself.
	since    time.Time
	elapsed  time.Duration
	output   transcript.Buffer
	children []*testCase
}

func (t *testCase) ended() bool { return t.action != "" }

// runningLeaf reports whether the test is executing now and none of its
// subtests is open.
func (t *testCase) runningLeaf() bool {
	if t.ended() || t.paused {
		return false
	}
	for _, child := range t.children {
		if !child.ended() {
			return false
		}
	}
	return true
}

// readStream reads the report; with skipOutput it leaves out what tests print,
// which is most of it.
func readStream(report runner.Report, skipOutput bool) (*stream, error) {
	data, err := report.ReadFile(runner.StdoutFile)
	if err != nil {
		return nil, fmt.Errorf("read the output of go test: %w", err)
	}
	s := &stream{
		byName: map[string]*pkg{}, builds: map[string]*transcript.Buffer{},
		raw: transcript.Buffer{Cap: packageOutput},
	}
	for line := range bytes.Lines(data) {
		// The last line may be one that is still being written.
		if !skipOutput || bytes.HasSuffix(line, []byte("\n")) && !bytes.Contains(line, outputEvent) {
			s.line(line)
		}
	}
	return s, nil
}

var outputEvent = []byte(`"Action":"output"`)

func (s *stream) line(line []byte) {
	var e actionEvent
	if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil || e.Action == "" {
		s.raw.WriteString(string(line))
		return
	}
	switch {
	case e.ImportPath != "":
		s.build(e)
	case e.Package != "" && e.Test == "":
		s.packageOf(e.Package).add(e)
	case e.Package != "":
		s.packageOf(e.Package).addTest(e)
	}
}

func (s *stream) build(e actionEvent) {
	b := s.builds[e.ImportPath]
	if b == nil {
		b = &transcript.Buffer{Cap: packageOutput}
		s.builds[e.ImportPath] = b
	}
	b.WriteString(e.Output)
}

func (s *stream) packageOf(name string) *pkg {
	p := s.byName[name]
	if p == nil {
		p = &pkg{name: name, output: transcript.Buffer{Cap: packageOutput}, byName: map[string]*testCase{}}
		s.byName[name] = p
		s.packages = append(s.packages, p)
	}
	return p
}

func (p *pkg) add(e actionEvent) {
	switch e.Action {
	case "output":
		p.output.WriteString(e.Output)
	case "pass", "fail", "skip":
		p.action, p.failedBuild = e.Action, e.FailedBuild
		for _, t := range p.tests {
			// What ended the program says nothing of how long it took.
			if t.runningLeaf() && e.Time.After(t.since) {
				t.elapsed = e.Time.Sub(t.since)
			}
		}
	}
}

// addTest takes one event of a test. One that never began has no result either:
// what ends it is not the framework's word.
func (p *pkg) addTest(e actionEvent) {
	t := p.byName[e.Test]
	if t == nil {
		if e.Action != "run" {
			return
		}
		t = p.begin(e)
	}
	switch e.Action {
	case "output":
		t.output.WriteString(e.Output)
	case "pause":
		t.paused = true
	case "cont":
		t.paused, t.since = false, e.Time
	case "pass", "fail", "skip":
		t.action, t.elapsed = e.Action, time.Duration(e.Elapsed*float64(time.Second))
		if t.parent != nil {
			t.parent.since = e.Time
		}
	}
}

func (p *pkg) begin(e actionEvent) *testCase {
	t := &testCase{name: e.Test, since: e.Time, output: transcript.Buffer{Cap: testOutput}}
	// A subtest's own name may have slashes: the parent is the longest known.
	for name := e.Test; t.parent == nil; {
		cut := strings.LastIndexByte(name, '/')
		if cut < 0 {
			break
		}
		name = name[:cut]
		t.parent = p.byName[name]
	}
	if t.parent != nil {
		t.parent.children = append(t.parent.children, t)
	}
	p.byName[e.Test] = t
	p.tests = append(p.tests, t)
	return t
}

// running returns the test that has been executing longest, and since when. Of
// nested tests it is the innermost; those that wait for a parallel turn and
// those that wait for their subtests don't count.
func running(report runner.Report) (id string, since time.Time, ok bool) {
	s, err := readStream(report, true)
	if err != nil {
		return "", time.Time{}, false
	}
	for _, p := range s.packages {
		if p.action != "" {
			continue
		}
		for _, t := range p.tests {
			if t.runningLeaf() && (!ok || t.since.Before(since)) {
				id, since, ok = native(p.name, t.name), t.since, true
			}
		}
	}
	return id, since, ok
}
