package sandbox_test

import (
	"os/exec"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

// BenchmarkStart runs a program that does nothing, from Start to the end of Wait;
// "exec" is the same without a cell.
func BenchmarkStart(b *testing.B) {
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			if _, err := exec.Command("/bin/true").Output(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, tier := range tiers {
		b.Run(tier.String(), func(b *testing.B) {
			p := newPlace(b)
			cell := open(b, p.config(tier), p.tree())
			for b.Loop() {
				if _, err := command.Run(b.Context(), cell, command.Spec{Args: []string{"/bin/true"}}, 1024); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen opens and closes cells.
func BenchmarkOpen(b *testing.B) {
	for _, tier := range tiers {
		b.Run(tier.String(), func(b *testing.B) {
			p := newPlace(b)
			for b.Loop() {
				cell, err := sandbox.Open(b.Context(), p.config(tier), p.tree())
				if err != nil {
					b.Fatal(err)
				}
				cell.Close()
			}
		})
	}
}

// BenchmarkSwitch puts two trees in each other's place.
func BenchmarkSwitch(b *testing.B) {
	p := newPlace(b)
	cell := open(b, p.config(sandbox.Isolated), p.tree())
	other := sandbox.Tree{Dir: p.path("tree2")}
	for b.Loop() {
		for _, tree := range []sandbox.Tree{other, p.tree()} {
			if err := cell.Switch(b.Context(), tree); err != nil {
				b.Fatal(err)
			}
		}
	}
}
