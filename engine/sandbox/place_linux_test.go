package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

var tiers = []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised}

// place is the folders that a test of a cell needs.
type place struct{ dir string }

func (p place) path(name string) string { return filepath.Join(p.dir, name) }

func (p place) config(tier sandbox.Tier) sandbox.Config {
	return sandbox.Config{
		Root: p.path("root"), Scratch: p.path("scratch"), Tier: tier, Network: sandbox.NetworkLoopback,
		ReadAll: true,
		Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
	}
}

func (p place) tree() sandbox.Tree { return sandbox.Tree{Dir: p.path("tree")} }

// newPlace makes the folders, with a file in each. They are not below /tmp,
// which isolated hides.
func newPlace(t testing.TB) place {
	t.Helper()
	base := "/var/tmp"
	dir, err := os.MkdirTemp(base, "sandbox-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A layer that was shown has folders that nobody may open.
		if err := errors.Join(exec.Command("chmod", "-R", "u+rwx", dir).Run(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	p := place{dir}
	p.fill(t)
	return p
}

func (p place) fill(t testing.TB) {
	t.Helper()
	for _, name := range []string{"root", "tree", "tree2", "scratch", "outside", "shared"} {
		if err := os.MkdirAll(p.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(p.path(name), "file"), name)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func open(t testing.TB, c sandbox.Config, tree sandbox.Tree) *sandbox.Cell {
	t.Helper()
	cell, err := sandbox.Open(t.Context(), c, tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cell.Close(); err != nil {
			t.Error(err)
		}
	})
	return cell
}

// run runs args in the cell and returns what it printed and how it ended.
func run(t testing.TB, cell *sandbox.Cell, args ...string) (string, command.Exit) {
	t.Helper()
	return runSpec(t, cell, command.Spec{Args: args})
}

func runSpec(t testing.TB, cell *sandbox.Cell, spec command.Spec) (string, command.Exit) {
	t.Helper()
	out, err := command.Run(context.WithoutCancel(t.Context()), cell, spec, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Stdout) + string(out.Stderr), out.Exit
}

// sh runs a script that must succeed and returns what it printed.
func sh(t testing.TB, cell *sandbox.Cell, script string) string {
	t.Helper()
	out, exit := run(t, cell, "/bin/sh", "-ec", script)
	if !exit.Success() {
		t.Errorf("%s: %v: %s", script, exit, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func toolSpec(name string, args ...string) command.Spec {
	return command.Spec{Args: slices.Concat([]string{mustExecutable(), toolArg, name}, args)}
}

// eachTier runs test for each tier at the same time.
func eachTier(t *testing.T, test func(t *testing.T, tier sandbox.Tier)) {
	t.Parallel()
	for _, tier := range tiers {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			test(t, tier)
		})
	}
}

// unheld reports whether no process holds the lock any more.
func unheld(t testing.TB, path string) bool {
	t.Helper()
	return lock(t, path, unix.LOCK_NB) == nil
}

// lock takes the lock, with how waiting for it or not, and lets it go.
func lock(t testing.TB, path string, how int) error {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	return unix.Flock(fd, unix.LOCK_EX|how)
}
