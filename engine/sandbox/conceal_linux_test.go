package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"autocoder/engine/sandbox"
)

// keyVariable is a variable of the environment that has a key.
const keyVariable = "SANDBOX_TEST_KEY=the key of a model"

// shown waits to be looked at: it prints what it has of the variable itself.
func shown([]string) error {
	fmt.Println(os.Getenv("SANDBOX_TEST_KEY"))
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}

// TestEnvironmentIsConcealed looks for a key in the environment of a program that
// begins with Main, as ours does, and of one that does not, from every tier.
func TestEnvironmentIsConcealed(t *testing.T) {
	t.Parallel()
	begin := func(name string, args ...string) int {
		cmd := exec.Command(name, args...)
		cmd.Env = []string{"A=1", keyVariable, "Z=2"}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			_ = cmd.Wait()
		})
		line := make([]byte, 64)
		if n, err := out.Read(line); err != nil || string(line[:n]) != "the key of a model\n" {
			t.Fatalf("it has %q itself, %v", line[:n], err)
		}
		return cmd.Process.Pid
	}
	ours := begin(mustExecutable(), toolArg, "shown")
	other := begin("/bin/sh", "-c", `echo "$SANDBOX_TEST_KEY"; read line; true`)
	t.Run("tiers", func(t *testing.T) {
		eachTier(t, func(t *testing.T, tier sandbox.Tier) {
			p := newPlace(t)
			cell := open(t, p.config(tier), p.tree())
			for pid, want := range map[int]bool{ours: false, other: tier == sandbox.Supervised} {
				out, exit := run(t, cell, "/bin/cat", fmt.Sprintf("/proc/%d/environ", pid))
				if got := strings.Contains(out, keyVariable); got != want {
					t.Errorf("%d, ours %v: shows the key %v, want %v: %v %.100q", pid, pid == ours, got, want, exit, out)
				}
			}
		})
	})
}
