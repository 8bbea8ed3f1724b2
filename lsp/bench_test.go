package lsp_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"autocoder/lsp"

	"golang.org/x/tools/txtar"
)

// BenchmarkWhileARunIsOn measures what an editor feels in a workspace of 10,000
// files while tests run: the 99th percentile of code actions and of changes, in
// milliseconds, and as a multiple of a request that does nothing. A change has no
// answer: it is measured with the nothing that follows it.
func BenchmarkWhileARunIsOn(b *testing.B) {
	archive := files("-- calc.txt --\nminus\n-- calc.check --\nadd calc.txt wait\n")
	for i := range 10_000 {
		archive = append(archive, txtar.File{Name: fmt.Sprintf("d%d/f%d.txt", i%100, i), Data: []byte("text\n")})
	}
	w := newWorld(b, archive)
	e := w.editor()
	path := w.path("calc.txt")
	var text []byte
	for i := range 2000 {
		text = fmt.Appendf(text, "line %d of a file of usual length\n", i)
	}
	e.OpenText(path, string(text), false)
	must(b, e.Execute(lsp.CommandFix, map[string]string{"root": w.root}, nil))
	<-w.began
	nothing := func() { _ = e.Call("autocoder/nothing", nil, nil) } // an error, and quick
	kinds := []struct {
		name string
		do   func()
	}{
		{"nothing", nothing},
		{"action", func() {
			if _, err := e.Menu(path, 1, false); err != nil {
				b.Fatal(err)
			}
		}},
		{"change", func() {
			if err := e.Replace(path, len(text)/2, len(text)/2, ""); err != nil {
				b.Fatal(err)
			}
			nothing()
		}},
	}
	times := map[string][]time.Duration{}
	b.ResetTimer()
	for range b.N {
		for _, k := range kinds {
			start := time.Now()
			k.do()
			times[k.name] = append(times[k.name], time.Since(start))
		}
	}
	b.StopTimer()
	base := percentile(times["nothing"], 99)
	for _, k := range kinds {
		p := percentile(times[k.name], 99)
		b.ReportMetric(float64(p.Microseconds())/1000, k.name+"-p99-ms")
		b.ReportMetric(float64(percentile(times[k.name], 50).Microseconds())/1000, k.name+"-p50-ms")
		b.ReportMetric(float64(p)/float64(base), k.name+"-p99-ratio")
	}
	must(b, e.Execute(lsp.CommandCancel, nil, nil))
	_, err := e.WaitIdle(1)
	must(b, err)
	w.quit(e)
}

func percentile(d []time.Duration, p int) time.Duration {
	slices.Sort(d)
	return d[min(len(d)-1, len(d)*p/100)]
}
