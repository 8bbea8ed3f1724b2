package golang

import (
	"testing"
)

func TestEvaluate(t *testing.T) {
	p := lay(t, "calc.txtar")
	s := p.open(t, []string{"example.com/calc.TestSum"}, []string{"example.com/calc.TestShow", "example.com/calc.TestStack"})
	spectrum, err := s.Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range spectrum.Rows {
		t.Log(r)
	}
	batch := []struct{ old, new, want string }{
		{"len(xs)-1; i++", "len(xs); i++", "green"},
		{"len(xs)-1; i++", "len(xs)-2; i++", "failed"},
		{"len(xs)-1; i++", "len(xs)+1; i++", "failed"},
		{"len(xs)-1; i++", "len(xs)-1; ", "out of fuel"},
		{"total += xs[i]", "total += strings.Count(xs[i])", "rejected"},
		{"total += xs[i]", "total += undefined", "rejected"},
		{"total := 0", "total := 1", "failed"},
		{"total := 0", "total := strings.Count(\"a\", \"b\")", "failed"},
		{"return total", "return total + xs[len(xs)-1]", "failed"},
		{"return total", "if len(xs) == 0 {\n\t\treturn 0\n\t}\n\treturn total + xs[len(xs)-1]", "green"},
		{"return total", "os.Exit(0)\n\treturn total", "rejected"},
	}
	for i, b := range batch {
		c := p.change(t, i+1, "calc.go", b.old, b.new)
		got := evaluate(t, s, c)[i+1].Trial.String()
		if got != b.want {
			t.Errorf("%q -> %q: %s, want %s", b.old, b.new, got, b.want)
		}
	}
}
