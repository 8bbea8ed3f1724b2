package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/sandbox"
)

// home makes a home folder with keys and tool chains in it.
func (p place) home(t testing.TB) string {
	t.Helper()
	for _, name := range []string{
		".ssh/id_ed25519", ".aws/credentials", ".local/share/keyrings/login", ".cargo/credentials.toml", ".npmrc", "notes/private",
		".pyenv/versions/3/bin/python", ".local/bin/tool", ".cargo/bin/cargo", "go/pkg/mod/m@v1/m.go", ".cache/go-build/00/x-d", "venv/pyvenv.cfg", "venv/bin/thing",
		"base/bin/python3", "base/lib/x",
	} {
		path := filepath.Join(p.path("home"), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, name)
	}
	write(t, p.path("home/venv/pyvenv.cfg"), "home = "+p.path("home/base/bin")+"\n")
	return p.path("home")
}

// TestReads reads what is no business of tests, and what they need. Supervised, and
// each tier without the list, are the controls.
func TestReads(t *testing.T) {
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprintf("all %t", all), func(t *testing.T) { testReads(t, all) })
	}
}

func testReads(t *testing.T, all bool) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		home := p.home(t)
		c := p.config(tier)
		c.ReadAll, c.Readable = all, []string{p.path("shared")}
		all := all || tier == sandbox.Supervised
		c.Environ = []string{"PATH=" + home + "/venv/bin:/usr/local/bin:/usr/bin:/bin", "HOME=" + home}
		cell := open(t, c, p.tree())
		for path, want := range map[string]bool{
			p.path("outside/file"): false, home + "/.ssh/id_ed25519": false, home + "/.aws/credentials": false, home + "/.npmrc": false,
			home + "/.local/share/keyrings/login": false, home + "/.cargo/credentials.toml": false, home + "/notes/private": false,
			p.path("shared/file"): true, home + "/.pyenv/versions/3/bin/python": true, home + "/.local/bin/tool": true, home + "/.cargo/bin/cargo": true,
			home + "/go/pkg/mod/m@v1/m.go": true, home + "/.cache/go-build/00/x-d": true, home + "/venv/pyvenv.cfg": true, home + "/base/lib/x": true,
			"/etc/passwd": true, "/usr/bin/env": true, "/proc/self/status": true, p.path("scratch/file"): true,
			filepath.Join(cell.Root(), "file"): true,
		} {
			out, exit := run(t, cell, "/bin/cat", path)
			if exit.Success() != (want || all) {
				t.Errorf("reading %s: %v %.80q, want success %v", path, exit, out, want || all)
			}
		}
		if out, exit := run(t, cell, "/bin/ls", home); exit.Success() && strings.Contains(out, "notes") != all {
			t.Errorf("the home folder is listed as %s", out)
		}
		// What is written in one way is not read in another.
		for _, script := range []string{`cp -r "$0" "$HOME/stolen" && cat "$HOME/stolen"/.ssh/id*`, `ln -s "$0/.ssh" link && cat link/id*`, `cat /proc/self/root"$0"/.ssh/id*`, `cat /proc/1/root"$0"/.ssh/id*`} {
			if out, _ := run(t, cell, "/bin/sh", "-c", script, home); !all && strings.Contains(out, "ed25519") && !strings.Contains(out, "denied") && !strings.Contains(out, "No such") {
				t.Errorf("%s: %s", script, out)
			}
		}
	})
}

// TestSecretsOfRoot reads what only root may, as root.
func TestSecretsOfRoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("not on this system: the kernel keeps it from others by itself")
	}
	if out, err := exec.Command("cat", "/etc/shadow").Output(); err != nil || len(out) == 0 {
		t.Skip("not on this system: there is no /etc/shadow to read")
	}
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined} {
		p := newPlace(t)
		c := p.config(tier)
		c.ReadAll = false
		cell := open(t, c, p.tree())
		if out, exit := run(t, cell, "/bin/cat", "/etc/shadow"); exit.Success() && out != "" {
			t.Errorf("%v: /etc/shadow is read", tier)
		}
		if out, exit := run(t, cell, "/usr/bin/id", "-un"); !exit.Success() || out != "root\n" {
			t.Errorf("%v: id: %v %s", tier, exit, out)
		}
	}
}
