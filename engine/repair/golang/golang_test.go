package golang

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/repair"
	"autocoder/engine/repair/localise"
)

// trial is an edit of the first place where old stands, and what comes of it.
type trial struct{ path, old, new, want string }

// check tries edits on a project, all of them together.
func check(t *testing.T, p project, targets, passing []string, trials []trial) {
	t.Helper()
	s := p.open(t, targets, passing)
	var batch []repair.Candidate
	for i, x := range trials {
		batch = append(batch, p.change(t, i+1, x.path, x.old, x.new))
	}
	got := evaluate(t, s, batch...)
	for i, x := range trials {
		if v := got[i+1].Trial.String(); v != x.want {
			t.Errorf("%q -> %q: %s, want %s", x.old, x.new, v, x.want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	p := lay(t, "calc.txtar")
	check(t, p, []string{"example.com/calc.TestSum"}, []string{"example.com/calc.TestShow", "example.com/calc.TestStack"}, []trial{
		{"calc.go", "len(xs)-1; i++", "len(xs); i++", "green"},
		{"calc.go", "len(xs)-1; i++", "len(xs)-2; i++", "failed"},
		{"calc.go", "len(xs)-1; i++", "len(xs)+1; i++", "failed"},
		{"calc.go", "len(xs)-1; i++", "len(xs)-1; ", "out of fuel"},
		{"calc.go", "total += xs[i]", "total += strings.Count(xs[i])", "rejected"},
		{"calc.go", "total += xs[i]", "total += undefined", "rejected"},
		{"calc.go", "total += xs[i]", "total = ", "rejected"},
		{"calc.go", "total := 0", "total := 1", "failed"},
		{"calc.go", "total := 0", `total := strings.Count("a", "b")`, "failed"},
		{"calc.go", "return total", "return total + xs[len(xs)-1]", "failed"},
		{"calc.go", "return total", "if len(xs) == 0 {\n\t\treturn 0\n\t}\n\treturn total + xs[len(xs)-1]", "green"},
		{"calc.go", "return total", "if len(xs) == 0 {\n\t\treturn total\n\t}\n\treturn total + int(math.Abs(float64(xs[len(xs)-1])))", "green"},
		{"calc.go", "return total", "os.Exit(0)\n\treturn total", "rejected"},
		// An import is no longer needed, but a passing test is lost.
		{"calc.go", `return fmt.Sprintf("<%d>", n)`, `return ""`, "failed"},
		{"calc.go", "s.items = append(s.items, x)", "s.items = append(s.items, x, x)", "failed"},
	})
}

// Candidates that only the compiler refuses cost one more build, however many there are
// beside them, and what declares or repeats statements none.
func TestEvaluateBuilds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		trials []trial
		builds int
	}{
		{"declared", []trial{
			{"calc.go", "total += xs[i]", "total := 1\n\t\ttotal++", "failed"},
			{"calc.go", "\ttotal := 0", "\ttotal := 0\n\tif total := 1; total == 0 {\n\t\treturn total\n\t}", "failed"},
		}, 2},
		{"repeated", []trial{
			{"calc.go", "\tfor i := 0;", "\tfor i := 0; i < len(xs)-1; i++ {\n\t\ttotal -= xs[i]\n\t}\n\tfor i := 0;", "failed"},
			{"calc.go", "i++ {\n\t\ttotal += xs[i]\n", "i++ {\n\t\ttotal -= xs[i]\n\t}\n\tfor i := 0; i < len(xs)-1; i++ {\n\t\ttotal += xs[i]\n", "failed"},
			{"calc.go", "total += xs[i]", "total -= xs[i]", "failed"},
		}, 2},
		{"refused", []trial{
			{"calc.go", "return s", "return s + Prefix", "rejected"},
			{"calc.go", "len(xs)-1; i++", "len(xs); i++", "green"},
			{"calc.go", "len(xs)-1; i++", "len(xs)-2; i++", "failed"},
			{"calc.go", "total += xs[i]", "total -= xs[i]", "failed"},
			{"calc.go", "i := 0;", "i := 1;", "failed"},
			{"calc.go", "i < len", "i <= len", "green"},
			{"calc.go", "return total", "return -total", "failed"},
		}, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := lay(t, "calc.txtar")
			s := p.open(t, []string{"example.com/calc.TestSum"}, nil)
			var batch []repair.Candidate
			for i, x := range tc.trials {
				batch = append(batch, p.change(t, i+1, x.path, x.old, x.new))
			}
			got := evaluate(t, s, batch...)
			for i, x := range tc.trials {
				if v := got[i+1].Trial.String(); v != x.want {
					t.Errorf("%q -> %q: %s, want %s", x.old, x.new, v, x.want)
				}
			}
			if s.builds != tc.builds {
				t.Errorf("%d builds, want %d", s.builds, tc.builds)
			}
		})
	}
}

func TestEvaluateKeepsPassing(t *testing.T) {
	t.Parallel()
	p := lay(t, "shop.txtar")
	const pkg = "example.com/shop/cart."
	check(t, p, []string{pkg + "TestTotal", pkg + "TestTotal/ten"}, []string{pkg + "TestLimit", pkg + "TestTotal/one", pkg + "TestTotal/nine"}, []trial{
		{"price/price.go", "n > Bulk", "n >= Bulk", "green"},
		{"price/price.go", "n > Bulk", "n < Bulk", "failed"},
		{"price/price.go", "Bulk = 10", "Bulk = 9", "green"},
		{"price/price.go", "rebate = 10", "rebate = 11", "failed"},
		{"price/price.go", "total := each * n", "total := each * n; each = total", "failed"},
		{"cart/cart.go", "total += price.Of(of(name), n)", "total += price.Of(of(name), n+1)", "failed"},
		{"cart/cart.go", "len(c.lines) >= c.limit", "len(c.lines) > c.limit", "failed"},
		{"cart/cart.go", "out = append(out, name)", "out = append(out, name, name)", "failed"},
		{"cart/cart.go", "import (", "import (\n\t\"nowhere\"", "rejected"},
	})
}

// What a test leaves behind may be the end of one that go test runs before it: they run in
// the same order here.
func TestEvaluateOrder(t *testing.T) {
	t.Parallel()
	p := lay(t, "sequence.txtar")
	const pkg = "example.com/sequence."
	check(t, p, []string{pkg + "TestSum"}, []string{pkg + "TestSuffix", pkg + "TestWithout"}, []trial{
		{"order.go", "a - b", "a + b", "green"},
		{"order.go", "a - b", "a + b + len(Suffix) - 1", "failed"},
	})
}

func TestEvaluateDanger(t *testing.T) {
	t.Parallel()
	p := lay(t, "danger.txtar")
	const pkg = "example.com/danger."
	check(t, p, []string{pkg + "TestDepth"}, []string{pkg + "TestFill", pkg + "TestSafe"}, []trial{
		{"danger.go", "Depth(n-2)", "Depth(n-1)", "green"},
		{"danger.go", "Depth(n-2)", "Depth(n+1)", "out of fuel"},
		{"danger.go", "if n <= 0 {", "if n < 0 {", "failed"},
		{"danger.go", "return 1 + Depth(n-2)", "panic(n)", "failed"},
		{"danger.go", "return 1 + Depth(n-2)", "select {}", "out of fuel"},
		{"danger.go", "return 1 + Depth(n-2)", "var m map[int]int\n\tgo func() { m[n] = 1 }()\n\tselect {}", "died"},
		{"danger.go", "return 1 + Depth(n-2)", "return len(strings.Repeat(\"x\", 3<<30))", "died"},
		{"danger.go", "return 1 + Depth(n-2)", "return Count()", "failed"},
		{"danger.go", "return 1 + Depth(n-2)", "Safe(func() { for {\n} })\n\treturn 3", "out of fuel"},
	})
}

func TestEvaluateVendored(t *testing.T) {
	t.Parallel()
	p := lay(t, "vendored.txtar")
	check(t, p, []string{"example.com/words.TestWords"}, nil, []trial{
		{"words.go", `"aeio"`, `"aeiou"`, "green"},
		{"words.go", `"aeio"`, `"aeiouh"`, "failed"},
		{"words.go", "n++", "n--", "failed"},
	})
}

// rows prints a spectrum.
func rows(s localise.Spectrum) string {
	var out strings.Builder
	for _, r := range s.Rows {
		name, _, _ := strings.Cut(r.Name, ":")
		fmt.Fprintf(&out, "%s %v", name, r.Failed)
		var files []string
		for f := range r.Lines {
			files = append(files, f)
		}
		slices.Sort(files)
		for _, f := range files {
			fmt.Fprintf(&out, " %s%v", f, r.Lines[f])
		}
		for _, f := range r.Frames {
			fmt.Fprintf(&out, " at %s:%d", f.File, f.Line)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestSpectrum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		archive          string
		targets, passing []string
		want             string
	}{
		{"calc.txtar", []string{"example.com/calc.TestSum"}, []string{"example.com/calc.TestShow"}, `
example.com/calc.TestSum false calc.go[6 7 8 11 18]
example.com/calc.TestSum true calc.go[6 7 8 9 11 18]
example.com/calc.TestShow false calc.go[15 18]
`},
		{"vendored.txtar", []string{"example.com/words.TestWords"}, nil, `
example.com/words.TestWords false words.go[6 7 8 9 10 13]
example.com/words.TestWords false words.go[17 18 21]
example.com/words.TestWords true words.go[6 7 8 9 10 13]
example.com/words.TestWords false words.go[17 18 19]
example.com/words.TestWords false words.go[6 7 8 9 10 13]
`},
		// A failing case that goes on with the next, and one whose effect comes by another way
		// than the test's variables tell.
		{"table.txtar", []string{"example.com/table.TestHalf", "example.com/table.TestLog"}, nil, `
example.com/table.TestHalf false table.go[6 7 11 12 15]
example.com/table.TestHalf true table.go[6 7 11 12 15]
example.com/table.TestHalf false table.go[6 7 11 12 13]
example.com/table.TestLog true table.go[22 23]
example.com/table.TestLog true table.go[22 23 27 28]
`},
	} {
		p := lay(t, c.archive)
		got, err := p.open(t, c.targets, c.passing).Spectrum(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if rows(got) != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s:\n%s", c.archive, rows(got))
		}
	}
}
