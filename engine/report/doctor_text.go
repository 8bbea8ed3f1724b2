package report

import (
	"io"
	"strings"

	"autocoder/engine/testresult"
)

// DoctorText writes what doctor found as people read it in a terminal.
func DoctorText(w io.Writer, d Doctor) error {
	t := &text{w: w}
	if len(d.Units) == 0 {
		t.line("tests: none found that can be run")
	}
	for _, u := range d.Units {
		t.unit(u)
	}
	t.line("sandbox: %s", d.Sandbox.Tier)
	for _, p := range d.Sandbox.Probes {
		t.line("  %-4s %s%s", okay(p.OK), p.Name, after(": ", p.Detail))
	}
	for _, how := range d.Sandbox.Better {
		t.line("  better: %s", how)
	}
	if d.Sandbox.Compared != nil && len(d.Sandbox.Compared) == 0 {
		t.line("  compared with a run outside: the same")
	}
	for _, c := range d.Sandbox.Compared {
		t.line("  differs: %s: %s inside, %s outside%s", c.ID, c.Inside, c.Outside, after(": ", c.Why))
	}
	t.line("proposers:")
	for _, p := range d.Proposers {
		t.line("  %-4s %s%s", okay(p.Ready), p.Name, after(": ", p.Detail))
	}
	for _, warning := range d.Warnings {
		t.line("warning: %s", warning)
	}
	return t.err
}

// unit writes one unit, its tools and how its tests went.
func (t *text) unit(u DoctorUnit) {
	t.line("%s in %s%s", u.Runner, u.Root, after(": ", u.Why))
	t.some("  command      ", quoted(u.Command))
	t.some("  interpreter  ", u.Interpreter+after(", ", u.Version))
	if u.UnusableReason == testresult.NoReason {
		t.line("  tests        %d%s", u.Tests, after("; ", u.Detail))
	} else {
		t.line("  not runnable %s%s", u.UnusableReason, after(": ", u.Detail))
	}
	for _, r := range u.Rejected {
		t.line("  not taken    %s: %s", r.Runner, r.Why)
	}
}

func okay(ok bool) string {
	if ok {
		return "ok"
	}
	return "no"
}

// after returns the text with what leads to it, or nothing.
func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// quoted returns a command as one could type it.
func quoted(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`*?[]{}()<>|&;#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
