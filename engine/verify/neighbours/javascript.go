package neighbours

import (
	"context"
	"embed"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/repair/javascript"
	"autocoder/engine/repair/worker"
)

//go:embed javascript/*.cjs javascript/*.mjs
var javascriptProgram embed.FS

// JavaScript looks at an edit of JavaScript or TypeScript code whose tests run under
// node --test. Each test file is run by itself, as the runner does.
func JavaScript(ctx context.Context, cell Cell, work Work) ([]Function, error) {
	folder := filepath.Join(cell.Root(), filepath.FromSlash(work.Root))
	var files []string
	for _, id := range work.Tests {
		file, _, _ := strings.Cut(id, " > ")
		files = append(files, filepath.Join(folder, filepath.FromSlash(file)))
	}
	slices.Sort(files)
	p := program{cell: cell, request: map[string]any{
		"root": cell.Root(), "folder": folder, "files": slices.Compact(files), "options": append([]string{}, work.Options...),
		"before": work.Before, "seconds": work.Seconds,
	}}
	return p.run(ctx, func(dir string) error {
		if err := javascript.Lay(dir); err != nil {
			return err
		}
		return worker.Lay(javascriptProgram, "javascript", dir)
	}, func(dir, request, answer string) command.Spec {
		return command.Spec{
			Args: []string{work.Interpreter, filepath.Join(dir, "looking.cjs"), request, answer},
			Dir:  path.Clean(work.Root), Env: work.Env,
		}
	})
}
