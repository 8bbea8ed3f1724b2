// Autocoder makes a failing test suite pass: it finds the fault, edits a copy of
// the project, runs the tests there, and shows or applies the verified edit.
//
// One file is one verb. A verb reads its flags, asks package engine, and writes
// the answer: the result to standard output, progress to standard error.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"autocoder/engine/sandbox"
)

// stopping are the signals that end a run: a key, a manager of processes, and a
// terminal that is closed.
var stopping = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

func main() {
	sandbox.Main()
	signals := make(chan os.Signal, 2)
	for _, s := range stopping {
		// Under nohup a closed terminal is nothing to stop for.
		if s != syscall.SIGHUP || !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop := func() {
		// Whoever read our output may be gone too: that must not kill the cleaning up.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		cancel()
	}
	go stopOn(signals, stop, func() { os.Exit(int(exitCancelled)) }, os.Stderr)
	w := &world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), now: time.Now, goos: runtime.GOOS,
		liveOutput: terminal(os.Stdout), liveProgress: terminal(os.Stderr), temp: os.TempDir(),
		self: self(os.Executable()), account: account(user.Current()),
	}
	os.Exit(int(w.run(ctx, os.Args[1:])))
}

// stopOn cancels the run at the first signal and kills the process at the
// second. What runs in cells dies with the process.
func stopOn(signals <-chan os.Signal, cancel, kill func(), stderr io.Writer) {
	<-signals
	cancel()
	// Standard error may be gone; the run stops all the same.
	_, _ = io.WriteString(stderr, "stopping; once more stops at once\n")
	<-signals
	kill()
}

// terminal reports whether f shows what is written to a person.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// self is how the user can call this program again: go run leaves no binary.
func self(path string, err error) string {
	if err == nil && strings.Contains(filepath.ToSlash(path), "/go-build") {
		return "go run ./cmd/autocoder"
	}
	return "autocoder"
}

// account is the home folder of an account, empty when that is not known.
func account(u *user.User, err error) string {
	if err != nil {
		return ""
	}
	return u.HomeDir
}
