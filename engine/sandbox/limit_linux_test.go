package sandbox_test

import (
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

// TestMemory has a command take more and more memory.
func TestMemory(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.Memory = 512 << 20
		cell := open(t, c, p.tree())
		out, exit := runSpec(t, cell, toolSpec("hog", "1024", "stay"))
		if exit.Signal != "SIGKILL" || exit.Killed || !strings.Contains(exit.Over, "memory = 512") || !strings.Contains(exit.String(), "memory = 512") {
			t.Errorf("%+v %q, want SIGKILL for memory", exit, out)
		}
		// A child's memory counts, and what is left of the tree can go on.
		out, exit = runSpec(t, cell, command.Spec{Args: []string{"/bin/sh", "-c", `"$0" "$@"; echo "ended $?"`, mustExecutable(), toolArg, "hog", "1024", "stay"}})
		if !exit.Success() && exit.Over == "" || !strings.Contains(out, "ended 137") {
			t.Errorf("in a child: %+v %q", exit, out)
		}
		if out, exit = runSpec(t, cell, toolSpec("hog", "64")); !exit.Success() {
			t.Errorf("less than the limit: %+v %q", exit, out)
		}
	})
}

// TestProcesses has a command start processes without end.
func TestProcesses(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.Processes = 150
		cell := open(t, c, p.tree())
		for name, script := range map[string]string{
			"slowly": `while :; do sleep 1000 & done`,
			"bomb":   `bomb() { bomb | bomb & }; bomb; sleep 1000`,
		} {
			if name == "bomb" && tier != sandbox.Isolated {
				continue // without a PID namespace that may take too long to die out
			}
			out, exit := run(t, cell, "/bin/sh", "-c", script)
			if exit.Success() || !strings.Contains(exit.Over, "processes = 150") {
				t.Errorf("%s: %+v %.100q", name, exit, out)
			}
		}
		if got := sh(t, cell, `for i in 1 2 3 4 5; do sleep 0.01 & done; wait; echo fine`); got != "fine" {
			t.Errorf("less than the limit: %q", got)
		}
	})
}
