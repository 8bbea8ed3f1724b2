//go:build unix

package python

import (
	"strings"
	"testing"
)

// TestEvaluateDocumented compares edits that all make the tests pass by the examples in
// the documentation.
func TestEvaluateDocumented(t *testing.T) {
	t.Parallel()
	session := `

def apart(a, b):
    """How far a is from b.

    >>> apart(5, 2)
    3
    >>> x = 2
    >>> apart(x,
    ...       9)
    7
    >>> apart(None, 1)
    Traceback (most recent call last):
        ...
    TypeError: no number
    """
    return a - b
`
	lines := `

def apart(a, b):
    '''How far a is from b:
    apart(5, 2) ➞ 3
    * apart(2, 9) == 7  # however they stand
    apart(a, b) -> what there is between
    '''
    return a - b
`
	for name, doc := range map[string]string{"session": session, "lines": lines, "none": strings.NewReplacer(">>>", "", "➞", "", "==", "").Replace(lines)} {
		for _, around := range []string{"function", "module"} {
			t.Run(name+" "+around, func(t *testing.T) {
				t.Parallel()
				p := layProject(t, map[string]string{
					"lib.py":      doc,
					"conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True, scope='" + around + "')\ndef around():\n    yield\n",
					"test_lib.py": "from lib import apart\n\ndef test_back(): assert apart(1, 2) == 1\ndef test_same(): assert apart(2, 2) == 0\n",
				})
				s := p.open(t, 1, ids("test_lib.py", "test_back"), ids("test_lib.py", "test_same"))
				vs := evaluate(t, s,
					p.change(t, 0, "lib.py", "return a - b", "return abs(a - b)"),
					p.change(t, 1, "lib.py", "return a - b", "return b - a"),
					p.change(t, 2, "lib.py", "return a - b", "return int(a != b)"),
				)
				gained, broken := 1, 1
				if name == "none" {
					gained, broken = 0, 0
				}
				if got, want := trials(vs), "0 green\n1 green\n2 green\n"; got != want {
					t.Fatalf("got\n%swant\n%s", got, want)
				}
				if vs[0].Gained != gained || vs[0].Broken != 0 || vs[1].Broken != broken || vs[2].Broken < broken {
					t.Errorf("%+v", vs)
				}
			})
		}
	}
}
