// Package command describes processes that run inside a cell: what to start,
// the running process with its pipes, and how it ended.
//
// It is pure vocabulary, so that runners, proposers and the sandbox can speak
// of processes without knowing each other.
package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
)

// Spec is a process to start in a cell.
type Spec struct {
	// Args are the program and its arguments; the program is looked up in the
	// cell's PATH unless it has a slash.
	Args []string
	// Dir is the working folder, relative to the workspace with slashes; empty
	// for its root.
	Dir string
	// Env are NAME=value pairs laid over the cell's clean environment.
	Env []string
	// Stdin is whether the process reads from us; otherwise it reads nothing.
	Stdin bool
}

// Process is a process in a cell. Its pipes must be read to their end, or it
// may block.
type Process struct {
	Stdin          io.WriteCloser // nil unless Spec.Stdin
	Stdout, Stderr io.Reader
	// Wait returns when the process has ended and everything that it started is
	// dead, daemons included. It may be called more than once.
	Wait func() Exit
	// Kill ends the process and everything that it started, at once.
	Kill func()
}

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code; -1 when a signal ended it.
	Code int
	// Signal is the name of the signal that ended it, as "SIGSEGV"; else empty.
	Signal string
	// Killed means that it ended because we killed it.
	Killed bool
	// Over says which limit the process and what it started passed, for which some
	// of it or all was killed; else empty.
	Over string
	// Refused says what the sandbox refused it that may explain how it ended: system
	// calls by name, or RefusedNetwork; with commas between them, else empty.
	Refused string
}

// RefusedNetwork is how Exit.Refused calls sockets of the network.
const RefusedNetwork = "the network"

// Success reports an exit with code 0.
func (e Exit) Success() bool { return e.Code == 0 && e.Signal == "" && !e.Killed }

// String says how the process ended, for people.
func (e Exit) String() string {
	switch {
	case e.Over != "":
		return "killed for " + e.Over
	case e.Killed:
		return "killed"
	case e.Signal != "":
		return e.Signal
	default:
		return fmt.Sprintf("exit code %d", e.Code)
	}
}

// Starter starts processes in one place. A cell is one.
type Starter interface {
	Start(ctx context.Context, spec Spec) (*Process, error)
}

// Output is what a finished process left.
type Output struct {
	Stdout, Stderr []byte
	// Truncated means that a stream was longer than the cap and was cut.
	Truncated bool
	Exit      Exit
}

// Run starts spec, reads both streams up to limit bytes each (the rest is read and
// thrown away) and waits. When ctx ends, the process is killed and the output so
// far is returned with ctx's error.
func Run(ctx context.Context, s Starter, spec Spec, limit int) (Output, error) {
	p, err := s.Start(ctx, spec)
	if err != nil {
		return Output{}, err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	if p.Stdin != nil {
		p.Stdin.Close()
	}
	var out Output
	var cut [2]bool
	var wg sync.WaitGroup
	wg.Go(func() { out.Stdout, cut[0] = ReadCapped(p.Stdout, limit) })
	wg.Go(func() { out.Stderr, cut[1] = ReadCapped(p.Stderr, limit) })
	out.Exit = p.Wait()
	wg.Wait()
	out.Truncated = cut[0] || cut[1]
	return out, ctx.Err()
}

// ReadCapped reads r to its end and keeps at most limit bytes; it reports
// whether there was more.
func ReadCapped(r io.Reader, limit int) ([]byte, bool) {
	var b bytes.Buffer
	_, err := io.CopyN(&b, r, int64(limit))
	if err != nil {
		return b.Bytes(), false
	}
	n, _ := io.Copy(io.Discard, r)
	return b.Bytes(), n > 0
}
