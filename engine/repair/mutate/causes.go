package mutate

import (
	"regexp"
	"strings"

	"autocoder/engine/repair/node"
)

// causes are the templates about what an error comes from.
func causes() []Template {
	return []Template{
		{"cause", "says from which error another one comes, or that it comes from none", "raise KeyError(k) → raise KeyError(k) from e", 1.0, []node.Kind{node.Raise}, false, cause},
	}
}

// caughtAs finds the name of what a handler catches, in its head.
var caughtAs = regexp.MustCompile(`\bas\s+(\w+)\s*:`)

// cause is for languages in which errors are raised from others.
func cause(g *site) {
	h := g.catcher(g.n)
	if h == nil || g.Dialect.Either == nil || len(g.n.Children) == 0 || g.n.Children[0].Kind == node.Empty {
		return
	}
	raised := g.Text(g.n.Children[0])
	_, end := g.Outer(g.n.Children[0])
	head := g.Between(h.Start, h.Children[len(h.Children)-1].Start)
	names := []string{g.Dialect.Nil}
	if m := caughtAs.FindStringSubmatch(head); m != nil && m[1] != raised {
		names = []string{m[1], g.Dialect.Nil}
	}
	from := strings.TrimPrefix(strings.TrimSpace(g.Between(end, g.n.End)), "from ")
	for k, name := range names {
		if name != from {
			g.emit(end, g.n.End, " from "+name, .2*float64(k), quote(raised)+" should be raised from "+quote(name))
		}
	}
	if from != "" {
		g.emit(end, g.n.End, "", .6, quote(raised)+" should keep what it comes from by itself")
	}
}

// catcher is what catches an error around a node of the same function.
func (g *site) catcher(n *node.Node) *node.Node {
	for p := g.Parent(n); p != nil && p.Kind != node.Function; p = g.Parent(p) {
		if p.Kind == node.Other && p.Op == "except" {
			return p
		}
	}
	return nil
}
