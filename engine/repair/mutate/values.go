package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// values are the templates that compute something else from a value.
func values() []Template {
	return []Template{
		{"off by one", "adds or takes one", "a[i] → a[i + 1]", .5, valueKinds, false, offByOne},
		{"sign", "changes the sign of a value", "x → -x", 1.4, valueKinds, false, sign},
		{"operand add", "adds an operand", "x → x + y", 1.4, valueKinds, false, operandAdd},
		{"bound", "bounds a value by another", "x → max(x, y)", 1.4, valueKinds, false, bound},
		{"remainder from zero", "has the remainder of what is negative begin at zero", "a % n → (a%n + n) % n", 1.2, []node.Kind{node.Binary}, false, remainderFromZero},
		{"expression", "puts another expression of the function", "return a → return a + b", 1.5, valueKinds, false, expressionReplace},
		{"terms apart", "adds or takes the terms of a sum one by one, as no rounding of the sum does", "s = x + y … a - s → a - x - y", 1.2, []node.Kind{node.Binary}, false, termsApart},
		{"concatenation", "joins the value with another", "s → s + t", 1.5, valueKinds, false, concatenate},
	}
}

// numeric reports whether arithmetic may be done on n.
func (g *site) numeric() bool {
	if !g.whole() || g.n.Kind == node.Tuple || g.n.Kind == node.List || g.n.Kind == node.Comp || g.n.Kind == node.String {
		return false
	}
	if g.condition() {
		return false
	}
	c := g.classOf(g.n)
	return number(c) || c == node.Unknown && g.Dialect.Truthy
}

// condition reports whether n stands where only its truth matters.
func (g *site) condition() bool {
	p := g.Parent(g.n)
	return g.tested(g.n) || p.Kind == node.Logical || p.Kind == node.If || p.Kind == node.While
}

func offByOne(g *site) {
	if !g.numeric() || g.n.Kind == node.Number {
		return
	}
	if k := g.n.Kind; k == node.Unary && g.n.Children[0].Kind == node.Number || shifted(g.n) || shifted(g.Parent(g.n)) {
		return // i + 1 is off by one in its number
	}
	cost := .3
	switch g.Parent(g.n).Kind {
	case node.Index, node.Slice, node.Call, node.Compare:
		cost = 0
	default: // Elsewhere bounds are rarer.
	}
	if p := g.Parent(g.n); p.Kind == node.Index && g.Place(g.n) == 1 && g.classOf(p.Children[0]) == node.Mapping {
		cost = .9 // keys have no neighbours
	}
	self := g.of(g.n)
	g.replace(g.n, g.binary(self, "+", atom("1")), cost)
	g.replace(g.n, g.binary(self, "-", atom("1")), cost)
	g.replace(g.n, g.binary(self, "+", atom("2")), 1.2)
	g.replace(g.n, g.binary(self, "-", atom("2")), 1.2)
	g.replace(g.n, g.binary(atom("1"), "+", self), 1.1)
}

// shifted reports whether n adds a number to a value, or takes it away.
func shifted(n *node.Node) bool {
	return n.Kind == node.Binary && (n.Op == "+" || n.Op == "-") && n.Children[1].Kind == node.Number
}

func sign(g *site) {
	if g.numeric() && g.n.Kind != node.Unary && g.n.Kind != node.Number {
		cost := .1
		if g.n.Kind == node.Binary {
			cost = .5 // a whole expression is hardly ever meant with the other sign
		}
		g.replace(g.n, g.minus(g.of(g.n)), cost)
	}
}

// remainderFromZero mends the remainder of a negative number where the language
// gives it the sign of the number.
func remainderFromZero(g *site) {
	n := g.n
	if n.Op != "%" || g.Dialect.IntDivide == "//" {
		return
	}
	if m := n.Children[1]; m.Kind == node.Number || m.Kind == node.Name || m.Kind == node.Attribute {
		g.replace(n, g.binary(g.binary(g.of(n), "+", g.of(m)), "%", g.of(m)), 0)
	}
}

func operandAdd(g *site) {
	if !g.numeric() || g.n.Kind == node.Unary && g.n.Children[0].Kind == node.Number {
		return
	}
	self := g.of(g.n)
	d := g.Dialect
	if g.n.Kind != node.Number {
		power := "**"
		if d.Arithmetic[power] != nil {
			g.replace(g.n, g.binary(self, power, atom("2")), .3)
			g.replace(g.n, g.binary(self, power, atom("3")), .7)
		} else {
			g.replace(g.n, g.binary(self, "*", self), .5)
		}
		for k, t := range []struct{ op, r string }{{"*", "2"}, {d.IntDivide, "2"}, {"%", "2"}, {"%", "10"}, {d.IntDivide, "10"}} {
			g.replace(g.n, g.binary(self, t.op, atom(t.r)), .3+.1*float64(k))
		}
		if g.remainders() {
			g.replace(g.n, g.binary(self, "%", atom("100")), .8)
		}
		if d.Divide != d.IntDivide {
			// Which of the two is meant shows in what the file does elsewhere.
			cost := .35
			if strings.Contains(string(g.Content), d.IntDivide) {
				cost = .45
			}
			g.replace(g.n, g.binary(self, d.Divide, atom("2")), cost)
		}
	}
	add := func(v code, class node.Class, extra float64) {
		if !number(class) && (class != node.Unknown || !d.Truthy) || g.n.Kind == node.Number && self.s == "0" {
			return
		}
		g.replace(g.n, g.binary(self, "+", v), .1+extra)
		g.replace(g.n, g.binary(self, "-", v), .15+extra)
		g.replace(g.n, g.binary(v, "+", self), .45+extra)
		g.replace(g.n, g.binary(self, "*", v), .6+extra)
		g.replace(g.n, g.binary(v, "-", self), .6+extra)
		g.replace(g.n, g.binary(self, d.IntDivide, v), .9+extra)
		g.replace(g.n, g.binary(self, "%", v), .8+extra)
		g.replace(g.n, g.binary(v, d.IntDivide, self), 1.2+extra)
	}
	for k, v := range g.fit(g.n, g.classOf(g.n), g.n.Type) {
		add(atom(v.name), v.class, .02*float64(min(k, 15)))
	}
	for k, e := range g.places() {
		if k < maxPlaces && g.Dialect.Assignable(e.typ, g.n.Type) {
			add(e.code, e.class, .5+.02*float64(k))
		}
	}
}

// termsApart puts the terms of a variable's sum in the place of the variable.
func termsApart(g *site) {
	term := g.n.Children[1]
	if g.n.Op != "+" && g.n.Op != "-" || term.Kind != node.Name || g.set[term.Name] != 1 {
		return
	}
	opposite := map[string]string{"+": "-", "-": "+"}
	node.Walk(g.fn, func(n *node.Node) bool {
		if n.Kind != node.Assign || n.Op != "=" || len(n.Children) != 2 || n.Children[0].Name != term.Name || n.End > g.n.Start {
			return true
		}
		if sum := n.Children[1]; sum.Kind == node.Binary && opposite[sum.Op] != "" {
			op := g.n.Op
			if op == "-" {
				op = opposite[sum.Op]
			}
			first := g.binary(g.of(g.n.Children[0]), g.n.Op, g.of(sum.Children[0]))
			g.replace(g.n, g.binary(first, op, g.of(sum.Children[1])), 0)
		}
		return true
	})
}

func bound(g *site) {
	if !g.numeric() || g.n.Kind == node.Number || g.n.Kind == node.Unary && g.n.Children[0].Kind == node.Number {
		return
	}
	text := g.Text(g.n)
	g.replace(g.n, atom(g.called("max")+"(0, "+text+")"), 0)
	if p := g.Parent(g.n); p.Kind == node.Binary && g.Place(g.n) == 1 && (p.Op == g.Dialect.Divide || p.Op == g.Dialect.IntDivide || p.Op == "%") {
		g.replace(g.n, atom(g.called("max")+"(1, "+text+")"), 0)
	}
	g.replace(g.n, atom(g.called("min")+"(0, "+text+")"), .5)
	if target, ok := g.updated(); ok && target != text {
		g.replace(g.n, atom(g.called("max")+"("+target+", "+text+")"), 0)
		g.replace(g.n, atom(g.called("min")+"("+target+", "+text+")"), .1)
	}
	for k, v := range g.fit(g.n, g.classOf(g.n), g.n.Type) {
		if v.name == text || v.class != node.Int && v.class != node.Float && !g.Dialect.Truthy {
			continue
		}
		c := .4 + .02*float64(min(k, 15))
		g.replace(g.n, atom(g.called("max")+"("+v.name+", "+text+")"), c)
		g.replace(g.n, atom(g.called("min")+"("+v.name+", "+text+")"), c)
	}
	for k, e := range g.places() {
		if k < maxPlaces && e.s != text && agree(e.class, g.classOf(g.n)) {
			g.replace(g.n, atom(g.called("max")+"("+e.s+", "+text+")"), .8)
			g.replace(g.n, atom(g.called("min")+"("+e.s+", "+text+")"), .8)
		}
	}
}

// updated returns what the value at the site is assigned to, when that has had a
// value before.
func (g *site) updated() (target string, ok bool) {
	p := g.Parent(g.n)
	if p == nil || p.Kind != node.Assign || len(p.Children) != 2 || p.Op != "=" || g.Place(g.n) != 1 {
		return "", false
	}
	t := p.Children[0]
	switch t.Kind {
	case node.Attribute, node.Index:
		return g.Text(t), true
	case node.Name:
		return t.Name, g.n.Start > g.since[t.Name] && slices.ContainsFunc(g.vars(p), func(v variable) bool { return v.name == t.Name })
	default:
		return "", false
	}
}

func expressionReplace(g *site) {
	if !g.whole() || g.n.Kind == node.Number || g.n.Kind == node.String {
		return
	}
	p := g.Parent(g.n)
	assigned := p.Kind == node.Return || p.Kind == node.Assign || p.Kind == node.VarDecl || p.Kind == node.For
	compound := g.n.Kind == node.Call || g.n.Kind == node.Binary || g.n.Kind == node.Index || g.n.Kind == node.Slice || g.n.Kind == node.Attribute
	extra := 0.0
	if !assigned && !compound {
		if g.n.Kind != node.Name || !g.isVariable() {
			return
		}
		extra = .4
	}
	text, class := g.Text(g.n), g.classOf(g.n)
	for k, e := range g.exprs {
		switch e.n.Kind {
		case node.Name, node.Number, node.String, node.Bool, node.Nil:
			continue
		default: // Names and literals have templates of their own.
		}
		if e.n.Kind == node.Logical && e.n.Start <= g.n.Start && g.n.End <= e.n.End {
			continue // a and (a and b)
		}
		if e.s == text || !agree(e.class, class) || !g.Dialect.Assignable(e.typ, g.n.Type) || e.n.Kind == node.Attribute && g.packaged(e.n) {
			continue
		}
		g.replace(g.n, e.code, .5+extra+.005*float64(min(k, 40)))
	}
	if compound {
		for k, v := range g.fit(g.n, class, g.n.Type) {
			g.replace(g.n, atom(v.name), .02*float64(min(k, 15)))
		}
		if class == node.Int {
			for _, v := range g.vars(g.n) {
				if sized(v.class, false) {
					g.replace(g.n, atom(g.Dialect.Length(v.name)), .3)
				}
			}
		}
	}
}

func concatenate(g *site) {
	if !g.whole() || g.condition() {
		return
	}
	class := g.classOf(g.n)
	texts := class == node.Text
	lists := class == node.Sequence && g.Dialect.Truthy
	unknown := class == node.Unknown && g.Dialect.Truthy && g.Parent(g.n).Kind == node.Return
	if !texts && !lists && !unknown || g.n.Kind == node.String && g.Parent(g.n).Kind == node.Compare {
		return
	}
	self := g.of(g.n)
	join := func(l, r code) code {
		if d := g.Dialect; d.Concat != nil && (lists || strings.HasPrefix(l.s+r.s, "[") || strings.HasPrefix(r.s, "[")) {
			return atom(d.Concat(l.s, r.s))
		}
		return g.binary(l, "+", r)
	}
	for k, v := range g.fit(g.n, class, g.n.Type) {
		if v.class != class && !(v.class == node.Unknown && g.Dialect.Truthy) || v.name == self.s || number(v.class) {
			continue
		}
		c := .1 + .02*float64(min(k, 15))
		g.replace(g.n, join(self, atom(v.name)), c)
		g.replace(g.n, join(atom(v.name), self), c+.1)
	}
	for _, e := range g.exprs {
		if e.s == self.s || e.n.Kind == node.Name || e.class != class && e.class != node.Unknown || !g.Dialect.Assignable(e.typ, g.n.Type) {
			continue
		}
		if e.class == node.Unknown && e.n.Kind != node.Call && e.n.Kind != node.Comp && e.n.Kind != node.Index && e.n.Kind != node.Slice {
			continue
		}
		cost := .5
		if texts && !g.Dialect.Truthy {
			cost = .1
		}
		g.replace(g.n, join(self, e.code), cost)
		g.replace(g.n, join(e.code, self), cost)
	}
	if texts {
		for _, v := range g.vars(g.n) {
			if v.class == node.Sequence && g.classOfType(g.elem(v.typ)) == node.Text {
				first := atom(v.name + "[0]")
				g.replace(g.n, join(first, self), .2)
				g.replace(g.n, join(self, first), .3)
			}
		}
	}
	if lists || unknown {
		for _, v := range g.vars(g.n) {
			g.replace(g.n, join(self, atom("["+v.name+"]")), .5)
			g.replace(g.n, join(atom("["+v.name+"]"), self), .5)
		}
	}
}
