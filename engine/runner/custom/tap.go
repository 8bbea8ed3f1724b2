package custom

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"autocoder/engine/testresult"
)

var (
	tapPlan = regexp.MustCompile(`^1\.\.(\d+)\s*(?:#.*)?$`)
	tapTest = regexp.MustCompile(`^(not )?ok\b\s*(\d+)?\s*-?\s*(.*)$`)
	// tapDirective is at the end of a test's line.
	tapDirective = regexp.MustCompile(`(?i)\s#\s*(skip|todo)\b\s*(.*)$`)
	tapLocation  = regexp.MustCompile(`^(.*?):(\d+)(?::\d+)?$`)
)

// separator joins the name of a subtest to that of its test.
const separator = " > "

// tapReader reads TAP 13 and 14. Subtests stand before the test they belong to,
// indented, so they wait for its name.
type tapReader struct {
	root    string
	planned int
	plan    bool
	// waiting are the tests that were read and have no parent yet, by their depth.
	waiting [][]testresult.Test
	// block is the diagnostic block of the test read last; nil outside of one.
	block *diagnostics
}

// ReadTAP reads the Test Anything Protocol. The plan must be there and its
// count right: that is the mark of a report that is complete. The tests of one that
// isn't are those that were read.
func ReadTAP(text, root string) testresult.UnitRun {
	r := tapReader{root: root, waiting: make([][]testresult.Test, 1)}
	top := 0
	var run testresult.UnitRun
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if detail, bail := strings.CutPrefix(line, "Bail out!"); bail {
			run = unusable(testresult.ExitedEarly, strings.TrimSuffix("the tests bailed out: "+strings.TrimSpace(detail), ": "))
			break
		}
		if r.line(line) {
			top++
		}
	}
	switch {
	case run.Reason != testresult.NoReason:
	case !r.plan:
		run = unusable(testresult.ReportInvalid, "the output has no TAP plan (1..N)")
	case r.planned != top:
		run = unusable(testresult.ExitedEarly, fmt.Sprintf("the TAP plan says %d tests, %d were reported", r.planned, top))
	}
	run.Tests = numbered(r.waiting[0])
	return run
}

// line reads a line and reports whether it is a test of the top level.
func (r *tapReader) line(line string) (top bool) {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if r.block != nil {
		if !r.block.line(rest, indent, r.root) {
			r.block = nil
		}
		return false
	}
	depth := indent / 4
	if m := tapPlan.FindStringSubmatch(rest); m != nil && indent == 0 {
		planned, err := strconv.Atoi(m[1])
		r.planned, r.plan = planned, err == nil
		return false
	}
	if m := tapTest.FindStringSubmatch(rest); m != nil && indent%4 == 0 && depth <= len(r.waiting) {
		r.test(depth, m[1] != "", m[2], m[3])
		return depth == 0
	}
	if rest == "---" && indent > 0 {
		r.block = r.blockAt(indent)
	}
	return false
}

// blockAt is the block that begins at an indent, of the test before it.
func (r *tapReader) blockAt(indent int) *diagnostics {
	if depth := indent / 4; depth < len(r.waiting) && len(r.waiting[depth]) > 0 {
		tests := r.waiting[depth]
		return &diagnostics{indent: indent, failure: tests[len(tests)-1].Failure}
	}
	return &diagnostics{indent: indent}
}

// test takes a test's line, and the subtests that waited for it.
func (r *tapReader) test(depth int, failed bool, number, name string) {
	t := testresult.Test{Status: testresult.Passed}
	if failed {
		t.Status = testresult.Failed
	}
	if d := tapDirective.FindStringSubmatchIndex(" " + name); d != nil {
		switch word := strings.ToLower((" " + name)[d[2]:d[3]]); {
		case word == "skip":
			t.Status = testresult.Skipped
		case failed:
			t.Status = testresult.XFailed
		}
		name = (" " + name)[:d[0]]
	}
	if name = strings.TrimSpace(name); name == "" {
		name = "test " + number
	}
	name = strings.TrimPrefix(name, r.root+"/")
	t.ID.Native = name
	if t.Status == testresult.Failed {
		t.Failure = &testresult.Failure{Kind: "not ok"}
	}
	for len(r.waiting) <= depth {
		r.waiting = append(r.waiting, nil)
	}
	for _, children := range r.waiting[depth+1:] {
		for _, c := range children {
			c.ID.Native = name + separator + c.ID.Native
			r.waiting[depth] = append(r.waiting[depth], c)
		}
	}
	r.waiting = append(r.waiting[:depth:depth], append(r.waiting[depth], t))
}

// numbered gives tests of one name their numbers: the order makes their ids.
func numbered(tests []testresult.Test) []testresult.Test {
	taken, count := map[string]bool{}, map[string]int{}
	for i := range tests {
		name := tests[i].ID.Native
		count[name]++
		id := name
		for n := max(2, count[name]); taken[id]; n++ {
			id = fmt.Sprintf("%s #%d", name, n)
		}
		taken[id] = true
		tests[i].ID.Native = id
	}
	return tests
}

// diagnostics is the YAML block after a test's line, of which a few keys are of
// interest.
type diagnostics struct {
	indent  int
	failure *testresult.Failure // nil when nobody asks
	// text is where the lines of a block text go.
	text *string
}

// line takes a line and reports whether the block goes on.
func (d *diagnostics) line(rest string, indent int, root string) bool {
	if rest == "..." && indent == d.indent {
		return false
	}
	f := d.failure
	if f == nil {
		return true
	}
	f.Output += strings.Repeat(" ", max(0, indent-d.indent)) + rest + "\n"
	f.Frames = append(f.Frames, frames(rest, root)...)
	if indent > d.indent {
		if d.text != nil {
			*d.text = strings.TrimSpace(*d.text + "\n" + rest)
		}
		return true
	}
	if d.text != nil && rest == "" {
		return true
	}
	d.text = nil
	key, value, _ := strings.Cut(rest, ":")
	value = strings.Trim(strings.TrimSpace(value), `'"`)
	into := map[string]*string{
		"message": &f.Message, "error": &f.Message, "expected": &f.Expected, "wanted": &f.Expected,
		"actual": &f.Actual, "found": &f.Actual,
	}[key]
	switch {
	case into != nil && strings.Trim(value, "|>-+") == "":
		d.text = into
	case into != nil:
		*into = value
	case key == "location":
		f.At = location(value, root)
	}
	return true
}

// location reads a file with its line and column.
func location(text, root string) testresult.Frame {
	m := tapLocation.FindStringSubmatch(text)
	if m == nil {
		return testresult.Frame{}
	}
	line, err := strconv.Atoi(m[2])
	file := inProject(m[1], root)
	if err != nil || file == "" {
		return testresult.Frame{}
	}
	return testresult.Frame{File: file, Line: line}
}
