package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
)

// fillUp fills a text up to the length that a variable has which the function makes
// or is given and does not use.
func fillUp(g *site) {
	class := g.classOf(g.n)
	if len(g.Dialect.Fill) == 0 || !g.whole() || g.condition() || class != node.Text && class != node.Unknown || g.n.Kind == node.String {
		return
	}
	for _, v := range g.vars(g.n) {
		if !maybe(v.class, node.Int) || !g.unread[v.name] && (!g.params[v.name] || g.words[v.name] > 1) {
			continue
		}
		for k, method := range g.Dialect.Fill {
			g.replace(g.n, atom(g.of(g.n).at(atomic)+"."+method+"("+v.name+")"), .05*float64(k))
		}
	}
}

// Bounds on the texts that are taken off others.
const (
	mostTakenOff    = 4
	longestTakenOff = 3
)

// takenOff takes a short text that the function speaks of off another.
func takenOff(g *site) {
	class := g.classOf(g.n)
	if g.Dialect.Without == nil || !g.whole() || g.condition() || class != node.Text && (class != node.Unknown || !g.Dialect.Truthy) || g.n.Kind == node.String {
		return
	}
	extra := 0.0
	if class == node.Unknown {
		extra = .3
	}
	for i, s := range g.short[:min(len(g.short), mostTakenOff)] {
		if !g.Dialect.Truthy && strings.HasPrefix(s, "'") {
			continue // a character
		}
		for k, text := range g.Dialect.Without(g.of(g.n).at(atomic), s) {
			g.replace(g.n, atom(text), extra+.05*float64(i)+.04*float64(k))
		}
	}
}
