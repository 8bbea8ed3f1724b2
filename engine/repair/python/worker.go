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
	if err := Lay(dir); err != nil {
		return nil, err
	}
	env := append(Environment(dir), unit.Env...)
	return &worker.Worker{Name: "the worker for Python", Cell: cell, Spec: command.Spec{
		Args: []string{unit.Interpreter, "-c", fmt.Sprintf(start, dir, packageName)},
		Dir:  filepath.ToSlash(filepath.Clean(unit.Root)), Env: env, Stdin: true,
	}}, nil
}

// Environment are the variables of a program that runs tests by the worker's modules;
// what tests leave goes into dir.
func Environment(dir string) []string {
	return []string{
		"CI=1", "NO_COLOR=1", "TERM=dumb", "COLUMNS=200", "LC_ALL=C.UTF-8", "LANG=C.UTF-8",
		"PYTHONPATH=", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "PYTHONUTF8=1", "PYTHONUNBUFFERED=1",
		"HYPOTHESIS_STORAGE_DIRECTORY=" + filepath.Join(dir, "hypothesis"),
		"COVERAGE_FILE=" + filepath.Join(dir, "coverage.data"),
	}
}

// Lay lays the worker's modules into dir, as the package autocoder_repair: for the
// worker, and for other programs that run tests and write down what these call.
func Lay(dir string) error {
	dir = filepath.Join(dir, packageName)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, pylayout.File), pylayout.Source(), 0o644)
	}
	if err == nil {
		err = worker.Lay(program, "worker", dir)
	}
	if err != nil {
		return fmt.Errorf("lay the worker for Python: %w", err)
	}
	return nil
}
