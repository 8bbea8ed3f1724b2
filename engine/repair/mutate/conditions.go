package mutate

import (
	"autocoder/engine/repair/node"
)

var conditionKinds = []node.Kind{
	node.Compare, node.Logical, node.Unary, node.Name, node.Call, node.Attribute, node.Index, node.Bool, node.Binary, node.Cond,
}

// conditions are the templates about what is tested.
func conditions() []Template {
	return []Template{
		{"negation", "says the opposite", "if x → if not x", .8, conditionKinds, false, negate},
		{"weaker condition", "adds another way to hold", "a → a or b", 1.2, conditionKinds, false, weaken},
		{"stronger condition", "adds another thing that must hold", "a → a and b", 1.2, conditionKinds, false, strengthen},
		{"condition", "tests something else", "if a < b → if n == 0", 1.3, conditionKinds, false, conditionReplace},
		{"filter", "leaves out elements of a comprehension", "[x for x in xs] → [x for x in xs if x > 0]", 1.9, []node.Kind{node.Comp}, false, filter},
		{"branch swap", "swaps the two values of a conditional", "a if c else b → b if c else a", .9, []node.Kind{node.Cond}, false, condSwap},
		{"branch drop", "takes one value of a conditional", "a if c else b → a", 1.2, []node.Kind{node.Cond}, false, condDrop},
	}
}

// tested reports whether n is the whole condition of a statement or expression.
func (g *site) tested(n *node.Node) bool {
	p := g.Parent(n)
	if p == nil {
		return false
	}
	switch p.Kind {
	case node.If, node.While, node.Cond:
		return g.Place(n) == 0
	case node.For:
		return p.Op == ";" && g.Place(n) == 1
	case node.Comp:
		return g.Place(n) > 1 && g.conditionOfComp(p, n)
	case node.Assert:
		return false
	default:
		return false
	}
}

// conditionOfComp reports whether n is a condition of the comprehension, which
// comes after what it iterates.
func (g *site) conditionOfComp(comp, n *node.Node) bool {
	seen := false
	for _, c := range comp.Children {
		if c == n {
			return seen
		}
		seen = seen || c.Kind == node.For
	}
	return false
}

// returned reports whether n is all that a statement returns.
func (g *site) returned(n *node.Node) bool {
	p := g.Parent(n)
	return p != nil && p.Kind == node.Return && len(p.Children) == 1
}

// boolish reports whether n is true or false by its form or type.
func (g *site) boolish(n *node.Node) bool { return g.classOf(n) == node.Truth }

// extensible reports whether a condition may be joined to n.
func (g *site) extensible() bool {
	p := g.Parent(g.n)
	if p == nil || p.Kind == node.Logical || g.callee(g.n) || g.Stored(g.n) {
		return false
	}
	return g.tested(g.n) || g.boolish(g.n) && (g.returned(g.n) || p.Kind != node.Unary && p.Kind != node.Binary && p.Kind != node.Compare && p.Kind != node.ExprStmt && g.n.Kind != node.Bool)
}

func negate(g *site) {
	if g.callee(g.n) || g.Stored(g.n) || g.n.Kind == node.Logical && !g.tested(g.n) || g.n.Kind == node.Bool || g.n.Kind == node.Binary {
		return
	}
	cost := .0
	switch {
	case g.tested(g.n):
	case g.boolish(g.n) && g.n.Kind != node.Unary:
		cost = .3
	case g.returned(g.n) && g.classOf(g.n) == node.Unknown && g.Dialect.Truthy:
		cost = .7
	case g.Dialect.Truthy && g.classOf(g.n) == node.Unknown && g.operandOfLogical():
		cost = .3
	default:
		return
	}
	if g.n.Kind == node.Unary && g.boolish(g.n) {
		return // dropping the operator says the same
	}
	if g.n.Kind == node.Compare {
		if _, ok := g.Dialect.Negated[g.n.Op]; ok {
			return // another comparison says the same
		}
	}
	g.replace(g.n, g.not(g.of(g.n)), cost)
}

func (g *site) operandOfLogical() bool {
	p := g.Parent(g.n)
	return p != nil && p.Kind == node.Logical
}

func weaken(g *site) { g.join(g.Dialect.Or) }

func strengthen(g *site) { g.join(g.Dialect.And) }

// join emits n op atom and atom op n for the conditions at hand.
func (g *site) join(op string) {
	if !g.extensible() || g.n.Kind == node.Bool {
		return
	}
	self := g.of(g.n)
	for _, a := range g.atomsAt(g.n) {
		if a.s == self.s || g.implied(op, a.code) {
			continue
		}
		g.replace(g.n, g.binary(self, op, a.code), a.cost-.1)
		g.replace(g.n, g.binary(a.code, op, self), a.cost+.05)
	}
}

// implied reports whether a is already an operand of n, so that joining it by op
// says nothing.
func (g *site) implied(op string, a code) bool {
	found := false
	node.Walk(g.n, func(n *node.Node) bool {
		found = found || g.Text(n) == a.s
		return !found && n.Kind == node.Logical
	})
	return found
}

func conditionReplace(g *site) {
	if g.callee(g.n) {
		return
	}
	cost := .0
	switch {
	case g.tested(g.n):
	case g.n.Kind == node.Bool && g.returned(g.n):
		cost = .5 // any condition that happens to hold for the failing test would do
	case g.n.Kind == node.Bool:
		return
	case g.returned(g.n) && (g.boolish(g.n) || g.classOf(g.n) == node.Unknown && g.Dialect.Truthy):
		cost = .1
	case g.operandOfLogical() && g.n.Kind != node.Logical && g.boolish(g.n):
		cost = .6
	default:
		return
	}
	for _, a := range g.atomsAt(g.n) {
		g.replace(g.n, a.code, a.cost-.1+cost)
	}
}

func filter(g *site) {
	var loop *node.Node
	for _, c := range g.n.Children {
		if c.Kind == node.For {
			loop = c
		} else if loop != nil {
			return // it has a condition, which has templates of its own
		}
	}
	if loop == nil || len(loop.Children) < 2 || loop.Children[0].Kind != node.Name {
		return
	}
	v := expression{code: atom(loop.Children[0].Name), class: g.elementOf(loop.Children[len(loop.Children)-1])}
	var tests []weighed
	add := func(c code, cost float64) { tests = append(tests, weighed{c, cost}) }
	g.testsOf(v, add)
	for _, h := range g.holders(g.n) {
		if h.s != v.s {
			g.comparisons(v, h, add)
		}
	}
	for _, t := range tests {
		g.emit(loop.End, loop.End, " if "+t.s, t.cost-.3, quote("if "+t.s)+" is missing in "+quote(g.Text(g.n)))
	}
}

func condSwap(g *site) {
	if d := g.Dialect; d.Conditional != nil {
		c, a, b := g.n.Children[0], g.n.Children[1], g.n.Children[2]
		g.replace(g.n, code{d.Conditional(g.of(c).at(1), g.of(b).at(1), g.of(a).at(0)), 0}, 0)
	}
}

func condDrop(g *site) {
	for _, c := range g.n.Children[1:] {
		g.replace(g.n, g.of(c), 0)
	}
}
