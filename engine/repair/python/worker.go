package python

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"autocoder/engine/command"
	"autocoder/engine/propose"
	"autocoder/engine/pylayout"
	"autocoder/engine/repair/worker"
)

//go:embed worker/*.py
var program embed.FS

// packageName is the name under which the worker's files are imported; no
// project has it.
const packageName = "autocoder_repair"

// start runs the worker. Its folder is taken out of the path again, and so is the
// working folder, whose modules may have the names of the library's.
const start = `import sys
sys.path[:] = [%q] + [p for p in sys.path if p]
from %s import server
del sys.path[0]
server.main()`

// newWorker lays the program into the cell's scratch folder.
func newWorker(cell *propose.Cell, unit propose.Unit) (*worker.Worker, error) {
	dir := filepath.Join(cell.Scratch, "autocoder-python")
	if err := lay(filepath.Join(dir, packageName)); err != nil {
		return nil, fmt.Errorf("lay the worker for Python: %w", err)
	}
	env := append([]string{
		"CI=1", "NO_COLOR=1", "TERM=dumb", "COLUMNS=200", "LC_ALL=C.UTF-8", "LANG=C.UTF-8",
		"PYTHONPATH=", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "PYTHONUTF8=1", "PYTHONUNBUFFERED=1",
		"HYPOTHESIS_STORAGE_DIRECTORY=" + filepath.Join(dir, "hypothesis"),
		"COVERAGE_FILE=" + filepath.Join(dir, "coverage.data"),
	}, unit.Env...)
	return &worker.Worker{Name: "the worker for Python", Cell: cell, Spec: command.Spec{
		Args: []string{unit.Interpreter, "-c", fmt.Sprintf(start, dir, packageName)},
		Dir:  filepath.ToSlash(filepath.Clean(unit.Root)), Env: env, Stdin: true,
	}}, nil
}

func lay(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, pylayout.File), pylayout.Source(), 0o644); err != nil {
		return err
	}
	return worker.Lay(program, "worker", dir)
}
