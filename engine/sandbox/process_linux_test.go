package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestExits(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		for script, want := range map[string]command.Exit{
			"exit 0":        {},
			"exit 3":        {Code: 3},
			"kill -SEGV $$": {Code: -1, Signal: "SIGSEGV"},
			"kill -TERM $$": {Code: -1, Signal: "SIGTERM"},
			"kill -KILL $$": {Code: -1, Signal: "SIGKILL"},
		} {
			if _, got := run(t, cell, "/bin/sh", "-c", script); got != want {
				t.Errorf("%s: %+v, want %+v", script, got, want)
			}
		}
	})
}

// TestGentle looks at the nice value of commands, and of those that they start.
func TestGentle(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		gentle := p.config(tier)
		gentle.Gentle = true
		own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Fatal(err)
		}
		ours := 20 - own // the kernel counts from 40 down
		for _, c := range []struct {
			config sandbox.Config
			want   int
		}{{p.config(tier), ours}, {gentle, max(ours, 10)}} {
			cell := open(t, c.config, p.tree())
			if got := sh(t, cell, "nice; (exec nice)"); got != fmt.Sprintf("%d\n%d", c.want, c.want) {
				t.Errorf("gentle %t: nice %q, want %d", c.config.Gentle, got, c.want)
			}
		}
	})
}

func TestStreams(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		const size = 20 << 20
		out, err := command.Run(t.Context(), cell, command.Spec{Args: []string{"/bin/sh", "-c", "head -c 20971520 /dev/zero; head -c 20971520 /dev/zero >&2"}}, size)
		if err != nil || len(out.Stdout) != size || len(out.Stderr) != size || out.Truncated || !out.Exit.Success() {
			t.Errorf("%d and %d bytes, %v, %v, want %d each", len(out.Stdout), len(out.Stderr), out.Exit, err, size)
		}
		if got := sh(t, cell, "cat; echo end"); got != "end" {
			t.Errorf("without Stdin a command read %q", got)
		}
		proc, err := cell.Start(t.Context(), command.Spec{Args: []string{"cat"}, Stdin: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(proc.Stdin, "hello"); err != nil {
			t.Error(err)
		}
		proc.Stdin.Close()
		if b, err := io.ReadAll(proc.Stdout); string(b) != "hello" || err != nil {
			t.Errorf("cat said %q, %v", b, err)
		}
		if e := proc.Wait(); !e.Success() {
			t.Error(e)
		}
	})
}

// TestTreeIsDead starts what does not want to die in every way, ends it in every
// way, and looks whether anything holds the lock after Wait.
func TestTreeIsDead(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"daemon":              {"daemon", "stay"},
		"deaf swarm":          {"swarm", "3", "stay"},
		"daemon, parent gone": {"daemon", "exit"},
		"swarm, parent gone":  {"swarm", "2", "leave"},
		"daemon, no launcher": {"daemon", "kill"},
	} {
		t.Run(name, func(t *testing.T) {
			eachTier(t, func(t *testing.T, tier sandbox.Tier) {
				p := newPlace(t)
				cell := open(t, p.config(tier), p.tree())
				witness := startWorker(t, cell)
				path := p.path("scratch/lock")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				proc, err := cell.Start(ctx, toolSpec(args[0], append([]string{path}, args[1:]...)...))
				if err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(proc.Stdout).ReadString('\n'); line != "ready\n" {
					t.Fatalf("%q, %v", line, err)
				}
				stays := last(args) == "stay"
				if stays {
					if unheld(t, path) {
						t.Error("nothing holds the lock: this test can't fail")
					}
					cancel()
				}
				exit := proc.Wait()
				if !unheld(t, path) {
					t.Error("something is alive after Wait")
				}
				if exit.Killed != stays {
					t.Errorf("%+v, want killed %v", exit, stays)
				}
				if got := witness.ask(t, cell.Root()); got != "tree" {
					t.Errorf("another process of the cell was hurt: %q", got)
				}
			})
		})
	}
}

func last(s []string) string { return s[len(s)-1] }

// warm is a running worker.
type warm struct {
	proc *command.Process
	out  *bufio.Reader
}

func startWorker(t *testing.T, cell *sandbox.Cell) warm {
	t.Helper()
	spec := toolSpec("worker")
	spec.Stdin = true
	proc, err := cell.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return warm{proc, bufio.NewReader(proc.Stdout)}
}

// ask has the worker change into dir and returns what its file says.
func (w warm) ask(t *testing.T, dir string) string {
	t.Helper()
	if _, err := io.WriteString(w.proc.Stdin, dir+"\n"); err != nil {
		t.Fatal(err)
	}
	line, err := w.out.ReadString('\n')
	if err != nil {
		t.Errorf("worker: %q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

func TestSwitch(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		config := p.config(tier)
		config.Writable = []string{p.path("tree"), p.path("tree2")}
		tree1, tree2 := p.tree(), sandbox.Tree{Dir: p.path("tree2")}
		if tier == sandbox.Isolated {
			config.Writable = nil // the mount is enough
			tree2.Shared = []sandbox.Shared{{Path: "deps", Source: p.path("shared")}}
			if err := os.Mkdir(p.path("tree2/deps"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		cell := open(t, config, tree1)
		worker := startWorker(t, cell)
		for i := range 20 {
			tree, want := tree1, "tree"
			if i%2 == 1 {
				tree, want = tree2, "tree2"
			}
			if err := cell.Switch(t.Context(), tree); err != nil {
				t.Fatal(err)
			}
			if got := worker.ask(t, cell.Root()); got != want {
				t.Errorf("switch %d: the worker sees %q, want %q", i, got, want)
			}
			if got := read(t, filepath.Join(tree.Dir, "written")); got != want {
				t.Errorf("switch %d: the worker wrote %q", i, got)
			}
			if got := sh(t, cell, "cat file"); got != want {
				t.Errorf("switch %d: a new command sees %q, want %q", i, got, want)
			}
		}
		if tier == sandbox.Isolated {
			if n := strings.Count(sh(t, cell, "cat /proc/self/mountinfo"), " "+p.path("root")); n != 3 {
				t.Errorf("%d mounts at the workspace after many switches, want base, tree and shared folder", n)
			}
		}
	})
}

func TestOwnerKilled(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		path := p.path("scratch/lock")
		owner := exec.Command(mustExecutable(), toolArg, "owner", tier.String(), p.dir, path)
		out, err := owner.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := owner.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("owner: %q, %v", line, err)
		}
		if unheld(t, path) {
			t.Error("nothing holds the lock: this test can't fail")
		}
		if err := owner.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = owner.Wait()                         // it was killed
		if err := lock(t, path, 0); err != nil { // waits until the last one is dead
			t.Error(err)
		}
	})
}

// TestKillAtAnyMoment kills commands that are just about to end, with others
// that they leave behind.
func TestKillAtAnyMoment(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		for range 50 {
			proc, err := cell.Start(t.Context(), command.Spec{Args: []string{"/bin/sh", "-c", "sleep 1000 & echo"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(proc.Stdout).ReadString('\n'); err != nil {
				t.Error(err)
			}
			proc.Kill()
			if e := proc.Wait(); !e.Killed && !e.Success() {
				t.Errorf("%+v, want an end or a kill", e)
			}
		}
	})
}

// supervisors returns the PIDs of our supervisors.
func supervisors(t *testing.T) map[int]bool {
	t.Helper()
	found := map[int]bool{}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		stat, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == itoa(os.Getpid()) && strings.Contains(string(args), "supervisor") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			if err != nil {
				t.Fatal(err)
			}
			found[pid] = true
		}
	}
	return found
}

// TestSupervisorKilled does not run beside others: it finds its supervisor by
// its being new.
func TestSupervisorKilled(t *testing.T) {
	for _, tier := range tiers {
		t.Run(tier.String(), func(t *testing.T) {
			p := newPlace(t)
			before := supervisors(t)
			cell := open(t, p.config(tier), p.tree())
			path := p.path("scratch/lock")
			proc, err := cell.Start(t.Context(), toolSpec("daemon", path, "stay"))
			if err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(proc.Stdout).ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			for pid := range supervisors(t) {
				if !before[pid] {
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Error(err)
					}
				}
			}
			if e := proc.Wait(); e.Success() {
				t.Errorf("the command ended with %v", e)
			}
			if !unheld(t, path) {
				t.Error("something is alive after Wait")
			}
			if _, err := cell.Start(t.Context(), command.Spec{Args: []string{"true"}}); !errors.Is(err, sandbox.ErrClosed) {
				t.Errorf("start: %v, want ErrClosed", err)
			}
			if err := cell.Switch(t.Context(), p.tree()); !errors.Is(err, sandbox.ErrClosed) {
				t.Errorf("switch: %v, want ErrClosed", err)
			}
		})
	}
}

func TestClose(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		path := p.path("scratch/lock")
		proc, err := cell.Start(t.Context(), toolSpec("swarm", path, "2", "stay"))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(proc.Stdout).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := cell.Close(); err != nil {
			t.Error(err)
		}
		if !unheld(t, path) {
			t.Error("something is alive after Close")
		}
		if e := proc.Wait(); !e.Killed {
			t.Errorf("%+v, want killed", e)
		}
		if _, err := cell.Start(t.Context(), command.Spec{Args: []string{"true"}}); !errors.Is(err, sandbox.ErrClosed) {
			t.Errorf("start: %v, want ErrClosed", err)
		}
		if err := cell.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestNothingLeaks does not run beside others, whose files it would count.
func TestNothingLeaks(t *testing.T) {
	for _, tier := range tiers {
		t.Run(tier.String(), func(t *testing.T) {
			p := newPlace(t)
			use := func() {
				cell, err := sandbox.Open(t.Context(), p.config(tier), p.tree())
				if err != nil {
					t.Fatal(err)
				}
				defer cell.Close()
				sh(t, cell, "echo out; echo err >&2")
				if _, err := cell.Start(t.Context(), command.Spec{Args: []string{"no-such-program"}}); err == nil {
					t.Error("started a program that is not there")
				}
				unread, err := cell.Start(t.Context(), command.Spec{Args: []string{"cat"}, Stdin: true})
				if err != nil {
					t.Fatal(err)
				}
				unread.Kill()
				unread.Wait()
				_, err = sandbox.Open(t.Context(), p.config(tier), sandbox.Tree{Dir: p.path("missing")})
				if err == nil {
					t.Error("opened a cell on nothing")
				}
			}
			use()
			before := state(t, p)
			for range 3 {
				use()
			}
			if after := state(t, p); after != before {
				t.Errorf("before %s\nafter %s", before, after)
			}
		})
	}
}

// state counts our files, children and mounts; others mount what they need beside us.
func state(t *testing.T, p place) string {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d files, %d supervisors, %d mounts", len(fds), len(supervisors(t)), strings.Count(read(t, "/proc/self/mountinfo"), p.dir))
}
