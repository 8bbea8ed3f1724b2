package custom

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"

	"golang.org/x/text/encoding/ianaindex"
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

// readJUnit reads all reports that were collected, as one run. The tests can
// write the folder, so that only what is plainly a file in it is read.
func readJUnit(r runner.Report) testresult.UnitRun {
	if !r.HasFolder(collected) {
		return unusable(testresult.ReportMissing, "the command's reports could not be collected")
	}
	entries, err := r.ReadDir(collected)
	if err != nil || len(entries) == 0 {
		return unusable(testresult.ReportMissing, "the command left no file that matches the report's pattern")
	}
	var run testresult.UnitRun
	seen := map[string]int{}
	left := runner.ReportLimit
	for _, e := range entries {
		text, err := r.ReadFile(filepath.Join(collected, e.Name()))
		if err != nil {
			return unusable(testresult.ReportInvalid, err.Error())
		}
		if left -= len(text); left <= 0 {
			return unusable(testresult.ReportTooLarge, fmt.Sprintf("the reports are larger than %d MiB", runner.ReportLimit>>20))
		}
		if err := eachCase(bytes.NewReader(text), func(c testcase) { run = c.below(r.Root).addTo(run, seen, r) }); err != nil {
			return unusable(testresult.ReportInvalid, err.Error())
		}
	}
	return run
}

// eachCase calls do for each testcase of a report, which must be whole.
func eachCase(r io.Reader, do func(testcase)) error {
	d := xml.NewDecoder(r)
	d.CharsetReader = charset
	root := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && root != "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the JUnit report: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root == "" {
			root = start.Name.Local
			if root != "testsuites" && root != "testsuite" {
				return fmt.Errorf("read the JUnit report: it begins with <%s>, not with a test suite", root)
			}
		}
		if start.Name.Local != "testcase" {
			continue
		}
		var c testcase
		if err := d.DecodeElement(&c, &start); err != nil {
			return fmt.Errorf("read the JUnit report: %w", err)
		}
		do(c)
	}
}

// below takes the folder's own path, which differs from run to run, out of names.
func (c testcase) below(root string) testcase {
	for _, name := range []*string{&c.Name, &c.Classname, &c.File} {
		*name = strings.TrimPrefix(*name, root+"/")
	}
	return c
}

// charset reads the encodings that writers name besides UTF-8.
func charset(name string, in io.Reader) (io.Reader, error) {
	e, err := ianaindex.IANA.Encoding(name)
	if err != nil || e == nil {
		return nil, fmt.Errorf("the encoding %q is not known", name)
	}
	return e.NewDecoder().Reader(in), nil
}

// addTo adds what the testcase shows to a run. Some writers report a part that
// can't be loaded as a testcase, and others a test and its teardown as two of one
// name, of which the worse counts.
func (c testcase) addTo(run testresult.UnitRun, seen map[string]int, r runner.Report) testresult.UnitRun {
	if part, ok := c.unusable(); ok {
		run.Unusable = append(run.Unusable, part)
		return run
	}
	t := c.test(r.Root)
	i, ok := seen[t.ID.Native]
	switch {
	case !ok:
		seen[t.ID.Native] = len(run.Tests)
		run.Tests = append(run.Tests, t)
	case t.Status.WorseThan(run.Tests[i].Status):
		run.Tests[i] = t
	}
	return run
}

// unusable is the part that a testcase stands for which is no test: a file that
// pytest could not collect, a program that ctest did not find.
func (c testcase) unusable() (testresult.Part, bool) {
	faults := append(c.Errors, c.Failures...)
	if len(faults) > 0 && c.Name == c.Classname && path.Ext(c.Name) != "" { // vitest
		return testresult.Part{Name: c.Name, Reason: testresult.CollectionError, Detail: faults[0].Message}, true
	}
	for _, f := range faults {
		if f.Message == "collection failure" {
			text := strings.TrimSpace(f.Text)
			detail := strings.TrimPrefix(text[strings.LastIndex(text, "\n")+1:], "E   ")
			return testresult.Part{Name: c.part(), Reason: collection(detail), Detail: detail}, true
		}
	}
	if c.Skipped != nil && c.Status == "notrun" && strings.HasPrefix(c.Skipped.Message, "Unable to find executable") {
		return testresult.Part{Name: c.Name, Reason: testresult.BuildError, Detail: strings.TrimSpace(c.Out)}, true
	}
	return testresult.Part{}, false
}

func collection(detail string) testresult.Reason {
	switch {
	case strings.Contains(detail, "SyntaxError") || strings.Contains(detail, "IndentationError"):
		return testresult.SyntaxError
	case strings.Contains(detail, "ImportError") || strings.Contains(detail, "ModuleNotFoundError"):
		return testresult.ImportError
	default:
		return testresult.CollectionError
	}
}

func (c testcase) test(root string) testresult.Test {
	t := testresult.Test{ID: testresult.ID{Native: c.id()}, Part: c.part(), Status: testresult.Passed}
	if seconds, err := strconv.ParseFloat(c.Time, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		t.Duration = time.Duration(seconds * float64(time.Second))
	}
	switch faults := append(c.Errors, c.Failures...); {
	case c.Skipped != nil && (c.Skipped.Type == "pytest.xfail" || len(faults) > 0):
		t.Status = testresult.XFailed // node writes a failing todo as both
	case len(faults) > 0:
		t.Status, t.Failure = testresult.Failed, c.failure(faults[0], root)
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
	switch {
	case c.File != "":
		return c.File
	case c.Classname != "":
		return c.Classname
	default:
		return c.Name
	}
}

func (c testcase) failure(f fault, root string) *testresult.Failure {
	out := &testresult.Failure{
		Kind: f.Type, Message: f.Message, Output: strings.TrimSpace(f.Text + "\n" + c.Out + c.Err),
		Frames: frames(f.Text, root),
	}
	if out.Message == "" {
		out.Message, _, _ = strings.Cut(strings.TrimSpace(f.Text), "\n")
	}
	file := inProject(c.File, root)
	for _, frame := range out.Frames {
		if frame.File == file || file == "" && out.At.File == "" {
			out.At = frame
		}
	}
	if out.At.File == "" && file != "" {
		out.At = testresult.Frame{File: file, Line: c.Line}
	}
	return out
}
