package golang

import (
	"os/exec"
	"testing"

	"autocoder/engine/repair"
	"autocoder/engine/repair/mutate"
	"autocoder/engine/repair/node"
)

// candidates makes n candidates of a file, all lines alike.
func candidates(t testing.TB, s *session, path string, n int) []repair.Candidate {
	t.Helper()
	root, err := s.Parse(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	f := s.byPath[path]
	score := map[int]float64{}
	for l := range root.EndLine + 1 {
		score[l] = 1
	}
	stream := mutate.NewStream([]mutate.File{{Path: path, Info: node.NewInfo(root, f.content, New().Dialect()), Score: score}}, mutate.Options{Cut: 4})
	var out []repair.Candidate
	for i, e := range stream.Next(n) {
		out = append(out, repair.Candidate{ID: i + 1, Path: e.Path, Edits: e.Edits, Template: e.Template, Line: e.Line, Cost: e.Cost})
	}
	return out
}

// BenchmarkEvaluate is a batch of candidates, with its build.
func BenchmarkEvaluate(b *testing.B) {
	p := lay(b, "calc.txtar")
	s := p.open(b, []string{"example.com/calc.TestSum"}, []string{"example.com/calc.TestShow", "example.com/calc.TestStack"})
	batch := candidates(b, s, "calc.go", 1000)
	for b.Loop() {
		evaluate(b, s, batch...)
	}
	b.ReportMetric(float64(len(batch)*b.N)/b.Elapsed().Seconds(), "candidates/s")
}

// built is a batch of candidates in a program that has been built.
func built(b *testing.B, n int) (*evaluation, []program, []*change) {
	b.Helper()
	p := lay(b, "calc.txtar")
	s := p.open(b, []string{"example.com/calc.TestSum"}, []string{"example.com/calc.TestShow", "example.com/calc.TestStack"})
	if err := s.measure(b.Context()); err != nil {
		b.Fatal(err)
	}
	var changes []*change
	for _, c := range candidates(b, s, "calc.go", n) {
		if ch := s.see(c); ch != nil && !ch.alone {
			changes = append(changes, ch)
		}
	}
	e := &evaluation{session: s, done: func(repair.Verdict) {}}
	programs, err := e.buildAll(b.Context(), func() (layer, error) { return e.woven(changes) })
	if err != nil {
		b.Fatal(err)
	}
	return e, programs, changes
}

// BenchmarkLoop is candidates one after the other in one process, without the build.
func BenchmarkLoop(b *testing.B) {
	e, programs, changes := built(b, 1000)
	for b.Loop() {
		if err := e.try(b.Context(), programs, changes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(changes)*b.N)/b.Elapsed().Seconds(), "candidates/s")
}

// BenchmarkProcesses is candidates in a process each, without the build.
func BenchmarkProcesses(b *testing.B) {
	e, programs, changes := built(b, 200)
	e.state.lasting = true
	for b.Loop() {
		if err := e.try(b.Context(), programs, changes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(changes)*b.N)/b.Elapsed().Seconds(), "candidates/s")
}

// BenchmarkGoTest is one candidate by go test itself.
func BenchmarkGoTest(b *testing.B) {
	p := lay(b, "calc.txtar")
	for b.Loop() {
		cmd := exec.Command(goTool(b), "test", "-count=1", ".")
		cmd.Dir = p.dir
		cmd.Env = append(cmd.Environ(), p.env...)
		if err := cmd.Run(); err == nil {
			b.Fatal("it passes")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
}
