package sandbox_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

// TestMemory has a command take more and more memory, in every way that there is.
// That it may where the limit is higher is the control.
func TestMemory(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		for kind := range hogs {
			if tier != sandbox.Isolated && kind != "its own" && kind != "unnamed files" {
				continue // counted alike, or the host's
			}
			t.Run(kind, func(t *testing.T) {
				p := newPlace(t)
				c := p.config(tier)
				c.Memory = 192 << 20
				hog := []string{kind, "256", "stay"}
				switch kind {
				case "its own":
					c.Memory, hog[1] = 512<<20, "768"
				case "children":
					hog = hog[:2] // it ends when one of them is killed, or none is left to start
				}
				limit := fmt.Sprintf("memory = %d ", c.Memory>>20)
				out, exit := runSpec(t, open(t, c, p.tree()), toolSpec("hog", hog...))
				if exit.Killed || !strings.Contains(exit.Over, limit) || !strings.Contains(exit.String(), limit) || kind != "children" && exit.Signal != "SIGKILL" {
					t.Errorf("%+v %q, want an end for memory", exit, out)
				}
				c.Memory, c.Scratch = 8<<30, p.path("shared")
				if out, exit = runSpec(t, open(t, c, p.tree()), toolSpec("hog", hog[:2]...)); !exit.Success() || exit.Over != "" {
					t.Errorf("with a higher limit: %+v %q", exit, out)
				}
			})
		}
	})
}

// TestMemoryOfAChild counts that of a child, and what is left of the tree goes on.
func TestMemoryOfAChild(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.Memory = 256 << 20
		cell := open(t, c, p.tree())
		out, exit := runSpec(t, cell, command.Spec{Args: []string{"/bin/sh", "-c", `"$0" "$@"; echo "ended $?"`, mustExecutable(), toolArg, "hog", "its own", "512", "stay"}})
		if !exit.Success() && exit.Over == "" || !strings.Contains(out, "ended 137") {
			t.Errorf("%+v %q", exit, out)
		}
		if out, exit = runSpec(t, cell, toolSpec("hog", "its own", "64")); !exit.Success() {
			t.Errorf("less than the limit: %+v %q", exit, out)
		}
	})
}

// TestDisk fills the disk, by few large files and by many empty ones. That a disk on
// which there is not much room from the start is not watched is the control: there
// the command is refused what does not fit.
func TestDisk(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		for name, c := range map[string]struct{ script, says string }{
			"bytes": {`head -c 200000000 /dev/zero > "$0/file"; sleep 60`, "is full"},
			"files": {`i=0; while true > "$0/$i"; do i=$((i+1)); done; sleep 60`, "more files"},
		} {
			t.Run(name, func(t *testing.T) {
				p := newPlace(t)
				config := p.config(tier)
				config.Scratch = p.path("disk")
				if err := os.Mkdir(config.Scratch, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Mount("tmpfs", config.Scratch, "tmpfs", 0, "size=64m,nr_inodes=3000"); err != nil {
					t.Skip("not on this system: mounting a small disk:", err)
				}
				t.Cleanup(func() {
					if err := syscall.Unmount(p.path("disk"), 0); err != nil {
						t.Error(err)
					}
				})
				cell := open(t, config, p.tree())
				if out, exit := run(t, cell, "/bin/sh", "-c", c.script, config.Scratch); exit.Success() || !strings.Contains(exit.Over, c.says) {
					t.Errorf("%+v %q", exit, out)
				}
				if out, exit := run(t, cell, "/bin/sh", "-c", `: > "$0/more" && head -c 1000000 /dev/zero > "$0/more"`, config.Scratch); exit.Success() || exit.Over != "" || !strings.Contains(out, "No space") {
					t.Errorf("on the full disk: %+v %q", exit, out)
				}
			})
		}
	})
}

// TestProcesses has a command start processes and threads without end.
func TestProcesses(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.Processes = 150
		cell := open(t, c, p.tree())
		for _, kind := range []string{"processes", "threads"} {
			out, exit := run(t, cell, "/usr/bin/python3", "-c", bombScript, kind, p.path("scratch/"+kind), "2000")
			if exit.Success() || !strings.Contains(exit.Over, "processes = 150") {
				t.Errorf("%s: %+v %.300q", kind, exit, out)
			}
		}
		if got := sh(t, cell, `for i in 1 2 3 4 5; do sleep 0.01 & done; wait; echo fine`); got != "fine" {
			t.Errorf("less than the limit: %q", got)
		}
	})
}

// bombScript starts as many processes or threads as it may, each of which starts
// its share of them, writes a byte to a file, and then does nothing. It can't harm
// anybody else: their number is given, and none lives for longer than a minute.
const bombScript = `import os, signal, sys, threading, time
kind, born, all = sys.argv[1], os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND), int(sys.argv[3])
end = time.monotonic() + 60

def rest():
    while time.monotonic() < end and os.fstat(born).st_size < all:
        time.sleep(0.05)

def split(n):
    signal.alarm(60)
    os.write(born, b"x")
    for share in (n // 2, n - 1 - n // 2):
        while share > 0 and time.monotonic() < end:
            try:
                if os.fork() == 0:
                    return split(share)
                break
            except OSError:
                time.sleep(0.01)
    rest()

def idle():
    os.write(born, b"x")
    rest()

if kind == "processes":
    split(all)
else:
    for _ in range(all):
        try:
            threading.Thread(target=idle, daemon=True).start()
        except RuntimeError:
            time.sleep(0.01)
    rest()`

// TestBound stops who looks, so that only the kernel is left to bound processes.
// That as many start where the limit is higher is the control.
func TestBound(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		how := ""
		for _, a := range sandbox.Probe(t.Context(), tier, nil) {
			how += a.Detail
		}
		if !strings.Contains(how, "by the kernel") {
			t.Skip("not on this system: here only looking bounds processes")
		}
		p := newPlace(t)
		for _, limit := range []int{20, 0} {
			c := p.config(tier)
			c.Processes, c.Scratch = limit, p.path("scratch/"+itoa(limit))
			if err := os.Mkdir(c.Scratch, 0o700); err != nil {
				t.Fatal(err)
			}
			got := startUnseen(t, open(t, c, p.tree()), c.Scratch)
			if limit == 0 && got != unseen || limit > 0 && !strings.Contains(how, "of a user") && got >= unseen {
				t.Errorf("with processes = %d, bounded %s, %d were started", limit, how, got)
			}
		}
	})
}

// unseen is how many processes startUnseen wants to start.
const unseen = 500

// startUnseen starts processes while the launcher is stopped, and returns how many.
func startUnseen(t *testing.T, cell *sandbox.Cell, dir string) int {
	t.Helper()
	proc, err := cell.Start(t.Context(), command.Spec{Stdin: true, Args: []string{"/usr/bin/python3", "-c", `import os, signal, sys
print("ready", flush=True)
sys.stdin.readline()
signal.alarm(60)
started, r, w = 0, *os.pipe()
try:
    for _ in range(int(sys.argv[2])):
        if os.fork() == 0:
            os.close(w)
            os.read(r, 1) # ends with who started us
            os._exit(0)
        started += 1
except OSError:
    pass
print(started, flush=True)`, dir, itoa(unseen)}})
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(proc.Stdout)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	launcher := parentOf(t, dir)
	if err := syscall.Kill(launcher, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer proc.Wait()
	defer proc.Kill()
	defer syscall.Kill(launcher, syscall.SIGCONT)
	if _, err := io.WriteString(proc.Stdin, "go\n"); err != nil {
		t.Fatal(err)
	}
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// parentOf finds the parent of the process that was given an argument.
func parentOf(t *testing.T, argument string) int {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), "\x00"+argument+"\x00") {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(path), "status"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(status), "PPid:")
		if pid, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
			return pid
		}
	}
	t.Fatal("the process is not there")
	return 0
}
