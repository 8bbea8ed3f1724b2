package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"autocoder/engine/command"
)

// outputLimit is how much of a stream of a test command is kept.
const outputLimit = 1 << 20

// ending is why a command ended.
type ending uint8

const (
	byItself ending = iota + 1
	testLimit
	suiteLimit
	tooLarge
)

// stop is the cause with which the watch ends a command.
type stop struct {
	why ending
	id  string // of the hung test
}

func (s stop) Error() string { return fmt.Sprintf("stopped by the watch (%d)", s.why) }

// watch runs one command and ends it when a test hangs, when the whole takes too
// long or when its report grows without bounds.
type watch struct {
	*running
	report Report
	laid   map[string]int64
	// limit is the per-test limit of this command.
	limit time.Duration
}

// run starts the command and waits for it; the output and the hung ids are in
// w.report then. The process tree is dead when it returns.
func (w *watch) run(ctx context.Context) (ending, error) {
	w.limit = w.limits.Test
	cancel := context.CancelFunc(func() {})
	inner := ctx
	if !w.end.IsZero() {
		inner, cancel = context.WithDeadlineCause(ctx, w.end, stop{why: suiteLimit})
	}
	defer cancel()
	inner, kill := context.WithCancelCause(inner)
	defer kill(nil)

	var observer sync.WaitGroup
	observer.Go(func() { w.observe(inner, kill) })
	out, err := command.Run(inner, w, w.report.Command, outputLimit)
	cause := context.Cause(inner)
	kill(nil)
	observer.Wait()

	w.report.Output = out
	var s stop
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("run %s: %w", w.adapter.Name, ctx.Err())
	case errors.As(cause, &s) && (err == nil || errors.Is(err, inner.Err())):
		if s.why == testLimit {
			w.report.Hung = []string{s.id}
		}
		return s.why, nil
	case err != nil:
		return 0, fmt.Errorf("run %s: %w", w.adapter.Name, err)
	case w.size() > ReportLimit:
		return tooLarge, nil
	default:
		return byItself, nil
	}
}

// Start starts the command in the cell; what it prints goes into a file of the
// report's folder as well when that is the report.
func (w *watch) Start(ctx context.Context, spec command.Spec) (*command.Process, error) {
	var file *os.File
	if w.adapter.StdoutReport {
		var err error
		folder, done, err := w.report.open()
		if err != nil {
			return nil, fmt.Errorf("make the report: %w", err)
		}
		defer done()
		if file, err = folder.OpenFile(StdoutFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err != nil {
			return nil, fmt.Errorf("make the report: %w", err)
		}
	}
	p, err := w.cell.Start(ctx, spec)
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, notFound(err)
	}
	if file != nil {
		to := io.WriteCloser(&limited{to: file})
		if w.adapter.Thin != nil {
			to = w.adapter.Thin(to)
		}
		p.Stdout = &copied{from: p.Stdout, to: to}
	}
	return p, nil
}

// copied is a stream that is written to a file while it is read.
type copied struct {
	from io.Reader
	to   io.WriteCloser
}

func (c *copied) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if _, werr := c.to.Write(p[:n]); werr != nil {
		return n, fmt.Errorf("keep the report: %w", werr)
	}
	if err != nil {
		c.to.Close()
	}
	return n, err
}

// limited is a file that takes up to one byte over the limit, which shows that there
// was more.
type limited struct {
	to *os.File
	n  int
}

func (l *limited) Write(p []byte) (int, error) {
	keep := max(min(len(p), StdoutLimit+1-l.n), 0)
	l.n += keep
	if n, err := l.to.Write(p[:keep]); err != nil {
		return n, err
	}
	return len(p), nil
}

func (l *limited) Close() error { return l.to.Close() }

// observe looks at the growing report until ctx ends.
func (w *watch) observe(ctx context.Context, kill context.CancelCauseFunc) {
	tick := time.NewTicker(w.pause())
	defer tick.Stop()
	seen := newest{size: -1}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			size := w.size()
			if size > ReportLimit {
				kill(stop{why: tooLarge})
				return
			}
			if w.adapter.Running == nil || w.limit <= 0 {
				continue
			}
			if size != seen.size {
				seen.size = size
				seen.id, seen.since, seen.ok = w.adapter.Running(w.report)
			}
			if seen.ok && now.Sub(seen.since) > w.limit+w.adapter.Grace {
				kill(stop{why: testLimit, id: seen.id})
				return
			}
		}
	}
}

// newest is what the report said when it had that size.
type newest struct {
	size  int64
	id    string
	since time.Time
	ok    bool
}

// pause is the time between two looks.
func (w *watch) pause() time.Duration {
	if w.limit <= 0 {
		return 200 * time.Millisecond
	}
	return min(max(w.limit/10, 10*time.Millisecond), 200*time.Millisecond)
}

// size is how much the command has written into the report's folder.
func (w *watch) size() int64 {
	var sum int64
	for name, n := range w.report.contents() {
		if _, laid := w.laid[name]; !laid {
			sum += n
		}
	}
	return sum
}
