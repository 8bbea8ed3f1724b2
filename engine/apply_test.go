package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	"github.com/google/go-cmp/cmp"
)

// sums is a project in which one edit of calc.py makes every test pass.
const sums = `
-- calc.py --
def add(a, b):
    return a - b
-- test_calc.py --
from calc import add

def test_add():
    assert add(2, 3) == 5
`

const fixedSums = "def add(a, b):\n    return a + b\n"

const sumsScript = `{"write": {"calc.py": "def add(a, b):\n    return a + b\n"}}`

func redSums(t *testing.T) *project {
	t.Helper()
	p := newProject(t, sums)
	p.need(t, "pytest")
	p.script(t, sumsScript)
	return p
}

func TestApplyWritesTheDiffAndNothingElse(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.script(t, `{"write": {"calc.py": "def add(a, b):\n    return a + b\n", "lib/more.py": "x = 1\n"}, "delete": ["old.py"]}`)
	p.write(t, "old.py", "gone\n")
	if err := os.Chmod(p.path("calc.py"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := tree(t, p.root)
	r := p.fix(t, engine.FixRequest{Apply: true})
	if r.Outcome != outcome.Fixed || !r.Applied {
		t.Fatalf("outcome %s, applied %t: %s", r.Outcome, r.Applied, r.Reason)
	}
	after := tree(t, p.root)
	for _, name := range []string{"calc.py", "lib", "lib/more.py", "old.py"} {
		delete(before, name)
		delete(after, name)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("more was changed than the diff says (-was +is):\n%s", diff)
	}
	if got := p.read(t, "calc.py"); got != fixedSums {
		t.Errorf("calc.py is %q", got)
	}
	info, err := os.Stat(p.path("calc.py"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(p.path("old.py")); err == nil {
		t.Error("old.py is still there")
	}
	if got := p.read(t, "lib/more.py"); got != "x = 1\n" {
		t.Errorf("lib/more.py is %q", got)
	}
}

func TestApplyKeepsTheFormOfFiles(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	const odd = "\ufeff# kept\r\ndef add(a, b):\r\n    return a - b"
	p.write(t, "calc.py", odd)
	p.options.Proposer = propose.Once("edit", propose.Proposal{Patch: textedit.Patch{Ops: []textedit.Op{{
		Kind: textedit.OpEdit, Path: "calc.py", Base: textedit.HashContent([]byte(odd)),
		Edits: []textedit.Edit{{Start: strings.Index(odd, "-"), End: strings.Index(odd, "-") + 1, New: "+"}},
	}}}})
	r := p.fix(t, engine.FixRequest{Apply: true})
	if !r.Applied {
		t.Fatalf("outcome %s: %s", r.Outcome, r.Reason)
	}
	if got, want := p.read(t, "calc.py"), strings.Replace(odd, "-", "+", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestApplyIsRefusedForAFileThatChanged(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	const typed = "def add(a, b):\n    return a - b  # typed meanwhile\n"
	p.options.Proposer = meanwhile(func() { p.write(t, "calc.py", typed) })
	r, err := p.open(t).Fix(t.Context(), engine.FixRequest{Apply: true})
	var changed *workspace.ChangedError
	if !errors.As(err, &changed) || !cmp.Equal(changed.Paths, []string{"calc.py"}) {
		t.Errorf("error %v", err)
	}
	if r.Outcome != outcome.Fixed || r.Applied || !strings.Contains(r.Diff, "+    return a + b") || r.Next == "" {
		t.Errorf("outcome %s, applied %t, next %q, diff %s", r.Outcome, r.Applied, r.Next, r.Diff)
	}
	if got := p.read(t, "calc.py"); got != typed {
		t.Errorf("calc.py was overwritten: %q", got)
	}
}

// meanwhile proposes the fix of sums after it has done something.
func meanwhile(do func()) propose.Proposer {
	return propose.Func("meanwhile", func(context.Context, propose.View, []propose.Attempt) (propose.Proposal, error) {
		do()
		return sumsProposal(fixedSums), nil
	})
}

func sumsProposal(text string) propose.Proposal {
	return propose.Proposal{Patch: sumsPatch(text), Origin: "test"}
}

func sumsPatch(text string) textedit.Patch {
	return textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "calc.py", AnyBase: true, Content: []byte(text)}}}
}

func TestBuffersWinOverTheDisk(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	w := p.open(t)
	w.Update(map[string][]byte{"calc.py": []byte(fixedSums), "test_new.py": []byte("def test_new(): pass\n")})
	before := tree(t, p.root)
	r, err := w.Fix(t.Context(), engine.FixRequest{})
	if err != nil || r.Outcome != outcome.AlreadyGreen || r.Baseline.Passed != 2 {
		t.Errorf("outcome %s, %d passed, %v", r.Outcome, r.Baseline.Passed, err)
	}
	p.untouched(t, before)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	other := "def add(a, b):\n    return 5\n"
	p.options.Proposer = propose.Once("two", propose.Proposal{
		Patch: sumsPatch(fixedSums), Why: "adds", Input: "add(1, 1)", Output: "2",
		Alternatives: []propose.Alternative{{Patch: sumsPatch(other), Why: "a constant", Input: "add(1, 1)", Output: "5"}},
	})
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.GaveUp || r.Reason != "2 different patches make the tests pass" || len(r.Alternatives) != 2 {
		t.Fatalf("outcome %s, reason %q, alternatives %v", r.Outcome, r.Reason, r.Alternatives)
	}
	for i, a := range r.Alternatives {
		if want := r.Run + "." + string(rune('1'+i)); a.ID != want || a.Output == "" || a.Diff == "" {
			t.Errorf("alternative %+v, want the id %s", a, want)
		}
	}
	p.options.Proposer = nil
	p.settings.Proposer = "null" // choosing asks no proposer

	t.Run("changed", func(t *testing.T) {
		p.write(t, "calc.py", "def add(a, b):\n    return a - b # typed\n")
		defer p.write(t, "calc.py", "def add(a, b):\n    return a - b\n")
		got := p.fix(t, engine.FixRequest{Choose: r.Alternatives[1].ID, Apply: true})
		if got.Outcome != outcome.GaveUp || !strings.Contains(got.Reason, "the files changed") || got.Applied {
			t.Errorf("outcome %s, reason %q", got.Outcome, got.Reason)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		_, err := p.tryFix(t, t.Context(), engine.FixRequest{Choose: r.Run + ".9"})
		if usage := (*engine.UsageError)(nil); !errors.As(err, &usage) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("elsewhere", func(t *testing.T) {
		other := redSums(t)
		other.options.StateDir = p.state
		_, err := other.tryFix(t, t.Context(), engine.FixRequest{Choose: r.Alternatives[1].ID})
		if usage := (*engine.UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), p.root) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("taken", func(t *testing.T) {
		got := p.fix(t, engine.FixRequest{Choose: r.Alternatives[1].ID, Apply: true})
		if got.Outcome != outcome.Fixed || !got.Applied || p.read(t, "calc.py") != other {
			t.Errorf("outcome %s, reason %q, applied %t", got.Outcome, got.Reason, got.Applied)
		}
	})
}

func TestAmbiguousBestTakesTheFirst(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.set(t, map[string][]string{"ambiguous": {"best"}})
	p.options.Proposer = propose.Once("two", propose.Proposal{
		Patch: sumsPatch(fixedSums), Alternatives: []propose.Alternative{{Patch: sumsPatch("def add(a, b):\n    return 5\n")}},
	})
	r := p.fix(t, engine.FixRequest{Apply: true})
	if r.Outcome != outcome.Fixed || len(r.Alternatives) != 2 || p.read(t, "calc.py") != fixedSums {
		t.Errorf("outcome %s, reason %q, %d alternatives", r.Outcome, r.Reason, len(r.Alternatives))
	}
}

func TestLinksOutAreRefused(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	outside := filepath.Join(filepath.Dir(p.root), "outside")
	mkdir(t, outside)
	for _, link := range []struct{ target, name string }{{outside, "out"}, {"test_calc.py", "alias.py"}, {"../outside", "back"}} {
		if err := os.Symlink(link.target, p.path(link.name)); err != nil {
			t.Skip("needs symbolic links")
		}
	}
	p.settings.Patience = 5
	p.script(t, `[{"write": {"out/x.py": ""}}, {"write": {"alias.py": "def test_add(): pass\n"}}, {"write": {"back/x.py": ""}}]`)
	r := p.fix(t, engine.FixRequest{})
	if r.Edits.Refused != 3 {
		t.Errorf("%d edits were refused: %+v", r.Edits.Refused, r.Attempts)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Errorf("outside holds %v, %v", list, err)
	}
}

// TestApplyPartial repairs one of two tests: that is written only when the user
// asks for it.
func TestApplyPartial(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		req     engine.FixRequest
		applied bool
	}{
		"without asking":          {engine.FixRequest{Apply: true}, false},
		"asked":                   {engine.FixRequest{Apply: true, Partial: true}, true},
		"in place without asking": {engine.FixRequest{InPlace: true}, false},
		"in place":                {engine.FixRequest{InPlace: true, Partial: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := redSums(t)
			p.write(t, "test_more.py", "def test_more():\n    assert False\n")
			r := p.fix(t, c.req)
			if r.Outcome != outcome.GaveUp || r.Partial == nil || len(r.Partial.Fixed) != 1 || r.Applied != c.applied {
				t.Errorf("outcome %s, partial %+v, applied %t", r.Outcome, r.Partial, r.Applied)
			}
			if fixed := p.read(t, "calc.py") == fixedSums; fixed != c.applied {
				t.Errorf("calc.py is %q", p.read(t, "calc.py"))
			}
		})
	}
}
