package gotest

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"autocoder/engine/testresult"
)

// panicStart are the first lines of what the runtime prints when it gives up.
var panicStart = regexp.MustCompile(`(?m)^(?:panic: |fatal error: |runtime: goroutine stack exceeds|unexpected fault address|SIG[A-Z]+: )`)

// panicIn returns output from the runtime's last words on, or nothing.
func panicIn(output string) string {
	at := panicStart.FindStringIndex(output)
	if at == nil {
		return ""
	}
	text := output[at[0]:]
	// Without a stack it is a line that the program printed itself.
	if !strings.Contains(text, "\ngoroutine ") && !strings.Contains(text, "\nruntime stack:") {
		return ""
	}
	return text
}

var timeoutText = regexp.MustCompile(`(?m)^panic: test timed out after `)

// timedOutTest names the test that go test's own timeout found running longest.
func timedOutTest(pkg *pkg) string {
	for _, t := range pkg.tests {
		output := t.output.String()
		at := timeoutText.FindStringIndex(output)
		if at == nil {
			continue
		}
		name, longest := "", time.Duration(-1)
		for line := range strings.Lines(output[at[0]:]) {
			if strings.HasPrefix(line, "goroutine ") {
				break
			}
			m := runningTest.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil || pkg.byName[m[1]] == nil || !pkg.byName[m[1]].runningLeaf() {
				continue
			}
			if d, err := time.ParseDuration(m[2]); err == nil && d > longest {
				name, longest = m[1], d
			}
		}
		return name
	}
	return ""
}

var runningTest = regexp.MustCompile(`^\t\t(\S+) \((.+)\)$`)

// passPanicDown gives a panic that the framework printed for a parent to the
// subtest in which it happened: the only one that failed without a word.
func passPanicDown(t *testCase) {
	text := panicIn(t.output.String())
	if text == "" || strings.HasPrefix(text, "panic: test timed out") {
		return
	}
	var silent []*testCase
	for _, child := range failing(t.children) {
		if !hasOwnError(child) {
			silent = append(silent, child)
		}
	}
	if len(silent) == 0 {
		return
	}
	heir := silent[len(silent)-1]
	heir.output.WriteString(text)
	rest := strings.Replace(t.output.String(), text, "", 1)
	t.output.Reset()
	t.output.WriteString(rest)
}

// describePanic fills in a failure from the runtime's last words.
func (p *parser) describePanic(f *testresult.Failure, text string) {
	f.Kind = string(kindPanic)
	f.Message = panicMessage(text)
	f.Frames = p.frames(text)
	f.At = deepestTest(f.Frames)
}

// noise is what differs between runs of the same panic, or says how testing
// passed it on.
var noise = regexp.MustCompile(` \[recovered(?:, repanicked)?\]| pc=0x[0-9a-f]+`)

// panicMessage returns the text before the first stack.
func panicMessage(text string) string {
	head, _, _ := strings.Cut(text, "\ngoroutine ")
	head, _, _ = strings.Cut(head, "\nruntime stack:")
	head = noise.ReplaceAllString(head, "")
	first, rest, _ := strings.Cut(strings.TrimSpace(head), "\n")
	// A panic that testing repeats is printed twice, the second time indented.
	if again := "\tpanic: " + strings.TrimPrefix(first, "panic: "); strings.HasPrefix(rest, again) {
		rest = strings.TrimPrefix(rest, again)
	}
	return strings.TrimSpace(strings.TrimPrefix(first, "panic: ") + "\n" + strings.TrimSpace(rest))
}

var stackFile = regexp.MustCompile(`^\t(.+\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)

// frames returns the project's frames of the first goroutine in text, which is
// the one that panicked, the deepest last.
func (p *parser) frames(text string) []testresult.Frame {
	_, stack, _ := strings.Cut(text, "\ngoroutine ")
	stack, _, _ = strings.Cut(stack, "\n\n")
	var frames []testresult.Frame
	function := ""
	for line := range strings.Lines(stack) {
		line = strings.TrimRight(line, "\r\n")
		m := stackFile.FindStringSubmatch(line)
		if m == nil {
			function = line
			continue
		}
		frame := place(p.unit, p.report, m[1], m[2])
		if frame.File != "" && !strings.HasPrefix(function, "created by ") {
			frame.Func = functionName(function)
			frames = append(frames, frame)
		}
	}
	slices.Reverse(frames)
	return frames
}

// functionName cuts the package's folder and the arguments off a stack's line.
func functionName(line string) string {
	if i := strings.LastIndexByte(line, '('); i > 0 {
		line = line[:i]
	}
	return path.Base(line)
}

func deepest(frames []testresult.Frame) testresult.Frame {
	if len(frames) == 0 {
		return testresult.Frame{}
	}
	return frames[len(frames)-1]
}

// deepestTest returns the deepest frame in a test file, else the deepest.
func deepestTest(frames []testresult.Frame) testresult.Frame {
	for _, frame := range slices.Backward(frames) {
		if strings.HasSuffix(frame.File, "_test.go") {
			return frame
		}
	}
	return deepest(frames)
}
