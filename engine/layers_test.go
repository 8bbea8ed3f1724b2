package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/agent"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

const addition = `
-- sum.py --
def add(a, b):
    return a - b
-- test_sum.py --
from sum import add

def test_add():
    assert add(2, 3) == 5

def test_more():
    assert add(1, 1) == 2

def test_none():
    assert add(0, 0) == 0
`

const (
	stillWrong = "\n\ndef add(a, b):\n    return a - b\n"
	right      = "\n\ndef add(a, b):\n    return a + b\n"
)

// TestEachLayerRefuses has an edit for each check that this check alone finds: a
// run with it does not end as fixed, and a run without it does.
func TestEachLayerRefuses(t *testing.T) {
	t.Parallel()
	guard := func(c *agent.Config) { c.Guard, c.Protected = nil, nil }
	drill := func(c *agent.Config) { c.Drill = nil }
	scan := func(c *agent.Config) { c.Layers = nil }
	for name, c := range map[string]struct {
		edit map[string]string
		said string
		// off leaves the check out, others leave out what would find the edit too.
		off    func(*agent.Config)
		others []func(*agent.Config)
	}{
		"guard": {
			map[string]string{"test_sum.py": "def test_add():\n    pass\n\n\ntest_more = test_none = test_add\n"},
			"may not be edited", guard,
			[]func(*agent.Config){drill, scan},
		},
		"canary": {map[string]string{"sum.py": `from _pytest import runner

made = runner.CallInfo.from_call.__func__


def calm(*args, **more):
    info = made(*args, **more)
    info.excinfo = None
    return info


runner.CallInfo.from_call = classmethod(calm)
` + stillWrong}, "the verification refused it: canary", drill, []func(*agent.Config){scan}},
		"forced": {map[string]string{"sum.py": `import pytest

run = pytest.Function.runtest


def calm(item):
    try:
        run(item)
    except Exception:
        if item.name not in ("test_add", "test_more"):
            raise


pytest.Function.runtest = calm
` + stillWrong}, "the verification refused it: forced run", drill, []func(*agent.Config){scan}},
		"scan": {
			map[string]string{"sum.py": "import pytest\n\npytest.approx = None\n" + right},
			"the verification refused it: scan", scan,
			[]func(*agent.Config){drill},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(off ...func(*agent.Config)) report.Report {
				p := newProject(t, addition)
				p.need(t, "pytest")
				edit, err := json.Marshal(map[string]any{"write": c.edit})
				if err != nil {
					t.Fatal(err)
				}
				p.script(t, string(edit))
				p.options.Change(func(cfg *agent.Config) {
					for _, leaveOut := range off {
						leaveOut(cfg)
					}
				})
				return p.fix(t, engine.FixRequest{})
			}
			with := run(c.others...)
			if with.Outcome == outcome.Fixed || len(with.Attempts) != 1 || !strings.Contains(with.Attempts[0].Note, c.said) {
				t.Errorf("with it: %s, %+v, warnings %q", with.Outcome, with.Attempts, with.Warnings)
			}
			without := run(append(c.others, c.off)...)
			if without.Outcome != outcome.Fixed {
				t.Errorf("without it: %s, %s, warnings %q", without.Outcome, without.Reason, without.Warnings)
			}
		})
	}
}

// TestVerificationIsReported holds that an honest fix shows every check as passed.
func TestVerificationIsReported(t *testing.T) {
	t.Parallel()
	r := redSums(t).fix(t, engine.FixRequest{})
	passed := report.CheckPassed
	if want := (report.Verification{Fresh: passed, Canary: passed, Forced: passed, Scan: passed}); r.Verification != want {
		t.Errorf("verification %+v, want %+v", r.Verification, want)
	}
}
