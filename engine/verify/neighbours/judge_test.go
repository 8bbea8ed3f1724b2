package neighbours

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// asked makes a function of one number: what it gives before and after, for inputs of
// the tests and for those around them.
func asked(before, after func(int) string, tests ...int) Function {
	answers := func(n int) Answers {
		b, a := before(n), after(n)
		return Answers{Before: &b, After: &a}
	}
	value := func(n int) Value {
		at := float64(n)
		return Value{Text: strconv.Itoa(n), At: &at, Edge: -2 <= n && n <= 2}
	}
	given := map[int]bool{}
	for _, n := range tests {
		given[n] = true
	}
	f := Function{File: "a.py", Name: "f"}
	for _, n := range tests {
		in := Input{Text: fmt.Sprintf("f(%d)", n), Answers: answers(n), Places: map[string]Value{"n": value(n)}}
		for k := n - 15; k <= n+15; k++ {
			if !given[k] {
				in.Near = append(in.Near, Neighbour{Place: "n", Value: value(k), Answers: answers(k)})
			}
		}
		f.Inputs = append(f.Inputs, in)
	}
	return f
}

func TestJudge(t *testing.T) {
	t.Parallel()
	number := strconv.Itoa
	times := func(k int) func(int) string { return func(n int) string { return number(k * n) } }
	only := func(wanted ...int) func(int) string {
		return func(n int) string {
			for _, w := range wanted {
				if n == w {
					return number(2 * n)
				}
			}
			return number(n)
		}
	}
	always := func(text string) func(int) string { return func(int) string { return text } }
	from := func(bound int, below, above string) func(int) string {
		return func(n int) string {
			if n < bound {
				return below
			}
			return above
		}
	}
	but := func(wanted int, text string, other func(int) string) func(int) string {
		return func(n int) string {
			if n == wanted {
				return text
			}
			return other(n)
		}
	}
	for name, c := range map[string]struct {
		before, after func(int) string
		tests         []int
		want          string // "" for silence
	}{
		"everything is as before":         {times(1), times(1), []int{7, 40}, ""},
		"everything is another":           {times(1), times(2), []int{7, 40}, ""},
		"only the tests' inputs":          {times(1), only(7, 40), []int{7, 40}, "only for f(7) and f(40), which the tests give, and for none of 60"},
		"one more than the tests'":        {times(1), only(7, 40, 41), []int{7, 40}, ""},
		"an edge":                         {times(1), only(0), []int{0, 40}, ""},
		"a key":                           {always("'?'"), but(40, "'x'", always("'?'")), []int{40, 7}, ""},
		"a bound put right":               {from(41, "'B'", "'A'"), from(40, "'B'", "'A'"), []int{40}, ""},
		"a spike on one side of a bound":  {from(36, "'B'", "'A'"), but(40, "'B'", from(36, "'B'", "'A'")), []int{40}, "only for f(40)"},
		"no answer but for the tests'":    {always("raises KeyError"), but(40, "'x'", always("raises KeyError")), []int{40}, ""},
		"one answer for all":              {times(1), always("14"), []int{7}, "whatever it is asked"},
		"one answer, and there was one":   {always("3"), always("14"), []int{7}, ""},
		"what failed is answered by zero": {always("raises KeyError"), always("0"), []int{7}, ""},
	} {
		if said := strings.Join(Judge([]Function{asked(c.before, c.after, c.tests...)}), "\n"); c.want == "" && said != "" || !strings.Contains(said, c.want) {
			t.Errorf("%s: it says %q, want %q", name, said, c.want)
		}
	}
}

// TestJudgeByCallee holds that a function which the edit leaves as it is is not told of for
// one value of the tests where what it calls shows the edit for others, and is told of else.
func TestJudgeByCallee(t *testing.T) {
	t.Parallel()
	number := strconv.Itoa
	same := func(n int) string { return number(n) }
	odd := func(n int) string {
		if n == 40 {
			return number(2 * n)
		}
		return number(n)
	}
	caller := asked(same, odd, 40)
	in := &caller.Inputs[0]
	in.Places["m"] = in.Places["n"]
	before, after := "1", "2"
	in.Near = append(in.Near, Neighbour{Place: "m", Value: in.Near[0].Value, Answers: Answers{Before: &before, After: &after}})
	if said := Judge([]Function{caller}); len(said) != 1 {
		t.Fatalf("alone it says %q", said)
	}
	caller.Unedited = true
	if said := Judge([]Function{caller}); len(said) != 1 {
		t.Errorf("without a function that is changed it says %q", said)
	}
	callee := asked(same, func(n int) string { return number(n + 1) }, 7)
	if said := Judge([]Function{caller, callee}); len(said) != 0 {
		t.Errorf("beside a function that is changed widely it says %q", said)
	}
	callee = asked(same, odd, 40)
	if said := Judge([]Function{caller, callee}); len(said) != 2 {
		t.Errorf("beside a function that knows the tests it says %q", said)
	}
}

func TestJudgeByWays(t *testing.T) {
	t.Parallel()
	price := func(bound int) func(int) string {
		return func(n int) string {
			if n < bound {
				return strconv.Itoa(10 * n)
			}
			return strconv.Itoa(9 * n)
		}
	}
	f := asked(price(11), price(10), 10)
	if said := Judge([]Function{f}); len(said) != 1 {
		t.Fatalf("without ways it says %q", said)
	}
	way := func(n float64, bound float64) string { return fmt.Sprint(n < bound) }
	in := &f.Inputs[0]
	in.Ways = []string{way(10, 11), way(10, 10)}
	for k := range in.Near {
		in.Near[k].Ways = []string{way(*in.Near[k].At, 11), way(*in.Near[k].At, 10)}
	}
	if said := Judge([]Function{f}); len(said) != 0 {
		t.Errorf("of a bound put right it says %q", said)
	}
	for k := range in.Near {
		in.Near[k].Ways = []string{"true", "true"}
	}
	if said := Judge([]Function{f}); len(said) != 1 {
		t.Errorf("of a way that no other goes it says %q", said)
	}
}

func TestJudgeOneOfTwoPlaces(t *testing.T) {
	t.Parallel()
	text := func(n int) *string { s := strconv.Itoa(n); return &s }
	build := func(rate func(price, rate int) int) Function {
		in := Input{
			Text: "total(100, 50)", Answers: Answers{Before: text(100 - 50), After: text(rate(100, 50))},
			Places: map[string]Value{"price": {Text: "100"}, "rate": {Text: "50"}},
		}
		for k := 101; k < 130; k++ {
			in.Near = append(in.Near, Neighbour{"price", Value{Text: strconv.Itoa(k)}, Answers{Before: text(k - 50), After: text(rate(k, 50))}})
			r := k - 50
			in.Near = append(in.Near, Neighbour{"rate", Value{Text: strconv.Itoa(r)}, Answers{Before: text(100 - r), After: text(rate(100, r))}})
		}
		return Function{File: "a.py", Name: "total", Inputs: []Input{in}}
	}
	special := func(price, rate int) int {
		if price == 100 {
			return price + rate
		}
		return price - rate
	}
	if said := Judge([]Function{build(special)}); len(said) != 1 || !strings.Contains(said[0], "only where price is 100, as in the tests") {
		t.Errorf("it says %q", said)
	}
	if said := Judge([]Function{build(func(price, rate int) int { return price + rate })}); len(said) != 0 {
		t.Errorf("of a repair it says %q", said)
	}
	if said := Judge([]Function{build(func(price, _ int) int { return price + 50 })}); len(said) != 1 || !strings.Contains(said[0], "no longer depends on rate") {
		t.Errorf("of what forgets the rate it says %q", said)
	}
	together := build(special)
	in := &together.Inputs[0]
	in.Near = append(in.Near, Neighbour{"together", Value{Text: "7"}, Answers{Before: text(1), After: text(2)}})
	if said := Judge([]Function{together}); len(said) != 0 {
		t.Errorf("of what depends on two values together it says %q", said)
	}
}

func TestJudgeTurns(t *testing.T) {
	t.Parallel()
	f := asked(func(int) string { return "1" }, func(int) string { return "1" }, 7)
	later := "2"
	f.Inputs[0].Later = &later
	if said := Judge([]Function{f, f}); len(said) != 1 || !strings.Contains(said[0], "f(7) gives 1 at first and 2 later") {
		t.Errorf("it says %q", said)
	}
	later = "raises ValueError"
	if said := Judge([]Function{f}); len(said) != 0 {
		t.Errorf("of what may not be done twice it says %q", said)
	}
}
