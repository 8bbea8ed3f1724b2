package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine/trajectory"
	"autocoder/lsp"
	"autocoder/lsp/lsptest"

	"github.com/google/go-cmp/cmp"
)

// kills is how many times a process is killed; more are worth an evening.
var kills = flag.Int("kills", 5, "how often the command line and the server are each killed at a random moment")

// TestKilledAtAnyMoment kills the command line in the middle of a fix.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	p := newPythonProject(t)
	begun := time.Now()
	if code := start(t, p.fix()).end(); code != int(exitOK) {
		t.Fatalf("a fix that is left alone ends with %d", code)
	}
	whole := time.Since(begun)
	before := mustPicture(t, p.root)
	for range *kills {
		s := start(t, p.fix())
		time.Sleep(rand.N(whole)) // not to wait for anything: any moment must do
		_ = s.Process.Kill()      // it may have ended
		s.end()
		p.survived(t, before)
	}
	p.nothingLeft(t)
}

// TestServerKilledAtAnyMoment kills the server while it fixes for an editor.
func TestServerKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	p := newPythonProject(t)
	before := mustPicture(t, p.root)
	begun := time.Now()
	p.serve(t, func(e *lsptest.Editor, _ *exec.Cmd) {
		_, err := e.WaitDiagnostic(filepath.Join(p.root, "add.py"), 2, func(d lsptest.Diagnostic) bool { return d.Code == "fixed" })
		if err != nil {
			t.Errorf("a server that is left alone: %v", err)
		}
		_ = e.Quit() // what it leaves is looked at below
	})
	whole := time.Since(begun)
	for range *kills {
		p.serve(t, func(_ *lsptest.Editor, cmd *exec.Cmd) {
			time.Sleep(rand.N(whole)) // any moment must do
			_ = cmd.Process.Kill()
		})
		p.survived(t, before)
	}
	p.nothingLeft(t)
}

// TestALivingRunIsNotSwept has a run start beside one that works on another
// project, with copies in the same folder.
func TestALivingRunIsNotSwept(t *testing.T) {
	t.Parallel()
	p := newPythonProject(t)
	held := p
	held.root = filepath.Join(filepath.Dir(p.root), "held")
	writeAll(t, held.root, map[string]string{"test_held.py": "import time\n\n\ndef test_held():\n    time.sleep(600)\n"})
	first := start(t, held.command("fix", held.root, "--test-timeout", "600s", "--max-time", "7000s", "--proposer", "null"))
	if !first.await("running the tests") {
		t.Fatalf("it says %q", first.told)
	}
	copies := filepath.Join(filepath.Dir(p.root), "cache", "autocoder", "shadows", "shadow-*")
	mine, err := filepath.Glob(copies)
	if err != nil || len(mine) != 1 {
		t.Fatalf("copies %q: %v", mine, err)
	}
	second := start(t, p.fix())
	if code := second.end(); code != int(exitOK) {
		t.Errorf("the second ends with %d and says %q", code, second.told)
	}
	if _, err := os.Stat(mine[0]); err != nil {
		t.Errorf("the copy of the first: %v", err)
	}
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := first.end(); code != int(exitCancelled) {
		t.Errorf("the first ends with %d and says %q", code, first.told)
	}
	p.nothingLeft(t)
}

// newPythonProject is a red project of pytest, which needs no building.
func newPythonProject(t *testing.T) project {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import pytest").Run() != nil {
		t.Skip("needs pytest")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := project{root: filepath.Join(home, "project"), script: filepath.Join(home, "fix.json")}
	writeAll(t, p.root, map[string]string{
		"add.py":      "def add(a, b):\n    return a - b\n",
		"test_add.py": "from add import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n    assert add(1, 0) == 1\n\n\ndef test_none():\n    assert add(0, 0) == 0\n",
	})
	writeAll(t, home, map[string]string{
		"fix.json":                     `{"write": {"add.py": "def add(a, b):\n    return a + b\n"}}`,
		"config/autocoder/config.toml": "interpreter = {pytest = \"" + python + "\"}\nmax_time = \"5m\"\nambiguous = \"best\"\n",
	})
	p.env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache",
		"XDG_CONFIG_HOME="+home+"/config", "TMPDIR="+home)
	return p
}

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (p project) fix() *exec.Cmd {
	return p.command("fix", p.root, "--json", "--proposer", "script:"+p.script)
}

// serve starts the server as an editor does, asks for a fix, and lets during do
// the rest; the server has ended when it returns.
func (p project) serve(t *testing.T, during func(*lsptest.Editor, *exec.Cmd)) {
	t.Helper()
	cmd := p.command("serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	cmd.Stderr = &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = cmd.Wait() // killed, mostly
	}()
	e := lsptest.Start(stream{out, in}, lsptest.Options{Folders: []string{p.root}, Can: lsptest.Capable(), Timeout: 2 * time.Minute})
	if err := e.Initialize(); err != nil {
		t.Fatalf("%v; the server says %s", err, told.Bytes())
	}
	file := filepath.Join(p.root, "test_add.py")
	e.Open(file)
	_ = e.Execute(lsp.CommandFix, map[string]string{"uri": lsptest.URI(file)}, nil) // it may be dead already
	during(e, cmd)
}

// stream is both ends of a process.
type stream struct {
	io.Reader
	io.WriteCloser
}

// survived holds what must be true after any kill: the folder is as before, and
// what was recorded can be read to the last full line.
func (p project) survived(t *testing.T, before string) {
	t.Helper()
	if diff := cmp.Diff(before, mustPicture(t, p.root)); diff != "" {
		t.Fatalf("the folder was changed: %s", diff)
	}
	runs := filepath.Join(filepath.Dir(p.root), "state", "autocoder", "runs")
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(runs, entry.Name(), "trajectory.jsonl"))
		if err != nil {
			continue // killed before it was made
		}
		lines := bytes.Split(text, []byte("\n"))
		for n, line := range lines[:len(lines)-1] {
			if !json.Valid(line) {
				t.Errorf("%s: line %d is %q", entry.Name(), n+1, line)
			}
		}
		if len(lines) < 2 {
			continue // not even its first line was written
		}
		if record, err := trajectory.Load(runs, entry.Name()); err != nil || len(record.Events) < len(lines)-2 {
			t.Errorf("%s: %d events of %d lines are read: %v", entry.Name(), len(record.Events), len(lines)-1, err)
		}
	}
}

// nothingLeft starts the program once more and wants no process, no copy and no
// mount of those before it.
func (p project) nothingLeft(t *testing.T) {
	t.Helper()
	next := start(t, p.fix())
	if code := next.end(); code != int(exitOK) {
		t.Errorf("the next ends with %d and says %q", code, next.told)
	}
	home := filepath.Dir(p.root)
	if left, err := filepath.Glob(filepath.Join(home, "cache", "autocoder", "shadows", "shadow-*")); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %q, %v", left, err)
	}
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		line, _ := os.ReadFile(filepath.Join(path, "cmdline")) // it may have ended meanwhile
		folder, _ := os.Readlink(filepath.Join(path, "cwd"))
		if strings.Contains(string(line), home) || strings.HasPrefix(folder, home) {
			t.Errorf("%s still runs: %q in %s", path, line, folder)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || bytes.Contains(mounts, []byte(home)) {
		t.Errorf("mounts are left: %v\n%s", err, mounts)
	}
}
