package sandbox_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

func TestEnvironment(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.Environ = []string{
			"PATH=relative::" + p.path("root/bin") + ":/usr/bin:/bin", "TZ=Asia/Tokyo", "HOME=/root", "LANG=de_DE.UTF-8",
			"PYTEST_ADDOPTS=-x", "GOFLAGS=-mod=mod", "NODE_OPTIONS=--inspect", "OPENAI_API_KEY=secret", "LET=through", "TERM=xterm",
		}
		c.PassEnv = []string{"LET", "MISSING"}
		cell := open(t, c, p.tree())
		tmp := p.path("scratch/tmp")
		if tier == sandbox.Isolated {
			tmp = "/tmp"
		}
		want := map[string]string{
			"PATH": filepath.Join(cell.Root(), "bin") + ":/usr/bin:/bin", "HOME": p.path("scratch/home"), "TMPDIR": tmp, "PWD": cell.Root(),
			"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "TERM": "dumb", "NO_COLOR": "1", "CI": "1", "COLUMNS": "100",
			"LET": "through", "OWN": "line 1\nline 2\xff",
		}
		out, _ := runSpec(t, cell, command.Spec{Args: []string{"/usr/bin/env", "-0"}, Env: []string{"COLUMNS=100", "OWN=" + want["OWN"]}})
		got := map[string]string{}
		for kv := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			name, value, _ := strings.Cut(kv, "=")
			got[name] = value
		}
		if !maps.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestNotFound(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		write(t, p.path("tree/not-executable"), "#!/bin/sh\n")
		for _, name := range []string{"no-such-program", "./no-such-program", "/no/such/program"} {
			_, err := cell.Start(t.Context(), command.Spec{Args: []string{name}})
			var e *exec.Error
			if !errors.Is(err, sandbox.ErrNotFound) || !errors.As(err, &e) || e.Name != name {
				t.Errorf("%s: %v, want ErrNotFound that names it", name, err)
			}
		}
		for want, spec := range map[string]command.Spec{
			"permission denied":    {Args: []string{"./not-executable"}},
			"change into folder":   {Args: []string{"true"}, Dir: "missing"},
			"out of the workspace": {Args: []string{"true"}, Dir: "../outside"},
			"no program":           {},
		} {
			if _, err := cell.Start(t.Context(), spec); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", spec, err, want)
			}
		}
	})
}

func TestOpenErrors(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		file := p.path("tree/file")
		for want, change := range map[string]func(*sandbox.Config, *sandbox.Tree){
			"not absolute":          func(c *sandbox.Config, _ *sandbox.Tree) { c.Root = "relative" },
			"lies in the workspace": func(c *sandbox.Config, _ *sandbox.Tree) { c.Scratch = c.Root + "/scratch" },
			"no tier":               func(c *sandbox.Config, _ *sandbox.Tree) { c.Tier = sandbox.InvalidTier },
			"no such file":          func(_ *sandbox.Config, t *sandbox.Tree) { t.Dir += "/missing" },
			"not a directory":       func(_ *sandbox.Config, t *sandbox.Tree) { t.Dir = file },
			"want a path in the tree": func(_ *sandbox.Config, t *sandbox.Tree) {
				t.Shared = []sandbox.Shared{{Path: "../up", Source: p.path("shared")}}
			},
		} {
			c, tree := p.config(tier), p.tree()
			change(&c, &tree)
			cell, err := sandbox.Open(t.Context(), c, tree)
			if err == nil {
				cell.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

func TestSharedNeedsAFolder(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(at string) error{
		"nothing": func(string) error { return nil },
		"file":    func(at string) error { return os.WriteFile(at, nil, 0o600) },
		"symlink": func(at string) error { return os.Symlink("/etc", at) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if err := lay(p.path("tree2/deps")); err != nil {
				t.Fatal(err)
			}
			cell := open(t, p.config(sandbox.Isolated), p.tree())
			bad := sandbox.Tree{Dir: p.path("tree2"), Shared: []sandbox.Shared{{Path: "deps", Source: p.path("shared")}}}
			if err := cell.Switch(t.Context(), bad); err == nil || !strings.Contains(err.Error(), `"deps"`) {
				t.Errorf("%v, want an error that names the folder", err)
			}
			// The cell can still be switched, and shows nothing of the host meanwhile.
			if err := cell.Switch(t.Context(), p.tree()); err != nil {
				t.Fatal(err)
			}
			if got := sh(t, cell, "cat file"); got != "tree" {
				t.Errorf("after the failed switch: %q", got)
			}
		})
	}
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space", "quote'\"$(x)`", "line\nbreak", "not\xffutf8", "-dash", "ünï", "tab\tcomma,colon:\\"} {
		t.Run(name, func(t *testing.T) {
			eachTier(t, func(t *testing.T, tier sandbox.Tier) {
				outer := newPlace(t)
				p := place{outer.path(name)}
				p.fill(t)
				cell := open(t, p.config(tier), p.tree())
				out, exit := run(t, cell, "/bin/sh", "-c", `printf %s "$PWD"; cat file; echo x > "$HOME/x"; printf %s "$0"`, name)
				if !exit.Success() || out != cell.Root()+"tree"+name {
					t.Errorf("%v %q", exit, out)
				}
			})
		})
	}
}

// TestBelowCovers has everything in a folder that isolated covers.
func TestBelowCovers(t *testing.T) {
	for _, covered := range []string{"/tmp", "/dev/shm"} {
		t.Run(covered, func(t *testing.T) { belowCover(t, covered) })
	}
}

func belowCover(t *testing.T, covered string) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		dir, err := os.MkdirTemp(covered, "sandbox-test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		p := place{dir}
		p.fill(t)
		if err := os.MkdirAll(p.path("bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, p.path("bin/mine"), "#!/bin/sh\necho mine\n")
		if err := os.Chmod(p.path("bin/mine"), 0o700); err != nil {
			t.Fatal(err)
		}
		c := p.config(tier)
		c.Environ = []string{"PATH=" + p.path("bin") + ":/usr/bin:/bin"}
		c.Writable = []string{p.path("shared")}
		cell := open(t, c, p.tree())
		got := sh(t, cell, `cat file; mine; echo x > "$TMPDIR/x"; echo x > ../scratch/y; echo x > ../shared/z`)
		if got != "treemine" {
			t.Errorf("saw %q", got)
		}
		for _, f := range []string{"scratch/tmp/x", "scratch/y", "shared/z"} {
			if got := read(t, p.path(f)); got != "x\n" {
				t.Errorf("%s: %q", f, got)
			}
		}
	})
}

// TestBelowDev has the workspace where a cell can't show it.
func TestBelowDev(t *testing.T) {
	t.Parallel()
	root, err := os.MkdirTemp("/dev", "sandbox-test")
	if err != nil {
		t.Skip("not on this system: only root can make folders in /dev")
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	p := newPlace(t)
	c := p.config(sandbox.Isolated)
	c.Root = root
	cell, err := sandbox.Open(t.Context(), c, p.tree())
	if err == nil {
		cell.Close()
	}
	if err == nil || !strings.Contains(err.Error(), root) || !strings.Contains(err.Error(), "/dev/shm") {
		t.Errorf("%v, want one that says what can be shown", err)
	}
}

// TestClosedParent has the workspace in a folder that only its owner, whom
// commands are not, may pass.
func TestClosedParent(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("not on this system: only root can be in a folder that it may not pass")
	}
	p := newPlace(t)
	if err := errors.Join(os.Chmod(p.dir, 0o700), os.Chown(p.dir, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	cell := open(t, p.config(sandbox.Isolated), p.tree())
	if got := sh(t, cell, `pwd; cat file; echo x > new; echo x > "$HOME/x"`); got != p.path("root")+"\ntree" {
		t.Errorf("saw %q", got)
	}
	if got := read(t, p.path("tree/new")); got != "x\n" {
		t.Errorf("wrote %q", got)
	}
}

// TestRootBelowSlash has the workspace where a Landlock rule for its parent
// covers everything, so that only the mounts refuse.
func TestRootBelowSlash(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("not on this system: only root can make folders in /")
	}
	p := newPlace(t)
	root, err := os.MkdirTemp("/", "sandbox-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	c := p.config(sandbox.Isolated)
	c.Root = root
	cell := open(t, c, p.tree())
	sh(t, cell, "echo x > new")
	for _, script := range []string{
		`echo x > /new`, `echo x > ` + p.path("outside/file"), `chmod 777 ` + p.path("outside/file"), `touch ` + p.path("outside/file"),
		`f=/proc/sys/vm/swappiness; v=$(cat $f); echo $v > $f`, `f=/sys/kernel/profiling; v=$(cat $f); echo $v > $f`, `: > /dev/new`,
	} {
		if out, exit := run(t, cell, "/bin/sh", "-ec", script); exit.Success() || !strings.Contains(out, "Read-only file system") {
			t.Errorf("%s: %v %s", script, exit, out)
		}
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cell := open(t, p.config(sandbox.Isolated), p.tree())
	if out, exit := runSpec(t, cell, toolSpec("pty")); !exit.Success() || out != "hello\n" {
		t.Errorf("%v %q", exit, out)
	}
}

// TestSymlinkedRoot opens a cell by another name of the workspace.
func TestSymlinkedRoot(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		if err := os.Symlink("root", p.path("name")); err != nil {
			t.Fatal(err)
		}
		c := p.config(tier)
		c.Root = p.path("name")
		cell := open(t, c, p.tree())
		if tier == sandbox.Isolated && cell.Root() != c.Root {
			t.Errorf("root is %s", cell.Root())
		}
		if got := sh(t, cell, "pwd; cat file; cd "+cell.Root()+"; cat file"); got != cell.Root()+"\ntreetree" {
			t.Errorf("saw %q", got)
		}
	})
}

// TestOrdinaryUser runs the other tests again as a user without any privilege.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not on this system: this already is an ordinary user")
	}
	dir, err := os.MkdirTemp("/var/tmp", "sandbox-user")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const nobody = 65534
	exe := filepath.Join(dir, "sandbox.test")
	b, err := os.ReadFile(mustExecutable())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(exe, b, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.v", "-test.skip=OrdinaryUser|OddNames|TreeIsDead/swarm")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + dir, "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: false}}
	out, err := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	failed := slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "===") || strings.Contains(l, "--- PASS")
	})
	if err != nil || !strings.Contains(string(out), "--- PASS: TestProbe/isolated") {
		t.Errorf("as an ordinary user: %v\n%s", err, strings.Join(failed, "\n"))
	}
}

// TestFoldersComeAndGo opens cells while folders that a cell hides come and go beside
// it.
func TestFoldersComeAndGo(t *testing.T) {
	t.Parallel()
	top, err := os.MkdirTemp("/", "sandbox-test")
	if err != nil {
		t.Skip("not on this system: only root can make folders in /")
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	ended := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-ended:
				return
			default:
			}
			dir := fmt.Sprintf("%s-%d", top, n%50)
			_ = os.Mkdir(dir, 0o700)
			_ = os.Remove(fmt.Sprintf("%s-%d", top, (n+1)%50))
		}
	})
	t.Cleanup(func() {
		close(ended)
		busy.Wait()
		left, _ := filepath.Glob(top + "-*")
		for _, dir := range left {
			os.Remove(dir)
		}
	})
	p := newPlace(t)
	c := p.config(sandbox.Isolated)
	c.ReadAll = false
	for range 10 {
		cell, err := sandbox.Open(t.Context(), c, p.tree())
		if err != nil {
			t.Fatal(err)
		}
		if err := cell.Close(); err != nil {
			t.Error(err)
		}
	}
}
