package golang

import (
	"strings"
	"testing"

	"autocoder/engine/repair"
)

func TestBehaviours(t *testing.T) {
	t.Parallel()
	p := lay(t, "calc.txtar")
	s := p.open(t, []string{"example.com/calc.TestSum"}, nil)
	greens := []repair.Candidate{
		p.change(t, 1, "calc.go", "len(xs)-1; i++", "len(xs); i++"),
		p.change(t, 2, "calc.go", "return total", "if len(xs) == 0 {\n\t\treturn 0\n\t}\n\treturn total + xs[len(xs)-1]"),
		p.change(t, 3, "calc.go", "return total", "return total + len(xs)"),
		p.change(t, 4, "calc.go", "return total", "if len(xs) > 3 {\n\t\tpanic(1)\n\t}\n\treturn total + len(xs)"),
		p.change(t, 5, "calc.go", "return total", "for len(xs) > 3 {\n\t}\n\treturn total + len(xs)"),
	}
	for id, v := range evaluate(t, s, greens...) {
		if v.Trial != repair.Green {
			t.Errorf("candidate %d is %v", id, v.Trial)
		}
	}
	got, err := s.Behaviours(t.Context(), greens)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 0, 2, 3, 4} {
		b := got[i]
		if b.Cluster != want {
			t.Errorf("candidate %d is in cluster %d, want %d", i+1, b.Cluster, want)
		}
		if i != 1 && (!strings.HasPrefix(b.Input, "Sum([]int{") || b.Output == "") {
			t.Errorf("candidate %d: %+v", i+1, b)
		}
	}
}

// Values come from tables, loops and helpers too, and those below zero only where a test has one.
func TestInputs(t *testing.T) {
	t.Parallel()
	p := lay(t, "inputs.txtar")
	s := p.open(t, []string{"example.com/inputs.TestAll"}, nil)
	base := s.tests["example.com/inputs"].inputs(func(string) bool { return true })
	got := map[string]bool{}
	for _, i := range base {
		got[i.String()] = true
	}
	for _, want := range []string{`Repeat("ab", 2)`, `Repeat("x", 0)`, `Norm(Point{X: 1, Y: -2})`, `Norm(Point{3, 4})`, `Repeat("by", 4)`, `Repeat("row", 8)`, `Sum([]int{7, 8})`, `Repeat("key", 6)`} {
		if !got[want] {
			t.Errorf("no input is %s: %v", want, got)
		}
	}
	if len(got) != 8 {
		t.Errorf("inputs: %v", got)
	}
	varied := vary(base[:2])
	if len(varied) < 20 {
		t.Errorf("only %d inputs: %v", len(varied), varied)
	}
	for _, i := range varied {
		if strings.Contains(i.String(), "-") {
			t.Errorf("%s goes below zero", i)
		}
		if !s.tests["example.com/inputs"].internal.compiles(i.String()) {
			t.Errorf("%s does not compile", i)
		}
	}
}

// Methods have no calls of their own to compare: their tests are played with other
// values.
func TestScenes(t *testing.T) {
	t.Parallel()
	p := lay(t, "scenes.txtar")
	s := p.open(t, []string{"example.com/scenes.TestPut"}, []string{"example.com/scenes.TestClock"})
	greens := []repair.Candidate{
		p.change(t, 1, "stock.go", "s.have[name] < s.most", "s.have[name] > s.most"),
		p.change(t, 2, "stock.go", "s.have[name] < s.most", "s.have[name] >= s.most"),
		p.change(t, 3, "stock.go", "s.have[name] < s.most", "n > s.most"),
		p.change(t, 4, "stock.go", "s.have[name] < s.most", "s.most < s.have[name]"),
	}
	for id, v := range evaluate(t, s, greens...) {
		if v.Trial != repair.Green {
			t.Errorf("candidate %d is %v", id, v.Trial)
		}
	}
	got, err := s.Behaviours(t.Context(), greens)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(greens) {
		t.Fatalf("nothing is known: %v", got)
	}
	for i, want := range []int{0, 0, 2, 0} {
		if got[i].Cluster != want {
			t.Errorf("candidate %d is in cluster %d, want %d: %+v", i+1, got[i].Cluster, want, got[i])
		}
	}
	if b := got[2]; !strings.HasPrefix(b.Input, `TestPut with "`) || !strings.HasPrefix(b.Output, "s.Put(r.name, r.put) is ") {
		t.Errorf("%+v", b)
	}
}
