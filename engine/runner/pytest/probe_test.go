package pytest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"
)

// machine is a fake one: a home, a project and folders of programs.
type machine struct{ home, project string }

func newMachine(t *testing.T) machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not on this system: the interpreters are shell scripts")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := machine{home: filepath.Join(top, "home"), project: filepath.Join(top, "project")}
	for _, dir := range []string{m.home, m.project} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m machine) file(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// python lays an interpreter that answers that it has that version of pytest,
// or none.
func (m machine) python(t *testing.T, path, pytest string) {
	answer := fmt.Sprintf(`{"prefix": %q, "base": "/usr", "path": []`, filepath.Dir(filepath.Dir(path)))
	if pytest == "" {
		answer += `, "error": "No module named 'pytest'"}`
	} else {
		answer += fmt.Sprintf(`, "pytest": %q}`, pytest)
	}
	m.file(t, path, "#!/bin/sh\ncat <<'END'\n"+answer+"\nEND\n", 0o755)
}

func TestProbeOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about string
		lay   func(t *testing.T, m machine)
		env   []string // $HOME and $PROJECT stand for the folders
		unit  runner.Unit
		want  string // the interpreter, relative to the folders
		why   string
		no    []string // what was rejected
	}{
		{
			about: "what was set, and nothing else",
			lay: func(t *testing.T, m machine) {
				m.python(t, m.home+"/set/python", "8.0.0")
				m.python(t, m.project+"/.venv/bin/python", "8.0.0")
				m.file(t, m.project+"/.venv/pyvenv.cfg", "", 0o644)
			},
			unit: runner.Unit{Interpreter: "$HOME/set/python"}, want: "$HOME/set/python", why: "interpreter set by the user",
		},
		{
			about: "the active environment before the project's",
			lay: func(t *testing.T, m machine) {
				m.python(t, m.home+"/active/bin/python", "8.0.0")
				m.python(t, m.project+"/.venv/bin/python", "8.0.0")
				m.file(t, m.project+"/.venv/pyvenv.cfg", "", 0o644)
			},
			env: []string{"VIRTUAL_ENV=$HOME/active"}, want: "$HOME/active/bin/python", why: "$VIRTUAL_ENV",
		},
		{
			about: "the project's environment, one that is above the unit too",
			lay: func(t *testing.T, m machine) {
				m.python(t, m.project+"/.venv/bin/python", "7.4.0")
				m.file(t, m.project+"/.venv/pyvenv.cfg", "", 0o644)
			},
			unit: runner.Unit{Root: "packages/a"}, want: "$PROJECT/.venv/bin/python", why: ".venv",
		},
		{
			about: "environments without pytest, or with one that is too old, are named",
			lay: func(t *testing.T, m machine) {
				m.python(t, m.project+"/.venv/bin/python", "")
				m.file(t, m.project+"/.venv/pyvenv.cfg", "", 0o644)
				m.python(t, m.project+"/venv/bin/python", "4.6.11")
				m.file(t, m.project+"/venv/pyvenv.cfg", "", 0o644)
				m.file(t, m.home+"/bin/python3", "#!/bin/sh\necho broken >&2; exit 3\n", 0o755)
				m.file(t, m.home+"/bin/python", "#!/bin/sh\necho hello\n", 0o755)
				m.python(t, m.home+"/bin2/python3", "9.0.1")
			},
			env: []string{"PATH=$HOME/bin:relative:$HOME/bin2"}, want: "$HOME/bin2/python3", why: "python3 in PATH",
			no: []string{
				"python ($PROJECT/.venv/bin/python): no pytest",
				"python ($PROJECT/venv/bin/python): pytest 4.6.11 is older than 6",
				"python3 ($HOME/bin/python3): it failed (exit code 3) broken",
				"python ($HOME/bin/python): it gave no answer",
			},
		},
		{
			about: "pytest among the user's own packages",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.home+"/.local/lib/python3.11/site-packages/pytest/__init__.py", "", 0o644)
				m.file(t, m.home+"/bin/python3", `#!/bin/sh
if [ "$PYTHONUSERBASE" = "`+m.home+`/.local" ]; then echo '{"pytest": "8.0.0"}'; else echo '{}'; fi
`, 0o755)
			},
			env: []string{"PATH=$HOME/bin"}, want: "$HOME/bin/python3", why: "python3 in PATH",
		},
		{
			about: "a pyenv shim stands for the version it would start",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.home+"/.pyenv/shims/python3", "#!/bin/sh\nsleep 1000\n", 0o755)
				m.file(t, m.home+"/.pyenv/version", "3.11.7\n", 0o644)
				m.python(t, m.home+"/.pyenv/versions/3.11.7/bin/python", "")
				m.python(t, m.home+"/bin/python3", "7.2.1")
			},
			env: []string{"PATH=$HOME/.pyenv/shims:$HOME/bin"}, want: "$HOME/bin/python3", why: "python3 in PATH",
			no: []string{"python ($HOME/.pyenv/shims/python3): no pytest"},
		},
		{
			about: "the version that the project names, by its beginning",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.project+"/.python-version", "3.12\n", 0o644)
				m.python(t, m.home+"/.pyenv/versions/3.12.1/bin/python", "8.1.0")
				m.python(t, m.home+"/bin/python3", "7.2.1")
			},
			env: []string{"PATH=$HOME/bin"}, want: "$HOME/.pyenv/versions/3.12.1/bin/python", why: ".python-version",
		},
		{
			about: "poetry's environment, the one of this path first",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.project+"/pyproject.toml", "[tool.poetry]\nversion = \"1\"\nname = \"My Thing\"\n", 0o644)
				m.python(t, m.home+"/.cache/pypoetry/virtualenvs/my_thing-AAAAAAAA-py3.11/bin/python", "8.0.0")
				m.python(t, m.home+"/.cache/pypoetry/virtualenvs/my_thing-"+pathHash(m.project)+"-py3.11/bin/python", "8.0.0")
			},
			want: "$HOME/.cache/pypoetry/virtualenvs/my_thing-HASH-py3.11/bin/python", why: "poetry's environment",
		},
		{
			about: "pipenv's environment",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.project+"/Pipfile", "", 0o644)
				m.python(t, m.home+"/.local/share/virtualenvs/project-AAAAAAAA/bin/python", "8.0.0")
			},
			want: "$HOME/.local/share/virtualenvs/project-AAAAAAAA/bin/python", why: "pipenv's environment",
		},
		{
			about: "conda's environment by its name",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.project+"/environment.yml", "name: thing\ndependencies: []\n", 0o644)
				m.python(t, m.home+"/miniconda3/envs/thing/bin/python", "8.0.0")
			},
			want: "$HOME/miniconda3/envs/thing/bin/python", why: "conda's environment",
		},
		{
			about: "uv's environment where it was put",
			lay: func(t *testing.T, m machine) {
				m.file(t, m.project+"/uv.lock", "", 0o644)
				m.python(t, m.project+"/.uv-env/bin/python", "8.0.0")
			},
			env: []string{"UV_PROJECT_ENVIRONMENT=.uv-env"}, want: "$PROJECT/.uv-env/bin/python", why: "$UV_PROJECT_ENVIRONMENT",
		},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			c.lay(t, m)
			expand := strings.NewReplacer("$HOME", m.home, "$PROJECT", m.project, "HASH", pathHash(m.project)).Replace
			env := []string{"HOME=" + m.home}
			for _, e := range c.env {
				env = append(env, expand(e))
			}
			c.unit.Interpreter = expand(c.unit.Interpreter)
			unit, err := probe(context.Background(), runnertest.OpenCell(t, m.project), c.unit, env)
			if err != nil {
				t.Fatal(err)
			}
			var no []string
			for _, r := range unit.Rejected {
				no = append(no, r.Runner+": "+r.Why)
			}
			for i := range c.no {
				c.no[i] = expand(c.no[i])
			}
			if unit.Interpreter != expand(c.want) || unit.Reason != testresult.NoReason || unit.Why != c.why {
				t.Errorf("got %s (%s) %s %s, want %s (%s)", unit.Interpreter, unit.Why, unit.Reason, unit.Detail, expand(c.want), c.why)
			}
			if diff := cmp.Diff(c.no, no); diff != "" {
				t.Errorf("rejected (-want +got):\n%s", diff)
			}
			if !slices.Contains(unit.Reads, filepath.Dir(unit.Interpreter)) {
				t.Errorf("the interpreter's folder is not among %q", unit.Reads)
			}
		})
	}
}

func TestProbeFindsNone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cell := runnertest.OpenCell(t, m.project)
	for _, c := range []struct {
		unit runner.Unit
		env  []string
		want string
	}{
		{env: []string{"PATH=" + m.home}, want: "no Python interpreter was found"},
		{unit: runner.Unit{Interpreter: m.home + "/none"}, want: "the interpreter that was set, " + m.home + "/none, can't run pytest"},
	} {
		unit, err := probe(context.Background(), cell, c.unit, c.env)
		if err != nil || unit.Reason != testresult.NotInstalled || !strings.Contains(unit.Detail, c.want) {
			t.Errorf("got %s %q, %v; want %q", unit.Reason, unit.Detail, err, c.want)
		}
	}
}

// TestProbeDoesNotAskTheProject checks that files of the project don't answer
// for the interpreter.
func TestProbeDoesNotAskTheProject(t *testing.T) {
	t.Parallel()
	dir := runnertest.Write(t, "project", []txtar.File{
		{Name: "pytest.py", Data: []byte("__version__ = '99'\n")},
		{Name: "json.py", Data: []byte("raise SystemExit(1)\n")},
		{Name: "test_a.py", Data: []byte("def test_a():\n    pass\n")},
	})
	cell := runnertest.OpenCell(t, dir)
	unit := runnertest.Prepare(t, New(), cell, os.Environ())
	if unit.Version == "99" || unit.Version == "" {
		t.Errorf("got version %q of %s", unit.Version, unit.Interpreter)
	}
}

// TestInstallElsewhere runs a project whose environment has an install in place
// of another checkout: the copy is tested all the same.
func TestInstallElsewhere(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{"", "src/", "lib/"} {
		t.Run("layout "+layout, func(t *testing.T) {
			t.Parallel()
			const code = "def f():\n    return %s\n"
			project := func(name, value string) string {
				return runnertest.Write(t, name, []txtar.File{
					{Name: "pyproject.toml", Data: []byte("[project]\nname = \"thing\"\n")},
					{Name: layout + "thing/__init__.py", Data: fmt.Appendf(nil, code, value)},
					{Name: "tests/test_f.py", Data: []byte("import thing\n\ndef test_f():\n    assert thing.f() == 1\n")},
				})
			}
			other, here := project("other", "2"), project("here", "1")
			cell := runnertest.OpenCell(t, here)
			unit := runnertest.Prepare(t, New(), cell, os.Environ())
			unit.Interpreter = inPlace(t, unit.Interpreter, filepath.Join(other, layout))
			unit.Command = nil
			run, err := runner.Run(context.Background(), cell, New(), unit, runner.Selection{}, runner.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if run.Reason != testresult.NoReason || len(run.Tests) != 1 || run.Tests[0].Status != testresult.Passed {
				t.Errorf("got %s %s %+v", run.Reason, run.Detail, run.Tests)
			}
		})
	}
}

// inPlace makes a virtual environment on the interpreter in which folder is
// installed in place, and returns its interpreter.
func inPlace(t *testing.T, interpreter, folder string) string {
	t.Helper()
	venv := t.TempDir()
	config := "home = " + filepath.Dir(interpreter) + "\ninclude-system-site-packages = true\n"
	if err := os.WriteFile(filepath.Join(venv, "pyvenv.cfg"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	for minor := 8; minor < 20; minor++ {
		site := filepath.Join(venv, "lib", fmt.Sprintf("python3.%d", minor), "site-packages")
		if err := os.MkdirAll(site, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(site, "thing.pth"), []byte(folder+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(venv, "bin", "python")
	if err := os.Mkdir(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(interpreter, program); err != nil {
		t.Skipf("not on this system: symlink: %v", err)
	}
	return program
}
