package neighbours

import (
	"context"
	"embed"
	"fmt"
	"path"
	"path/filepath"

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

// Python looks at an edit of Python code whose tests run under pytest.
func Python(ctx context.Context, cell Cell, work Work) ([]Function, error) {
	p := program{cell: cell, request: map[string]any{
		"root": cell.Root(), "folder": filepath.Join(cell.Root(), filepath.FromSlash(work.Root)),
		"tests": work.Tests, "before": work.Before, "seconds": work.Seconds,
	}}
	return p.run(ctx, func(dir string) error {
		if err := python.Lay(dir); err != nil {
			return err
		}
		return worker.Lay(pythonProgram, "python", filepath.Join(dir, "autocoder_neighbours"))
	}, func(dir, request, answer string) command.Spec {
		return command.Spec{
			Args: []string{work.Interpreter, "-c", fmt.Sprintf(pythonStart, dir, request, answer)},
			Dir:  path.Clean(work.Root), Env: append(python.Environment(dir), work.Env...),
		}
	})
}
