package gotest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
)

func TestMain(m *testing.M) {
	sandbox.Main() // go test starts us as its cache too
	os.Exit(m.Run())
}

// project is a module laid out for a test.
type project struct {
	cell runner.Cell
	unit runner.Unit
}

// lay writes the files of a txtar text and probes its only unit.
func lay(t *testing.T, text string) project {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	c := open(t, text)
	units, err := runner.Detect(os.DirFS(c.Root()), []runner.Adapter{Adapter()}, runner.DetectOptions{})
	if err != nil || len(units) != 1 {
		t.Fatalf("found units %v, error %v", units, err)
	}
	unit, err := Adapter().Probe(t.Context(), c, units[0], os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return project{cell: c, unit: unit}
}

func open(t *testing.T, text string) runner.Cell {
	t.Helper()
	return runnertest.OpenCell(t, runnertest.Write(t, "project", txtar.Parse([]byte(text)).Files))
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
