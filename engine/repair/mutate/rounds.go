package mutate

import (
	"maps"
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// lastRound repeats behind a loop over all elements but the last what it does with
// each, and before one over all but the first.
func lastRound(g *site) {
	l, alone := g.lineOf(g.n)
	body := node.Body(g.n)
	if _, _, ok := g.listed(g.n); !ok || !alone || body == nil {
		return
	}
	name, element, first := g.leftOut()
	if name == "" {
		return
	}
	held := map[string]string{name: element}
	for k, st := range body.Children {
		if st.Kind != node.Assign && st.Kind != node.ExprStmt && st.Kind != node.VarDecl {
			return
		}
		value := g.Text(st.Children[len(st.Children)-1])
		if st.Kind != node.ExprStmt && len(st.Children) == 2 && st.Children[0].Kind == node.Name && (st.Kind == node.VarDecl || st.Op == ":=") {
			held[st.Children[0].Name] = inlined(value, held)
			continue
		}
		text := inlined(g.Text(st), held)
		if text == g.Text(st) || strings.Contains(text, "\n") {
			continue
		}
		cost := .05 * float64(k)
		why := quote(text) + " is missing for the element that the loop leaves out"
		if first {
			g.before(g.n, l, text, cost, why)
		} else {
			g.after(l, text, cost, why)
		}
	}
}

// inlined is code with names replaced by what they stand for.
func inlined(text string, held map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(held)) {
		text = rename(text, name, held[name])
	}
	return text
}

// leftOut is the variable of a loop, the element (or index) that the loop does not
// come to, and whether that is the first.
func (g *site) leftOut() (name, element string, first bool) {
	if g.n.Op == "in" {
		if len(g.n.Children) != 3 || g.n.Children[0].Kind != node.Name {
			return "", "", false
		}
		name, over := g.n.Children[0].Name, g.n.Children[1]
		switch {
		case over.Kind == node.Slice && len(over.Children) >= 3:
			base, low, high := g.Text(over.Children[0]), g.Text(over.Children[1]), g.Text(over.Children[2])
			if low == "" && high == g.Dialect.Last(base) {
				return name, base + "[" + g.Dialect.Last(base) + "]", false
			}
			if low == "1" && high == "" {
				return name, base + "[0]", true
			}
		case over.Kind == node.Call && len(over.Children) == 2 && over.Children[0].Name == "range" && lessOne(g.Text(over.Children[1])):
			return name, g.Text(over.Children[1]), false
		}
		return "", "", false
	}
	// for i := 0; i < len(x)-1; i++
	if g.n.Op != ";" || len(g.n.Children) < 4 || g.n.Children[1].Kind != node.Compare || g.n.Children[1].Op != "<" {
		return "", "", false
	}
	cond := g.n.Children[1]
	if cond.Children[0].Kind != node.Name || !lessOne(g.Text(cond.Children[1])) {
		return "", "", false
	}
	return cond.Children[0].Name, g.Text(cond.Children[1]), false
}

// lessOne reports whether code takes one off at its end.
func lessOne(text string) bool {
	return strings.HasSuffix(strings.ReplaceAll(text, " ", ""), "-1")
}

// bestSoFar compares with the variable that an assignment in a loop keeps the
// largest or smallest value in.
func bestSoFar(g *site) {
	if g.n.Op != "=" || len(g.n.Children) != 2 || g.n.Children[1].Kind != node.Call {
		return
	}
	target, call := g.n.Children[0], g.n.Children[1]
	loop := g.Loop(g.n)
	callee := g.Text(call.Children[0])
	if loop == nil || loop.Kind != node.For || target.Kind != node.Name || callee != g.called("max") && callee != g.called("min") {
		return
	}
	var elements []string
	if loop.Op == "in" && len(loop.Children) > 2 {
		node.Walk(loop.Children[0], func(n *node.Node) bool {
			if n.Kind == node.Name {
				elements = append(elements, n.Name)
			}
			return true
		})
	}
	if len(call.Children) == 2 && call.Children[1].Kind != node.Other {
		elements = append(elements, g.Text(call.Children[1]))
	}
	for k, e := range distinct(elements) {
		if e != target.Name {
			g.replace(call, atom(callee+"("+target.Name+", "+e+")"), .1*float64(k))
		}
	}
}
