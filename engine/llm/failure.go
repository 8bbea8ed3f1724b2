package llm

import (
	"fmt"
	"regexp"
	"strings"

	"autocoder/engine/testresult"
)

// group is one way to fail, and the tests that fail so.
type group struct {
	kind, message string
	ids           []testresult.ID
	failure       testresult.Failure
}

// numbers are what differs between failures that are the same.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+(?:\.\d+)?|/tmp/\S+`)

// groups sorts the failing targets by how they fail: message without numbers, and
// the deepest frame in the project.
func groups(r testresult.Result, targets []testresult.ID) []group {
	at := map[string]int{}
	var all []group
	for _, id := range targets {
		t := r.Lookup(id)
		if t.Status == testresult.Passed {
			continue
		}
		g := group{kind: t.Status.String(), message: "no message"}
		if t.Failure != nil {
			g.failure = *t.Failure
			g.kind, g.message = t.Failure.Kind, t.Failure.Message
		}
		signature := g.kind + "|" + numbers.ReplaceAllString(oneLine(g.message, 300), "#")
		if n := len(g.failure.Frames); n > 0 {
			signature += fmt.Sprintf("|%s:%d", g.failure.Frames[n-1].File, g.failure.Frames[n-1].Line)
		}
		i, known := at[signature]
		if !known {
			i = len(all)
			at[signature] = i
			all = append(all, g)
		}
		all[i].ids = append(all[i].ids, id)
	}
	return all
}

func (b brief) failures() []group { return groups(b.view.Result, b.view.Targets) }

// mostGroups is how many ways to fail are shown.
const mostGroups = 12

// failureSections tell how the tests fail, once for each way.
func (b brief) failureSections() []section {
	var all []section
	for i, g := range b.failures() {
		if i == mostGroups {
			break
		}
		name := oneLine(g.ids[0].String(), 200)
		if n := len(g.ids); n > 1 {
			name = fmt.Sprintf("%s, and %d more that fail the same", name, n-1)
		}
		title := ""
		if i == 0 {
			title = "How the tests fail:"
		}
		all = append(all, section{title: title, name: name, text: g.text(), need: 100 - i})
	}
	return all
}

// text is a failure as people read it.
func (g group) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", g.kind, clip(strings.TrimSpace(g.message), 1200))
	f := g.failure
	if f.Expected != "" || f.Actual != "" {
		fmt.Fprintf(&text, "expected: %s\nactual:   %s\n", clip(f.Expected, 600), clip(f.Actual, 600))
	}
	if f.At.File != "" {
		fmt.Fprintf(&text, "at %s:%d\n", f.At.File, f.At.Line)
	}
	for _, frame := range f.Frames[max(0, len(f.Frames)-8):] {
		if frame != f.At {
			fmt.Fprintf(&text, "in %s:%d %s\n", frame.File, frame.Line, frame.Func)
		}
	}
	if out := strings.TrimSpace(f.Output); out != "" && !strings.Contains(g.message, out) {
		fmt.Fprintf(&text, "it printed:\n%s\n", tail(out, 800))
	}
	return text.String()
}
