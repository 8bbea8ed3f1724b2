package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// counterparts are the templates that do with the variables beside it what an
// expression does with its own: a and b, i and j, left and right.
func counterparts() []Template {
	return []Template{
		{"as beside", "computes a value as the statement beside it does for another variable", "x = pad(a, n); y = b → …; y = pad(b, n)", 1.4, []node.Kind{node.Assign}, false, asBeside},
		{"unless unchanged", "leaves when a value is set to what it is already", "self.x = x → if x == self.x: return; self.x = x", 1.6, []node.Kind{node.Assign}, false, unlessUnchanged},
		{"term for another", "adds the same of other variables to a sum or a condition", "out + b[j:] → out + a[i:] + b[j:]", 1.5, []node.Kind{node.Binary, node.Logical}, false, termForAnother},
	}
}

// termForAnother adds to a sum or a condition the counterpart of one of its terms,
// before the term or behind it.
func termForAnother(g *site) {
	if !associative(g.n.Op) {
		return
	}
	terms := g.chain()
	have := map[string]bool{}
	for _, t := range terms {
		have[g.Text(t)] = true
	}
	for _, t := range terms {
		other, cost, ok := g.mirrored(t)
		if !ok || have[other] {
			continue
		}
		text := g.Text(t)
		if s, e := g.Outer(t); s < t.Start {
			text, other = g.Between(s, e), "("+other+")"
		}
		start, end := g.Outer(t)
		why := quote(other) + " is missing beside " + quote(text)
		g.emit(start, end, other+" "+g.n.Op+" "+text, cost, why)
		g.emit(start, end, text+" "+g.n.Op+" "+other, cost, why)
	}
}

// asBeside computes what is assigned as a statement beside it does, with a variable of
// its own.
func asBeside(g *site) {
	block, at, ok := g.listed(g.n)
	if !ok || len(g.n.Children) != 2 {
		return
	}
	value := g.n.Children[1]
	own := mentioned(value)
	for _, k := range []int{at - 1, at + 1} {
		if k < 0 || k >= len(block.Children) {
			continue
		}
		beside := block.Children[k]
		if beside.Kind != node.Assign || beside.Op != g.n.Op || len(beside.Children) != 2 {
			continue
		}
		model := beside.Children[1]
		theirs := distinct(mentioned(model))
		for _, from := range theirs {
			for _, to := range distinct(own) {
				if slices.Contains(own, from) || slices.Contains(theirs, to) {
					continue
				}
				text := rename(g.Text(model), from, to)
				g.replaceWhy(value, code{text, g.of(model).prec}, 0, because(g.Text(value), text)+", as for "+quote(from))
			}
		}
	}
}

// unlessUnchanged leaves, or goes on with the next round, before a field or an element
// is set to the value that it has.
func unlessUnchanged(g *site) {
	l, alone := g.lineOf(g.n)
	if !alone || g.n.Op != "=" || len(g.n.Children) != 2 {
		return
	}
	target, value := g.n.Children[0], g.n.Children[1]
	if target.Kind != node.Attribute && target.Kind != node.Index || value.Kind != node.Name && value.Kind != node.Attribute {
		return
	}
	same := g.binary(g.of(value), "==", g.of(target)).s
	exits := []string{"continue"}
	if g.Loop(g.n) == nil {
		exits = []string{"return"}
		if len(g.returns) > 0 || g.fn.Type != "" {
			exits = nil
			for _, r := range g.resultsAt(g.n.Start) {
				exits = append(exits, strings.TrimSpace("return "+r))
			}
		}
	}
	for k, exit := range exits[:min(len(exits), 3)] {
		g.before(g.n, l, g.guard(l, same, exit), .1*float64(k), quote("if "+same)+" … "+quote(exit)+" is missing before "+quote(g.Text(g.n)))
	}
}

// mirrored is n with each of its variables replaced by one that is named alike
// and holds the same kind of value; a variable that has none stays, at a cost.
func (g *site) mirrored(n *node.Node) (text string, cost float64, ok bool) {
	text = g.Text(n)
	used := identifiers(text)
	taken := map[string]bool{}
	vars := g.varsBy(g.n, g.n.End)
	for _, v := range vars {
		if used[v.name] == 0 {
			continue
		}
		other := ""
		for _, w := range vars {
			if used[w.name] > 0 || taken[w.name] || !agree(v.class, w.class) || v.typ != w.typ || !alikeNames(v.name, w.name) {
				continue
			}
			if other == "" || apart(v.name, w.name) < apart(v.name, other) {
				other = w.name
			}
		}
		if other == "" {
			cost += .4
			continue
		}
		taken[other] = true
		text = rename(text, v.name, other)
		ok = true
	}
	return text, cost, ok
}

// apart is how far the last letters of two names are from each other: j is the
// counterpart of i rather than that of n.
func apart(a, b string) int {
	d := int(a[len(a)-1]) - int(b[len(b)-1])
	return max(d, -d)
}
