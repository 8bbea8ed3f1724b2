package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
)

// resultsAt are the values that a return at an offset, before or behind g.n, may give, likely ones first; an
// empty one for a function that returns nothing.
func (g *site) resultsAt(offset int) []string {
	if g.fn.Kind != node.Function {
		return nil
	}
	if len(g.returns) == 0 && !g.Dialect.Truthy && g.fn.Type == "" {
		return []string{""}
	}
	class := g.classOfType(g.fn.Type)
	out := append([]string{}, g.returns...)
	if len(out) == 0 && g.Dialect.Truthy {
		out = append(out, "")
	}
	out = append(out, g.several(offset)...)
	out = append(out, g.zeros(g.fn.Type)...)
	for _, v := range g.varsBy(g.n, offset) {
		if agree(v.class, class) && g.Dialect.Assignable(v.typ, g.fn.Type) {
			out = append(out, v.name)
		}
	}
	return distinct(out)
}

func missingReturn(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || at != len(block.Children)-1 || ends(g.n) || g.docstringStmt(g.n) {
		return
	}
	if p := g.Parent(block); p.Kind == node.Lambda {
		// What a function literal returns is mostly a comparison.
		for _, a := range g.atomsAt(g.n) {
			if a.cost < 1 {
				g.after(l, "return "+a.s, .2+a.cost, quote("return "+a.s)+" is missing at the end of the function literal")
			}
		}
		return
	} else if p != g.fn {
		return
	}
	for k, s := range g.resultsAt(g.n.End) {
		if s != "" && k < 30 {
			text := "return " + s
			g.after(l, text, .02*float64(k), quote(text)+" is missing at the end of "+quote(g.fn.Name))
		}
	}
}

// missingExit leaves at the end of an inner block. An exit anywhere else would
// make what follows dead.
func missingExit(g *site) {
	l, alone := g.lineOf(g.n)
	block, at, ok := g.listed(g.n)
	if !ok || !alone || at != len(block.Children)-1 || ends(g.n) || g.Parent(block) == g.fn || g.docstringStmt(g.n) {
		return
	}
	put := func(text string, cost float64) {
		g.after(l, text, cost, quote(text)+" is missing after "+quote(g.Text(g.n)))
	}
	switch loop := g.Loop(g.n); {
	case loop == nil:
	case g.restOfRound(g.n, loop):
		put("continue", .1)
		put("break", .2)
	default:
		put("break", .1)
	}
	for k, s := range g.resultsAt(g.n.End) {
		if k < 20 {
			put(strings.TrimSpace("return "+s), .3+.02*float64(k))
		}
	}
}

// restOfRound reports whether a round of a loop goes on behind the block that ends
// with a statement.
func (g *site) restOfRound(st, loop *node.Node) bool {
	for n := g.Parent(st); n != loop && n != nil; n = g.Parent(n) {
		if p := g.Parent(n); p != nil && p.Kind == node.Block && g.Place(n)+1 < len(p.Children) {
			return true
		}
	}
	return false
}

// lateExit leaves a loop, or the function, behind the loop's last statement when something
// holds: that what it looks for has been found, as a rule.
func lateExit(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || at != len(block.Children)-1 || ends(g.n) || g.docstringStmt(g.n) {
		return
	}
	if loop := g.Parent(block); loop.Kind != node.For && loop.Kind != node.While {
		return
	}
	made := identifiers(g.Text(g.n))
	for k, v := range g.varsBy(g.n, g.n.End) {
		if k == maxVariables {
			break
		}
		far := unread
		if made[v.name] > 0 {
			far = 0
		}
		g.testsOf(expression{code: atom(v.name), class: v.class, typ: v.typ}, func(c code, cost float64) {
			text := g.guard(l, c.s, "break")
			g.after(l, text, cost-.3+far, quote("if "+c.s)+" … break is missing after "+quote(g.Text(g.n)))
			if v.name != "" && cost < 1 && g.fn.Kind == node.Function && len(g.returns) > 0 {
				g.after(l, g.guard(l, c.s, "return "+v.name), cost+far, quote("if "+c.s)+" … return is missing after "+quote(g.Text(g.n)))
			}
		})
	}
}

func missingGuard(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || g.docstringStmt(g.n) {
		return
	}
	top := g.Parent(block) == g.fn
	loop := g.Loop(g.n) != nil
	results := g.resultsAt(g.n.Start)
	g.doubtful = g.complains(g.n)
	for _, a := range g.atomsAt(g.n) {
		if loop {
			g.before(g.n, l, g.guard(l, a.s, "continue"), a.cost-.1, quote("if "+a.s)+" … continue is missing before "+quote(g.Text(g.n)))
			g.before(g.n, l, g.guard(l, a.s, "break"), a.cost, quote("if "+a.s)+" … break is missing before "+quote(g.Text(g.n)))
		}
		if a.cost >= 1 && !top {
			continue
		}
		first := .4
		if top && at <= 1 {
			first = 0
		}
		for k, r := range results[:min(len(results), 12)] {
			text := strings.TrimSpace("return " + r)
			g.before(g.n, l, g.guard(l, a.s, text), a.cost-.1+first+.05*float64(k),
				quote("if "+a.s)+" … "+quote(text)+" is missing before "+quote(g.Text(g.n)))
		}
	}
}

// complains reports whether a statement raises an error or hands on a new one: what
// leaves just before it silences it.
func (g *site) complains(st *node.Node) bool {
	if st.Kind == node.Raise {
		return true
	}
	if st.Kind != node.Return || len(st.Children) == 0 || !g.spelled() {
		return false
	}
	last := st.Children[0]
	if last.Kind == node.Tuple {
		last = last.Children[len(last.Children)-1]
	}
	return last.Type == "error" && last.Kind != node.Nil || last.Kind == node.Call && strings.HasSuffix(g.fn.Type, "error") && strings.HasSuffix(last.Type, "Error")
}

func missingIf(g *site) {
	_, _, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || !g.shiftable(g.n) || g.n.Kind == node.VarDecl || g.n.Op == ":=" || g.docstringStmt(g.n) || g.n.Kind == node.OtherStmt {
		return
	}
	text := g.shifted(g.n, l.indent, l.indent+g.Unit)
	for _, a := range append(g.better(), g.atomsAt(g.n)...) {
		g.emit(g.n.Start, g.n.End, g.guard(l, a.s, text), a.cost-.1, quote(g.Text(g.n))+" should be done only "+quote("if "+a.s))
	}
}

// better are the conditions under which a statement only takes a larger or smaller
// value than it had.
func (g *site) better() []weighed {
	if g.n.Kind != node.Assign || g.n.Op != "=" || len(g.n.Children) != 2 {
		return nil
	}
	target, value := g.n.Children[0], g.n.Children[1]
	if !number(g.classOf(value)) && (g.classOf(value) != node.Unknown || !g.Dialect.Truthy) {
		return nil
	}
	if target.Kind == node.Name && g.since[target.Name] >= g.n.Start {
		return nil
	}
	var out []weighed
	for k, op := range []string{">", "<"} {
		out = append(out, weighed{g.binary(g.of(value), op, g.of(target)), .1 * float64(k)})
	}
	return out
}
