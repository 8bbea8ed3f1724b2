package custom

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// testcase is what the writers of JUnit XML have in common.
type testcase struct {
	Name      string  `xml:"name,attr"`
	Classname string  `xml:"classname,attr"`
	File      string  `xml:"file,attr"`
	Line      int     `xml:"line,attr"`
	Time      string  `xml:"time,attr"`
	Status    string  `xml:"status,attr"`
	Failures  []fault `xml:"failure"`
	Errors    []fault `xml:"error"`
	Skipped   *fault  `xml:"skipped"`
	Out       string  `xml:"system-out"`
	Err       string  `xml:"system-err"`
}

type fault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// readJUnit reads all reports of a folder, as one run. root is where the command
// saw the project.
func readJUnit(folder, root string) testresult.UnitRun {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) == 0 {
		return unusable(testresult.ReportMissing, "the command left no file that matches the report's pattern")
	}
	var run testresult.UnitRun
	seen := map[string]bool{}
	left := int64(runner.ReportLimit)
	for _, e := range entries {
		f, err := os.Open(filepath.Join(folder, e.Name()))
		if err != nil {
			return unusable(testresult.ReportInvalid, err.Error())
		}
		limited := &io.LimitedReader{R: f, N: left}
		err = eachCase(limited, func(c testcase) { run.Tests = add(run.Tests, seen, c.test(root)) })
		left = limited.N
		f.Close()
		if left <= 0 {
			return unusable(testresult.ReportTooLarge, fmt.Sprintf("the reports are larger than %d MiB", runner.ReportLimit>>20))
		}
		if err != nil {
			return unusable(testresult.ReportInvalid, err.Error())
		}
	}
	return run
}

// eachCase calls do for each testcase of a report, which must be whole.
func eachCase(r io.Reader, do func(testcase)) error {
	d := xml.NewDecoder(r)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the JUnit report: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var c testcase
		if err := d.DecodeElement(&c, &start); err != nil {
			return fmt.Errorf("read the JUnit report: %w", err)
		}
		do(c)
	}
}

// add adds a test, or makes of two of one name the worse: some writers report a
// test and its teardown as two.
func add(tests []testresult.Test, seen map[string]bool, t testresult.Test) []testresult.Test {
	if !seen[t.ID.Native] {
		seen[t.ID.Native] = true
		return append(tests, t)
	}
	i := slices.IndexFunc(tests, func(x testresult.Test) bool { return x.ID == t.ID })
	if t.Status.WorseThan(tests[i].Status) {
		tests[i] = t
	}
	return tests
}

func (c testcase) test(root string) testresult.Test {
	t := testresult.Test{ID: testresult.ID{Native: c.id()}, Part: c.part(), Status: testresult.Passed}
	if seconds, err := strconv.ParseFloat(c.Time, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		t.Duration = time.Duration(seconds * float64(time.Second))
	}
	switch faults := append(c.Errors, c.Failures...); {
	case len(faults) > 0:
		t.Status, t.Failure = testresult.Failed, c.failure(faults[0], root)
	case c.Skipped != nil && c.Skipped.Type == "pytest.xfail":
		t.Status = testresult.XFailed
	case c.Status == "notrun":
		t.Status, t.Failure = testresult.Failed, &testresult.Failure{Kind: "not run", Message: c.skipText()}
	case c.Skipped != nil || c.Status == "disabled":
		t.Status = testresult.Skipped
	}
	return t
}

func (c testcase) id() string {
	if c.Classname == "" || c.Classname == c.Name {
		return c.Name
	}
	return c.Classname + "::" + c.Name
}

func (c testcase) part() string {
	if c.File != "" {
		return c.File
	}
	return c.Classname
}

func (c testcase) skipText() string {
	if c.Skipped == nil {
		return ""
	}
	return c.Skipped.Message
}

// place is a file and a line in a failure's text.
var place = regexp.MustCompile(`([\w./\\-]+\.\w{1,6}):(\d+)`)

func (c testcase) failure(f fault, root string) *testresult.Failure {
	out := &testresult.Failure{
		Kind: f.Type, Message: f.Message, Output: strings.TrimSpace(f.Text + "\n" + c.Out + c.Err),
		At: testresult.Frame{File: relative(c.File, root), Line: c.Line},
	}
	if out.Message == "" {
		out.Message, _, _ = strings.Cut(strings.TrimSpace(f.Text), "\n")
	}
	for _, m := range place.FindAllStringSubmatch(f.Text, -1) {
		line, _ := strconv.Atoi(m[2]) // the pattern has digits only
		if file := relative(m[1], root); file != "" {
			out.Frames = append(out.Frames, testresult.Frame{File: file, Line: line})
		}
	}
	if out.At.File == "" && len(out.Frames) > 0 {
		out.At = out.Frames[0]
	}
	return out
}

// relative is a path as the project has it; empty for one outside.
func relative(path, root string) string {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return ""
		}
		path = rel
	}
	if !filepath.IsLocal(path) {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(path))
}
