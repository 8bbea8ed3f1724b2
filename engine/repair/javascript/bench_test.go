package javascript

import (
	"fmt"
	"os/exec"
	"testing"

	"autocoder/engine/repair"
)

// BenchmarkCandidates measures wrong candidates a second in one worker: of a plain
// module, of one with types, and, beside them, with a process of node --test for
// each.
func BenchmarkCandidates(b *testing.B) {
	for _, c := range []struct{ name, archive, path, old, text string }{
		{"plain", "plain", "src/fee.js", "hours * 2", "hours + 6 + %d"},
		{"loop", "plain", "src/fee.js", "hours * 2", "[...Array(3)].reduce((a) => a + hours, %d)"},
		{"types", "types", "src/list.ts", "n > 2", "n > %d"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := layout(b, "testdata/trials/"+c.archive+".txtar")
			s := p.open(b, 1)
			batch := func(n int) []repair.Candidate {
				var out []repair.Candidate
				for i := range n {
					out = append(out, p.change(b, i, c.path, c.old, fmt.Sprintf(c.text, i+7)))
				}
				return out
			}
			evaluate(b, s, batch(1))
			some := batch(b.N)
			b.ResetTimer()
			evaluate(b, s, some)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
		})
	}
	b.Run("process", func(b *testing.B) {
		p := layout(b, "testdata/trials/plain.txtar")
		for range b.N {
			cmd := exec.Command("node", "--test")
			cmd.Dir = p.dir
			if cmd.Run() == nil {
				b.Fatal("the tests pass")
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
	})
}
