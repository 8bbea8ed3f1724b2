package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCompareAsks has doctor --compare at a terminal: nothing runs outside of the
// sandbox before a person has agreed to it, and then it says what differs and why.
// Who is no person is not asked, and nothing runs either.
func TestCompareAsks(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		code exitCode
		says []string
		ran  bool
	}{
		"y\n": {exitOK, []string{"test_home", "blocked inside, passed outside", "read = ["}, true},
		"n\n": {exitUsage, []string{"--compare runs the tests without a sandbox"}, false},
		"\n":  {exitUsage, []string{"--compare runs the tests without a sandbox"}, false},
		"":    {exitUsage, []string{"--compare runs the tests without a sandbox"}, false},
	} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			t.Parallel()
			p := newPythonProject(t)
			home := filepath.Dir(p.root)
			writeAll(t, home, map[string]string{
				"notes/private":       "mine",
				"project/test_add.py": fmt.Sprintf("def test_home():\n    assert open(%q).read() == 'mine'\n    open(%q, 'w').close()\n\n\ndef test_same():\n    pass\n", home+"/notes/private", home+"/ran"),
			})
			before := mustPicture(t, p.root)
			cmd := p.command("doctor", "--compare", p.root)
			said := ""
			if answer == "" {
				out, _ := cmd.CombinedOutput() // its code is looked at below
				said = string(out)
			} else {
				master, slave := terminals(t)
				cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				slave.Close()
				asked := readUntil(master, "[y/N] ")
				if _, err := os.Lstat(home + "/ran"); !strings.Contains(asked, "without a sandbox") || err == nil {
					t.Errorf("it asks %q; the tests ran outside before: %t", asked, err == nil)
				}
				if _, err := master.WriteString(answer); err != nil {
					t.Fatal(err)
				}
				said = readUntil(master, "\x00") // to the end
				_ = cmd.Wait()
			}
			if code := cmd.ProcessState.ExitCode(); code != int(want.code) {
				t.Errorf("it ends with %d, want %d", code, want.code)
			}
			for _, text := range want.says {
				if !strings.Contains(said, text) {
					t.Errorf("it does not say %q:\n%s", text, said)
				}
			}
			if _, err := os.Lstat(home + "/ran"); (err == nil) != want.ran {
				t.Errorf("the tests ran outside: %t, want %t", err == nil, want.ran)
			}
			if after := mustPicture(t, p.root); after != before {
				t.Errorf("the folder was\n%sand is\n%s", before, after)
			}
		})
	}
}

// terminals makes a terminal: the end of who looks at it, and that of programs.
func terminals(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("not on this system: no terminals can be made:", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// readUntil reads a terminal up to a text, or to its end.
func readUntil(master *os.File, text string) string {
	var said strings.Builder
	b := make([]byte, 1024)
	for !strings.Contains(said.String(), text) {
		n, err := master.Read(b)
		said.Write(b[:n])
		if err != nil {
			break // the programs are gone
		}
	}
	return said.String()
}
