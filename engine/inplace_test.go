package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/sandbox"

	"github.com/google/go-cmp/cmp"
)

// messy is sums with tests that write into the project.
const messy = sums + `
-- data/old.txt --
old
-- data/gone.txt --
gone
-- test_messy.py --
import os, pathlib

def test_messy():
    os.makedirs("made/deep", exist_ok=True)
    pathlib.Path("made/deep/new.txt").write_text("new")
    pathlib.Path("data/old.txt").write_text("changed")
    if os.path.exists("data/gone.txt"):
        os.remove("data/gone.txt")
`

func messySums(t *testing.T, edits string) *project {
	t.Helper()
	p := newProject(t, messy)
	p.need(t, "pytest")
	p.script(t, edits)
	return p
}

func TestInPlaceLeavesOnlyTheFix(t *testing.T) {
	t.Parallel()
	p := messySums(t, sumsScript)
	before := tree(t, p.root)
	r := p.fix(t, engine.FixRequest{InPlace: true})
	if r.Outcome != outcome.Fixed || !r.Applied || p.read(t, "calc.py") != fixedSums {
		t.Fatalf("outcome %s, applied %t: %s", r.Outcome, r.Applied, r.Reason)
	}
	after := tree(t, p.root)
	delete(before, "calc.py")
	delete(after, "calc.py")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("more than the fix was left (-was +is):\n%s", diff)
	}
	if !strings.Contains(strings.Join(r.Settings, "\n"), "--in-place") || r.Shadow != "" {
		t.Errorf("settings %q, shadow %q", r.Settings, r.Shadow)
	}
	p.noJournals(t)
}

func (p *project) noJournals(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(p.state, "journals", "[^.]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("journals were left: %q, %v", left, err)
	}
}

// TestInPlacePutsBack ends runs in place otherwise than as fixed; that the folder
// is untouched is in tryFix.
func TestInPlacePutsBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edits string
		req   engine.FixRequest
		want  outcome.Outcome
	}{
		"gave_up":    {`[{"write": {"calc.py": "def add(a, b): return 0\n", "new.py": ""}}]`, engine.FixRequest{}, outcome.GaveUp},
		"unbuilt":    {`[{"write": {"calc.py": "def add("}}, {"write": {"calc.py": "def ("}}]`, engine.FixRequest{}, outcome.NoProgress},
		"refused":    {`[{"write": {"test_calc.py": ""}}]`, engine.FixRequest{}, outcome.GaveUp},
		"unknown id": {sumsScript, engine.FixRequest{Only: []string{"test_none"}}, outcome.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := messySums(t, c.edits)
			c.req.InPlace = true
			r, err := p.tryFix(t, t.Context(), c.req)
			if r.Outcome != c.want || r.Applied || (err != nil) != (c.want == outcome.Invalid) {
				t.Errorf("outcome %s, applied %t, error %v", r.Outcome, r.Applied, err)
			}
			p.noJournals(t)
		})
	}
}

func TestInPlaceLeavesWhatTheUserTyped(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	const typed = "def add(a, b):\n    return a - b  # typed meanwhile\n"
	p.options.Proposer = propose.Func("typist", func(_ context.Context, _ propose.View, history []propose.Attempt) (propose.Proposal, error) {
		if len(history) > 0 {
			return propose.Proposal{}, propose.ErrNothingLeft
		}
		p.write(t, "notes.txt", "kept\n")
		p.write(t, "calc.py", typed)
		return sumsProposal(fixedSums), nil
	})
	r, err := p.open(t).Fix(t.Context(), engine.FixRequest{InPlace: true})
	if got := p.read(t, "calc.py"); got != typed {
		t.Errorf("calc.py is %q; outcome %s, %v", got, r.Outcome, err)
	}
	if got := p.read(t, "notes.txt"); got != "kept\n" {
		t.Errorf("notes.txt is %q", got)
	}
	if r.Applied {
		t.Errorf("applied; outcome %s, %v", r.Outcome, err)
	}
}

// TestInPlaceKeepsGit has a test plant what git would run for the user later, in every
// tier.
func TestInPlaceKeepsGit(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised} {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, sums+`
-- .git/HEAD --
ref: refs/heads/main
-- .git/config --
[core]
	bare = false
-- .git/hooks/post-commit --
#!/bin/sh
-- .git/refs/heads/none --
-- tool --
#!/bin/sh
-- test_plants.py --
import os

def put(path, text):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)
    except OSError:
        pass

def test_plants():
    put(".git/config", "[core]\n\tfsmonitor = touch planted\n")
    put(".git/hooks/pre-commit", "#!/bin/sh\ntouch planted\n")
    put(".git/hooks/post-commit", "#!/bin/sh\ntouch planted\n")
    put(".git/info/attributes", "* filter=planted\n")
    put(".git/config.worktree", "[core]\n\teditor = touch planted\n")
    os.chmod("tool", 0o4755)
`)
			p.need(t, "pytest")
			p.script(t, sumsScript)
			p.options.Probes, p.options.Consent = only(tier), true
			before := tree(t, p.root)
			r := p.fix(t, engine.FixRequest{InPlace: true})
			if r.Outcome != outcome.Fixed || !r.Applied || r.Sandbox != tier.String() {
				t.Fatalf("outcome %s in %s, applied %t: %s", r.Outcome, r.Sandbox, r.Applied, r.Reason)
			}
			after := tree(t, p.root)
			delete(before, "calc.py")
			delete(after, "calc.py")
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("more than the fix was left (-was +is):\n%s", diff)
			}
		})
	}
}

// doomedRoot is the variable that makes this binary run a fix in place that will
// be killed; the others say where it keeps things.
const (
	doomedRoot   = "AUTOCODER_TEST_DOOMED"
	doomedScript = "AUTOCODER_TEST_DOOMED_SCRIPT"
	doomedPython = "AUTOCODER_TEST_DOOMED_PYTHON"
)

// doomed runs a fix in place and says on its output when an attempt has been
// tried, after which it waits for its end.
func doomed(root string) {
	s := config.Default()
	s.Interpreter = map[string]string{"pytest": os.Getenv(doomedPython)}
	s.Proposer = "script:" + os.Getenv(doomedScript)
	top := filepath.Dir(root)
	w, err := engine.Open(context.Background(), root, s, engine.Options{
		Environ: os.Environ(), Home: filepath.Join(top, "home"), CacheDir: filepath.Join(top, "cache"),
		StateDir: filepath.Join(top, "state"), Now: time.Now,
		Sink: func(e event.Event) {
			if e.Kind == event.AttemptFinished {
				fmt.Println("tried")
				select {}
			}
		},
	})
	if err == nil {
		_, err = w.Fix(context.Background(), engine.FixRequest{InPlace: true})
	}
	fmt.Println("ended", err)
	os.Exit(1)
}

func TestInPlaceIsRecoveredAfterAKill(t *testing.T) {
	t.Parallel()
	p := messySums(t, `[{"write": {"calc.py": "def add(a, b): return 0\n", "new.py": ""}}]`)
	before := tree(t, p.root)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), doomedRoot+"="+p.root, doomedPython+"="+p.settings.Interpreter["pytest"],
		doomedScript+"="+strings.TrimPrefix(p.settings.Proposer, "script:"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscan(out, &word); err != nil || word != "tried" {
		t.Errorf("the run said %q, %v", word, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if got := p.read(t, "calc.py"); got == "def add(a, b):\n    return a - b\n" {
		t.Error("the killed run had changed nothing: there is nothing to recover")
	}
	p.open(t)
	p.untouched(t, before)
	if !strings.Contains(p.warned(), "put back") {
		t.Errorf("it told %q", p.warned())
	}
	p.noJournals(t)
	// The next run sweeps the copy that was left.
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.GaveUp {
		t.Errorf("the next run: outcome %s, %s", r.Outcome, r.Reason)
	}
}
