package lsptest

import (
	"bytes"
	"io"
	"sync"
)

// Pipe returns the two ends of a connection that never makes a writer wait.
func Pipe() (a, b io.ReadWriteCloser) {
	there, back := newFlow(), newFlow()
	return &end{there, back}, &end{back, there}
}

// end is one end of a pipe.
type end struct{ in, out *flow }

// Read reads what the other end wrote.
func (e *end) Read(p []byte) (int, error) { return e.in.read(p) }

// Write writes to the other end.
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }

// Close closes both directions; the other end still reads what was written.
func (e *end) Close() error {
	e.in.close()
	e.out.close()
	return nil
}

// flow is one direction.
type flow struct {
	mu sync.Mutex
	// guarded by mu
	data   bytes.Buffer
	closed bool
	moved  *sync.Cond
}

func newFlow() *flow {
	f := &flow{}
	f.moved = sync.NewCond(&f.mu)
	return f
}

func (f *flow) read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.data.Len() == 0 && !f.closed {
		f.moved.Wait()
	}
	return f.data.Read(p) // the end of the file when there is nothing
}

func (f *flow) write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, io.ErrClosedPipe
	}
	f.moved.Broadcast()
	return f.data.Write(p)
}

func (f *flow) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.moved.Broadcast()
}
