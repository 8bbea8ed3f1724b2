package mutate

import (
	"autocoder/engine/repair/node"
)

// counterparts are the templates that do with the variables beside it what an
// expression does with its own: a and b, i and j, left and right.
func counterparts() []Template {
	return []Template{
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
