package sandbox_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"autocoder/engine/sandbox"
)

// leak leaves a file open for whatever is executed, at a number that nothing else
// gets by chance.
func leak(t *testing.T, path string) string {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, 300)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return strconv.Itoa(fd)
}

// TestOpenFilesStayOutside has commands write to a file that their owner has left
// open for its children.
func TestOpenFilesStayOutside(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		fd := leak(t, p.path("outside/file"))
		if out, err := exec.Command(mustExecutable(), toolArg, "put", fd).CombinedOutput(); err != nil || read(t, p.path("outside/file")) != "x" {
			t.Fatalf("a child that is in no cell could not write: %v %s", err, out)
		}
		cell := open(t, p.config(tier), p.tree())
		out, exit := runSpec(t, cell, toolSpec("put", fd))
		if got := read(t, p.path("outside/file")); exit.Success() || out != unix.EBADF.Error()+"\n" || got != "x" {
			t.Errorf("%v %q, and the file has %q", exit, out, got)
		}
	})
}

// TestMainKeepsOpenFiles has Main keep what the process was started with.
func TestMainKeepsOpenFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fd := leak(t, p.path("outside/file"))
	if out, err := exec.Command(mustExecutable(), toolArg, "kept", fd).Output(); err != nil || string(out) != "true" {
		t.Errorf("kept: %s, %v", out, err)
	}
}
