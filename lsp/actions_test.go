package lsp

import (
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

// TestWhoWroteAnEdit tells a language model's edits from those of others.
func TestWhoWroteAnEdit(t *testing.T) {
	t.Parallel()
	attempts := func(origins ...string) (list []report.Attempt) {
		for _, o := range origins {
			list = append(list, report.Attempt{Verdict: outcome.Applied, Origin: o})
		}
		return list
	}
	model := report.Usage{Model: "openai:big"}
	for _, c := range []struct {
		name string
		r    report.Report
		want bool
	}{
		{"the engine", report.Report{Attempts: attempts("repair: comparison")}, false},
		{"the engine, with a model at hand", report.Report{Usage: model, Attempts: attempts("repair: comparison")}, false},
		{"a script", report.Report{Attempts: attempts("script")}, false},
		{"the model", report.Report{Usage: model, Attempts: attempts("openai:big")}, true},
		{"both", report.Report{Usage: model, Attempts: attempts("repair: comparison", "openai:big")}, true},
		{"the model, in vain", report.Report{Usage: model, Attempts: []report.Attempt{{Verdict: outcome.RolledBack, Origin: "openai:big"}}}, false},
	} {
		if got := byModel(c.r); got != c.want {
			t.Errorf("%s: by a model: %t", c.name, got)
		}
		if label := (offer{report: c.r}).annotation(false).Label; (label != "Fix failing tests") != c.want {
			t.Errorf("%s: %q", c.name, label)
		}
	}
}

// TestWhatNextInAnEditor has no flags of the command line in it.
func TestWhatNextInAnEditor(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"":                 "",
		"raise --max-time": "raise `max_time`",
		"raise --max-time, or leave a slow unit out with --unit": "raise `max_time`, or leave a slow unit out with `exclude`",
		"take the partial fix with --apply --partial":            "take the partial fix by its code action",
		"allow one path with --allow PATH":                       "allow one path with `allow` PATH",
	} {
		if got := nextOf(report.Report{Next: next}); got != want {
			t.Errorf("%q: %q, want %q", next, got, want)
		}
	}
}
