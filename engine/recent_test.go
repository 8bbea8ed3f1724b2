package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"autocoder/engine"
	"autocoder/engine/propose"

	"github.com/google/go-cmp/cmp"
)

// recent asks what a proposer is told of a file's recent lines.
func (p *project) recent(t *testing.T, files ...string) map[string][]int {
	t.Helper()
	lines := map[string][]int{}
	p.options.Proposer = propose.Func("reader", func(ctx context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) {
		for _, file := range files {
			lines[file] = v.Recent(ctx, file)
		}
		return propose.Proposal{}, propose.ErrNothingLeft
	})
	p.fix(t, engine.FixRequest{})
	return lines
}

// commit makes the project a repository with two commits, the second of which
// changed the second line of calc.py.
func (p *project) commit(t *testing.T, dir string) {
	t.Helper()
	p.need(t, "git")
	p.write(t, "calc.py", "def add(a, b):\n    return a + b\n\n\ndef old():\n    pass\n")
	p.write(t, "with space.py", "a = 1\n")
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "first")
	p.write(t, "calc.py", "def add(a, b):\n    return a - b\n\n\ndef old():\n    pass\n")
	git(t, dir, "commit", "-qam", "second")
}

func TestRecentLines(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.commit(t, p.root)
	p.write(t, "calc.py", "def add(a, b):\n    return a - b\n\n\ndef old():\n    return 1\n")
	p.write(t, "with space.py", "a = 1\nb = 2\n")
	got := p.recent(t, "calc.py", "with space.py", "test_calc.py")
	want := map[string][]int{"calc.py": {2, 6}, "with space.py": {2}, "test_calc.py": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What was there before is told as well, for what would take it back.
func TestChanges(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.commit(t, p.root)
	p.write(t, "calc.py", "def add(a, b):\n    return a - b\n\n\ndef old():\n    return 1\n")
	var got []propose.Change
	p.options.Proposer = propose.Func("reader", func(ctx context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) {
		got = v.Changes(ctx, "calc.py")
		return propose.Proposal{}, propose.ErrNothingLeft
	})
	p.fix(t, engine.FixRequest{})
	want := []propose.Change{
		{Line: 2, Before: "    return a + b\n", After: "    return a - b\n"}, {Line: 6, Before: "    pass\n", After: "    return 1\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRecentLinesAfterTheFirstCommit(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.need(t, "git")
	git(t, p.root, "init", "-q")
	git(t, p.root, "add", ".")
	git(t, p.root, "commit", "-qm", "first")
	p.write(t, "calc.py", "def add(a, b):\n    return b - a\n")
	if got := p.recent(t, "calc.py")["calc.py"]; !cmp.Equal(got, []int{2}) {
		t.Errorf("got %v", got)
	}
}

func TestRecentLinesWithoutGit(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	if got := p.recent(t, "calc.py")["calc.py"]; got != nil {
		t.Errorf("got %v", got)
	}
}

// TestHostileRepository has a repository whose configuration starts programs at
// every turn. None is started, and what git is asked is answered all the same.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.commit(t, p.root)
	// Even what such a program writes into the copy or its temporary files would be
	// seen: it stops the cell's git, and the answer is missing.
	trap := p.path(".git/trap.sh")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\nkill -9 $PPID\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "pre-commit", "fsmonitor-watchman"} {
		mkdir(t, p.path(".git/hooks"))
		if err := os.WriteFile(p.path(".git/hooks/"+hook), []byte("#!/bin/sh\nkill -9 $PPID\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.write(t, ".git/info/attributes", "*.py diff=trap filter=trap\n")
	for key, value := range map[string]string{
		"core.fsmonitor": trap, "diff.external": trap, "diff.trap.textconv": trap, "diff.trap.command": trap,
		"filter.trap.clean": trap, "filter.trap.smudge": trap, "core.pager": trap, "core.sshCommand": trap, "alias.diff": "!" + trap,
	} {
		git(t, p.root, "config", key, value)
	}
	if got := p.recent(t, "calc.py")["calc.py"]; !cmp.Equal(got, []int{2}) {
		t.Errorf("got %v", got)
	}
}

// TestHostileRepositoryControl is that the trap works: a plain git walks into it.
func TestHostileRepositoryControl(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.commit(t, p.root)
	p.write(t, "calc.py", "changed\n")
	trap, sprung := p.path(".git/trap.sh"), filepath.Join(filepath.Dir(p.root), "sprung")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+sprung+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, p.root, "config", "diff.external", trap)
	git(t, p.root, "diff")
	if _, err := os.Stat(sprung); err != nil {
		t.Error("the trap was not sprung")
	}
}
