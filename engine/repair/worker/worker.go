// Package worker talks with a process of ours in a cell that does a language's
// work: a request is a line of JSON, its answer some lines and one that ends it.
// What the process prints elsewhere is kept for error messages.
//
// A process that dies is started again at the next request. That it died is an
// answer, not an error.
package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"autocoder/engine/command"
	"autocoder/engine/propose"
)

// Worker is a process in a cell of its own. Its methods may be called one at a
// time.
type Worker struct {
	// Name is how errors call it: "the worker for JavaScript".
	Name string
	Cell *propose.Cell
	Spec command.Spec
	// Opening is the request that tells a new process what it works on; nil for none.
	Opening any

	process *command.Process
	out     *bufio.Reader
	log     *tail
	read    sync.WaitGroup
}

// Lay writes the files of a folder of a program into a folder of the disk.
func Lay(program fs.FS, folder, dir string) error {
	sub, err := fs.Sub(program, folder)
	if err != nil {
		return err
	}
	return fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		content, err := fs.ReadFile(sub, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
}

// answer is what every line of an answer may have.
type answer struct {
	End   bool   `json:"end"`
	Lost  bool   `json:"lost"`
	Error string `json:"error"`
}

// Ask sends a request and calls each with every line of the answer but the last.
// When the process has died, or could not do it and says so, lost is true: what it
// had not answered is not answered.
func (w *Worker) Ask(ctx context.Context, request any, each func(line []byte) error) (lost bool, err error) {
	if w.process == nil {
		if err := w.Begin(ctx); err != nil {
			return false, err
		}
	}
	stop := context.AfterFunc(ctx, w.process.Kill)
	defer stop()
	lost, err = w.exchange(request, each)
	if ctx.Err() != nil {
		w.end()
		return true, ctx.Err()
	}
	if dead := (*deadError)(nil); errors.As(err, &dead) {
		w.end()
		return true, nil
	}
	return lost, err
}

// Running reports whether there is a process: a new one knows nothing of what the
// last was told.
func (w *Worker) Running() bool { return w.process != nil }

// Tell writes a line to the process, from within an answer.
func (w *Worker) Tell(value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write to %s: %w", w.Name, err)
	}
	if _, err := w.process.Stdin.Write(append(data, '\n')); err != nil {
		return &deadError{err}
	}
	return nil
}

// Begin starts the process and tells it what it works on. Ask does so by itself.
func (w *Worker) Begin(ctx context.Context) error {
	p, err := w.Cell.Start(context.WithoutCancel(ctx), w.Spec)
	if err != nil {
		return fmt.Errorf("start %s: %w", w.Name, err)
	}
	w.process, w.out, w.log = p, bufio.NewReaderSize(p.Stdout, 1<<16), &tail{}
	w.read.Go(func() { io.Copy(w.log, p.Stderr) })
	if w.Opening == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	if _, err := w.exchange(w.Opening, func([]byte) error { return nil }); err != nil {
		w.end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("start %s: %w: %s", w.Name, err, w.log)
	}
	return nil
}

// deadError means that the process ended in the middle of an answer.
type deadError struct{ cause error }

func (d *deadError) Error() string { return fmt.Sprintf("it ended: %v", d.cause) }

func (w *Worker) exchange(request any, each func(line []byte) error) (lost bool, err error) {
	if err := w.Tell(request); err != nil {
		return false, err
	}
	for {
		line, err := readLine(w.out)
		if err != nil {
			return false, &deadError{err}
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return false, fmt.Errorf("read an answer of %s: %w", w.Name, err)
		}
		switch {
		case a.Error != "":
			return false, fmt.Errorf("%s failed: %s", w.Name, a.Error)
		case a.End:
			return a.Lost, nil
		}
		if err := each(line); err != nil {
			return false, err
		}
	}
}

// longestLine is the most that one line of an answer may have: tests run in the
// process, and may write to wherever it answers.
const longestLine = 64 << 20

var errTooLong = errors.New("it answers without an end")

// readLine reads a line that is not too long.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > longestLine:
			return nil, errTooLong
		}
	}
}

// end ends the process, if there is one.
func (w *Worker) end() {
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

// Close ends the process and gives the cell back.
func (w *Worker) Close() error {
	w.end()
	return w.Cell.Close()
}

// tail keeps the last words of a stream.
type tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

// Write takes more words.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 4096; over > 0 {
		t.text = append([]byte(nil), t.text[over:]...)
	}
	return len(p), nil
}

// String returns the last words.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
