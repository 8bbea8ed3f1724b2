package mutate

import (
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/repair/node"
)

// constants are the templates about literals.
func constants() []Template {
	return []Template{
		{"number", "puts another number", "x[1] → x[0]", .3, []node.Kind{node.Number, node.Unary}, false, numbers},
		{"boolean constant", "flips true and false", "return True → return False", .3, []node.Kind{node.Bool}, false, flip},
		{"nil constant", "puts another empty value", "None → []", .8, []node.Kind{node.Nil}, false, nilConstant},
		{"string", "puts another string", "',' → ', '", .8, []node.Kind{node.String}, false, stringConstant},
		{"constant to variable", "puts a variable in the place of a constant", "0 → start", 1.2, []node.Kind{node.Number, node.String, node.Bool, node.Nil, node.Unary}, false, constantToVariable},
		{"empty to element", "gives an empty container its first element", "[] → [[]]", 1.3, []node.Kind{node.List, node.String, node.Nil, node.Number}, false, emptyToElement},
	}
}

// literal reports whether n is a number with its sign, and returns its text. The
// number below a sign answers no: it is edited with it.
func (g *site) literal() (string, bool) {
	p := g.Parent(g.n)
	switch {
	case g.n.Kind == node.Unary:
		return g.Text(g.n), g.n.Op == "-" && g.n.Children[0].Kind == node.Number
	case p != nil && p.Kind == node.Unary && p.Op == "-":
		return "", false
	default:
		return g.Text(g.n), g.n.Kind == node.Number
	}
}

// neighbours are the numbers one above and one below.
func neighbours(text string) []string {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return []string{strconv.FormatInt(v+1, 10), strconv.FormatInt(v-1, 10)}
	}
	return nil
}

// inTable is what it costs more to change a key of a table than another number: it is
// easy to miss a row by it, and to pass what asks for none.
const inTable = .6

// keysBeside are the keys of the table that n is a key of.
func (g *site) keysBeside() []string {
	p := g.Parent(g.n)
	if p == nil || p.Kind != node.Dict || g.Place(g.n)%2 != 0 || len(p.Children) < 4 {
		return nil
	}
	var keys []string
	for k := 0; k < len(p.Children); k += 2 {
		keys = append(keys, g.Text(p.Children[k]))
	}
	return keys
}

func numbers(g *site) {
	text, ok := g.literal()
	if !ok {
		return
	}
	keys := g.keysBeside()
	put := func(s string, cost float64) {
		if slices.Contains(keys, s) {
			return // of two values under one key the first is lost
		}
		prec := atomic
		if len(keys) > 0 {
			cost += inTable
		}
		if strings.HasPrefix(s, "-") {
			prec = g.Dialect.Unary
		}
		g.replace(g.n, code{s, prec}, cost)
	}
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		small := .3
		if p := g.Parent(g.n); v >= 10 && p != nil && p.Kind == node.Compare {
			small = .6 // what is compared with a small number in its place is hardly bounded any more
		}
		for _, x := range []struct {
			v    int64
			cost float64
		}{{v + 1, 0}, {v - 1, 0}, {0, small}, {1, small}, {2, small + .2}, {-1, .6}, {-v, .5}, {v * 2, .9}, {v + 2, 1.0}, {v * 10, 1.0}, {v / 2, 1.0}, {v / 10, 1.1}} {
			put(strconv.FormatInt(x.v, 10), x.cost)
		}
		if v > 1 && g.Dialect.Divide != g.Dialect.IntDivide {
			put(text+".0", 1.3)
		}
	} else if v, err := strconv.ParseFloat(text, 64); err == nil {
		for _, x := range []float64{0, 1, v + 1, v - 1, -v, v / 2, v * 2, 2, v / 10, v * 10} {
			s := strconv.FormatFloat(x, 'g', -1, 64)
			if g.Dialect.Divide != g.Dialect.IntDivide && !strings.ContainsAny(s, ".e") {
				s += ".0"
			}
			put(s, .7)
		}
	}
	for k, s := range g.numbers[:min(len(g.numbers), 16)] {
		put(s, .7+.01*float64(k))
	}
	for k, s := range g.told {
		put(s, .7+.05*float64(k))
	}
}

func flip(g *site) {
	other := g.Dialect.True
	if g.Text(g.n) == other {
		other = g.Dialect.False
	}
	g.replace(g.n, atom(other), 0)
}

func nilConstant(g *site) {
	for _, s := range g.zeros(g.n.Type) {
		g.replace(g.n, atom(s), .05)
	}
}

func stringConstant(g *site) {
	if g.docstring(g.n) {
		return
	}
	lit := g.Text(g.n)
	v, ok := g.Dialect.Unquote(lit)
	if !ok {
		return
	}
	char := !g.Dialect.Truthy && strings.HasPrefix(lit, "'")
	put := func(s string, cost float64) {
		if char && len([]rune(s)) != 1 {
			return
		}
		g.replace(g.n, atom(g.Dialect.Quote(s, lit)), cost)
	}
	for _, x := range g.strs {
		if other, ok := g.Dialect.Unquote(x); ok && (!char || strings.HasPrefix(x, "'")) {
			put(other, .1)
		}
	}
	for _, x := range []string{"", " ", ","} {
		put(x, .2)
	}
	for _, x := range variantsOf(v) {
		put(x.s, x.cost)
	}
	for _, x := range g.near {
		if len(x) > 2 && x != v && distance(x, v) <= 2 {
			put(x, .4)
		}
	}
}

type variant struct {
	s    string
	cost float64
}

// variantsOf are the texts that a literal is likely to have meant.
func variantsOf(v string) []variant {
	var out []variant
	r := []rune(v)
	if len(r) == 0 {
		return nil
	}
	if len(r) == 1 {
		for _, group := range []string{"()", "[]", "{}", "<>", "([{<", ")]}>", "+-*/%", "._-, ", "az", "AZ", "09", "\"'`", "\n\t "} {
			if !strings.ContainsRune(group, r[0]) {
				continue
			}
			for _, x := range group {
				out = append(out, variant{string(x), 0})
			}
		}
		out = append(out, variant{string(r[0] + 1), .5}, variant{string(r[0] - 1), .5})
	}
	out = append(out, variant{strings.ToLower(v), .4}, variant{strings.ToUpper(v), .4}, variant{strings.TrimSpace(v), .4},
		variant{string(r[1:]), .6}, variant{string(r[:len(r)-1]), .6}, variant{v + " ", .8}, variant{" " + v, .9},
		variant{v + string(r[len(r)-1:]), 1.0}, variant{v + "\n", 1.0})
	if lower, upper := strings.ToLower(v), strings.ToUpper(v); lower != upper {
		out = append(out, variant{lower + upper, .6})
	}
	if reversed := reverse(r); reversed != v {
		out = append(out, variant{reversed, 1.0})
	}
	return out
}

func reverse(r []rune) string {
	out := make([]rune, len(r))
	for i, x := range r {
		out[len(r)-1-i] = x
	}
	return string(out)
}

// distance is how many characters must be changed, at most 3 is counted.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+same)
		}
		row = next
	}
	return min(3, row[len(b)])
}

func constantToVariable(g *site) {
	if _, ok := g.literal(); !ok && (g.n.Kind == node.Number || g.n.Kind == node.Unary) || g.docstring(g.n) {
		return
	}
	class := g.classOf(g.n)
	for _, v := range g.fit(g.n, class, g.n.Type) {
		g.replace(g.n, atom(v.name), .05)
	}
	if class == node.Int {
		for _, v := range g.vars(g.n) {
			if sized(v.class, g.Dialect.Truthy) && v.class != node.Unknown {
				g.replace(g.n, atom(g.Dialect.Length(v.name)), .6)
			}
		}
	}
}

func emptyToElement(g *site) {
	text := g.Text(g.n)
	if g.Dialect.Truthy && text != "[]" && text != "''" && text != `""` && text != g.Dialect.Nil && text != "0" || !g.Dialect.Truthy || g.docstring(g.n) {
		return
	}
	for _, s := range []string{"[[]]", "[0]"} {
		g.replace(g.n, atom(s), 0)
	}
	for _, v := range g.vars(g.n) {
		g.replace(g.n, atom("["+v.name+"]"), .05)
	}
	g.replace(g.n, atom(g.Dialect.Nil), .1)
}
