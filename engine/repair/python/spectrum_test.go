//go:build unix

package python

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/repair/localise"
)

// show writes a spectrum with one line a row.
func show(s localise.Spectrum) string {
	var b strings.Builder
	for _, r := range s.Rows {
		mark := "+"
		if r.Failed {
			mark = "-"
		}
		_, name, _ := strings.Cut(r.Name, "::")
		fmt.Fprintf(&b, "%s %s", mark, name)
		files := make([]string, 0, len(r.Lines))
		for f := range r.Lines {
			files = append(files, f)
		}
		slices.Sort(files)
		for _, f := range files {
			fmt.Fprintf(&b, " %s%v", f, r.Lines[f])
		}
		for _, f := range r.Frames {
			fmt.Fprintf(&b, " at %s:%d", f.File, f.Line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSpectrum(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py": `LIMIT = 3


def small(n):
    if n < LIMIT:
        return True
    return False


def spin(n):
    while n:
        n += 1


def stuck():
    return sum(iter(int, 1))


def broken(n):
    return n.missing
`,
		"test_lib.py": `from lib import small, spin, stuck, broken


def test_small():
    assert small(1)


def test_large():
    assert small(3)


def test_stuck():
    stuck()


def test_spin():
    spin(1)


def test_broken():
    broken(1)
`,
	})
	s := p.open(t, 1, ids("test_lib.py", "test_large", "test_stuck", "test_spin", "test_broken"), ids("test_lib.py", "test_small"))
	got, err := s.Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(show(got)), "\n")
	slices.Sort(lines)
	want := []string{
		"+ test_small lib.py[1 5 6]",
		"- test_broken lib.py[1 20] at lib.py:20",
		"- test_large lib.py[1 5 7]",
		"- test_spin lib.py[1 11 12] at lib.py",
		"- test_stuck lib.py[1 16]",
	}
	for i, w := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], w) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
}

func ids(file string, names ...string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = file + "::" + n
	}
	return out
}

// wrongSign has a fault in its fifth line.
const wrongSign = `def sign(n):
    if n > 0:
        return 1
    if n == 0:
        return 1
    return -1
`

func TestSpectrumByAssertion(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py": wrongSign,
		"test_lib.py": `import unittest

import pytest
from lib import sign


def test_signs():
    assert sign(5) == 1
    for n, want in [(0, 0), (-3, -1)]:
        assert sign(n) == want
    with pytest.raises(TypeError):
        sign("")


class TestCase(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(sign(1), 1)
        self.assertEqual(sign(0), 0)
`,
	})
	s := p.open(t, 1, []string{"test_lib.py::test_signs", "test_lib.py::TestCase::test_zero"}, nil)
	got, err := s.Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := `+ test_signs:8 lib.py[2 3]
- test_signs:10 lib.py[2 4 5]
+ test_signs:10 lib.py[2 4 6]
+ test_signs:11 lib.py[2] 
+ TestCase::test_zero:17 lib.py[2 3]
- TestCase::test_zero:18 lib.py[2 4 5]
`
	if g := show(got); strings.ReplaceAll(g, " \n", "\n") != strings.ReplaceAll(want, " \n", "\n") {
		t.Errorf("got\n%swant\n%s", g, want)
	}
}

// TestSpectrumBesidePassing: where other tests pass, a failing test stays a row beside those
// of its assertions.
func TestSpectrumBesidePassing(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py": wrongSign,
		"test_lib.py": `from lib import sign


def test_signs():
    assert sign(5) == 1
    assert sign(0) == 0


def test_negative():
    assert sign(-5) == -1
`,
	})
	s := p.open(t, 1, ids("test_lib.py", "test_signs"), ids("test_lib.py", "test_negative"))
	got, err := s.Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := `+ test_signs:5 lib.py[2 3]
- test_signs:6 lib.py[2 4 5]
- test_signs lib.py[2 3 4 5]
+ test_negative lib.py[2 4 6]
`
	if g := show(got); g != want {
		t.Errorf("got\n%swant\n%s", g, want)
	}
}
