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
