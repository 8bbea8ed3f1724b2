package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// forms are the templates that write a value into a form of the dialect.
func forms() []Template {
	return []Template{
		{"form", "makes something else of a value", "xs → [...new Set(xs)]", 1.4, valueKinds, false, form},
		{"form both", "makes something else of both sides of a comparison", "a === b → new Set(a).size === new Set(b).size", 1.8, []node.Kind{node.Compare}, false, formBoth},
		{"alike", "does the same to both of two places that are alike", "f(g(a)) == f(g(b)) → f(sort(g(a))) == f(sort(g(b)))", 1.6, []node.Kind{node.Compare, node.Binary, node.Logical, node.Assign}, false, alike},
	}
}

// formed is a value in a form.
func (g *site) formed(f node.Form, n *node.Node) string {
	prec := 1
	if strings.HasPrefix(f.Text, "$") {
		prec = atomic
	}
	return strings.Replace(f.Text, "$", g.of(n).at(prec), 1)
}

func (g *site) takes(f node.Form, class node.Class) bool {
	return class == node.Unknown && g.Dialect.Truthy || slices.Contains(f.Of, class)
}

func form(g *site) {
	if len(g.Dialect.Forms) == 0 || !g.whole() || g.n.Kind == node.Number || g.n.Kind == node.String || g.n.Kind == node.Tuple {
		return
	}
	class := g.classOf(g.n)
	if class == node.Truth {
		return
	}
	for _, f := range g.Dialect.Forms {
		if !g.takes(f, class) {
			continue
		}
		cost := f.Cost
		if class == node.Unknown {
			cost += .4
		}
		text := g.formed(f, g.n)
		// A method that is called on the value already says the same.
		if tail := strings.TrimPrefix(f.Text, "$"); tail != f.Text && strings.HasSuffix(g.Text(g.n), tail) {
			continue
		}
		g.replace(g.n, atom(text), cost)
	}
}

func formBoth(g *site) {
	l, r := g.n.Children[0], g.n.Children[1]
	class := g.classOf(l)
	if class == node.Unknown {
		class = g.classOf(r)
	}
	if class == node.Truth || l.Kind == node.Number || r.Kind == node.Number || l.Kind == node.Nil || r.Kind == node.Nil {
		return
	}
	for _, f := range g.Dialect.Forms {
		if !g.takes(f, class) {
			continue
		}
		put := func(n *node.Node) textedit.Edit {
			s, e := g.Outer(n)
			return textedit.Edit{Start: s, End: e, New: g.formed(f, n)}
		}
		a, b := put(l), put(r)
		g.emitAll([]textedit.Edit{a, b}, f.Cost+.1, "both sides of "+quote(g.Text(g.n))+" should be in the form "+quote(f.Text))
	}
}

// besides are the values of an assignment and of the one behind it.
func (g *site) besides() (here, there *node.Node, ok bool) {
	block, at, ok := g.listed(g.n)
	if !ok || at+1 == len(block.Children) {
		return nil, nil, false
	}
	next := block.Children[at+1]
	if next.Kind != node.Assign || len(next.Children) != 2 || len(g.n.Children) != 2 || next.Op != g.n.Op {
		return nil, nil, false
	}
	return g.n.Children[1], next.Children[1], true
}

// alike changes what stands in the same place on both sides of an operator, or in two
// assignments beside each other.
func alike(g *site) {
	l, r := g.n.Children[0], g.n.Children[1]
	if g.n.Kind == node.Assign {
		var ok bool
		if l, r, ok = g.besides(); !ok {
			return
		}
	}
	var pairs [][2]*node.Node
	var walk func(a, b *node.Node)
	walk = func(a, b *node.Node) {
		if a.Kind != b.Kind || len(a.Children) != len(b.Children) {
			return
		}
		if a != l && a.Kind.Expression() && !g.callee(a) && g.Text(a) != g.Text(b) {
			pairs = append(pairs, [2]*node.Node{a, b})
		}
		for k := range a.Children {
			walk(a.Children[k], b.Children[k])
		}
	}
	walk(l, r)
	for _, p := range pairs[:min(len(pairs), 6)] {
		class := g.classOf(p[0])
		if class == node.Unknown {
			class = g.classOf(p[1])
		}
		put := func(cost float64, text func(n *node.Node) string) {
			g.emitAll([]textedit.Edit{
				{Start: p[0].Start, End: p[0].End, New: text(p[0])}, {Start: p[1].Start, End: p[1].End, New: text(p[1])},
			}, cost, because(g.Text(p[0]), text(p[0]))+", and so in the other place")
		}
		for _, f := range g.Dialect.Forms {
			if g.takes(f, class) {
				put(f.Cost+.2, func(n *node.Node) string { return g.formed(f, n) })
			}
		}
		for _, w := range g.Dialect.Wraps {
			if class == node.Unknown && g.Dialect.Truthy || len(w.Of) == 0 || slices.Contains(w.Of, class) {
				put(w.Cost, func(n *node.Node) string {
					if strings.HasPrefix(w.Call, ".") {
						return g.of(n).at(atomic) + w.Call + "()"
					}
					return w.Call + "(" + g.Text(n) + ")"
				})
			}
		}
	}
}
