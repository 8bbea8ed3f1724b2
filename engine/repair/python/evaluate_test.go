//go:build unix

package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/repair"
)

// setup is one way in which projects lay out their code and their tests. Each has
// add in the file that is named, with a fault, and a failing and a passing test.
type setup struct {
	name, file, unit string
	env              func(root string) []string
	elsewhere        bool // the project itself is installed in place, not the cell's copy
	files            map[string]string
	failing, passing []string
}

const faulty = "def add(a, b):\n    return a - b\n"

func setups() []setup {
	return []setup{
		{
			name: "functions", file: "lib.py",
			files:   map[string]string{"lib.py": faulty, "test_lib.py": "from lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n"},
			failing: ids("test_lib.py", "test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "parametrized", file: "lib.py",
			files: map[string]string{"lib.py": faulty, "test_lib.py": `import pytest
import lib

pytestmark = pytest.mark.parametrize("c", [0])


@pytest.mark.parametrize("a", [0, 1])
class TestAdd:
    @pytest.mark.parametrize("b, want", [(0, 0), pytest.param(2, 2, id="two")])
    def test_add(self, a, b, want, c):
        assert lib.add(a, b) == a + want + c
`},
			failing: ids("test_lib.py", "TestAdd::test_add[two-0-0]", "TestAdd::test_add[two-1-0]"),
			passing: ids("test_lib.py", "TestAdd::test_add[0-0-0-0]", "TestAdd::test_add[0-0-1-0]"),
		},
		{
			name: "unittest", file: "lib.py",
			files: map[string]string{"lib.py": faulty, "test_lib.py": `import unittest
from lib import add


class TestAdd(unittest.TestCase):
    def setUp(self):
        self.one = 1

    def test_sum(self):
        self.assertEqual(add(self.one, 2), 3)

    def test_zero(self):
        self.assertEqual(add(self.one, 0), 1)
`},
			failing: ids("test_lib.py", "TestAdd::test_sum"), passing: ids("test_lib.py", "TestAdd::test_zero"),
		},
		{
			name: "fixtures", file: "lib.py",
			files: map[string]string{
				"lib.py":      faulty,
				"conftest.py": "import pytest\n\n\n@pytest.fixture(params=[2])\ndef two(request, tmp_path):\n    (tmp_path / 'x').write_text('2')\n    yield int((tmp_path / 'x').read_text())\n",
				"test_lib.py": "from lib import add\n\ndef test_sum(two, capsys):\n    print(add(1, two))\n    assert capsys.readouterr().out == '3\\n'\n\ndef test_zero(monkeypatch):\n    assert add(1, 0) == 1\n",
			},
			failing: ids("test_lib.py", "test_sum[2]"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "loaded by conftest", file: "pkg/lib.py",
			files: map[string]string{
				"pkg/__init__.py": "from .lib import add\n", "pkg/lib.py": faulty,
				"conftest.py":       "import pytest\nimport pkg\n\n\n@pytest.fixture(autouse=True)\ndef plus():\n    return pkg.add\n",
				"tests/test_lib.py": "def test_sum(plus):\n    assert plus(1, 2) == 3\n\ndef test_zero(plus):\n    assert plus(1, 0) == 1\n",
			},
			failing: ids("tests/test_lib.py", "test_sum"), passing: ids("tests/test_lib.py", "test_zero"),
		},
		{
			name: "src layout", file: "src/pkg/lib.py",
			files: map[string]string{
				"pyproject.toml":      "[tool.pytest.ini_options]\npythonpath = ['src']\naddopts = '-x --strict-markers'\n",
				"src/pkg/__init__.py": "", "src/pkg/lib.py": faulty, "src/pkg/user.py": "from .lib import add\n\n\ndef total(*ns):\n    t = 0\n    for n in ns:\n        t = add(t, n)\n    return t\n",
				"tests/__init__.py": "", "tests/help.py": "from pkg.user import total\n", "tests/test_lib.py": "from .help import total\n\ndef test_sum():\n    assert total(1, 2) == 3\n\ndef test_none():\n    assert total(0) == 0\n",
			},
			failing: ids("tests/test_lib.py", "test_sum"), passing: ids("tests/test_lib.py", "test_none"),
		},
		{
			name: "src layout without a setting", file: "src/pkg/lib.py",
			files: map[string]string{
				"pyproject.toml": "[project]\nname = 'pkg'\nversion = '0.1'\n", "src/pkg/__init__.py": "", "src/pkg/lib.py": faulty,
				"tests/test_lib.py": "from pkg.lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n",
			},
			failing: ids("tests/test_lib.py", "test_sum"), passing: ids("tests/test_lib.py", "test_zero"),
		},
		{
			name: "installed in place from elsewhere", file: "code/pkg/lib.py", unit: "sub",
			elsewhere: true,
			files: map[string]string{
				"code/pkg/__init__.py": "", "code/pkg/lib.py": faulty, "sub/pytest.ini": "[pytest]\n",
				"sub/test_lib.py": "from pkg.lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n",
			},
			failing: ids("test_lib.py", "test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "two modules of one name", file: "lib.py",
			files: map[string]string{
				"lib.py": faulty, "test_lib.py": "from lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n",
				"z/lib.py": "", "z/test_z.py": "import lib\n\ndef test_sum():\n    assert lib.add(1, 2) == 3\n",
			},
			failing: append(ids("z/test_z.py", "test_sum"), "test_lib.py::test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "unit in a folder, path from outside", file: "code/lib.py", unit: "sub",
			env:     func(root string) []string { return []string{"PYTHONPATH=" + filepath.Join(root, "code")} },
			files:   map[string]string{"code/lib.py": faulty, "sub/pytest.ini": "[pytest]\n", "sub/test_lib.py": "from lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n"},
			failing: ids("test_lib.py", "test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "a folder with a bracket in its name", file: "x [a]/lib.py", unit: "x [a]",
			files:   map[string]string{"x [a]/lib.py": faulty, "x [a]/pytest.ini": "[pytest]\n", "x [a]/test_lib.py": "from lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n"},
			failing: ids("test_lib.py", "test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "names of the library", file: "string.py",
			files:   map[string]string{"tokens.py": "", "server.py": "", "string.py": faulty, "tests/test_lib.py": "import importlib.util, os\nspec = importlib.util.spec_from_file_location('mine', os.path.join(os.path.dirname(__file__), '..', 'string.py'))\nm = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(m)\n\ndef test_sum():\n    assert m.add(1, 2) == 3\n\ndef test_zero():\n    assert m.add(1, 0) == 1\n"},
			failing: ids("tests/test_lib.py", "test_sum"), passing: ids("tests/test_lib.py", "test_zero"),
		},
		{
			name: "run as a program", file: "lib.py",
			files:   map[string]string{"lib.py": faulty + "\n\nif __name__ == '__main__':\n    print(add(1, 2))\n", "test_lib.py": "import subprocess, sys, lib\n\ndef test_sum():\n    assert subprocess.run([sys.executable, 'lib.py'], stdout=subprocess.PIPE).stdout == b'3\\n'\n\ndef test_zero():\n    assert lib.add(1, 0) == 1\n"},
			failing: ids("test_lib.py", "test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
		{
			name: "state that stays", file: "lib.py",
			files: map[string]string{
				"lib.py": "import string\n\nassert not hasattr(string, 'mine'), 'loaded twice in one process'\nstring.mine = True\n\n\n" + faulty, "test_lib.py": "from lib import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(1, 0) == 1\n",
			},
			failing: ids("test_lib.py", "test_sum"), passing: ids("test_lib.py", "test_zero"),
		},
	}
}

// TestEvaluateLayouts: in every kind of project the fix is green and stays the
// only one, in whatever order it is tried, and the file is left as it was.
func TestEvaluateLayouts(t *testing.T) {
	t.Parallel()
	for _, c := range setups() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := layProject(t, c.files)
			p.unit, p.env = c.unit, c.env
			if c.elsewhere {
				p.env = func(string) []string { return []string{"PYTHONPATH=" + filepath.Join(p.dir, "code")} }
			}
			s := p.open(t, 1, c.failing, c.passing)
			if _, err := s.Spectrum(t.Context()); err != nil {
				t.Fatal(err)
			}
			// All are of one size, so that a stale module or bytecode file would show.
			vs := evaluate(t, s,
				p.change(t, 0, c.file, "a - b", "a + b"),
				p.change(t, 1, c.file, "a - b", "b - a"),
				p.change(t, 2, c.file, "a - b", "b + a"),
				p.change(t, 3, c.file, "a - b", "3 or b"),
				p.change(t, 4, c.file, "a - b", "a - )"),
				p.change(t, 5, c.file, "a - b", "a - b"),
				p.change(t, 6, c.file, "a - b", "a + b"),
			)
			if got, want := trials(vs), "0 green\n1 failed\n2 green\n3 failed\n4 rejected\n5 failed\n6 green\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if vs[0].Passed != len(c.failing) || vs[1].Passed >= len(c.failing) || vs[3].Passed > len(c.failing) {
				t.Errorf("passed: %+v", vs)
			}
			if vs[5].Changed || !vs[1].Changed || !vs[3].Changed {
				t.Errorf("changed: no edit %v, another value %v, a test lost %v", vs[5].Changed, vs[1].Changed, vs[3].Changed)
			}
			after, err := os.ReadFile(filepath.Join(s.workers[0].Cell.Root, c.file))
			if before := c.files[c.file]; err != nil || string(after) != before {
				t.Errorf("the file was left as %q, %v", after, err)
			}
		})
	}
}

// hostile are bodies of add that do harm to the process they run in.
var hostile = []struct{ body, want string }{
	{"while True: pass", "out of fuel"},
	{"sum(iter(int, 1))", "out of fuel"},
	{"__import__('time').sleep(1000)", "out of fuel"},
	{"exec('try:\\n  while True: pass\\nexcept BaseException: pass'); return a + b", "out of fuel"},
	{"exec('while True:\\n  try:\\n    while True: pass\\n  except BaseException: pass')", "out of fuel"},
	{"__import__('os')._exit(0)", "died"},
	{"__import__('os').kill(__import__('os').getpid(), 9)", "died"},
	{"__import__('ctypes').string_at(0)", "died"},
	{"__import__('sys').exit(0)", "died"},
	{"return [0] * 10 ** 12", "failed"},
	{"x = []\n    while True: x.append(bytearray(1 << 27))", "failed|out of fuel|died"},
	{"return add(a, b)", "failed"},
	{"raise KeyboardInterrupt", "failed"},
	{"__import__('os').chdir('/'); __import__('sys').path.clear(); __import__('os').environ.clear(); return 0", "failed"},
	{"__import__('builtins').len = None; return 0", "failed|died"},
	{"__import__('sys').stdout.write('{\"verdict\": \"G\"}\\n' * 9); __import__('os').write(1, b'{\"end\": true}\\n'); print('{\"end\": true}'); return 0", "failed"},
	{"__import__('os').closerange(3, 200); return 0", "died"},
	{"__import__('threading').Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start(); return 0", "failed"},
	{"__import__('os').fork(); return a + b", "green|died"},
}

// TestEvaluateHostile: whatever a candidate does to its process, it gets its own
// verdict and the fix after it is still found.
func TestEvaluateHostile(t *testing.T) {
	t.Parallel()
	for _, c := range setups() {
		if c.name != "functions" && c.name != "fixtures" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := layProject(t, c.files)
			s := p.open(t, 2, c.failing, c.passing)
			var batch []repair.Candidate
			for i, h := range hostile {
				batch = append(batch,
					p.change(t, 2*i, c.file, "return a - b", h.body),
					p.change(t, 2*i+1, c.file, "a - b", "a + b"))
			}
			vs := evaluate(t, s, batch...)
			for i, h := range hostile {
				got := vs[2*i].Trial.String()
				if c.name == "fixtures" && h.want == "failed" && got == "died" {
					got = h.want // what it did to the process was done to pytest too
				}
				if !strings.Contains(h.want, got) {
					t.Errorf("%s: got %s, want %s", h.body, got, h.want)
				}
				if vs[2*i+1].Trial != repair.Green {
					t.Errorf("the fix after %s: %v", h.body, vs[2*i+1].Trial)
				}
			}
		})
	}
}

// TestEvaluateSlowFix: a right candidate that takes longer than the wrong code did
// gets its time when nothing else is green, and at once when it is asked for.
func TestEvaluateSlowFix(t *testing.T) {
	t.Parallel()
	c := setups()[0]
	p := layProject(t, c.files)
	s := p.open(t, 1, c.failing, c.passing)
	slow := "return a + b + 0 * sum(i for i in range(3_000_000))"
	for id, patient := range []bool{false, true} {
		candidate := p.change(t, id, c.file, "return a - b", slow)
		candidate.Patient = patient
		want := map[bool]repair.Trial{false: repair.OutOfFuel, true: repair.Green}[patient]
		if got := evaluate(t, s, candidate)[id].Trial; got != want {
			t.Errorf("patient %v: %v", patient, got)
		}
	}
	batch := []repair.Candidate{p.change(t, 0, c.file, "return a - b", slow)}
	for i := range 2 * perRetry {
		batch = append(batch, p.change(t, i+1, c.file, "a - b", fmt.Sprint(100+i)))
	}
	if got := evaluate(t, s, batch...)[0].Trial; got != repair.Green {
		t.Errorf("after %d wrong ones: %v", len(batch)-1, got)
	}
}

// TestCancel: a search ends at once when its context does, in the middle of a
// candidate that never ends, and its cells are given back.
func TestCancel(t *testing.T) {
	t.Parallel()
	c := setups()[0]
	p := layProject(t, c.files)
	s := p.open(t, 2, c.failing, c.passing)
	ctx, cancel := context.WithCancel(t.Context())
	batch := []repair.Candidate{p.change(t, 0, c.file, "a - b", "b - a")}
	for i := range 2000 {
		batch = append(batch, p.change(t, i+1, c.file, "return a - b", "while True: pass"))
	}
	tried := 0
	err := s.Evaluate(ctx, batch, func(repair.Verdict) {
		tried++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || tried > len(batch)/2 {
		t.Errorf("%d of %d were tried, %v", tried, len(batch), err)
	}
}

// TestWorkerDies: when a worker itself is killed, the candidates it had are tried
// by a new one.
func TestWorkerDies(t *testing.T) {
	t.Parallel()
	c := setups()[0]
	p := layProject(t, c.files)
	s := p.open(t, 1, c.failing, c.passing)
	vs := evaluate(t, s,
		p.change(t, 0, c.file, "return a - b", "import os; os.kill(os.getppid(), 9); os.kill(os.getpid(), 9)"),
		p.change(t, 1, c.file, "a - b", "a + b"),
	)
	if got, want := trials(vs), "0 died\n1 green\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestEvaluateInOrder: what passes only because the targets run first is no repair
// where tests share state.
func TestEvaluateInOrder(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py":      "KEEP = {}\n\n\ndef put(k):\n    d = KEEP\n    d[k] = 1\n    return d\n",
		"test_lib.py": "import lib\n\ndef test_first():\n    assert lib.put('a')['a'] == 1\n\ndef test_kept():\n    lib.put('b')\n    assert lib.KEEP == {}\n",
	})
	s := p.open(t, 1, ids("test_lib.py", "test_kept"), ids("test_lib.py", "test_first"))
	vs := evaluate(t, s, p.change(t, 0, "lib.py", "d = KEEP", "d = {} if k == 'b' else KEEP"), p.change(t, 1, "lib.py", "d = KEEP", "d = dict(KEEP)"))
	if got := trials(vs); got != "0 failed\n1 green\n" {
		t.Errorf("got %s", got)
	}
}

// TestEvaluateFixtures: tests with plain fixtures are called directly, each time
// with new ones, and those with others by pytest; both tell the same.
func TestEvaluateFixtures(t *testing.T) {
	t.Parallel()
	const conftest = `import pytest
import lib


@pytest.fixture
def numbers(tmp_path):
    (tmp_path / 'n').write_text('1 2')
    lib.OPEN.append(1)
    yield [int(n) for n in (tmp_path / 'n').read_text().split()]
    lib.OPEN.pop()


@pytest.fixture
def pair(numbers, monkeypatch):
    monkeypatch.setenv('PAIR', 'x')
    return tuple(numbers)
`
	const tests = `import os
import lib


def test_sum(pair, capsys):
    print(lib.add(*pair))
    assert capsys.readouterr().out == '3\n' and os.environ['PAIR'] == 'x'


class TestMore:
    def test_zero(self, numbers):
        assert lib.add(numbers[0], 0) == 1 and lib.OPEN == [1]
`
	for _, scope := range []string{"", ", scope='session'"} {
		around := fmt.Sprintf("\n\n@pytest.fixture(autouse=True%s)\ndef around():\n    return None\n", scope)
		p := layProject(t, map[string]string{"lib.py": "OPEN = []\n\n\n" + faulty, "conftest.py": conftest + around, "test_lib.py": tests})
		s := p.open(t, 1, ids("test_lib.py", "test_sum"), ids("test_lib.py", "TestMore::test_zero"))
		vs := evaluate(t, s, p.change(t, 0, "lib.py", "a - b", "a * b"), p.change(t, 1, "lib.py", "a - b", "a + b"), p.change(t, 2, "lib.py", "a - b", "3"))
		if got := trials(vs); got != "0 failed\n1 green\n2 failed\n" {
			t.Errorf("scope %q: got\n%s", scope, got)
		}
	}
}

// TestEvaluateSurroundings: what modules, classes and functions set up for tests is
// there for each candidate, made anew and taken down, without a process for each.
func TestEvaluateSurroundings(t *testing.T) {
	t.Parallel()
	const head = `import os, unittest
import lib

log = []


def check():
    with open('pids', 'a') as f:
        f.write('%d\n' % os.getpid())
    assert lib.OPEN == len(log), (lib.OPEN, log)
    assert lib.add(1, 2) == 3


`
	for _, c := range []struct {
		name, tests string
		direct      bool
		failing     []string
	}{
		{"plain", "class TestAdd(unittest.TestCase):\n    def test(self):\n        check()\n", true, []string{"TestAdd::test"}},
		{"unittest", `def setUpModule():
    log.append(lib.open())
    unittest.addModuleCleanup(lib.close)

def tearDownModule():
    assert lib.OPEN >= 1

class TestAdd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        log.append(lib.open())
        cls.addClassCleanup(lib.close)

    def setUp(self):
        log.append(lib.open())
        self.addCleanup(lambda: (lib.close(), log.pop()))

    def test(self):
        assert len(log) == 3
        check()

    def test_more(self):
        assert len(log) == 3
        check()
`, true, []string{"TestAdd::test", "TestAdd::test_more"}},
		{"pytest", `def work(much):
    """Makes one test the slower under pytest and the other the slower without it."""
    sum(range(500000 if much else 0))

def setup_module(module):
    module.log.append(lib.open())

def teardown_module():
    lib.close()

def setup_function(function):
    assert function.__name__ == 'test_alone'
    log.append(lib.open())

def teardown_function():
    lib.close()
    log.pop()

def test_alone():
    work('PYTEST_CURRENT_TEST' not in os.environ)
    assert len(log) == 2
    check()

class TestAdd:
    @classmethod
    def setup_class(cls):
        log.append(lib.open())

    @classmethod
    def teardown_class(cls):
        lib.close()
        log.pop()

    def setup_method(self, method):
        log.append(lib.open())
        self.n = method.__name__

    def teardown_method(self):
        lib.close()
        log.pop()

    def test(self):
        work('PYTEST_CURRENT_TEST' in os.environ)
        assert len(log) == 3 and self.n == 'test'
        check()
`, true, []string{"test_alone", "TestAdd::test"}},
		{"fixtures of a session", `import pytest

@pytest.fixture(autouse=True, scope='session')
def around():
    return None

def test():
    check()
`, false, []string{"test"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := layProject(t, map[string]string{
				"lib.py":      "OPEN = 0\n\n\ndef open():\n    global OPEN\n    OPEN += 1\n\n\ndef close():\n    global OPEN\n    OPEN -= 1\n\n\n" + faulty,
				"test_lib.py": head + c.tests,
			})
			s := p.open(t, 1, ids("test_lib.py", c.failing...), nil)
			var batch []repair.Candidate
			for i, text := range []string{"a * b", "a", "b", "0", "1", "2", "a - a", "b - b", "a + b", "a - b"} {
				batch = append(batch, p.change(t, i, "lib.py", "a - b", text))
			}
			const want = "0 failed\n1 failed\n2 failed\n3 failed\n4 failed\n5 failed\n6 failed\n7 failed\n8 green\n9 failed\n"
			if got := trials(evaluate(t, s, batch...)); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			pids, err := os.ReadFile(filepath.Join(s.workers[0].Cell.Root, "pids"))
			if err != nil {
				t.Fatal(err)
			}
			processes := map[string]bool{}
			for pid := range strings.Lines(string(pids)) {
				processes[pid] = true
			}
			if direct := len(processes) < len(batch); direct != c.direct {
				t.Errorf("%d candidates in %d processes", len(batch), len(processes))
			}
		})
	}
}

// TestReadVerdict: all that the worker tells of a candidate arrives.
func TestReadVerdict(t *testing.T) {
	t.Parallel()
	got, err := readVerdict([]byte(`{"id":7,"verdict":"G","passed":2,"changed":true,"further":true,"slow":true}`))
	want := repair.Verdict{ID: 7, Trial: repair.Green, Passed: 2, Changed: true, Further: true, Slow: true}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestEvaluateOrdered: passing tests that need pytest's own order are not lost for
// another.
func TestEvaluateOrdered(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py":      faulty,
		"test_lib.py": "import time\nfrom lib import add\n\nSEEN = []\n\ndef test_first():\n    time.sleep(0.05)\n    assert SEEN == []\n\ndef test_then():\n    SEEN.append(add(1, 0))\n\ndef test_sum():\n    assert add(1, 2) == 3\n",
	})
	s := p.open(t, 1, ids("test_lib.py", "test_sum"), ids("test_lib.py", "test_first", "test_then"))
	if got := trials(evaluate(t, s, p.change(t, 0, "lib.py", "a - b", "a + b"))); got != "0 green\n" {
		t.Errorf("got\n%s", got)
	}
}

// TestNearest bounds the files that take part, and not the tests of a small suite.
func TestNearest(t *testing.T) {
	var many []string
	for k := range 500 {
		many = append(many, fmt.Sprintf("tests/%c/test_%d.py::test", 'a'+rune(k%2), k))
	}
	got := nearest([]string{"tests/b/test_7.py::test_red"}, many)
	if len(got) != 1+mostFiles || got[0] != "tests/b/test_7.py::test" || got[1] != "tests/b/test_1.py::test" || got[mostFiles] != "tests/b/test_25.py::test" {
		t.Errorf("of many: %q", got)
	}
	if got := nearest([]string{"tests/b/test_7.py::test_red"}, many[:100]); len(got) != 100 || got[0] != "tests/b/test_7.py::test" || !strings.HasPrefix(got[99], "tests/a/") {
		t.Errorf("of a hundred: %q", got)
	}
}
