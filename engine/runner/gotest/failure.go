package gotest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// kind is the class of a failure, as Failure.Kind has it.
type kind string

const (
	// kindFailure covers t.Error and t.Fatal, which do not tell an assertion from
	// an error that the test met.
	kindFailure kind = "failure"
	kindPanic   kind = "panic"
	kindCrash   kind = runner.KindCrash
	kindHang    kind = runner.KindHang
	kindSkip    kind = "skip"
)

const messageLimit = 4000

// failure makes a Failure of a test's output.
func (p *parser) failure(t *testCase, k kind) *testresult.Failure {
	output := cleanText(t.output.String())
	f := &testresult.Failure{Kind: string(k), Output: ownOutput(output)}
	panicked := panicIn(output)
	switch {
	case k == kindHang:
		f.Message = "still running at the time limit"
		return f
	case panicked != "":
		p.describePanic(f, panicked)
	case k == kindCrash:
		f.Message = silent(k)
		if said := lastWords(f.Output); said != "" {
			f.Message += ": " + said
		}
	case k == kindFailure && describeExample(t.name, f):
	default:
		p.describeEntries(f, output)
	}
	if f.Message == "" {
		f.Message = silent(k)
	}
	f.Message = transcript.Clip(f.Message, messageLimit)
	return f
}

// silent is the message of a test that gave none.
func silent(k kind) string {
	switch k {
	case kindCrash:
		return "the test program ended in the middle of the test, as by os.Exit or a signal"
	case kindSkip:
		return "skipped"
	case kindFailure, kindPanic, kindHang:
		return "failed without a message"
	default:
		return ""
	}
}

// entry is one line of t.Log, t.Error and the like with its continuation.
type entry struct {
	file, line, text string
}

var entryLine = regexp.MustCompile(`^ +(\S.*?\.go):(\d+): (.*)$`)

// entries reads the lines that the testing package wrote for the test itself.
// A log line and an error look the same.
func entries(output string) []entry {
	var all []entry
	open := false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := entryLine.FindStringSubmatch(line); m != nil {
			all, open = append(all, entry{m[1], m[2], m[3]}), true
			continue
		}
		rest, continued := strings.CutPrefix(line, "        ")
		if open && (continued || line == "") {
			all[len(all)-1].text += "\n" + rest
			continue
		}
		open = false
	}
	for i := range all {
		all[i].text = strings.TrimRight(all[i].text, "\n ")
	}
	return all
}

// exampleDiff is what the testing package prints of an example whose output is not
// that of its comment.
var exampleDiff = regexp.MustCompile(`(?s)(?:^|\n)got:\n(.*?)\nwant(?: \(unordered\))?:\n(.*)`)

// describeExample takes the output of an example apart; it has no line of its own.
func describeExample(name string, f *testresult.Failure) bool {
	if !strings.HasPrefix(name, "Example") {
		return false
	}
	m := exampleDiff.FindStringSubmatch(f.Output)
	if m == nil {
		return false
	}
	got, want := strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
	f.Message = "got:\n" + got + "\nwant:\n" + want
	f.Actual, f.Expected = transcript.Clip(got, 1000), transcript.Clip(want, 1000)
	return true
}

// describeEntries takes the last entry that tells two values apart as what
// failed the test; without one the last, which is what Fatal wrote.
func (p *parser) describeEntries(f *testresult.Failure, output string) {
	all := entries(output)
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1]
	for _, e := range slices.Backward(all) {
		if _, got := gotWant(e.text); got != "" {
			last = e
			break
		}
	}
	f.Message = strings.TrimSpace(last.text)
	if at := p.at(last.file, last.line); at.File != "" {
		f.At, f.Frames = at, []testresult.Frame{at}
	}
	if strings.Contains(last.text, "Error Trace:") {
		p.describeTestify(f, last.text)
		return
	}
	f.Expected, f.Actual = gotWant(f.Message)
}

// at places a file of an entry. With -fullpath it is absolute; a bare name could
// be a file of any package.
func (p *parser) at(file, line string) testresult.Frame {
	if !filepath.IsAbs(file) {
		return testresult.Frame{}
	}
	return place(p.unit, p.report, file, line)
}

var testifyField = regexp.MustCompile(`^\s*(Error Trace|Error|Test|Messages):\s*(.*)$`)

// describeTestify reads the table that testify's assertions print.
func (p *parser) describeTestify(f *testresult.Failure, text string) {
	fields := map[string][]string{}
	field := ""
	for line := range strings.Lines(text) {
		value := strings.TrimSpace(line)
		if m := testifyField.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			field, value = m[1], strings.TrimSpace(m[2])
		}
		if field != "" && value != "" {
			fields[field] = append(fields[field], value)
		}
	}
	f.Message = strings.Join(append(fields["Error"], fields["Messages"]...), "\n")
	f.Frames = nil
	for _, trace := range slices.Backward(fields["Error Trace"]) { // it has the deepest first
		if i := strings.LastIndexByte(trace, ':'); i > 0 {
			if at := p.at(trace[:i], trace[i+1:]); at.File != "" {
				f.Frames = append(f.Frames, at)
			}
		}
	}
	f.At = deepestTest(f.Frames)
	for _, line := range fields["Error"] {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "expected":
			f.Expected = strings.TrimSpace(value)
		case "actual":
			f.Actual = strings.TrimSpace(value)
		}
	}
}

// shapes are the usual ways to write what was got and what was wanted; each has
// a group of either name.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`(?is)\b(?:got|have|actual)\b\s*[:=]?\s*(?P<got>.+?)\s*[,;]?\s*\b(?:but )?(?:want|wanted|expected|expect)\b\s*[:=]?\s*(?P<want>.+)`),
	regexp.MustCompile(`(?is)\b(?:want|wanted|expected|expect)\b\s*[:=]?\s*(?P<want>.+?)\s*[,;]?\s*\b(?:but )?(?:got|have|actual|was|received)\b\s*[:=]?\s*(?P<got>.+)`),
	regexp.MustCompile(`(?s) = (?P<got>.+?)[,;]\s*want(?:ed)?\b\s*[:=]?\s*(?P<want>.+)`),
	regexp.MustCompile(`(?s) returned (?P<got>.+?)[,;]\s*(?:want|wanted|expected)\b\s*[:=]?\s*(?P<want>.+)`),
}

// gotWant finds the wanted and the actual value in a message.
func gotWant(message string) (want, got string) {
	message = transcript.Clip(message, messageLimit)
	for _, shape := range shapes {
		if m := shape.FindStringSubmatch(message); m != nil {
			want = strings.TrimSpace(m[shape.SubexpIndex("want")])
			got = strings.TrimSpace(m[shape.SubexpIndex("got")])
			return transcript.Clip(want, 1000), transcript.Clip(got, 1000)
		}
	}
	return "", ""
}

// hasOwnError reports whether a test with failing subtests says something
// itself: then it has failed by itself too, as far as can be seen.
func hasOwnError(t *testCase) bool {
	output := cleanText(t.output.String())
	return len(entries(output)) > 0 || panicIn(output) != ""
}

// framework are the lines that the testing package prints around tests.
var framework = regexp.MustCompile(`^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)  |--- (?:FAIL|PASS|SKIP): )`)

// ownOutput leaves out the lines of the framework.
func ownOutput(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !framework.MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func cleanText(text string) string { return transcript.Clean(text) }

// lastWords returns the last line of output that is not the verdict itself.
func lastWords(output string) string {
	last := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && line != "FAIL" && line != "PASS" && !strings.HasPrefix(line, "FAIL\t") {
			last = line
		}
	}
	return transcript.Clip(last, 500)
}
