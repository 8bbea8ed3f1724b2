package python

import (
	"testing"
)

var gcd = map[string]string{
	"gcd.py": `def gcd(a, b):
    if b == 0:
        return a
    else:
        return gcd(a % b, b)


def double(x):
    return x * 2
`,
	"test_gcd.py": `import pytest
from gcd import gcd, double


@pytest.mark.parametrize("a, b, want", [(13, 13, 13), (37, 600, 1), (20, 100, 20)])
def test_gcd(a, b, want):
    assert gcd(a, b) == want


def test_zero():
    assert gcd(7, 0) == 7


def test_double():
    assert double(4) == 8
`,
}

func TestEvaluate(t *testing.T) {
	p := lay2(t, gcd)
	s := p.open(t, 2, []string{"test_gcd.py::test_gcd[13-13-13]", "test_gcd.py::test_gcd[37-600-1]", "test_gcd.py::test_gcd[20-100-20]"}, []string{"test_gcd.py::test_zero", "test_gcd.py::test_double"})
	sp, err := s.Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", sp)
	vs := evaluate(t, s,
		p.change(t, 0, "gcd.py", "gcd(a % b, b)", "gcd(b, a % b)"),
		p.change(t, 1, "gcd.py", "gcd(a % b, b)", "gcd(b, a % )"),
		p.change(t, 2, "gcd.py", "== 0", "== 1"),
		p.change(t, 3, "gcd.py", "return a", "import os; os._exit(0)"),
		p.change(t, 4, "gcd.py", "return gcd(a % b, b)", "\n        while True: pass"),
	)
	t.Log("\n" + trials(vs))
	t.Logf("%+v", vs)
	b, err := s.Behaviours(t.Context(), nil)
	t.Log(b, err)
	n, err := s.Parse(t.Context(), "gcd.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(n.Children))
}
