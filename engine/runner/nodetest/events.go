package nodetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
)

// reported is one line of the reporter.
type reported struct {
	Ev      string
	Name    string
	Nesting int
	File    string
	Line    int
	Kind    string
	Ms      float64
	// Skip and Todo are true, or the reason as a text.
	Skip, Todo any
	Error      *thrown
	Text       string
	Err        bool
}

// thrown is what a test threw, and what the runner says about it.
type thrown struct {
	// Type is the runner's own class of failure.
	Type             string
	Exit             *int
	Signal           string
	Name, Message    string
	Code             any
	Stack            string
	Expected, Actual *string
}

// item is a test or a suite with what is below it.
type item struct {
	reported
	children []*item
	// output is what its file printed since the item before it.
	output string
}

// file is what was reported of one test file.
type file struct {
	part string
	// items are its tests and suites of the first level.
	items []*item
	// last is the runner's word on the file as a whole, which it only gives when
	// the file had no tests, or ended badly.
	last           *item
	stdout, stderr transcript.Buffer
}

// log is all that a run reported.
type log struct {
	files          []*file
	byPart         map[string]*file
	started, ended bool
}

// readLog reads the reporter's lines.
func readLog(unit runner.Unit, report runner.Report, processes []*process) (*log, error) {
	data, err := report.ReadFile(eventsFile)
	if err != nil {
		return nil, err
	}
	b := builder{log: &log{byPart: map[string]*file{}}, unit: unit, report: report, processes: processes}
	for line := range bytes.Lines(data) {
		var e reported
		if json.Unmarshal(line, &e) == nil {
			b.add(e)
			continue
		}
		// Only the last line of a run that was killed may be broken off.
		if bytes.HasSuffix(line, []byte("\n")) || b.ended {
			return nil, fmt.Errorf("the report of node --test has a line that is none of the reporter's: %s", transcript.Clip(string(line), 100))
		}
	}
	return b.log, nil
}

// builder puts the lines together. Children come before their parents.
type builder struct {
	*log
	unit      runner.Unit
	report    runner.Report
	processes []*process
	// pending are the items without a parent yet, by their nesting.
	pending [][]*item
	output  transcript.Buffer
	current *file
	// stray is what was said of the next file that the runner has a word on.
	stray string
}

func (b *builder) add(e reported) {
	switch e.Ev {
	case "start":
		b.started = true
	case "end":
		b.ended = true
	case "out":
		b.print(e)
	case "pass", "fail":
		b.finish(&item{reported: e})
	}
}

func (b *builder) print(e reported) {
	if e.File == "" {
		b.stray += e.Text + "\n"
		return
	}
	f := b.file(partOf(b.unit, b.report, e.File))
	to := &f.stdout
	if e.Err {
		to = &f.stderr
	}
	to.WriteString(e.Text)
	b.output.Cap = outputCap
	b.output.WriteString(e.Text)
}

// The caps of a test's output and of a file's.
const (
	outputCap     = 16 << 10
	fileOutputCap = 64 << 10
)

func (b *builder) finish(it *item) {
	it.output = b.output.String()
	b.output.Reset()
	if n := it.Nesting + 1; n < len(b.pending) {
		it.children = b.pending[n]
		b.pending = b.pending[:n]
	}
	if it.Nesting > 0 {
		for len(b.pending) <= it.Nesting {
			b.pending = append(b.pending, nil)
		}
		b.pending[it.Nesting] = append(b.pending[it.Nesting], it)
		return
	}
	b.pending = b.pending[:0]
	part := partOf(b.unit, b.report, it.File)
	if partOf(b.unit, b.report, it.Name) == part {
		b.finishFile(b.file(part), it)
		return
	}
	f := b.owner(part, it)
	f.items = append(f.items, it)
}

// finishFile takes what is said of a file as a whole. A failed hook of the file
// bears the file's name too: it is a nameless suite around all of its tests.
func (b *builder) finishFile(f *file, it *item) {
	if it.Error == nil || it.Error.Type != hookFailed {
		it.children = nil
		f.last = it
		f.stderr.WriteString(b.stray)
		b.stray = ""
		return
	}
	around := it.reported
	around.Name, around.Kind = "", kindSuite
	f.items = []*item{{reported: around, children: f.items}}
}

func (b *builder) file(part string) *file {
	f := b.byPart[part]
	if f == nil {
		f = &file{part: part, stdout: transcript.Buffer{Cap: fileOutputCap}, stderr: transcript.Buffer{Cap: fileOutputCap}}
		b.byPart[part] = f
		b.files = append(b.files, f)
	}
	return f
}

// owner returns the test file in whose process an item ran. It is not the one
// that has the call of test(), when a helper makes the tests: then it is the
// one whose process noted a test of that name. A helper among the test files has
// a process too, in which no test begins.
func (b *builder) owner(part string, it *item) *file {
	at := slices.IndexFunc(b.processes, func(p *process) bool { return p.part == part })
	own := at >= 0 && (len(b.processes[at].began) > 0 || it.Skip != nil && it.Skip != false)
	if len(b.processes) == 0 || own {
		b.current = b.file(part)
		return b.current
	}
	for _, p := range b.processes {
		if (b.current == nil || p.part >= b.current.part) && p.claim(it.Name) {
			b.current = b.file(p.part)
			return b.current
		}
	}
	if b.current == nil || at >= 0 {
		b.current = b.file(part)
	}
	return b.current
}
