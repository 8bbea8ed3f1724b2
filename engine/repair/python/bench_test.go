//go:build unix

package python

import (
	"fmt"
	"os/exec"
	"testing"

	"autocoder/engine/repair"
)

// BenchmarkCandidates measures wrong candidates a second in one worker: called
// directly, each in a forked session, and, beside them, with a pytest process for
// each.
func BenchmarkCandidates(b *testing.B) {
	direct := setup{
		file:    "gcd.py",
		files:   map[string]string{"gcd.py": "def gcd(a, b):\n    if b == 0:\n        return a\n    return gcd(a % b, b)\n", "test_gcd.py": "import pytest\nfrom gcd import gcd\n\n@pytest.mark.parametrize('a, b, want', [(13, 13, 13), (37, 600, 1), (20, 100, 20), (3, 12, 3)])\ndef test_gcd(a, b, want):\n    assert gcd(a, b) == want\n\ndef test_zero():\n    assert gcd(17, 0) == 17\n"},
		failing: ids("test_gcd.py", "test_gcd[13-13-13]", "test_gcd[37-600-1]", "test_gcd[20-100-20]", "test_gcd[3-12-3]"), passing: ids("test_gcd.py", "test_zero"),
	}
	session := direct
	session.files = map[string]string{"gcd.py": direct.files["gcd.py"], "test_gcd.py": direct.files["test_gcd.py"], "conftest.py": "import pytest\n\n@pytest.fixture(autouse=True, scope='module')\ndef around():\n    yield\n"}
	for _, c := range []struct {
		name string
		setup
	}{{"direct", direct}, {"session", session}} {
		b.Run(c.name, func(b *testing.B) {
			p := layProject(b, c.files)
			s := p.open(b, 1, c.failing, c.passing)
			batch := func(n int) []repair.Candidate {
				var out []repair.Candidate
				for i := range n {
					out = append(out, p.change(b, i, c.file, "gcd(a % b, b)", fmt.Sprintf("gcd(b, a %% b) + %d", i+1)))
				}
				return out
			}
			evaluate(b, s, batch(1)...)
			some := batch(b.N)
			b.ResetTimer()
			evaluate(b, s, some...)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
		})
	}
	b.Run("process", func(b *testing.B) {
		p := layProject(b, direct.files)
		python := interpreter(b)
		for range b.N {
			cmd := exec.Command(python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
			cmd.Dir = p.dir
			if cmd.Run() == nil {
				b.Fatal("the tests pass")
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
	})
}
