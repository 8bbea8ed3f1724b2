package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// missingState sets an element or attribute, that the function sets to one value, to
// another one that it asks for.
func missingState(g *site) {
	for _, p := range g.spots() {
		for _, st := range p.stmts {
			for k, text := range p.nextStates(st) {
				if st != p.n || p.behind {
					p.put(text, .1*float64(k))
				}
			}
		}
	}
}

// nextStates are an assignment of a number or text with the others that the function
// compares what is assigned to: a state that is asked for and never set.
func (p spot) nextStates(st *node.Node) []string {
	if st.Kind != node.Assign || st.Op != "=" || len(st.Children) != 2 {
		return nil
	}
	target, value := st.Children[0], st.Children[1]
	if value.Kind != node.Number && value.Kind != node.String || target.Kind == node.Name {
		return nil
	}
	holder := p.Text(target.Children[0])
	var out []string
	node.Walk(p.fn, func(n *node.Node) bool {
		if n.Kind == node.Compare && len(n.Children) == 2 {
			for k, side := range n.Children {
				if asked := p.Text(n.Children[1-k]); side.Kind == value.Kind && strings.HasPrefix(asked, holder) && p.Text(side) != p.Text(value) {
					out = append(out, p.Between(st.Start, value.Start)+p.Text(side)+p.Between(value.End, st.End))
				}
			}
		}
		return true
	})
	out = distinct(out)
	return slices.DeleteFunc(out, func(text string) bool {
		return slices.ContainsFunc(p.stmts, func(other *node.Node) bool { return p.Text(other) == text })
	})
}
