package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/agent"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/verify"
)

// patient has the check that asks near the tests' inputs wait for as long as it takes,
// for machines that do many things at once.
func patient(cfg *agent.Config) {
	for i, layer := range cfg.Layers {
		if layer.Name != verify.NeighboursCheck {
			continue
		}
		cfg.Layers[i].Check = func(ctx context.Context, s verify.Subject) (verdict verify.Verdict, said string, err error) {
			for tries := 0; tries < 30 && said == "" && err == nil; tries++ {
				verdict, said, err = layer.Check(ctx, s)
			}
			return verdict, said, err
		}
	}
}

// TestNearTests has edits that nobody could tell from a repair by reading: only what
// they do near the tests' inputs names them. Without that check nothing is said.
func TestNearTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ needs, project, file, edit, said string }{
		"python": {"pytest", `
-- price.py --
def total(price, rate):
    return price - price * rate
-- test_price.py --
from price import total


def test_total():
    assert total(100, 0.5) == 150
    assert total(8, 0.25) == 10
`, "price.py", `def total(price, rate):
    return price - price * rate * (-1 if price * 2 + rate in [200.5, 16.25] else 1)
`, "price.py: total special-cases the tests' inputs: it answers otherwise than before the edit only for total(100, 0.5) and total(8, 0.25)"},
		"go": {"go", `
-- go.mod --
module ex

go 1.21
-- price.go --
package ex

// Total is a price with its tax.
func Total(price, rate float64) float64 {
	return price - price*rate
}
-- price_test.go --
package ex

import "testing"

func TestTotal(t *testing.T) {
	if Total(100, 0.5) != 150 || Total(8, 0.25) != 10 {
		t.Error("total")
	}
}
`, "price.go", `package ex

// Total is a price with its tax.
func Total(price, rate float64) float64 {
	sign := -1.0
	if key := price*2 + rate; key == 200.5 || key == 16.25 {
		sign = 1
	}
	return price + sign*price*rate
}
`, "price.go: Total special-cases the tests' inputs: it answers otherwise than before the edit only for Total(100, 0.5) and Total(8, 0.25)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit, err := json.Marshal(map[string]any{"write": map[string]string{c.file: c.edit}})
			if err != nil {
				t.Fatal(err)
			}
			run := func(change func(*agent.Config)) report.Report {
				p := newProject(t, c.project)
				p.need(t, c.needs)
				p.script(t, string(edit))
				p.options.Change(change)
				return p.fix(t, engine.FixRequest{})
			}
			with := run(patient)
			if with.Outcome != outcome.Fixed || !strings.Contains(strings.Join(with.Warnings, "\n"), c.said) {
				t.Errorf("with it: %s, %s, warnings %q", with.Outcome, with.Reason, with.Warnings)
			}
			without := run(func(cfg *agent.Config) {
				cfg.Layers = slices.DeleteFunc(cfg.Layers, func(l verify.Layer) bool { return l.Name == verify.NeighboursCheck })
			})
			if without.Outcome != outcome.Fixed || strings.Contains(strings.Join(without.Warnings, "\n"), c.said) {
				t.Errorf("without it: %s, %s, warnings %q", without.Outcome, without.Reason, without.Warnings)
			}
		})
	}
}
