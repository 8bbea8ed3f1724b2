package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// presence are the templates about what is none and what is only empty, and about what to
// take where there is nothing.
func presence() []Template {
	return []Template{
		{"none or empty", "asks whether there is a value, not whether it is empty", "if x → if x is not None", .7, []node.Kind{node.Name, node.Attribute, node.Call, node.Index, node.Unary, node.Compare, node.Logical}, false, noneOrEmpty},
		{"unless none", "takes another value only where there is none", "x → x if x is not None else y", 1.6, []node.Kind{node.Name, node.Attribute, node.Call}, false, unlessNone},
		{"default given", "gives a call what to take where there is nothing", "next(xs) → next(xs, None)", .9, []node.Kind{node.Call}, false, defaultGiven},
		{"default of a parameter", "lets a parameter be left out", "def f(a, b) → def f(a, b=None)", 1.2, []node.Kind{node.Param}, false, defaultOfParameter},
		{"filled in", "gives a parameter that is left out a value", "if a is None: a = []", 1.4, stmtKinds, false, filledIn},
	}
}

// noneOrEmpty asks the other of two questions that are often taken for one another.
func noneOrEmpty(g *site) {
	d := g.Dialect
	if d.Absent == nil {
		return
	}
	switch g.n.Kind {
	case node.Logical:
		if g.n.Op == d.Or && !g.condition() && presentable(g.n.Children[0]) {
			text := g.Text(g.n.Children[0])
			_, there := d.Absent(text)
			g.replace(g.n, code{d.Conditional(there, text, g.Text(g.n.Children[1])), 0}, .1)
		}
	case node.Unary:
		if g.n.Op == strings.TrimSpace(d.Not) && presentable(g.n.Children[0]) {
			none, _ := d.Absent(g.Text(g.n.Children[0]))
			g.replace(g.n, code{none, d.Precedence["is"]}, 0)
		}
	case node.Compare:
		if g.Text(g.n.Children[1]) != d.Nil || !presentable(g.n.Children[0]) || !g.asked() {
			return
		}
		value := g.of(g.n.Children[0])
		if none, _ := d.Absent(value.s); none == g.Text(g.n) {
			g.replace(g.n, g.not(value), .2)
		} else {
			g.replace(g.n, value, .2)
		}
	default:
		if p := g.Parent(g.n); presentable(g.n) && g.value() && g.asked() && !g.boolish(g.n) && p.Kind != node.Unary {
			_, there := d.Absent(g.Text(g.n))
			g.replace(g.n, code{there, d.Precedence["is"]}, 0)
		}
	}
}

// asked reports whether only the truth of the value at the site matters.
func (g *site) asked() bool {
	p := g.Parent(g.n)
	for child := g.n; p != nil && p.Kind == node.Logical; child, p = p, g.Parent(p) {
		if g.Place(child) == 0 && p.Op == g.Dialect.And {
			return true
		}
		if g.tested(p) {
			return true
		}
	}
	return g.tested(g.n)
}

// presentable reports whether n is a value that may be none.
func presentable(n *node.Node) bool {
	return n.Kind == node.Name || n.Kind == node.Attribute || n.Kind == node.Call || n.Kind == node.Index
}

// unlessNone takes what the function has of the same kind where a value is none.
func unlessNone(g *site) {
	d := g.Dialect
	if d.Absent == nil || !g.whole() || g.condition() || !g.received() || g.n.Kind == node.Name && !g.isVariable() {
		return
	}
	text := g.Text(g.n)
	_, there := d.Absent(text)
	put := func(other string, cost float64) {
		if other != text {
			g.replace(g.n, code{d.Conditional(there, text, other), 0}, cost)
		}
	}
	for k, v := range g.fit(g.n, g.classOf(g.n), g.n.Type) {
		if k < maxVariables && v.name != d.Receiver {
			put(v.name, .02*float64(k))
		}
	}
	for k, s := range d.Fallbacks {
		if s != d.Nil {
			put(s, .2+.05*float64(k))
		}
	}
}

// defaultGiven gives a call one more argument: what to give back where there is nothing.
func defaultGiven(g *site) {
	callee := g.n.Children[0]
	args, keywords, ok := g.arguments()
	if !ok || len(keywords) > 0 || callee.Kind != node.Name && callee.Kind != node.Attribute {
		return
	}
	at, comma := g.behindArguments()
	if o, known := g.Dialect.Otherwise[callee.Name]; known && len(args) == o.After {
		for k, s := range o.Values {
			g.emit(at, at, comma+s, .1*float64(k), quote(s)+" should be given where there is nothing in "+quote(g.Text(g.n)))
		}
	}
}

// defaultOfParameter lets a parameter be left out that callers leave out.
func defaultOfParameter(g *site) {
	d := g.Dialect
	fn := g.Parent(g.n)
	if d.Named == nil || fn == nil || fn.Kind != node.Function || len(g.n.Children) > 0 || g.n.Name == d.Receiver || g.n.Name == "cls" {
		return
	}
	gathers := func(p *node.Node) bool { return p.Start > 0 && g.Content[p.Start-1] == '*' }
	for _, c := range fn.Children {
		if c.Kind == node.Param && c.Start > g.n.Start && len(c.Children) == 0 && !gathers(c) {
			return // what follows must be given
		}
	}
	if gathers(g.n) {
		return
	}
	for k, s := range slices.Concat([]string{d.Nil}, d.Fallbacks) {
		if k == 0 || s != d.Nil {
			g.emit(g.n.End, g.n.End, "="+s, .1*float64(k), quote(g.n.Name)+" should be "+quote(s)+" where it is not given")
		}
	}
}

// filledIn gives a parameter that may be left out a value where it is, before anything else.
func filledIn(g *site) {
	d := g.Dialect
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if d.Absent == nil || !ok || !alone || g.Parent(block) != g.fn || g.docstringStmt(g.n) || at > 1 || at == 1 && !g.docstringStmt(block.Children[0]) {
		return
	}
	for _, p := range g.fn.Children {
		if p.Kind != node.Param || len(p.Children) == 0 || g.Text(p.Children[len(p.Children)-1]) != d.Nil {
			continue
		}
		none, _ := d.Absent(p.Name)
		for k, value := range g.fillings(p.Name) {
			text := p.Name + " = " + value
			g.before(g.n, l, g.guard(l, none, text), .05*float64(k), quote(text)+" is missing where "+quote(none))
		}
	}
}

// fillings are the values to take for a parameter: what the object has of its name, the
// constants of the file that have it in theirs, and what is empty.
func (g *site) fillings(name string) []string {
	var out []string
	for _, v := range g.ofName(name) {
		if v.s != name {
			out = append(out, v.s)
		}
	}
	for _, s := range g.Visible(g.n) {
		if !s.Local && !s.Callable && s.Name == strings.ToUpper(s.Name) && slices.Contains(parts(s.Name), strings.ToLower(name)) {
			out = append(out, s.Name)
		}
	}
	for _, s := range g.Dialect.Empties {
		if s != g.Dialect.Nil && identifiers(s)["defaultdict"]+identifiers(s)["Counter"] == 0 {
			out = append(out, s)
		}
	}
	return out
}
