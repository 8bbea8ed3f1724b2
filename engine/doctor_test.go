package engine_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/command"
	"autocoder/engine/config"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/report"
	"autocoder/engine/testresult"

	"golang.org/x/tools/txtar"
)

func (p *project) doctor(t *testing.T) report.Doctor {
	t.Helper()
	before := tree(t, p.root)
	d, err := p.open(t).Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.untouched(t, before)
	p.nothingLeft(t)
	return d
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/runs/units_two.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := newProjectAt(t, "project", nil)
	p.need(t, "pytest", "go")
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "project/"); ok {
			p.write(t, name, string(f.Data))
		}
	}
	p.write(t, "bad/go.mod", "module bad\n")
	p.write(t, "bad/bad_test.go", "package bad\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { nothing }\n")
	d := p.doctor(t)
	if len(d.Units) != 3 || d.Sandbox.Tier == "" || len(d.Sandbox.Probes) == 0 || len(d.Proposers) == 0 {
		t.Fatalf("%+v", d)
	}
	for i, want := range []struct {
		root   string
		tests  int
		reason testresult.Reason
	}{{"api", 1, testresult.NoReason}, {"bad", 0, testresult.BuildError}, {"srv", 1, testresult.NoReason}} {
		u := d.Units[i]
		if u.Root != want.root || u.Tests != want.tests || u.UnusableReason != want.reason {
			t.Errorf("unit %+v, want %+v", u, want)
		}
		if u.Interpreter == "" || u.Version == "" || len(u.Command) == 0 || u.Why == "" {
			t.Errorf("unit %+v says too little", u)
		}
	}
}

func TestDoctorOfWhatCannotRun(t *testing.T) {
	t.Parallel()
	p := newProject(t, "-- readme.txt --\n")
	if d := p.doctor(t); len(d.Units) != 0 || !strings.Contains(strings.Join(d.Warnings, "\n"), "no tests were found") {
		t.Errorf("without tests: %+v", d)
	}
	other := newProject(t, "-- package.json --\n{\"scripts\": {\"test\": \"nyc mocha\"}}\n-- test/a.test.js --\nit('is', () => {});\n")
	if d := other.doctor(t); !strings.Contains(strings.Join(d.Warnings, "\n"), `package.json names mocha, which is run by --test-command "npx mocha --reporter tap" --report tap`) {
		t.Errorf("with tests of another runner: %q", d.Warnings)
	}
	p.settings.Sandbox = config.SandboxSupervised
	d := p.doctor(t)
	if d.Sandbox.Tier != "none" || len(d.Warnings) == 0 {
		t.Errorf("without consent: %+v", d)
	}
	if os.Getuid() != 0 {
		p.settings.Sandbox = config.SandboxBest
		if err := os.Chmod(p.path("readme.txt"), 0); err != nil {
			t.Fatal(err)
		}
		d, err := p.open(t).Doctor(t.Context())
		if err != nil || !strings.Contains(strings.Join(d.Warnings, "\n"), "readme.txt") {
			t.Errorf("an unreadable file is not named: %q, %v", d.Warnings, err)
		}
	}
}

// TestCellsOfProposers leases cells: each sees the current state alone, and one
// that is forgotten is closed.
func TestCellsOfProposers(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	cat := func(ctx context.Context, cell *propose.Cell, file string) string {
		out, err := command.Run(ctx, cell, command.Spec{Args: []string{"cat", file}}, 1<<20)
		if err != nil {
			t.Error(err)
		}
		return string(out.Stdout)
	}
	p.options.Proposer = propose.Func("tenant", func(ctx context.Context, v propose.View, history []propose.Attempt) (propose.Proposal, error) {
		one, err := v.Cell(ctx)
		if err != nil {
			return propose.Proposal{}, err
		}
		two, err := v.Cell(ctx)
		if err != nil {
			return propose.Proposal{}, err
		}
		if err := one.Write("calc.py", []byte("mine\n")); err != nil {
			t.Error(err)
		}
		if got := cat(ctx, one, "calc.py"); got != "mine\n" {
			t.Errorf("the cell that was written to shows %q", got)
		}
		want := []string{"def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a * b\n"}[len(history)]
		if got := cat(ctx, two, "calc.py"); got != want {
			t.Errorf("attempt %d: another cell shows %q", len(history)+1, got)
		}
		if err := two.Close(); err != nil {
			t.Error(err)
		}
		// The first is forgotten, with something running in it.
		if _, err := one.Start(context.WithoutCancel(ctx), command.Spec{Args: []string{"sleep", "1000"}}); err != nil {
			t.Error(err)
		}
		if len(history) == 1 {
			return propose.Proposal{}, propose.ErrNothingLeft
		}
		return sumsProposal("def add(a, b):\n    return a * b\n"), nil
	})
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.GaveUp || !slices.Contains(r.Warnings, "tenant left 1 cells open; they were closed") {
		t.Errorf("outcome %s: %s, %q", r.Outcome, r.Reason, r.Warnings)
	}
}

// TestRecords is that a run can be looked at when it is over.
func TestRecords(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	r := p.fix(t, engine.FixRequest{})
	dir := filepath.Join(p.state, "runs", r.Run)
	for name, want := range map[string]string{"report.json": `"outcome": "fixed"`, "trajectory.jsonl": `"kind":"attempt"`} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := io.ReadAll(f)
		f.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q: %s, %v", name, want, text, err)
		}
	}
}

func TestRunTests(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	before := tree(t, p.root)
	tests, err := p.open(t).RunTests(t.Context())
	if err != nil || tests.Status != testresult.Fail || len(tests.Failing) != 1 || tests.Failing[0].ID != "test_calc.py::test_add" {
		t.Errorf("%+v, %v", tests, err)
	}
	p.settings.MaxTime = time.Nanosecond
	if tests, err := p.open(t).RunTests(t.Context()); err != nil || tests.Status != testresult.Unusable || tests.Unusable[0].Reason != testresult.Timeout {
		t.Errorf("without time: %+v, %v", tests, err)
	}
	p.settings.Sandbox = config.SandboxSupervised
	if tests, err := p.open(t).RunTests(t.Context()); err != nil || tests.Unusable[0].Reason != testresult.SandboxUnavailable {
		t.Errorf("without consent: %+v, %v", tests, err)
	}
	p.untouched(t, before)
	p.nothingLeft(t)
	p.settings.Sandbox = config.SandboxBest
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.open(t).RunTests(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestOffers is the edit of a run as an editor takes it.
func TestOffers(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	w := p.open(t)
	if o := w.Offers(); o.Fix != nil || o.Partial != nil {
		t.Errorf("before any run: %+v", o)
	}
	if _, err := w.Fix(t.Context(), engine.FixRequest{}); err != nil {
		t.Fatal(err)
	}
	o := w.Offers()
	if len(o.Fix) != 1 || o.Fix[0].Path != "calc.py" || string(o.Fix[0].New.Content) != fixedSums || o.Partial != nil {
		t.Errorf("after a fix: %+v", o)
	}
	now, err := engine.ReadCurrent(p.root, "calc.py")
	if err != nil || now.Hash() != o.Fix[0].Base.Hash() {
		t.Errorf("the base is not what stands there: %+v, %v", now, err)
	}
	p.write(t, "calc.py", fixedSums)
	if _, err := w.Fix(t.Context(), engine.FixRequest{}); err != nil {
		t.Fatal(err)
	}
	if o := w.Offers(); o.Fix != nil || o.Partial != nil {
		t.Errorf("after a run without an edit: %+v", o)
	}
}
