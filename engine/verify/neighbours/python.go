package neighbours

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/repair/python"
	"autocoder/engine/repair/worker"
)

//go:embed python/*.py
var pythonProgram embed.FS

// pythonStart runs the program. Its folder is taken out of the path again, and so is
// the working folder, whose modules may have the names of the library's.
const pythonStart = `import sys
sys.path[:] = [%q] + [p for p in sys.path if p]
from autocoder_neighbours import main
del sys.path[0]
main.main(%q, %q)`

// most is how large an answer may be.
const most = 16 << 20

// Python looks at an edit of Python code whose tests run under pytest.
func Python(ctx context.Context, cell Cell, work Work) ([]Function, error) {
	dir, err := os.MkdirTemp(cell.Scratch(), "neighbours-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for what is near the tests' inputs: %w", err)
	}
	err = errors.Join(
		python.Lay(dir),
		worker.Lay(pythonProgram, "python", filepath.Join(dir, "autocoder_neighbours")),
	)
	if err != nil {
		return nil, fmt.Errorf("lay the program that asks near the tests' inputs: %w", err)
	}
	request, answer := filepath.Join(dir, "request.json"), filepath.Join(dir, "answer.json")
	data, err := json.Marshal(map[string]any{
		"root": cell.Root(), "folder": filepath.Join(cell.Root(), filepath.FromSlash(work.Root)),
		"tests": work.Tests, "before": work.Before, "seconds": work.Seconds,
	})
	if err == nil {
		err = os.WriteFile(request, data, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("write what to ask near the tests' inputs: %w", err)
	}
	out, err := command.Run(ctx, cell, command.Spec{
		Args: []string{work.Interpreter, "-c", fmt.Sprintf(pythonStart, dir, request, answer)},
		Dir:  filepath.ToSlash(filepath.Clean(work.Root)), Env: append(python.Environment(dir), work.Env...),
	}, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("ask near the tests' inputs: %w", err)
	}
	return read(answer, out)
}

// read reads what a program has answered.
func read(answer string, out command.Output) ([]Function, error) {
	f, err := os.Open(answer)
	if err != nil {
		return nil, fmt.Errorf("ask near the tests' inputs: %v: %s", out.Exit, strings.TrimSpace(string(out.Stderr)))
	}
	defer f.Close()
	var told struct {
		Functions []Function `json:"functions"`
	}
	if err := json.NewDecoder(io.LimitReader(f, most)).Decode(&told); err != nil {
		return nil, fmt.Errorf("read what was asked near the tests' inputs: %w", err)
	}
	return told.Functions, nil
}
