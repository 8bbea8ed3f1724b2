package sandbox_test

import (
	"testing"

	"autocoder/engine/sandbox"
)

func TestProbe(t *testing.T) {
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised} {
		t.Run(tier.String(), func(t *testing.T) {
			for _, a := range sandbox.Probe(t.Context(), tier) {
				t.Log(a)
				if !a.OK {
					t.Errorf("%s: %s", a.Name, a.Detail)
				}
			}
		})
	}
}
