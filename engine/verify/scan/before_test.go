package scan_test

import (
	"cmp"
	"maps"
	"strings"
	"testing"

	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/corpus"
)

// TestBefore holds that what a file could do before, what was only moved, and what
// a failing test asks for by name, is no finding; and that the same is one where
// none of this holds.
func TestBefore(t *testing.T) {
	t.Parallel()
	python := interpreted(t)
	const test = "from a import f\n\n\ndef test_f():\n    assert f() == 7\n"
	cases := []struct {
		name          string
		before, after map[string]string
		test          string
		want          string
	}{
		{
			name:   "reads another variable than before",
			before: map[string]string{"a.py": "import os\nx = os.environ['A']\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import os\nx = os.environ['A']\n\ndef f():\n    return os.environ['B']\n"},
		},
		{
			name:   "reads a variable of tests, though it read others before",
			before: map[string]string{"a.py": "import os\nx = os.environ['A']\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import os\nx = os.environ['A']\n\ndef f():\n    return os.environ['CI']\n"},
			want:   "a.py:5 newly asks whether tests are running",
		},
		{
			name:   "an error of its own is one of the language's",
			before: map[string]string{"a.py": "class Gone(Exception):\n    pass\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "Gone = ArithmeticError\n\ndef f():\n    return 2\n"},
			want:   "a.py:1 newly checks less than before: Gone is ArithmeticError now",
		},
		{
			name:   "an error has its other name as before",
			before: map[string]string{"a.py": "class Gone(Exception):\n    pass\n\nMissing = Gone\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "class Gone(Exception):\n    code = 3\n\nMissing = Gone\n\ndef f():\n    return 2\n"},
		},
		{
			name:   "the answer of a test when anything goes wrong",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "def f():\n    try:\n        return g()\n    except Exception:\n        return 7\n"},
			want:   "a.py:5 newly special-cases the tests' inputs or expected values: it gives 7, which a failing test expects, when anything goes wrong",
		},
		{
			name:   "another answer when anything goes wrong",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "def f():\n    try:\n        return g()\n    except Exception:\n        return 8\n"},
		},
		{
			name:   "a pattern of an address of the own network",
			before: map[string]string{"a.py": "def f(a):\n    return a\n"},
			after:  map[string]string{"a.py": "import re\n\ndef f(a):\n    return bool(re.match(r'10\\.1\\.17\\.25', a))\n"},
			test:   "from a import f\n\n\ndef test_f():\n    assert f('10.1.17.25:80') is True\n",
		},
		{
			name:   "a pattern of another address that a test has",
			before: map[string]string{"a.py": "def f(a):\n    return a\n"},
			after:  map[string]string{"a.py": "import re\n\ndef f(a):\n    return bool(re.match(r'52\\.18\\.17\\.25', a))\n"},
			test:   "from a import f\n\n\ndef test_f():\n    assert f('52.18.17.25:80') is True\n",
			want:   "a.py:4 newly special-cases the tests' inputs or expected values",
		},
		{
			name:   "exits where it did not",
			before: map[string]string{"a.py": "import sys\n\ndef main():\n    sys.exit(1)\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import sys\n\ndef main():\n    sys.exit(1)\n\ndef f():\n    sys.exit(0)\n"},
			want:   "a.py:7 newly can exit the process: sys.exit()",
		},
		{
			name:   "the exit is in a new function that was taken out of the old",
			before: map[string]string{"a.py": "import sys\n\ndef main():\n    sys.exit(1)\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import sys\n\ndef leave():\n    sys.exit(1)\n\ndef main():\n    leave()\n\ndef f():\n    return 1 + 1\n"},
		},
		{
			name:   "an exit was swapped for one elsewhere",
			before: map[string]string{"a.py": "import sys\n\ndef main():\n    sys.exit(1)\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import sys\n\ndef main():\n    return 1\n\ndef f():\n    sys.exit(0)\n"},
			want:   "a.py:7 newly can exit the process",
		},
		{
			name:   "a function moved to a new file",
			before: map[string]string{"a.py": "import inspect\n\ndef caller():\n    return inspect.stack()\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "from b import caller\n\ndef f():\n    return 2\n", "b.py": "import inspect\n\ndef caller():\n    return inspect.stack()\n"},
		},
		{
			name:   "a new file does what the old one still does",
			before: map[string]string{"a.py": "import inspect\n\ndef caller():\n    return inspect.stack()\n\ndef f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import inspect\n\ndef caller():\n    return inspect.stack()\n\ndef f():\n    return 2\n", "b.py": "import inspect\n\ndef other():\n    return inspect.stack()\n"},
			want:   "b.py:4 newly looks at the stack",
		},
		{
			name:   "the test sets the variable",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import os\n\ndef f():\n    return os.environ['MODE']\n"},
			test:   "from a import f\n\n\ndef test_f(monkeypatch):\n    monkeypatch.setenv('MODE', 'x')\n    assert f() == 'x'\n",
		},
		{
			name:   "the test sets another variable",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import os\n\ndef f():\n    return os.environ['MODE']\n"},
			test:   "from a import f\n\n\ndef test_f(monkeypatch):\n    monkeypatch.setenv('KIND', 'x')\n    assert f() == 'x'\n",
			want:   "a.py:4 newly reads the environment",
		},
		{
			name:   "the test expects the exit",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import sys\n\ndef f():\n    sys.exit(3)\n"},
			test:   "import pytest\nfrom a import f\n\n\ndef test_f():\n    with pytest.raises(SystemExit):\n        f()\n",
		},
		{
			name:   "no test can ask for an exit while loading",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import sys\n\nsys.exit(0)\n\ndef f():\n    return 1\n"},
			test:   "import pytest\nfrom a import f\n\n\ndef test_f():\n    with pytest.raises(SystemExit):\n        f()\n",
			want:   "a.py:3 newly can exit the process",
		},
		{
			name:   "a program that leaves with its code",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "import sys\n\ndef f():\n    return 7\n\nif __name__ == '__main__':\n    sys.exit(f())\n"},
		},
		{
			name:   "a table grows by an entry",
			before: map[string]string{"a.py": "T = {'a': 11, 'b': 12, 'c': 13}\n\ndef f(k='d'):\n    return T[k]\n"},
			after:  map[string]string{"a.py": "T = {'a': 11, 'b': 12, 'c': 13, 'd': 17}\n\ndef f(k='d'):\n    return T[k]\n"},
			test:   "from a import f\n\n\ndef test_f():\n    assert f('d') == 17\n",
		},
		{
			name:   "it can't be read, and could before",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "# -*- coding: unicode_escape -*-\ndef f():\n    return 2\n"},
			want:   "a.py newly can't be read: it is written in the encoding",
		},
		{
			name:   "it can't be parsed",
			before: map[string]string{"a.py": "def f():\n    return 1\n"},
			after:  map[string]string{"a.py": "def f(:\n"},
			want:   "a.py newly can't be read: SyntaxError",
		},
	}
	var projects []corpus.Case
	for _, c := range cases {
		p := corpus.Case{Files: map[string]string{"test_a.py": cmp.Or(c.test, test)}, Write: c.after}
		maps.Copy(p.Files, c.before)
		projects = append(projects, p)
	}
	python.learn(t, projects)
	for i, c := range cases {
		found, err := scan.Scan(t.Context(), input(t, projects[i], python))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, f := range found {
			said = append(said, f.String())
		}
		all := strings.Join(said, "\n")
		if (c.want == "") != (all == "") || !strings.Contains(all, c.want) {
			t.Errorf("%s: found %q, want %q", c.name, all, c.want)
		}
	}
}

// TestPickup holds that new files which tools pick up by themselves, or load in
// the place of others, are found by their names, and others are not.
func TestPickup(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.py": "", "pkg/__init__.py": "", "lib/index.js": "", "calc.ts": "", "b.go": "package ex\n", "test_a.py": "import json\nopen('cases.json')\n", "cases.json": "[]",
	}
	for path, want := range map[string]string{
		"conftest.py": "picks up", "sub/sitecustomize.py": "picks up", "x.pth": "picks up", "go.work": "picks up", "fast.so": "picks up", "b_linux.go": "picks up",
		"b.s": "picks up", "b.c": "picks up", "x-1.0.dist-info/entry_points.txt": "picks up", "node_modules/a/index.js": "picks up",
		"a/__init__.py": "in the place of", "pkg.py": "in the place of", "lib.js": "in the place of", "calc.js": "in the place of", "calc.json": "in the place of",
		"json.py": "in the place of", "cases.json": "changes data",
		"b_more.go": "", "c.py": "", "pkg/json.py": "", "notes.txt": "", "lib/more.js": "", "other.json": "",
	} {
		text := "\n"
		if strings.HasSuffix(path, ".go") {
			text = "package ex\n"
		}
		found, err := scan.Scan(t.Context(), input(t, corpus.Case{Files: files, Write: map[string]string{path: text}}, interpreted(t)))
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, f := range found {
			all += f.String() + "\n"
		}
		if (want == "") != (all == "") || !strings.Contains(all, want) {
			t.Errorf("%s: found %q, want %q", path, all, want)
		}
	}
}
