package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"autocoder/engine/command"
)

// suites are small projects with the command that tests them, which go on for about
// as long as the tests of a change do.
var suites = map[string]struct {
	files map[string]string
	args  []string
	// edit, unless empty, is a file that is changed before each run.
	edit string
}{
	"pytest": {map[string]string{"test_a.py": "import time\n\n\ndef test_a():\n    time.sleep(0.3)\n"}, []string{"/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"}, ""},
	"node":   {map[string]string{"a.test.js": "const test = require('node:test');\ntest('a', async () => { await new Promise(done => setTimeout(done, 300)); });\n"}, []string{"node", "--test"}, ""},
	"go": {map[string]string{
		"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nfunc a() int { return 1 }\n",
		"a_test.go": "package m\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestA(t *testing.T) { _ = http.Header{}; time.Sleep(time.Duration(299+a()) * time.Millisecond) }\n",
	}, []string{"go", "test", "-count=1", "."}, ""},
	"go after an edit": {map[string]string{
		"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nfunc a() int { return 1 }\n",
		"a_test.go": "package m\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { _ = http.Header{}; _ = a() }\n",
	}, []string{"go", "test", "-count=1", "."}, "a.go"},
}

// BenchmarkOverhead runs suites bare and in each tier, by turns, and says by how much
// the medians differ.
func BenchmarkOverhead(b *testing.B) {
	for name, s := range suites {
		for _, tier := range tiers {
			b.Run(name+"/"+tier.String(), func(b *testing.B) {
				p := newPlace(b)
				for file, text := range s.files {
					write(b, p.path("tree/"+file), text)
				}
				cache := p.path("shared")
				env := []string{"GOCACHE=" + cache, "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"}
				c := p.config(tier)
				c.Writable, c.Environ = []string{cache}, os.Environ()
				cell := open(b, c, p.tree())
				path, err := exec.LookPath(s.args[0])
				if err != nil {
					b.Skip("not on this system:", err)
				}
				n := 0
				edit := func() {
					if n++; s.edit != "" {
						write(b, p.path("tree/"+s.edit), s.files[s.edit]+fmt.Sprintf("\nvar v%d = %d\n", n, n))
					}
				}
				bare := func() {
					cmd := exec.Command(path, s.args[1:]...)
					cmd.Dir, cmd.Env = p.path("tree"), append(os.Environ(), env...)
					if out, err := cmd.CombinedOutput(); err != nil {
						b.Fatalf("%v %s", err, out)
					}
				}
				inside := func() {
					out, err := command.Run(b.Context(), cell, command.Spec{Args: append([]string{path}, s.args[1:]...), Env: env}, 1<<20)
					if err != nil || !out.Exit.Success() {
						b.Fatalf("%v %v %s%s", err, out.Exit, out.Stdout, out.Stderr)
					}
				}
				times := [2][]time.Duration{}
				bare()
				inside()
				for b.Loop() {
					for i, run := range []func(){bare, inside} {
						edit()
						start := time.Now()
						run()
						times[i] = append(times[i], time.Since(start))
					}
				}
				slices.Sort(times[0])
				slices.Sort(times[1])
				median := func(of []time.Duration) float64 { return of[len(of)/2].Seconds() * 1000 }
				b.ReportMetric(median(times[0]), "bare-ms")
				b.ReportMetric(median(times[1])-median(times[0]), "more-ms")
				b.ReportMetric((median(times[1])/median(times[0])-1)*100, "more-%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
