package gotest

import (
	"strings"
	"testing"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
)

const calc = `
-- go.mod --
module ex.com/calc.v2

go 1.21
-- calc.go --
package calc

func Add(a, b int) int { return a - b }

func Boom(m map[string]int) { m["x"] = 1 }
-- calc_test.go --
package calc

import "testing"

func check(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestAdd(t *testing.T) {
	t.Run("zero", func(t *testing.T) { check(t, Add(0, 0), 0) })
	t.Run("one and two", func(t *testing.T) { check(t, Add(1, 2), 3) })
}

func TestBoom(t *testing.T) {
	Boom(nil)
}

func TestLast(t *testing.T) {}
-- sub/sub_test.go --
package sub_test

import (
	"testing"

	calc "ex.com/calc.v2"
)

func TestAdd(t *testing.T) {
	if got := calc.Add(2, 0); got != 2 {
		t.Fatalf("Add(2, 0) = %d, want 2", got)
	}
}
`

func TestRunARedModule(t *testing.T) {
	t.Parallel()
	p := lay(t, calc)
	run := p.run(t, runner.Selection{}, runner.Limits{})
	want := `failed ex.com/calc.v2.TestAdd/one_and_two [failure] got -1, want 3 @calc_test.go:14
passed ex.com/calc.v2.TestAdd/zero
failed ex.com/calc.v2.TestBoom [panic] assignment to entry in nil map @calc_test.go:18
passed ex.com/calc.v2.TestLast
passed ex.com/calc.v2/sub.TestAdd
`
	if diff := cmp.Diff(want, runnertest.Show(run)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	add, boom := run.Tests[0].Failure, run.Tests[2].Failure
	if add.Expected != "3" || add.Actual != "-1" {
		t.Errorf("expected %q, actual %q", add.Expected, add.Actual)
	}
	frames := []testresult.Frame{{File: "calc_test.go", Line: 18, Func: "calc%2ev2.TestBoom"}, {File: "calc.go", Line: 5, Func: "calc%2ev2.Boom"}}
	if diff := cmp.Diff(frames, boom.Frames); diff != "" {
		t.Errorf("frames of the panic, -want +got:\n%s", diff)
	}
}

func TestRunASelection(t *testing.T) {
	t.Parallel()
	p := lay(t, calc)
	for _, ids := range [][]string{
		{"ex.com/calc.v2.TestAdd/zero"},
		{"ex.com/calc.v2.TestBoom", "ex.com/calc.v2/sub.TestAdd"},
		{"ex.com/calc.v2.TestLast"},
	} {
		run := p.run(t, runner.Selection{IDs: ids}, runner.Limits{})
		var got []string
		for _, test := range run.Tests {
			got = append(got, test.ID.Native)
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Errorf("asked for %q, -want +got:\n%s", ids, diff)
		}
	}
}

func TestRunGoesOnAfterAHang(t *testing.T) {
	t.Parallel()
	p := lay(t, `
-- go.mod --
module ex/hang

go 1.21
-- a/a_test.go --
package a

import "testing"

func TestFirst(t *testing.T) {}

func TestLoop(t *testing.T) {
	t.Run("ok", func(t *testing.T) {})
	t.Run("for ever", func(t *testing.T) { select {} })
	t.Run("then", func(t *testing.T) {})
}

func TestLast(t *testing.T) { t.Error("red") }
-- b/b_test.go --
package b

import "testing"

func TestLoop(t *testing.T) {}
`)
	run := p.run(t, runner.Selection{}, runner.Limits{Test: time.Second})
	want := `passed ex/hang/a.TestFirst
failed ex/hang/a.TestLast
hung ex/hang/a.TestLoop/for_ever
passed ex/hang/a.TestLoop/ok
passed ex/hang/a.TestLoop/then
passed ex/hang/b.TestLoop
`
	if diff := cmp.Diff(want, statuses(run)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRunSaysWhatACrashSaid(t *testing.T) {
	t.Parallel()
	p := lay(t, `
-- go.mod --
module ex/fatal

go 1.21
-- a_test.go --
package a

import (
	"log"
	"testing"
)

func TestFatal(t *testing.T) { log.Fatal("no configuration") }
`)
	run := p.run(t, runner.Selection{}, runner.Limits{})
	if len(run.Tests) != 1 || !strings.HasSuffix(run.Tests[0].Failure.Message, "no configuration") {
		t.Errorf("got %s", runnertest.Show(run))
	}
}

// A package's test keeps its result when another package's test of that name
// takes its process down.
func TestRunKeepsNamesakesApart(t *testing.T) {
	t.Parallel()
	p := lay(t, `
-- go.mod --
module ex/names

go 1.21
-- a/a_test.go --
package a

import "testing"

func TestOne(t *testing.T) { panic("boom") }

func TestTwo(t *testing.T) {}
-- b/b_test.go --
package b

import "testing"

func TestOne(t *testing.T) {}

func TestTwo(t *testing.T) { panic("boom") }
`)
	want := `failed ex/names/a.TestOne
passed ex/names/a.TestTwo
passed ex/names/b.TestOne
failed ex/names/b.TestTwo
`
	if diff := cmp.Diff(want, statuses(p.run(t, runner.Selection{}, runner.Limits{}))); diff != "" {
		t.Errorf("everything: -want +got:\n%s", diff)
	}
	ids := []string{"ex/names/a.TestTwo", "ex/names/b.TestOne", "ex/names/b.TestTwo"}
	want = want[strings.Index(want, "passed"):]
	if diff := cmp.Diff(want, statuses(p.run(t, runner.Selection{IDs: ids}, runner.Limits{}))); diff != "" {
		t.Errorf("a selection: -want +got:\n%s", diff)
	}
}

// Without the rest that is run after a crash, what is behind it would be lost:
// the control of the tests above.
func TestRunWithoutRestLosesTests(t *testing.T) {
	t.Parallel()
	p := lay(t, calc)
	adapter := Adapter()
	adapter.Rest = nil
	run, err := runner.Run(t.Context(), p.cell, adapter, p.unit, runner.Selection{}, runner.Limits{Suite: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(run); strings.Contains(got, "TestLast") {
		t.Errorf("a test behind a panic was run in the same process:\n%s", got)
	}
}
