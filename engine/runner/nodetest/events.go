package nodetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

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
// one whose process noted a test of that name.
func (b *builder) owner(part string, it *item) *file {
	if len(b.processes) == 0 || slices.ContainsFunc(b.processes, func(p *process) bool { return p.part == part }) {
		b.current = b.file(part)
		return b.current
	}
	for _, p := range b.processes {
		if (b.current == nil || p.part >= b.current.part) && p.claim(it.Name) {
			b.current = b.file(p.part)
			return b.current
		}
	}
	if b.current == nil {
		b.current = b.file(part)
	}
	return b.current
}

// process is what the preload noted in a test file's process.
type process struct {
	part string
	// open are the tests that began and did not end, in order of their beginning.
	open []openTest
	// began counts the tests that began, by their full names.
	began map[string]int
	// exited means that the process left by itself, with code; natural, that it
	// had nothing left to do then.
	exited, natural bool
	code            int
	// outside is a module of the project that came from outside the workspace.
	outside string
}

// openTest is a test that runs; times are milliseconds.
type openTest struct {
	name  string
	n     int
	since int64
}

// claim reports whether an item of the first level with that name can be one of
// the process that was not claimed yet; a suite, of which only the tests begin,
// can be any number.
func (p *process) claim(name string) bool {
	if n := p.began[name]; n > 0 {
		p.began[name] = n - 1
		return true
	}
	return p.hasSuite(name)
}

func (p *process) hasSuite(name string) bool {
	for began := range p.began {
		if strings.HasPrefix(began, name+separator) {
			return true
		}
	}
	return false
}

// leaves are the open tests that don't wait for an open subtest.
func (p *process) leaves() []openTest {
	var leaves []openTest
	for _, t := range p.open {
		if !slices.ContainsFunc(p.open, func(o openTest) bool { return strings.HasPrefix(o.name, t.name+separator) }) {
			leaves = append(leaves, t)
		}
	}
	return leaves
}

// noted is one line of the preload.
type noted struct {
	Ev, File, Name, Outside string
	N, Code                 int
	T                       int64
	Natural                 bool
}

func (p *process) add(unit runner.Unit, report runner.Report, e noted) {
	switch e.Ev {
	case "file":
		p.part = partOf(unit, report, e.File)
	case "run":
		p.began[e.Name]++
		p.open = append(p.open, openTest{name: e.Name, n: e.N, since: e.T})
	case "done":
		p.open = slices.DeleteFunc(p.open, func(t openTest) bool { return t.name == e.Name && t.n == e.N })
		for i, t := range p.open {
			if strings.HasPrefix(e.Name, t.name+separator) {
				p.open[i].since = e.T
			}
		}
	case "exit":
		p.exited, p.natural, p.code, p.outside = true, e.Natural, e.Code, e.Outside
	}
}

// readProcesses reads what the preloads noted, sorted by file.
func readProcesses(unit runner.Unit, report runner.Report) []*process {
	entries, err := os.ReadDir(report.Folder)
	if err != nil {
		return nil // a test took the folder away: the report is missed elsewhere
	}
	var all []*process
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "run-") {
			continue
		}
		data, err := report.ReadFile(e.Name())
		if err != nil {
			continue
		}
		p := &process{began: map[string]int{}}
		for line := range bytes.Lines(data) {
			var e noted
			if json.Unmarshal(line, &e) == nil {
				p.add(unit, report, e)
			}
		}
		if p.part != "" {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *process) int { return strings.Compare(a.part, b.part) })
	return all
}

// stuck is a test file that the reporter ended, and the test that was running;
// no test when it was between tests.
type stuck struct {
	File, Name string
	N          int
	Ms         int64
}

func readStuck(unit runner.Unit, report runner.Report) (map[string]stuck, error) {
	data, err := report.ReadFile(stuckFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]stuck{}
	for line := range bytes.Lines(data) {
		var s stuck
		if json.Unmarshal(line, &s) == nil {
			all[partOf(unit, report, s.File)] = s
		}
	}
	return all, nil
}
