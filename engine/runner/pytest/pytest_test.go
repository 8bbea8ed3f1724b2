package pytest

import (
	"context"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	t.Parallel()
	runnertest.Contract(t, New(), runnertest.Fixtures{
		Dir: os.DirFS("testdata/contract"), Environ: os.Environ(),
	})
}

// TestUserCommand runs commands that the user gave: our reporter goes along, and
// the interpreter is the one that was found.
func TestUserCommand(t *testing.T) {
	t.Parallel()
	files := []txtar.File{
		{Name: "it's a folder/test_x.py", Data: []byte("import os\ndef test_a():\n    assert os.environ['PYTHONPATH'] == '/given'\ndef test_b():\n    pass\n")},
		{Name: "test_c.py", Data: []byte("def test_c():\n    pass\n")},
	}
	for about, command := range map[string][]string{
		"pytest":       {"pytest", "-k", "test_a", "it's a folder"},
		"python":       {"python3", "-m", "pytest", "-k", "test_a"},
		"in a command": {"sh", "-c", `"$PY" -m pytest -x -k test_a`},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			cell := runnertest.OpenCell(t, runnertest.Write(t, "pro'ject", files))
			unit := runnertest.Prepare(t, New(), cell, os.Environ())
			unit.Command = command
			unit.Env = append(unit.Env, "PY="+unit.Interpreter, "PYTHONPATH=/given")
			run, err := runner.Run(context.Background(), cell, New(), unit, runner.Selection{}, runner.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := account(run), "passed it's a folder/test_x.py::test_a\n"; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}
