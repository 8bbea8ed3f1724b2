package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/config"
	"autocoder/engine/sandbox"
)

func TestProbe(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		for _, a := range sandbox.Probe(t.Context(), tier, os.Environ()) {
			if !a.OK {
				t.Errorf("%s: %s", a.Name, a.Detail)
			}
		}
	})
}

func TestChoose(t *testing.T) {
	t.Parallel()
	var known sandbox.Probes
	for _, c := range []struct {
		name    string
		mode    config.SandboxMode
		consent bool
		want    sandbox.Tier
	}{
		{"best", config.SandboxBest, false, sandbox.Isolated},
		{"required", config.SandboxRequired, false, sandbox.Isolated},
		{"supervised with consent", config.SandboxSupervised, true, sandbox.Supervised},
		{"supervised without", config.SandboxSupervised, false, sandbox.InvalidTier},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, trials, err := sandbox.Choose(t.Context(), sandbox.Choice{Mode: c.mode, Consent: c.consent, Environ: os.Environ(), Known: &known})
			if got != c.want {
				t.Errorf("chose %v, want %v: %+v", got, c.want, trials)
			}
			var u *sandbox.Unavailable
			if c.want == sandbox.InvalidTier && (!errors.As(err, &u) || len(u.Remedies) != 2) {
				t.Errorf("error %v, want Unavailable with two remedies", err)
			}
			if c.want != sandbox.InvalidTier && err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWrites tries every way to change something outside, and the same inside.
// Supervised is the control: there they all succeed.
func TestWrites(t *testing.T) {
	t.Parallel()
	attempts := map[string]string{
		"write":            `echo x > "$D/file"`,
		"append":           `echo x >> "$D/file"`,
		"make file":        `: > "$D/new"`,
		"make folder":      `mkdir "$D/new"`,
		"make fifo":        `mkfifo "$D/new"`,
		"make symlink":     `ln -s /etc "$D/new"`,
		"hard link":        `ln "$S/file" "$D/new"`,
		"rename into":      `echo x > "$S/mine"; mv "$S/mine" "$D/new"`,
		"rename out":       `mv "$D/file" "$S/stolen"`,
		"remove":           `rm -f "$D/file"`,
		"through symlink":  `ln -sfn "$D" "$S/link"; echo x > "$S/link/file"`,
		"through /proc":    `cd "$D"; echo x > /proc/self/cwd/file`,
		"from another dir": `cd "$D"; echo x > file`,
		"in the own tree":  `cd "$R"; echo x > file; mkdir a; mv file a/moved; rm -r a`,
		"in scratch":       `echo x > "$S/new"`,
		"in home":          `echo x > "$HOME/new"`,
		"in TMPDIR":        `echo x > "$TMPDIR/new"`,
		"in /dev/null":     `echo x > /dev/null`,
		"in /dev/shm":      `f=/dev/shm/autocoder-test-$$; echo x > $f; rm $f`,
		"in writable":      `echo x > "$W/new"`,
	}
	for name, script := range attempts {
		t.Run(name, func(t *testing.T) {
			eachTier(t, func(t *testing.T, tier sandbox.Tier) {
				p := newPlace(t)
				c := p.config(tier)
				c.Writable = []string{p.path("shared")}
				cell := open(t, c, p.tree())
				out, exit := runSpec(t, cell, command.Spec{
					Args: []string{"/bin/sh", "-ec", script},
					Env:  []string{"D=" + p.path("outside"), "S=" + p.path("scratch"), "R=" + cell.Root(), "W=" + p.path("shared")},
				})
				want := tier == sandbox.Supervised || strings.HasPrefix(name, "in ")
				if name == "in /dev/shm" && tier == sandbox.Confined {
					want = false // it has none of its own, but for what has a shared name
				}
				if exit.Success() != want {
					t.Errorf("%v, want success %v: %s", exit, want, out)
				}
				names, err := filepath.Glob(p.path("outside/*"))
				if err != nil {
					t.Fatal(err)
				}
				clean := slices.Equal(names, []string{p.path("outside/file")}) && read(t, names[0]) == "outside"
				if tier != sandbox.Supervised && !clean {
					t.Errorf("the folder outside has changed: %q", names)
				}
			})
		})
	}
}

func TestRootIsUntouched(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		if got := sh(t, cell, `pwd; cat file; echo changed > file; echo new > new`); got != cell.Root()+"\ntree" {
			t.Errorf("the command saw %q", got)
		}
		if tier == sandbox.Isolated && cell.Root() != p.path("root") {
			t.Errorf("isolated runs in %s, not at the workspace's own path", cell.Root())
		}
		if got := read(t, p.path("root/file")); got != "root" {
			t.Errorf("the workspace's file is now %q", got)
		}
		if got := read(t, p.path("tree/file")); got != "changed\n" {
			t.Errorf("the tree's file is now %q", got)
		}
	})
}

func TestShared(t *testing.T) {
	for _, source := range []string{"shared", "root/deps"} { // outside, and in the workspace that is covered
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined} {
				t.Run(tier.String(), func(t *testing.T) {
					t.Parallel()
					p := newPlace(t)
					if err := os.MkdirAll(p.path(source), 0o700); err != nil {
						t.Fatal(err)
					}
					write(t, p.path(source)+"/file", "dependency")
					tree := p.tree()
					tree.Shared = []sandbox.Shared{{Path: "a/deps", Source: p.path(source)}}
					if err := os.Mkdir(p.path("tree/a"), 0o700); err != nil {
						t.Fatal(err)
					}
					var err error
					if tier == sandbox.Isolated {
						err = os.Mkdir(p.path("tree/a/deps"), 0o700)
					} else {
						err = os.Symlink(p.path(source), p.path("tree/a/deps"))
					}
					if err != nil {
						t.Fatal(err)
					}
					cell := open(t, p.config(tier), tree)
					if got := sh(t, cell, `cat a/deps/file`); got != "dependency" {
						t.Errorf("read %q", got)
					}
					out, exit := run(t, cell, "/bin/sh", "-c", `echo x > a/deps/file || echo x > a/deps/new || rm a/deps/file`)
					if exit.Success() {
						t.Errorf("a shared folder was written: %s", out)
					}
					if got := read(t, p.path(source)+"/file"); got != "dependency" {
						t.Errorf("the shared file is now %q", got)
					}
				})
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	hidden, err := net.Listen("unix", "@"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer hidden.Close()
	outside, name := listener.Addr().String(), strings.TrimPrefix(hidden.Addr().String(), "@")

	iso, con, sup := sandbox.Isolated, sandbox.Confined, sandbox.Supervised
	off, lo, on := sandbox.NetworkOff, sandbox.NetworkLoopback, sandbox.NetworkOn
	type reach struct {
		tier    sandbox.Tier
		network sandbox.Network
	}
	type attempt struct {
		tool []string
		ok   bool
		says string
	}
	t.Run("cells", func(t *testing.T) { // so that the listeners live until all are done
		for from, attempts := range map[reach][]attempt{
			{iso, lo}: {
				{[]string{"loopback"}, true, ""},
				{[]string{"dial", "tcp", outside}, false, "refused"},
				{[]string{"dial", "tcp", "192.0.2.1:9"}, false, "unreachable"},
				{[]string{"abstract", name}, false, "refused"},
				{[]string{"unix", "socket"}, true, ""},
			},
			{iso, off}: {{[]string{"loopback"}, false, ""}},
			{iso, on}: {
				{[]string{"loopback"}, true, ""},
				{[]string{"dial", "tcp", outside}, true, ""},
			},
			{con, lo}: {
				{[]string{"loopback"}, false, "not permitted"},
				{[]string{"socket", "2"}, false, "not permitted"},
				{[]string{"socket", "10"}, false, "not permitted"},
				{[]string{"socket", "16"}, false, "not permitted"},
				{[]string{"dial", "udp", "192.0.2.1:9"}, false, "not permitted"},
				{[]string{"abstract", name}, false, "not permitted"},
				{[]string{"unix", "socket"}, true, ""},
				{[]string{"dial", "unixgram", "/dev/log"}, false, "not permitted"},
			},
			{con, off}: {{[]string{"loopback"}, false, "not permitted"}},
			{con, on}: {
				{[]string{"loopback"}, true, ""},
				{[]string{"dial", "tcp", outside}, true, ""},
			},
			{sup, lo}: {
				{[]string{"dial", "tcp", outside}, true, ""},
				{[]string{"abstract", name}, true, ""},
			},
		} {
			t.Run(fmt.Sprintf("%v %d", from.tier, from.network), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				config := p.config(from.tier)
				config.Network = from.network
				var tools []string
				for _, a := range attempts {
					tools = append(tools, strings.Join(a.tool, " "))
				}
				out, exit := runSpec(t, open(t, config, p.tree()), toolSpec("each", tools...))
				lines := strings.SplitAfter(out, "\n")
				if !exit.Success() || len(lines) != len(attempts)+1 {
					t.Fatalf("%v: %s", exit, out)
				}
				for i, a := range attempts {
					if said := strings.TrimSuffix(lines[i], "\n"); (said == "ok") != a.ok || !strings.Contains(said, a.says) {
						t.Errorf("%v: %s; want success %v and %q", a.tool, said, a.ok, a.says)
					}
				}
			})
		}
	})
}

func TestSignals(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		stranger := exec.Command("/bin/cat")
		in, err := stranger.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := stranger.Start(); err != nil {
			t.Fatal(err)
		}
		_, exit := runSpec(t, cell, command.Spec{Args: []string{"/bin/sh", "-c", `kill -9 "$0"`, itoa(stranger.Process.Pid)}})
		in.Close()
		killed := stranger.Wait() != nil
		if want := tier == sandbox.Supervised; killed != want || exit.Success() != want {
			t.Errorf("killed a stranger: %v (%v), want %v", killed, exit, want)
		}
		// Its own children it must be able to kill.
		sh(t, cell, `sleep 1000 & kill -9 $!`)
	})
}

func TestPrivileges(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined} {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			cell := open(t, p.config(tier), p.tree())
			status := sh(t, cell, `cat /proc/self/status`)
			for _, want := range []string{"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "SigIgn:\t0000000000000000"} {
				if !strings.Contains(status, want) {
					t.Errorf("want %q in\n%s", want, status)
				}
			}
			for _, script := range []string{`mount -t tmpfs none "$HOME"`, `unshare -U true`, `unshare -r true`, `chroot / true`} {
				if out, exit := run(t, cell, "/bin/sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; "+script); exit.Success() {
					t.Errorf("%s succeeded: %s", script, out)
				}
			}
			for name, f := range map[string]string{"block devices": `ls /dev/[sv]da`, "other processes": `cat "/proc/$0/cmdline"`} {
				out, exit := run(t, cell, "/bin/sh", "-c", f, itoa(os.Getpid()))
				if tier == sandbox.Isolated && exit.Success() && strings.Contains(out, "test") {
					t.Errorf("isolated sees %s: %s", name, out)
				}
			}
		})
	}
}

// TestHostServices connects to a socket of a file where services listen. Neither
// a read-only mount nor Landlock refuses that, so isolated hides the folder;
// with the network on, and in confined, it can be reached, which is the control.
func TestHostServices(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/run", "sandbox-test")
	if err != nil {
		t.Skip("not on this system:", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	service, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	for _, c := range []struct {
		tier    sandbox.Tier
		network sandbox.Network
		reached bool
	}{
		{sandbox.Isolated, sandbox.NetworkOff, false},
		{sandbox.Isolated, sandbox.NetworkLoopback, false},
		{sandbox.Isolated, sandbox.NetworkOn, true},
		{sandbox.Confined, sandbox.NetworkOff, false},
		{sandbox.Confined, sandbox.NetworkOn, true},
	} {
		p := newPlace(t)
		config := p.config(c.tier)
		config.Network = c.network
		cell := open(t, config, p.tree())
		out, exit := runSpec(t, cell, toolSpec("dial", "unix", filepath.Join(dir, "s")))
		if exit.Success() != c.reached {
			t.Errorf("%v, network %d: %v: %s", c.tier, c.network, exit, out)
		}
	}
}

// TestWorkspaceBelowRun has the workspace where isolated hides everything else.
func TestWorkspaceBelowRun(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/run", "sandbox-test")
	if err != nil {
		t.Skip("not on this system:", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, d := range []string{"root", "bin", "beside"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := newPlace(t)
	config := p.config(sandbox.Isolated)
	config.Root, config.Readable = filepath.Join(dir, "root"), []string{filepath.Join(dir, "bin")}
	cell := open(t, config, p.tree())
	if got := sh(t, cell, "pwd; cat file; ls .."); got != filepath.Join(dir, "root")+"\ntreebin\nroot" {
		t.Errorf("saw %q", got)
	}
}

// TestProbeTellsWhatIsSeen has confined, which can't hide how other programs were
// called, say so.
func TestProbeTellsWhatIsSeen(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined} {
		answers := sandbox.Probe(t.Context(), tier, os.Environ())
		told := slices.ContainsFunc(answers, func(a sandbox.Answer) bool { return strings.Contains(a.Detail, "command lines can be seen") })
		if told != (tier == sandbox.Confined) {
			t.Errorf("%v: %+v", tier, answers)
		}
	}
}
