package mutate

import (
	"slices"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// What an edit costs for what it does to the code around it.
const (
	deadName    = 1.3 // a name that was used is used no more
	lostCall    = 0.8 // the only call of one of the file's own functions goes
	newlyUsed   = 0.5 // a parameter or import that nobody used is used: that much less
	constant    = 1.5 // the function returns the same everywhere
	again       = 0.4 // a statement becomes one that the function has elsewhere
	behindLoop  = 0.6 // what a loop goes over is used behind the loop
	idle        = 0.7 // the condition of a comprehension asks nothing of its elements
	parted      = 0.5 // an operation is no longer what its twin is
	perNewWord  = 0.02
	maxNewWords = 10
)

// effect is what edits cost beside what they are. Names that become dead speak
// against an edit, parameters that become used for it.
func (g *function) effect(edits []textedit.Edit) float64 {
	before, after := map[string]int{}, map[string]int{}
	for _, e := range edits {
		for w, n := range identifiers(g.Between(e.Start, e.End)) {
			before[w] += n
		}
		for w, n := range identifiers(e.New) {
			after[w] += n
		}
	}
	cost := 0.0
	fresh, used := 0, 0.0
	for w, n := range before {
		if after[w] > 0 || g.Dialect.Reserved[w] {
			continue
		}
		left := g.words[w] - n
		switch {
		case g.defined[w]:
			// One of the places that name it is the one that defines it.
			if g.words[w] >= 2 && left <= 1 {
				cost = max(cost, deadName)
			}
		case left == 0 && slices.Contains(g.functions, w):
			cost = max(cost, lostCall)
		}
	}
	for w := range after {
		if before[w] > 0 {
			continue
		}
		fresh++
		if g.strays(w, edits) {
			cost += behindLoop
		}
		if g.params[w] && g.words[w] == 1 || g.unread[w] || g.words[w] == 0 && g.file.words[w] == 1 && !g.Dialect.Reserved[w] {
			used = newlyUsed
		}
	}
	return cost - used + perNewWord*float64(min(fresh, maxNewWords))
}

// strays reports whether a name that only loops give a value is used outside of
// them.
func (g *function) strays(name string, edits []textedit.Edit) bool {
	loops := g.loops[name]
	if len(loops) == 0 {
		return false
	}
	return slices.ContainsFunc(edits, func(e textedit.Edit) bool {
		return identifiers(e.New)[name] > 0 && !slices.ContainsFunc(loops, func(l *node.Node) bool { return l.Start <= e.Start && e.Start <= l.End })
	})
}

// idleCondition is what edits cost that make the condition of a comprehension
// around n the same for all elements.
func (g *function) idleCondition(n *node.Node, edits []textedit.Edit) float64 {
	for p := g.Parent(n); p != nil && !p.Kind.Statement(); n, p = p, g.Parent(p) {
		if p.Kind != node.Comp || n.Kind == node.For || g.Place(n) == 0 {
			continue
		}
		text, ok := g.within(n, edits)
		if !ok {
			return 0
		}
		used := identifiers(text)
		for _, c := range p.Children {
			if c.Kind == node.For && slices.ContainsFunc(mentioned(c.Children[0]), func(name string) bool { return used[name] > 0 }) {
				return 0
			}
		}
		return idle
	}
	return 0
}

// mentioned are the names below n.
func mentioned(n *node.Node) []string {
	var out []string
	node.Walk(n, func(n *node.Node) bool {
		if n.Kind == node.Name {
			out = append(out, n.Name)
		}
		return true
	})
	return out
}

// levelling is what edits of one statement cost for making it like others: a
// function that returns the same everywhere decides nothing, and what is done twice
// is seldom meant.
func (g *function) levelling(st *node.Node, edits []textedit.Edit) float64 {
	if st == nil || st.Kind != node.Return && st.Kind != node.Assign && st.Kind != node.ExprStmt {
		return 0
	}
	text, ok := g.within(st, edits)
	if !ok {
		return 0
	}
	same := func(other *node.Node) bool { return other == st || g.Text(other) == text }
	if st.Kind != node.Return {
		if slices.ContainsFunc(g.stmts, func(other *node.Node) bool { return other != st && same(other) }) {
			return again
		}
		return 0
	}
	if next := g.nextExit(st); next != nil && g.Text(next) == text {
		return constant
	}
	if len(g.exits) > 1 && slices.Contains(g.exits, st) && !slices.ContainsFunc(g.exits, func(other *node.Node) bool { return !same(other) }) {
		return constant
	}
	return 0
}

// nextExit is the return that follows when the conditions and loops around a return
// let it be: with the same in both places they decide nothing.
func (g *function) nextExit(st *node.Node) *node.Node {
	for n := st; ; {
		block := g.Parent(n)
		if block == nil || block.Kind != node.Block || block.Children[len(block.Children)-1] != n {
			return nil
		}
		owner := g.Parent(block)
		for owner.Kind == node.If && g.Parent(owner).Kind == node.If {
			owner = g.Parent(owner)
		}
		if owner.Kind != node.If && owner.Kind != node.For && owner.Kind != node.While {
			return nil
		}
		around := g.Parent(owner)
		if at := g.Place(owner) + 1; around.Kind == node.Block && at < len(around.Children) {
			if next := around.Children[at]; next.Kind == node.Return {
				return next
			}
			return nil
		}
		n = owner
	}
}

// within is the text of a statement after edits that lie inside it; ok is false
// when they do not.
func (f *file) within(st *node.Node, edits []textedit.Edit) (text string, ok bool) {
	for _, e := range edits {
		if e.Start < st.Start || e.End > st.End || e.Start == st.End || e.Start == e.End && e.Start == st.Start {
			return "", false
		}
	}
	all := append([]textedit.Edit{{Start: st.Start, End: st.Start}}, edits...)
	all = append(all, textedit.Edit{Start: st.End, End: st.End})
	return merge(f.Content, all).New, true
}
