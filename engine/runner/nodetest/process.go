package nodetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"autocoder/engine/runner"
)

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
	// by is the part that left, where that is known.
	by string
	// checks means that the file can be a test by itself, thrown is the first error
	// that nobody caught.
	checks bool
	thrown *thrown
	// canaries are how those of a drill ended in a script, by their names.
	canaries map[string]string
	// said is what a drill said of tests that failed by themselves, by the tests'
	// names as in ids.
	said map[string]string
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
	Ev, File, Name, Outside, Text, By, Status string

	N, Code         int
	T               int64
	Natural, Checks bool
	Error           *thrown
}

func (p *process) add(unit runner.Unit, report runner.Report, e noted) {
	switch e.Ev {
	case "file":
		p.part, p.checks = partOf(unit, report, e.File), e.Checks
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
	case "said":
		p.said[numbered(e.Name, e.N)] = e.Text
	case "exit":
		p.exited, p.natural, p.code = true, e.Natural, e.Code
		if e.By != "" {
			p.by = partOf(unit, report, e.By)
		}
	case "thrown":
		if p.thrown == nil {
			p.thrown = e.Error
		}
	case "canary":
		p.canaries[e.Name] = e.Status
	case "outside":
		p.outside = e.Outside
	}
}

// readProcesses reads what the preloads noted, sorted by file.
func readProcesses(unit runner.Unit, report runner.Report) []*process {
	entries, err := report.ReadDir(".")
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
		p := &process{began: map[string]int{}, said: map[string]string{}, canaries: map[string]string{}}
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
