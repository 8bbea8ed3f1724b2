package pytest

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/runner"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	const test = "def test_a():\n    pass\n"
	for _, c := range []struct {
		about string
		files map[string]string
		want  map[string]string // why by root
	}{
		{"nothing", map[string]string{"a.py": "x = 1"}, map[string]string{}},
		{"a bare test file", map[string]string{"sub/test_a.py": test}, map[string]string{".": "sub/test_a.py"}},
		{"the other pattern", map[string]string{"a_test.py": "import unittest\n"}, map[string]string{".": "a_test.py"}},
		{"a name alone is no test", map[string]string{"test_data.py": "DATA = 1\n"}, map[string]string{}},
		{"pytest.ini", map[string]string{"pytest.ini": "[pytest]\n"}, map[string]string{".": "pytest.ini"}},
		{
			"each file that can configure pytest",
			map[string]string{
				"a/pyproject.toml": "[tool.pytest.ini_options]\n", "b/tox.ini": "[tox]\n[pytest]\n", "c/setup.cfg": "[tool:pytest]\n",
				"d/pyproject.toml": "[tool.pytest]\n", "e/.pytest.ini": "", "f/tox.ini": "[tox]\n", "g/setup.cfg": "[metadata]\n",
			},
			map[string]string{
				"a": "a/pyproject.toml", "b": "b/tox.ini", "c": "c/setup.cfg", "d": "d/pyproject.toml", "e": "e/.pytest.ini",
			},
		},
		{
			"the root covers folders without a configuration",
			map[string]string{"pytest.ini": "", "x/test_a.py": test, "y/setup.py": "", "y/test_b.py": test, "z/pytest.ini": "", "z/test_c.py": test},
			map[string]string{".": "pytest.ini", "z": "z/pytest.ini"},
		},
		{
			"projects side by side",
			map[string]string{"a/pyproject.toml": "[project]\n", "a/tests/test_a.py": test, "b/setup.py": "", "b/test_b.py": test, "c/test_c.py": test},
			map[string]string{"a": "a/tests/test_a.py", "b": "b/test_b.py", ".": "c/test_c.py"},
		},
		{
			"a configuration above the projects has nothing to run",
			map[string]string{"setup.cfg": "[tool:pytest]\n", "a/pytest.ini": "", "a/test_a.py": test},
			map[string]string{"a": "a/pytest.ini"},
		},
		{
			"a configuration that says which files are tests",
			map[string]string{"pytest.ini": "[pytest]\npython_files = check_*.py\n", "a/pytest.ini": "", "a/test_a.py": test},
			map[string]string{".": "pytest.ini", "a": "a/pytest.ini"},
		},
		{
			"dependencies and fixtures",
			map[string]string{"test_a.py": test, ".venv/test_b.py": test, "node_modules/x/pytest.ini": "", "testdata/test_c.py": test, "env/pyvenv.cfg": "", "env/pytest.ini": ""},
			map[string]string{".": "test_a.py"},
		},
	} {
		tree := fstest.MapFS{}
		for name, text := range c.files {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		units, err := runner.Detect(tree, []runner.Adapter{New()}, runner.DetectOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
		}
		got := map[string]string{}
		for _, u := range units {
			got[u.Root] = u.Why
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.about, diff)
		}
	}
}

// TestDetectSurvivesOddEntries walks a real folder with what can't be read.
func TestDetectSurvivesOddEntries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, target := range map[string]string{"test_link.py": "nowhere", "pytest.ini": "pytest.ini", "loop": "."} {
		if err := os.Symlink(target, dir+"/"+name); err != nil {
			t.Skipf("not on this system: symlink: %v", err)
		}
	}
	if err := os.WriteFile(dir+"/test_big.py", make([]byte, 3<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/test_a\xff\n.py", "/test_a \n'.py"} {
		if err := os.WriteFile(dir+name, []byte("import pytest\n"), 0o644); err != nil {
			t.Skipf("not on this system: odd names: %v", err)
		}
	}
	units, err := detect(os.DirFS(dir))
	if err != nil || len(units) != 1 {
		t.Errorf("got %+v, %v", units, err)
	}
	if _, err := detect(os.DirFS(dir + "/none")); err == nil {
		t.Error("a missing folder is no error")
	}
}
