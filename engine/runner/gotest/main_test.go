package gotest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
)

func TestMain(m *testing.M) {
	sandbox.Main() // go test starts us as its cache
	os.Exit(m.Run())
}

// cell runs commands without confinement: what the adapter does is the same in
// every tier.
type cell struct{ root, scratch string }

func (c cell) Root() string    { return c.root }
func (c cell) Scratch() string { return c.scratch }

func (c cell) Start(ctx context.Context, spec command.Spec) (*command.Process, error) {
	cmd := exec.CommandContext(ctx, spec.Args[0], spec.Args[1:]...)
	cmd.Dir = filepath.Join(c.root, spec.Dir)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.scratch, "TMPDIR=" + c.scratch}, spec.Env...)
	stdout, outWriter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stderr, errWriter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = outWriter, errWriter
	own(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	outWriter.Close()
	errWriter.Close()
	var once sync.Once
	var exit command.Exit
	wait := func() command.Exit {
		once.Do(func() {
			_ = cmd.Wait()
			exit = command.Exit{Code: cmd.ProcessState.ExitCode()}
		})
		return exit
	}
	return &command.Process{Stdout: io.Reader(stdout), Stderr: stderr, Wait: wait, Kill: func() { killGroup(cmd) }}, nil
}

// project is a module laid out for a test.
type project struct {
	cell cell
	unit runner.Unit
}

// lay writes the files of a txtar text and probes its only unit.
func lay(t *testing.T, text string) project {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	root := write(t, text)
	units, err := runner.Detect(os.DirFS(root), []runner.Adapter{Adapter()}, runner.DetectOptions{})
	if err != nil || len(units) != 1 {
		t.Fatalf("found units %v, error %v", units, err)
	}
	c := cell{root: root, scratch: t.TempDir()}
	unit, err := Adapter().Probe(t.Context(), c, units[0], os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return project{cell: c, unit: unit}
}

func write(t *testing.T, text string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(text)).Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func (p project) run(t *testing.T, sel runner.Selection, limits runner.Limits) testresult.UnitRun {
	t.Helper()
	if limits.Suite == 0 {
		limits.Suite = 2 * time.Minute
	}
	run, err := runner.Run(t.Context(), p.cell, Adapter(), p.unit, sel, limits)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// statuses writes the ids of a run with their statuses, one a line.
func statuses(run testresult.UnitRun) string {
	var b strings.Builder
	for _, t := range run.Tests {
		fmt.Fprintf(&b, "%s %s\n", t.Status, t.ID)
	}
	return b.String()
}
