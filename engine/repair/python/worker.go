package python

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"autocoder/engine/command"
	"autocoder/engine/propose"
	"autocoder/engine/pylayout"
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

// worker is a worker process in a cell of its own.
type worker struct {
	cell *propose.Cell
	spec command.Spec
	// opening is the request that tells a new process what it works on.
	opening any
	process *command.Process
	out     *bufio.Reader
	log     *tail
	read    sync.WaitGroup
}

// newWorker lays the program into the cell's scratch folder.
func newWorker(cell *propose.Cell, unit propose.Unit) (*worker, error) {
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
	return &worker{cell: cell, spec: command.Spec{
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
	files, err := program.ReadDir("worker")
	if err != nil {
		return err
	}
	for _, f := range files {
		content, err := program.ReadFile("worker/" + f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// message is one line of a worker's answer.
type message struct {
	End   bool   `json:"end"`
	Error string `json:"error"`
}

// ask sends a request and calls each with every line of the answer. When the
// worker has died it is started again, and lost is true: what it had not
// answered is not answered.
func (w *worker) ask(ctx context.Context, request any, each func(line []byte) error) (lost bool, err error) {
	if w.process == nil {
		if err := w.begin(ctx); err != nil {
			return false, err
		}
	}
	stop := context.AfterFunc(ctx, w.process.Kill)
	defer stop()
	err = w.exchange(request, each)
	if ctx.Err() != nil {
		w.end()
		return true, ctx.Err()
	}
	if dead := (*deadError)(nil); errors.As(err, &dead) {
		w.end()
		return true, nil
	}
	return false, err
}

// begin starts the process and tells it what it works on.
func (w *worker) begin(ctx context.Context) error {
	p, err := w.cell.Start(context.WithoutCancel(ctx), w.spec)
	if err != nil {
		return fmt.Errorf("start the worker for Python: %w", err)
	}
	w.process, w.out, w.log = p, bufio.NewReaderSize(p.Stdout, 1<<16), &tail{}
	w.read.Go(func() { io.Copy(w.log, p.Stderr) })
	if w.opening == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	if err := w.exchange(w.opening, func([]byte) error { return nil }); err != nil {
		w.end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("start the worker for Python: %w: %s", err, w.log)
	}
	return nil
}

// deadError means that the process ended in the middle of an answer.
type deadError struct{ cause error }

func (d *deadError) Error() string { return fmt.Sprintf("the worker ended: %v", d.cause) }

func (w *worker) exchange(request any, each func(line []byte) error) error {
	data, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("write a request: %w", err)
	}
	if _, err := w.process.Stdin.Write(append(data, '\n')); err != nil {
		return &deadError{err}
	}
	for {
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			return &deadError{err}
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("read an answer: %w", err)
		}
		switch {
		case m.Error != "":
			return fmt.Errorf("the worker for Python failed: %s", m.Error)
		case m.End:
			return nil
		}
		if err := each(line); err != nil {
			return err
		}
	}
}

// end ends the process, if there is one.
func (w *worker) end() {
	if w.process == nil {
		return
	}
	w.process.Stdin.Close()
	w.process.Kill()
	io.Copy(io.Discard, w.out)
	w.read.Wait()
	w.process.Wait()
	w.process = nil
}

// close ends the process and gives the cell back.
func (w *worker) close() error {
	w.end()
	return w.cell.Close()
}

// tail keeps the last words of a stream.
type tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 4096; over > 0 {
		t.text = append([]byte(nil), t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
