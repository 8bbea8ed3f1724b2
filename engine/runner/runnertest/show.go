package runnertest

import (
	"fmt"
	"strings"

	"autocoder/engine/testresult"
)

// Show writes a run in a few words a line, to be compared as a text.
func Show(run testresult.UnitRun) string {
	var b strings.Builder
	if run.Reason != testresult.NoReason {
		fmt.Fprintf(&b, "unit %s: %s%s\n", run.Reason, oneLine(run.Detail), at(run.At))
	}
	for _, t := range run.Tests {
		fmt.Fprintf(&b, "%s %s", t.Status, t.ID)
		if f := t.Failure; f != nil {
			fmt.Fprintf(&b, " [%s] %s%s", f.Kind, oneLine(f.Message), at(f.At))
		}
		b.WriteByte('\n')
	}
	for _, p := range run.Unusable {
		fmt.Fprintf(&b, "part %s %s: %s%s\n", p.Name, p.Reason, oneLine(p.Detail), at(p.At))
	}
	return b.String()
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " / ") }

func at(f testresult.Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf(" @%s:%d", f.File, f.Line)
}
