package mutate

import (
	"slices"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// throughout are the templates that change a whole statement or function with one
// cause.
func throughout() []Template {
	return []Template{
		{"numbers shifted", "adds one to every number of a statement, or takes it", "a[0], a[1] → a[1], a[2]", 1.5, []node.Kind{node.Assign, node.Return, node.ExprStmt}, false, numbersShifted},
		{"variables swapped", "swaps two variables in a statement", "a[x] - y → a[y] - x", 1.4, []node.Kind{node.Assign, node.Return, node.ExprStmt, node.VarDecl}, false, variablesSwapped},
		{"siblings swapped", "swaps two functions in a statement", "max(a, min(b, c)) → min(a, max(b, c))", 1.0, []node.Kind{node.Assign, node.Return, node.ExprStmt, node.VarDecl}, false, siblingsSwapped},
		{"attributes swapped", "swaps two attributes in a function", "p.x … p.y → p.y … p.x", 1.8, []node.Kind{node.Function}, false, attributesSwapped},
		{"variable shifted", "uses a variable's neighbour or negative everywhere", "a[k:] + a[:k] → a[-k:] + a[:-k]", 1.5, []node.Kind{node.Assign, node.Return, node.ExprStmt}, false, variableShifted},
		{"condition and branches", "says the opposite wherever it is returned", "return a == b → return a != b", 1.6, []node.Kind{node.Function}, false, returnsNegated},
		{"without more", "leaves neighbouring statements out", "a; b; c → c", 2.6, []node.Kind{node.Assign, node.ExprStmt}, true, withoutMore},
	}
}

// below collects nodes of a simple statement.
func below(n *node.Node, want func(*node.Node) bool) []*node.Node {
	var out []*node.Node
	node.Walk(n, func(m *node.Node) bool {
		if want(m) {
			out = append(out, m)
		}
		return m.Kind != node.Block
	})
	return out
}

func numbersShifted(g *site) {
	all := below(g.n, func(m *node.Node) bool {
		return m.Kind == node.Number && g.Parent(m).Kind != node.Unary
	})
	if len(all) < 2 || len(all) > 6 {
		return
	}
	for by := range 2 {
		var out []textedit.Edit
		for _, m := range all {
			near := neighbours(g.Text(m))
			if len(near) == 0 {
				return
			}
			out = append(out, textedit.Edit{Start: m.Start, End: m.End, New: near[by]})
		}
		g.emitAll(out, .1*float64(by), "the numbers in "+quote(g.Text(g.n))+" should be one off")
	}
}

func variablesSwapped(g *site) {
	all := below(g.n, func(m *node.Node) bool {
		return m.Kind == node.Name && !g.callee(m) && !g.Stored(m) && !g.Dialect.Reserved[m.Name] && g.has(m.Name)
	})
	at := map[string][]*node.Node{}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
		at[m.Name] = append(at[m.Name], m)
	}
	names = distinct(names)
	if len(names) > 6 {
		return
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if agree(g.classOf(at[a][0]), g.classOf(at[b][0])) && g.Dialect.Assignable(at[a][0].Type, at[b][0].Type) {
				g.emitAll(append(edits(at[a], b), edits(at[b], a)...), 0, quote(a)+" and "+quote(b)+" should be swapped in "+quote(g.Text(g.n)))
			}
		}
	}
}

// tail is the edit that gives a name or attribute another last word.
func tail(n *node.Node, name string) textedit.Edit {
	return textedit.Edit{Start: n.End - len(n.Name), End: n.End, New: name}
}

// swapTails swaps two last words wherever they stand.
func swapTails(all []*node.Node, a, b string) []textedit.Edit {
	var out []textedit.Edit
	for _, m := range all {
		switch m.Name {
		case a:
			out = append(out, tail(m, b))
		case b:
			out = append(out, tail(m, a))
		}
	}
	return out
}

func siblingsSwapped(g *site) {
	all := below(g.n, func(m *node.Node) bool {
		return (m.Kind == node.Name || m.Kind == node.Attribute) && g.Dialect.Siblings[m.Name] != nil
	})
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	names = distinct(names)
	for i, a := range names {
		for _, b := range names[i+1:] {
			if slices.Contains(g.Dialect.Siblings[a], b) {
				g.emitAll(swapTails(all, a, b), 0, quote(a)+" and "+quote(b)+" should be swapped in "+quote(g.Text(g.n)))
			}
		}
	}
}

func attributesSwapped(g *site) {
	var all []*node.Node
	node.Walk(g.n, func(m *node.Node) bool {
		if m.Kind == node.Attribute && !g.callee(m) && !g.packaged(m) {
			all = append(all, m)
		}
		return true
	})
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	names = distinct(names)
	if len(names) > 6 {
		return
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			g.emitAll(swapTails(all, a, b), .05*float64(len(names)), quote(a)+" and "+quote(b)+" should be swapped throughout "+quote(g.n.Name))
		}
	}
}

func variableShifted(g *site) {
	all := below(g.n, func(m *node.Node) bool {
		return m.Kind == node.Name && !g.callee(m) && !g.Stored(m) && g.has(m.Name) && (number(g.classOf(m)) || g.classOf(m) == node.Unknown && g.Dialect.Truthy)
	})
	at := map[string][]*node.Node{}
	var names []string
	for _, m := range all {
		p := g.Parent(m)
		if p.Kind == node.Attribute || p.Kind == node.Unary || (p.Kind == node.Index || p.Kind == node.Slice) && g.Place(m) == 0 {
			continue
		}
		names = append(names, m.Name)
		at[m.Name] = append(at[m.Name], m)
	}
	for _, name := range distinct(names) {
		if len(at[name]) < 2 {
			continue
		}
		for k, c := range []code{g.binary(atom(name), "-", atom("1")), g.binary(atom(name), "+", atom("1")), g.minus(atom(name))} {
			var out []textedit.Edit
			for _, m := range at[name] {
				out = append(out, textedit.Edit{Start: m.Start, End: m.End, New: c.at(g.wants(m))})
			}
			g.emitAll(out, .1*float64(k), because(name, c.s)+" throughout "+quote(g.Text(g.n)))
		}
	}
}

// returnsNegated says the opposite at every return of a function that returns
// conditions.
func returnsNegated(g *site) {
	var out []textedit.Edit
	plain := true
	node.Walk(node.Body(g.n), func(m *node.Node) bool {
		if m.Kind != node.Return {
			return m.Kind != node.Function && m.Kind != node.Lambda
		}
		if len(m.Children) != 1 {
			plain = false
			return false
		}
		v := m.Children[0]
		switch {
		case v.Kind == node.Bool && g.Text(v) == g.Dialect.True:
			out = append(out, textedit.Edit{Start: v.Start, End: v.End, New: g.Dialect.False})
		case v.Kind == node.Bool:
			out = append(out, textedit.Edit{Start: v.Start, End: v.End, New: g.Dialect.True})
		case v.Kind == node.Compare && g.Dialect.Negated[v.Op] != "" && v.OpEnd > v.OpStart:
			out = append(out, textedit.Edit{Start: v.OpStart, End: v.OpEnd, New: g.Dialect.Negated[v.Op]})
		case g.classOf(v) == node.Truth:
			out = append(out, textedit.Edit{Start: v.Start, End: v.End, New: g.not(g.of(v)).s})
		default:
			plain = false
		}
		return false
	})
	if plain && len(out) > 1 {
		g.emitAll(out, 0, "what "+quote(g.n.Name)+" returns should be the opposite")
	}
}

// withoutMore leaves out two or three statements at once.
func withoutMore(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || g.docstringStmt(g.n) || g.n.Op == ":=" {
		return
	}
	for n := 2; n <= 3 && at+n < len(block.Children); n++ {
		last := block.Children[at+n-1]
		to, alone := g.lineOf(last)
		if last.Kind != node.Assign && last.Kind != node.ExprStmt || last.Op == ":=" || !alone {
			return
		}
		g.emit(l.start, g.LineEnd(to.end), "", .2*float64(n-2), quote(g.Text(g.n))+" and what follows should not be there")
	}
}
