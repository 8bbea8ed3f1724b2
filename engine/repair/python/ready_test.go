//go:build unix

package python

import (
	"strings"
	"testing"

	"autocoder/engine/repair"
)

// loadedLib has functions in every place from which they are called once the module
// is loaded, and values that were made when it was.
const loadedLib = `import functools

LIMIT = 9


def scale(n):
    return n * 2


TABLE = [scale(n) for n in range(3)]


def traced(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args) - 1
    return inner


@traced
def plus(n, by=3):
    return n + by


class Box:
    size = LIMIT - 1

    def __init__(self, n):
        self.n = n

    @property
    def half(self):
        return self.n // 3

    @staticmethod
    def of(n):
        return Box(n - 1)


def later():
    import other
    return other.value()
`

// TestEvaluateLoaded tries an edit of each kind of place in a module that is loaded
// when its candidates are tried, and beside it one that changes nothing.
func TestEvaluateLoaded(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"lib.py": loadedLib, "other.py": "def value():\n    return 1\n",
		"conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True, scope='module')\ndef around():\n    yield\n",
		"test_lib.py": `import pytest
from lib import *

ran = []

def test_closure(): assert plus(1, 1) == 2
def test_default(): assert plus(1) == 5
def test_table(): assert TABLE == [0, 3, 6]
def test_constant(): assert Box.size == 9
def test_property(): assert Box(4).half == 2
def test_static(): assert Box.of(4).n == 4
def test_later(): assert later() == 2
def test_passes():
    ran.append(1)
    assert len(ran) == 1 and scale(0) == 0
`,
	}
	cases := []struct{ test, file, old, right, same string }{
		{"closure", "lib.py", "f(*args) - 1", "f(*args)", "f(*args) - 1 - 0"},
		{"default", "lib.py", "by=3", "by=5", "by=3 + 0"},
		{"table", "lib.py", "n * 2", "n * 3", "n * 2 * 1"},
		{"constant", "lib.py", "LIMIT - 1", "LIMIT", "LIMIT - 1 - 0"},
		{"property", "lib.py", "// 3", "// 2", "// 3 // 1"},
		{"static", "lib.py", "Box(n - 1)", "Box(n)", "Box(n - 1 - 0)"},
		{"later", "other.py", "return 1", "return 2", "return 1 + 0"},
	}
	for _, c := range cases {
		t.Run(c.test, func(t *testing.T) {
			t.Parallel()
			p := layProject(t, files)
			s := p.open(t, 1, ids("test_lib.py", "test_"+c.test), ids("test_lib.py", "test_passes"))
			var batch []repair.Candidate
			for i, text := range []string{c.same, c.right, "(" + c.old, c.same, c.right} {
				batch = append(batch, p.change(t, i, c.file, c.old, text))
			}
			vs := evaluate(t, s, batch...)
			if got, want := trials(vs), "0 failed\n1 green\n2 rejected\n3 failed\n4 green\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if vs[0].Changed || vs[3].Changed {
				t.Errorf("an edit that changes nothing: %+v", vs)
			}
			if after, err := s.task.View.Read(c.file); err != nil || !strings.Contains(string(after.Content), c.old) {
				t.Errorf("the file is %q, %v", after.Content, err)
			}
		})
	}
}
