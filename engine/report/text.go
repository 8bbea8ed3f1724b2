package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"autocoder/engine/outcome"
)

// Text writes the report as people read it in a terminal.
func Text(w io.Writer, r Report) error {
	t := &text{w: w}
	if r.Shadow != "" {
		t.line("working on a copy at %s", r.Shadow)
	}
	t.line("outcome: %s", r.Outcome)
	t.line("attempts %d, edits %d applied / %d refused%s%s, %d test runs", len(r.Attempts), r.Edits.Applied, r.Edits.Refused,
		count(r.Edits.RolledBack, "rolled back"), count(r.Edits.NotApplicable, "not applicable"), r.TestRuns)
	t.tests("baseline", r.Baseline)
	for _, a := range r.Attempts {
		t.attempt(a)
	}
	t.tests("final", r.Final)
	t.list("flaky", r.Baseline.Flaky)
	t.list("unstable", r.Baseline.Unstable)
	t.list("left failing", r.LeftFailing)
	if r.Partial != nil {
		t.line("partial: %d of %d repaired, still failing: %s", len(r.Partial.Fixed),
			len(r.Partial.Fixed)+len(r.Partial.Left), strings.Join(r.Partial.Left, ", "))
	}
	for _, a := range r.Alternatives {
		t.alternative(a)
	}
	for _, warning := range r.Warnings {
		t.line("warning: %s", warning)
	}
	if !told(r) {
		t.some("reason: ", r.Reason)
	}
	t.suspects(r)
	t.some("spent: ", r.Spent)
	t.some("next: ", r.Next)
	return t.err
}

// told reports whether the lines above the reason say it already: the run was
// fixed, or an attempt has the reason for its note.
func told(r Report) bool {
	if r.Outcome == outcome.Fixed {
		return true
	}
	if r.Outcome != outcome.NoProgress || len(r.Attempts) == 0 {
		return false
	}
	last := r.Attempts[len(r.Attempts)-1]
	return last.Verdict == outcome.Applied && last.Note != "" && strings.HasSuffix(r.Reason, last.Note)
}

// text writes lines until one can't be written.
type text struct {
	w   io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, strings.TrimRight(oneLine(fmt.Sprintf(format, args...)), " "))
	}
}

// oneLine keeps what a test or a model wrote from breaking the layout, or the
// terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

func (t *text) some(label, value string) {
	if value != "" {
		t.line("%s%s", label, value)
	}
}

func (t *text) list(label string, names []string) {
	if len(names) > 0 {
		t.line("%s: %s", label, strings.Join(names, ", "))
	}
}

func (t *text) tests(label string, s Tests) {
	if s.Total == 0 && len(s.Unusable) == 0 {
		return
	}
	skipped := ""
	if s.Skipped > 0 {
		skipped = fmt.Sprintf(", %d skipped", s.Skipped)
	}
	t.line("%-9s %-6s %d passed, %d failed%s", label, s.Status, s.Passed, s.Failed, skipped)
	for _, u := range s.Unusable {
		if u.Part == "" {
			t.line("  not run: %s", u.Reason)
			continue
		}
		t.line("  not run: %s (%s)", u.Part, u.Reason)
	}
}

func (t *text) attempt(a Attempt) {
	files := strings.Join(a.Files, " ")
	if files == "" {
		files = "(nothing)"
	}
	t.line("  #%d %-28s %-8s %-6s %s", a.N, files, a.Verdict, a.Result, a.Note)
}

func (t *text) alternative(a Alternative) {
	t.line("alternative %s: %s", a.ID, a.Why)
	if a.Input != "" {
		t.line("  on %s it returns %s", a.Input, a.Output)
	}
}

// mostSuspects is how many suspicious lines people are shown.
const mostSuspects = 3

// suspects tells where to look when nothing was found.
func (t *text) suspects(r Report) {
	if r.Outcome == outcome.Fixed || r.Partial != nil || len(r.Alternatives) > 0 {
		return
	}
	for _, s := range r.Ranking[:min(len(r.Ranking), mostSuspects)] {
		t.line("suspect: %s:%d (%s)", s.File, s.Line, s.Why)
	}
}

func count(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" / %d %s", n, what)
}
