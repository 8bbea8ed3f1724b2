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
