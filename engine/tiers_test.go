package engine_test

import (
	"testing"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/outcome"
	"autocoder/engine/sandbox"
)

// TestRepairInEachTier has the repair engine work where the stronger tiers don't.
func TestRepairInEachTier(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tool, files string }{
		"go":     {"go", "-- go.mod --\nmodule most\n\ngo 1.24\n-- most.go --\npackage most\n\nfunc Most(a, b int) int {\n\tif a < b {\n\t\treturn a\n\t}\n\treturn b\n}\n-- most_test.go --\npackage most\n\nimport \"testing\"\n\nfunc TestMost(t *testing.T) {\n\tfor _, c := range [][3]int{{1, 2, 2}, {5, 3, 5}, {4, 4, 4}} {\n\t\tif got := Most(c[0], c[1]); got != c[2] {\n\t\t\tt.Errorf(\"%d of %v\", got, c)\n\t\t}\n\t}\n}\n"},
		"python": {"pytest", "-- most.py --\ndef most(a, b):\n    return a if a < b else b\n-- test_most.py --\nfrom most import most\n\n\ndef test_most():\n    assert most(1, 2) == 2\n    assert most(5, 3) == 5\n    assert most(4, 4) == 4\n"},
		"node":   {"node", "-- package.json --\n{\"type\": \"module\"}\n-- most.js --\nexport const most = (a, b) => (a < b ? a : b);\n-- most.test.js --\nimport assert from 'node:assert';\nimport { test } from 'node:test';\nimport { most } from './most.js';\n\ntest('most', () => {\n  assert.equal(most(1, 2), 2);\n  assert.equal(most(5, 3), 5);\n  assert.equal(most(4, 4), 4);\n});\n"},
	} {
		for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised} {
			t.Run(name+"/"+tier.String(), func(t *testing.T) {
				t.Parallel()
				p := newProject(t, c.files)
				p.need(t, c.tool)
				p.settings.Proposer = "repair"
				p.settings.Ambiguous = config.AmbiguousBest
				p.options.Probes, p.options.Consent = only(tier), true
				r := p.fix(t, engine.FixRequest{})
				if r.Outcome != outcome.Fixed || r.Sandbox != tier.String() {
					t.Fatalf("outcome %s in %s: %s %q", r.Outcome, r.Sandbox, r.Reason, r.Warnings)
				}
			})
		}
	}
}
