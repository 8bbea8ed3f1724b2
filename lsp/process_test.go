package lsp_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
	"autocoder/lsp/realtest"
)

// process is the real server on a project of 10,000 files, whose tests are pytest's.
type process struct {
	*lsptest.Editor
	cmd  *exec.Cmd
	root string
}

// pipes are the two of a process as one stream.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// large lays out the project.
func large(b *testing.B) (root string) {
	b.Helper()
	root = filepath.Join(b.TempDir(), "project")
	realtest.LayOut(b, root, "lamp")
	for i := range 10_000 {
		file := filepath.Join(root, fmt.Sprintf("d%d", i%1000), fmt.Sprintf("f%d.txt", i))
		must(b, os.MkdirAll(filepath.Dir(file), 0o755))
		must(b, os.WriteFile(file, []byte("text\n"), 0o644))
	}
	return root
}

func startProcess(b *testing.B, root, interpreter string) *process {
	b.Helper()
	cmd := exec.Command(program.Path(b), "serve")
	cmd.Env = realtest.Environ(os.Environ(), filepath.Dir(root))
	in, err := cmd.StdinPipe()
	must(b, err)
	out, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	p := &process{cmd: cmd, root: root, Editor: lsptest.Start(pipes{out, in}, lsptest.Options{
		Folders: []string{root}, Can: lsptest.Capable(),
		Settings: map[string]any{"interpreter": map[string]string{"pytest": interpreter}},
	})}
	b.Cleanup(func() { _ = cmd.Process.Kill() }) // mostly it has ended
	return p
}

func (p *process) quit(b *testing.B) {
	b.Helper()
	must(b, p.Quit())
	must(b, p.cmd.Wait())
}

// nothing is how long a request takes that does nothing.
func (p *process) nothing() time.Duration {
	var times []time.Duration
	for range 50 {
		start := time.Now()
		_ = p.Call("autocoder/nothing", nil, nil) // an error, and quick
		times = append(times, time.Since(start))
	}
	return percentile(times, 50)
}

// BenchmarkInitialize measures from the start of the process to its first answer, in
// milliseconds and as a multiple of a request that does nothing.
func BenchmarkInitialize(b *testing.B) {
	root := large(b)
	program.Path(b)
	var times []time.Duration
	var nothing time.Duration
	b.ResetTimer()
	for range max(10, b.N) {
		start := time.Now()
		p := startProcess(b, root, "")
		must(b, p.Initialize())
		times = append(times, time.Since(start))
		nothing = p.nothing()
		p.quit(b)
	}
	for _, n := range []int{50, 95} {
		t := percentile(times, n)
		b.ReportMetric(float64(t.Microseconds())/1000, fmt.Sprintf("p%d-ms", n))
		b.ReportMetric(float64(t)/float64(nothing), fmt.Sprintf("p%d-ratio", n))
	}
}

// BenchmarkIdle measures a server that has nothing to do: its anonymous memory after
// five seconds, the CPU that it takes in a minute, and that of a request that does
// nothing; both before and after it has run the tests.
func BenchmarkIdle(b *testing.B) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		b.Skip("not on this system: ", err)
	}
	const settled, watched = 5 * time.Second, 15 * time.Second
	p := startProcess(b, large(b), realtest.Python(b))
	must(b, p.Initialize())
	for _, name := range []string{"lamp.py", "test_lamp.py"} {
		p.Open(filepath.Join(p.root, name))
	}
	measure := func(when string) {
		time.Sleep(settled)
		b.ReportMetric(float64(p.anonymous(b))/(1<<20), when+"-MB")
		before := p.cpu(b)
		time.Sleep(watched)
		b.ReportMetric(float64((p.cpu(b)-before).Milliseconds())*float64(time.Minute/watched), when+"-ms/minute")
	}
	measure("fresh")
	must(b, p.Execute(lsp.CommandRunTests, map[string]string{"root": p.root}, nil))
	must(b, p.WaitMessage("tests fail", fails))
	measure("used")
	before := p.cpu(b)
	for range 20 {
		p.nothing()
	}
	b.ReportMetric(float64((p.cpu(b)-before).Microseconds())/1000, "nothing-µs") // a thousand of them
	p.quit(b)
}

// anonymous is the memory of the process that is no file's, in bytes.
func (p *process) anonymous(b *testing.B) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.cmd.Process.Pid))
	must(b, err)
	_, rest, _ := strings.Cut(string(text), "\nAnonymous:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	must(b, err)
	return n << 10
}

// cpu is the time that the process has computed for.
func (p *process) cpu(b *testing.B) time.Duration {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	must(b, err)
	var sum time.Duration
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		n, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		must(b, err)
		sum += time.Duration(n)
	}
	return sum
}
