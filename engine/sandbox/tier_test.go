package sandbox_test

import (
	"errors"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/sandbox"
)

// A cell is what the other packages know by their own interfaces.
var (
	_ command.Starter = (*sandbox.Cell)(nil)
	_ runner.Cell     = (*sandbox.Cell)(nil)
)

func TestTierNames(t *testing.T) {
	t.Parallel()
	for tier, want := range map[sandbox.Tier]string{
		sandbox.InvalidTier: "invalid", sandbox.Isolated: "isolated", sandbox.Confined: "confined",
		sandbox.Supervised: "supervised", 99: "tier(99)",
	} {
		if got := tier.String(); got != want {
			t.Errorf("%d is %q, want %q", tier, got, want)
		}
	}
}

// TestSupervisedEverywhere is what holds on every system.
func TestSupervisedEverywhere(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	cell, err := sandbox.Open(t.Context(), sandbox.Config{Root: t.TempDir(), Scratch: t.TempDir(), Tier: sandbox.Supervised}, sandbox.Tree{Dir: tree})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	if cell.Root() != tree {
		t.Errorf("root is %s, want the tree %s", cell.Root(), tree)
	}
	if _, err := cell.Start(t.Context(), command.Spec{Args: []string{"no-such-program"}}); !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

func TestGoCacheProg(t *testing.T) {
	t.Parallel()
	got := sandbox.GoCacheProg("/home/a b/cache", "/private", "")
	if !strings.HasSuffix(got, " -sandbox-role=gocache '/home/a b/cache' /private") {
		t.Errorf("GOCACHEPROG=%s", got)
	}
}
