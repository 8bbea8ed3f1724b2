package custom

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"autocoder/engine/testresult"
)

var (
	tapPlan = regexp.MustCompile(`^1\.\.(\d+)(?:\s*#\s*(?i:skip)\S*\s*(.*))?$`)
	tapTest = regexp.MustCompile(`^(not )?ok\b\s*(\d+)?\s*-?\s*(.*)$`)
	// tapDirective is at the end of a test's line.
	tapDirective = regexp.MustCompile(`(?i)\s#\s*(skip|todo)\b\s*(.*)$`)
)

// tapReader reads TAP 13 and 14: the tests of the top level, whose order makes
// the id of one without a name.
type tapReader struct {
	run     testresult.UnitRun
	planned int
	plan    bool
	seen    map[string]int
	// yaml collects the diagnostic block after a test's line.
	yaml bool
}

// parseTAP reads the Test Anything Protocol. The plan must be there and its
// count right: that is the mark of a report that is complete.
func parseTAP(text string) testresult.UnitRun {
	r := tapReader{seen: map[string]int{}}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if detail, bail := strings.CutPrefix(line, "Bail out!"); bail {
			return unusable(testresult.ExitedEarly, "the tests bailed out:"+detail)
		}
		r.line(line)
	}
	switch {
	case !r.plan:
		return unusable(testresult.ReportInvalid, "the output has no TAP plan (1..N)")
	case r.planned != len(r.run.Tests):
		return unusable(testresult.ExitedEarly, fmt.Sprintf("the TAP plan says %d tests, %d were reported", r.planned, len(r.run.Tests)))
	}
	return r.run
}

func (r *tapReader) line(line string) {
	if r.yaml {
		r.diagnostic(line)
		return
	}
	if m := tapPlan.FindStringSubmatch(line); m != nil {
		r.planned, _ = strconv.Atoi(m[1]) // the pattern has digits only
		r.plan = true
		return
	}
	if m := tapTest.FindStringSubmatch(line); m != nil {
		r.test(m[1] != "", m[2], m[3])
		return
	}
	if strings.TrimSpace(line) == "---" && strings.HasPrefix(line, " ") && len(r.run.Tests) > 0 {
		r.yaml = true
	}
}

func (r *tapReader) test(failed bool, number, name string) {
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
		name = strings.TrimSpace((" " + name)[:d[0]])
	}
	name = strings.TrimSpace(name)
	if name == "" {
		name = "test " + number
	}
	if r.seen[name]++; r.seen[name] > 1 {
		name = fmt.Sprintf("%s #%d", name, r.seen[name])
	}
	t.ID.Native = name
	if t.Status == testresult.Failed {
		t.Failure = &testresult.Failure{Kind: "not ok"}
	}
	r.run.Tests = append(r.run.Tests, t)
}

// diagnostic takes a line of the YAML block: its message is the failure's.
func (r *tapReader) diagnostic(line string) {
	text := strings.TrimSpace(line)
	if text == "..." {
		r.yaml = false
		return
	}
	f := r.run.Tests[len(r.run.Tests)-1].Failure
	if f == nil {
		return
	}
	key, value, _ := strings.Cut(text, ":")
	value = strings.Trim(strings.TrimSpace(value), `'"`)
	switch key {
	case "message", "error":
		f.Message = value
	case "expected", "wanted":
		f.Expected = value
	case "actual", "found":
		f.Actual = value
	}
	f.Output += line + "\n"
}
