package command

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// starter starts processes that only print.
type starter struct {
	out, err string
	wait     func(killed <-chan struct{}) Exit
	fails    error
}

func (s starter) Start(_ context.Context, spec Spec) (*Process, error) {
	if s.fails != nil {
		return nil, s.fails
	}
	killed := make(chan struct{})
	p := &Process{
		Stdout: strings.NewReader(s.out), Stderr: strings.NewReader(s.err),
		Wait: func() Exit { return s.wait(killed) }, Kill: func() { close(killed) },
	}
	if spec.Stdin {
		_, p.Stdin = io.Pipe()
	}
	return p, nil
}

func exit(code int) func(<-chan struct{}) Exit {
	return func(<-chan struct{}) Exit { return Exit{Code: code} }
}

func TestRun(t *testing.T) {
	t.Parallel()
	out, err := Run(t.Context(), starter{out: "0123456789", err: "oops", wait: exit(3)}, Spec{Stdin: true}, 4)
	if err != nil || string(out.Stdout) != "0123" || string(out.Stderr) != "oops" || !out.Truncated || out.Exit.Code != 3 {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = Run(t.Context(), starter{out: "0123", wait: exit(0)}, Spec{}, 4)
	if err != nil || string(out.Stdout) != "0123" || out.Truncated || !out.Exit.Success() {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestRunKillsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	out, err := Run(ctx, starter{out: "so far", wait: func(killed <-chan struct{}) Exit {
		cancel()
		<-killed
		return Exit{Killed: true}
	}}, Spec{}, 100)
	if !errors.Is(err, context.Canceled) || string(out.Stdout) != "so far" || !out.Exit.Killed {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestRunTellsWhatCouldNotStart(t *testing.T) {
	t.Parallel()
	want := errors.New("no such program")
	if _, err := Run(t.Context(), starter{fails: want}, Spec{}, 1); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		exit    Exit
		success bool
		text    string
	}{
		{Exit{}, true, "exit code 0"},
		{Exit{Code: 2}, false, "exit code 2"},
		{Exit{Code: -1, Signal: "SIGSEGV"}, false, "SIGSEGV"},
		{Exit{Code: -1, Signal: "SIGKILL", Killed: true}, false, "killed"},
	} {
		if c.exit.Success() != c.success || c.exit.String() != c.text {
			t.Errorf("%+v: success %v, %q", c.exit, c.exit.Success(), c.exit)
		}
	}
}
