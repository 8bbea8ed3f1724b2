package engine_test

import (
	"context"
	"os"
	"os/exec"
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
// every turn, wherever it is kept. None is started, and what git is asked is answered
// all the same. A plain git, which walks into the traps, is the control.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(t *testing.T, p *project) (file string){
		"own":      func(_ *testing.T, p *project) string { return p.path(".git/config") },
		"included": func(t *testing.T, p *project) string { return p.included(t, "include.path") },
		"included for its place": func(t *testing.T, p *project) string {
			return p.included(t, "includeIf.gitdir:"+filepath.Dir(p.root)+"/.path")
		},
		"of a work tree": func(t *testing.T, p *project) string {
			git(t, p.root, "config", "core.repositoryFormatVersion", "1")
			git(t, p.root, "config", "extensions.worktreeConfig", "true")
			return p.path(".git/config.worktree")
		},
		"kept elsewhere": func(t *testing.T, p *project) string {
			if err := os.Rename(p.path(".git"), p.path("store")); err != nil {
				t.Fatal(err)
			}
			p.write(t, ".git", "gitdir: store\n")
			return p.path("store/config")
		},
		"of a submodule": func(_ *testing.T, p *project) string { return p.path("sub/.git/config") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := redSums(t)
			p.need(t, "git")
			if name == "of a submodule" {
				p.write(t, "sub/a.py", "a = 1\n")
				git(t, p.path("sub"), "init", "-q")
				git(t, p.path("sub"), "add", ".")
				git(t, p.path("sub"), "commit", "-qm", "first")
			}
			p.commit(t, p.root)
			p.write(t, ".gitattributes", "*.py diff=trap filter=trap\n")
			p.write(t, "sub/.gitattributes", "*.py diff=trap filter=trap\n")
			p.write(t, "sub/a.py", "a = 2\n")
			file := place(t, p)
			// Even what such a program writes into the copy or its temporary files would
			// be seen: it stops the cell's git, and the answer is missing.
			trap := filepath.Join(filepath.Dir(file), "trap.sh")
			spring := func(script string) {
				for _, path := range []string{trap, filepath.Join(filepath.Dir(file), "hooks", "post-index-change")} {
					mkdir(t, filepath.Dir(path))
					if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			spring("kill -9 $PPID")
			for _, key := range []string{
				"core.fsmonitor", "diff.external", "diff.trap.textconv", "diff.trap.command", "filter.trap.clean", "filter.trap.smudge", "filter.trap.process",
				"core.pager", "core.sshCommand", "core.editor", "core.gitProxy", "credential.helper", "gpg.program", "interactive.diffFilter",
			} {
				git(t, p.root, "config", "--file", file, key, trap)
			}
			git(t, p.root, "config", "--file", file, "alias.diff", "!"+trap)
			git(t, p.root, "config", "--file", file, "core.hooksPath", filepath.Join(filepath.Dir(file), "hooks"))
			if got := p.recent(t, "calc.py")["calc.py"]; !cmp.Equal(got, []int{2}) {
				t.Errorf("got %v", got)
			}
			sprung := filepath.Join(filepath.Dir(p.root), "sprung")
			spring("touch '" + sprung + "'; exit 1")
			cmd := exec.Command("git", "status", "--short")
			cmd.Dir, cmd.Env = p.root, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.root, "GIT_CONFIG_NOSYSTEM=1"}
			out, err := cmd.CombinedOutput()
			if _, e := os.Stat(sprung); e != nil {
				t.Errorf("the traps of %s are none: %v %s", file, err, out)
			}
		})
	}
}

// included is a file beside the repository's own configuration that is named there.
func (p *project) included(t *testing.T, key string) string {
	t.Helper()
	file := p.path(".git/more")
	git(t, p.root, "config", key, file)
	return file
}
