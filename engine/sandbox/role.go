package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"autocoder/engine/sandbox/gocache"
)

// rolePrefix marks the first argument of our binary when it is re-executed.
const rolePrefix = "-sandbox-role="

// role is what a re-executed process does instead of being the program.
type role string

const (
	roleSupervisor role = "supervisor"
	roleLauncher   role = "launcher"
	roleProbe      role = "probe"
	roleStranger   role = "stranger"
	roleGoCache    role = "gocache"
)

// Main must be the first call of main and of the TestMain of each package whose
// tests open cells. When this process was re-executed to play a part in a cell
// it plays it and exits; otherwise Main returns at once. Files that were left open
// by whoever started this process reach nothing that it starts, and its environment
// is no longer shown to other processes.
func Main() {
	_ = keepFiles() // a launcher tries again, and starts nothing without it
	concealEnvironment()
	if len(os.Args) < 2 {
		return
	}
	name, ok := strings.CutPrefix(os.Args[1], rolePrefix)
	if !ok {
		return
	}
	// Not os.Exit: with the race detector that takes a second, for each command.
	syscall.Exit(role(name).play(os.Args[2:]))
}

// play does what r does and returns the exit code.
func (r role) play(args []string) int {
	switch r {
	case roleGoCache:
		if len(args) > 1 && strings.HasPrefix(args[1], "~/") {
			args[1] = filepath.Join(os.Getenv("HOME"), args[1][2:])
		}
		return gocache.Main(args, os.Stdin, os.Stdout, os.Stderr)
	case roleProbe:
		return probeMain(args, os.Stdout)
	case roleStranger:
		return strangerMain(os.Stdin)
	case roleSupervisor, roleLauncher:
		return cellMain(r)
	default:
		fmt.Fprintf(os.Stderr, "autocoder: unknown part %q\n", string(r))
		return 2
	}
}

// arg is the argument that makes our binary play r.
func (r role) arg() string { return rolePrefix + string(r) }

// GoCacheProg returns the value of GOCACHEPROG that makes the go command read the
// user's build cache without writing it and put what it builds into the folder
// private. What is in the folder built, unless that is empty, is read too. It is our
// own binary in another role. A private folder "~/…" is in the home of the command.
func GoCacheProg(userCache, private, built string) string {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0] // the go command then says what it could not start
	}
	args := []string{exe, roleGoCache.arg(), userCache, private}
	if built != "" {
		args = append(args, built)
	}
	return gocache.Quote(args...)
}
