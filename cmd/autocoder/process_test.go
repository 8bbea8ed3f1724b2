//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/workspace"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// redProject has one failing test, and redFix repairs it.
const redProject = `
-- go.mod --
module slow

go 1.21
-- slow.go --
package slow

func Add(a, b int) int { return a - b }
-- slow_test.go --
package slow

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(2, 3); got != 5 {
		t.Errorf("Add(2, 3) = %d, want 5", got)
	}
}
`

const redFix = `{"write": {"slow.go": "package slow\n\nfunc Add(a, b int) int { return a + b }\n"}}`

// project is a red project with everything that autocoder needs around it.
type project struct {
	root, script string
	env          []string
}

func newProject(t *testing.T) project {
	t.Helper()
	home := t.TempDir()
	p := project{root: filepath.Join(home, "slow"), script: filepath.Join(home, "fix.json")}
	if err := writeProject(p.root, []byte(redProject)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.script, []byte(redFix), 0o644); err != nil {
		t.Fatal(err)
	}
	p.env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache",
		"XDG_CONFIG_HOME="+home+"/config", "TMPDIR="+home, "GOCACHE="+goCache(t))
	return p
}

// command is autocoder on the project.
func (p project) command(args ...string) *exec.Cmd {
	cmd := exec.Command("autocoder", args...)
	cmd.Env = p.env
	return cmd
}

// started is a command whose progress can be awaited.
type started struct {
	*exec.Cmd
	stdout   bytes.Buffer
	progress *bufio.Scanner
	told     []string
}

func start(t *testing.T, cmd *exec.Cmd) *started {
	t.Helper()
	s := &started{Cmd: cmd}
	cmd.Stdout = &s.stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.progress = bufio.NewScanner(stderr)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return s
}

// await reads progress until a line begins so; false at its end.
func (s *started) await(prefix string) bool {
	for s.progress.Scan() {
		s.told = append(s.told, s.progress.Text())
		if strings.HasPrefix(s.progress.Text(), prefix) {
			return true
		}
	}
	return false
}

// end waits for the process and returns its exit code.
func (s *started) end() int {
	for s.progress.Scan() {
		s.told = append(s.told, s.progress.Text())
	}
	_ = s.Wait()
	return s.ProcessState.ExitCode()
}

func mustPicture(t *testing.T, root string) string {
	t.Helper()
	all, err := picture(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAChangedFileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := start(t, p.command("fix", p.root, "--apply", "--json", "--proposer", "script:"+p.script))
	if !s.await("running the tests") {
		t.Fatalf("it says %q", s.told)
	}
	mine := []byte("package slow\n\n// Typed meanwhile.\nfunc Add(a, b int) int { return a - b }\n")
	if err := os.WriteFile(filepath.Join(p.root, "slow.go"), mine, 0o644); err != nil {
		t.Fatal(err)
	}
	before := mustPicture(t, p.root)
	if code := s.end(); code != int(exitNotApplied) {
		t.Errorf("exit code %d, want %d; it says %q", code, exitNotApplied, s.told)
	}
	if diff := cmp.Diff(before, mustPicture(t, p.root)); diff != "" {
		t.Error(diff)
	}
	var rep report.Report
	if err := json.Unmarshal(s.stdout.Bytes(), &rep); err != nil {
		t.Fatalf("%v in %s", err, s.stdout.Bytes())
	}
	if rep.Outcome != outcome.Fixed || rep.Applied || !strings.Contains(strings.Join(rep.Warnings, "\n"), "slow.go") {
		t.Errorf("outcome %v, applied %v, warnings %q", rep.Outcome, rep.Applied, rep.Warnings)
	}
}

func TestOneRunAFolder(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	first := start(t, p.command("fix", p.root, "--proposer", "script:"+p.script))
	if !first.await("reading the project") {
		t.Fatalf("it says %q", first.told)
	}
	// Stopped, so that it is still there when the second comes.
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second := start(t, p.command("fix", p.root))
	if code := second.end(); code != int(exitFailed) || !strings.Contains(strings.Join(second.told, "\n"), "is being worked on by another run (process ") {
		t.Errorf("the second ends with %d and says %q", code, second.told)
	}
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if code := first.end(); code != 0 {
		t.Errorf("the first ends with %d and says %q", code, first.told)
	}
}

// TestInterrupt stops a fix at each thing that it says, and at moments between.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	moments := []string{"reading", "running", "tests:", "looking", "#1", "verif"}
	for i := range 9 {
		for _, way := range [][]string{{"--apply"}, {"--in-place"}} {
			args := append([]string{"fix", "--json", "--proposer"}, way...)
			name := fmt.Sprint(i, way)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				before := mustPicture(t, p.root)
				args = append(append(args[:3:3], "script:"+p.script, p.root), way...)
				s := start(t, p.command(args...))
				if i < len(moments) {
					s.await(moments[i%len(moments)])
				}
				// Not to wait for anything: any moment must do.
				time.Sleep(rand.N(time.Duration(1+i) * 20 * time.Millisecond))
				if err := s.Process.Signal(stopping[i%len(stopping)]); err != nil && i < len(moments) {
					t.Logf("it had ended: %v", err)
				}
				code := s.end()
				checkInterrupted(t, p, s, code, before)
			})
		}
	}
}

// checkInterrupted wants either the whole fix or nothing of it.
func checkInterrupted(t *testing.T, p project, s *started, code int, before string) {
	t.Helper()
	fixed, err := os.ReadFile(filepath.Join(p.root, "slow.go"))
	if err != nil {
		t.Fatal(err)
	}
	switch code {
	case int(exitOK):
		if !bytes.Contains(fixed, []byte("a + b")) {
			t.Errorf("it ended well and did not fix; it says %q", s.told)
		}
	case int(exitCancelled), -1:
		if diff := cmp.Diff(before, mustPicture(t, p.root)); diff != "" {
			t.Errorf("it was interrupted and changed the folder: %s", diff)
		}
	default:
		t.Errorf("exit code %d; it says %q", code, s.told)
	}
	if code == int(exitCancelled) && !bytes.Contains(s.stdout.Bytes(), []byte(`"cancelled"`)) {
		t.Errorf("the answer is %s", s.stdout.Bytes())
	}
	// Nothing of it runs any more, and no copy is left.
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		// A process that ended meanwhile has no file.
		if line, _ := os.ReadFile(path); bytes.Contains(line, []byte(filepath.Dir(p.root))) {
			t.Errorf("%s still runs: %q", path, line)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(p.root), "cache", "autocoder", "shadows", "shadow-*")); err != nil || len(left) > 0 && code != -1 {
		t.Errorf("copies are left: %q, %v", left, err)
	}
}

// TestKilledInPlace kills a fix in place, and wants the next start to put the
// folder back.
func TestKilledInPlace(t *testing.T) {
	t.Parallel()
	for _, moment := range []string{"reading", "running", "#1", "verif"} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			before := mustPicture(t, p.root)
			s := start(t, p.command("fix", p.root, "--in-place", "--proposer", "script:"+p.script))
			if !s.await(moment) {
				t.Fatalf("it says %q", s.told)
			}
			if err := s.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			s.end()
			next := start(t, p.command("fix", p.root, "--proposer", "null"))
			if code := next.end(); code != int(exitNotFixed) {
				t.Errorf("the next ends with %d and says %q", code, next.told)
			}
			if diff := cmp.Diff(before, mustPicture(t, p.root)); diff != "" {
				t.Errorf("%s\nit says %q", diff, next.told)
			}
		})
	}
}

// dirtyTest changes the project and waits until somebody reads from a FIFO.
const dirtyTest = `package slow

import (
	"os"
	"testing"
	"time"
)

func TestDirty(t *testing.T) {
	os.WriteFile("made.txt", []byte("made"), 0o644)
	os.WriteFile("mine.txt", []byte("overwritten"), 0o644)
	os.Remove("gone.txt")
	os.Chmod("go.mod", 0o600)
	if _, err := os.OpenFile("gate", os.O_WRONLY, 0); err == nil {
		time.Sleep(time.Hour)
	}
}
`

// TestKilledWhileTestsWrite kills a fix in place in the middle of a test that
// has changed the folder.
func TestKilledWhileTestsWrite(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for name, text := range map[string]string{"dirty_test.go": dirtyTest, "mine.txt": "mine", "gone.txt": "gone"} {
		if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	gate := filepath.Join(p.root, "gate")
	if err := syscall.Mkfifo(gate, 0o644); err != nil {
		t.Fatal(err)
	}
	before := mustPicture(t, p.root)
	s := start(t, p.command("fix", p.root, "--in-place", "--test-timeout", "60s", "--proposer", "null"))
	// This waits for the test to open the other end.
	f, err := os.Open(gate)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.end()
	if mustPicture(t, p.root) == before {
		t.Fatal("the test changed nothing")
	}
	next := start(t, p.command("doctor", p.root))
	next.end()
	if diff := cmp.Diff(before, mustPicture(t, p.root)); diff != "" {
		t.Errorf("%s\nit says %q", diff, next.told)
	}
	told := strings.Join(next.told, "\n")
	if !strings.Contains(told, "put back 4 files") || !strings.Contains(told, `"mine.txt" was changed while the tests ran`) {
		t.Errorf("it says %q", next.told)
	}
}

// TestAClosedTerminal sends what a closed terminal sends, and closes the pipe
// that progress goes to.
func TestAClosedTerminal(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("not on this system: the tests run under nohup, and so does the program")
	}
	p := newProject(t)
	before := mustPicture(t, p.root)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.command("fix", p.root, "--in-place", "--proposer", "script:"+p.script)
	cmd.Stderr = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	write.Close()
	lines := bufio.NewScanner(read)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "running") {
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "stopping") {
	}
	read.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != int(exitCancelled) {
		t.Errorf("it ends with %v", cmd.ProcessState)
	}
	if diff := cmp.Diff(before, mustPicture(t, p.root)); diff != "" {
		t.Error(diff)
	}
}

func TestASecondInterruptKills(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	signals := make(chan os.Signal, 2)
	cancelled := make(chan struct{})
	go stopOn(signals, func() { close(cancelled) }, func() { write.Close() }, write)
	signals <- os.Interrupt
	if line, err := bufio.NewReader(read).ReadString('\n'); err != nil || !strings.Contains(line, "once more") {
		t.Errorf("it says %q, %v", line, err)
	}
	<-cancelled
	signals <- os.Interrupt
	if _, err := io.ReadAll(read); err != nil {
		t.Error(err)
	}
}

func TestEveryOutcomeHasItsCode(t *testing.T) {
	t.Parallel()
	want := map[outcome.Outcome]exitCode{
		outcome.Fixed: 0, outcome.AlreadyGreen: 0, outcome.NoProgress: 1, outcome.Budget: 1, outcome.GaveUp: 1,
		outcome.Unrunnable: 3, outcome.Cancelled: 130,
	}
	for _, o := range outcome.All() {
		if got := codeOf(o); got != want[o] {
			t.Errorf("%v ends with %d, want %d", o, got, want[o])
		}
	}
}

func TestExitCodeOfAFix(t *testing.T) {
	t.Parallel()
	full, changed := errors.New("no space left"), fmt.Errorf("apply: %w", &workspace.ChangedError{})
	for _, tt := range []struct {
		name    string
		outcome outcome.Outcome
		applied bool
		err     error
		apply   bool
		want    exitCode
	}{
		{"fixed", outcome.Fixed, false, nil, false, exitOK},
		{"fixed and applied", outcome.Fixed, true, nil, true, exitOK},
		{"fixed, and the files changed", outcome.Fixed, false, changed, true, exitNotApplied},
		{"fixed in place, and the files changed", outcome.Fixed, false, changed, false, exitNotApplied},
		{"fixed, and something could not be done", outcome.Fixed, false, full, false, exitFailed},
		{"given up", outcome.GaveUp, false, nil, false, exitNotFixed},
		{"given up, because autocoder could not go on", outcome.GaveUp, false, full, false, exitFailed},
		{"a partial fix, and the files changed", outcome.GaveUp, false, changed, true, exitNotFixed},
		{"cancelled, and something could not be done", outcome.Cancelled, false, full, false, exitCancelled},
	} {
		rep := report.Report{Outcome: tt.outcome, Applied: tt.applied}
		if got := codeOfFix(rep, tt.err, tt.apply); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestDemoProjectsAreRed(t *testing.T) {
	t.Parallel()
	for lang, archive := range map[string][]byte{"go": demoGo, "python": demoPython} {
		files := txtar.Parse(archive).Files
		tests := 0
		for _, f := range files {
			tests += bytes.Count(f.Data, []byte("func Test")) + bytes.Count(f.Data, []byte("def test_"))
		}
		if tests != 5 {
			t.Errorf("the demo in %s has %d tests, want 5", lang, tests)
		}
	}
}
