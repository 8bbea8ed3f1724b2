package mutate

import (
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// operators are the templates about operators and their operands.
func operators() []Template {
	return []Template{
		{"comparison", "puts another comparison", "a < b → a <= b", .2, []node.Kind{node.Compare, node.Other}, false, comparison},
		{"comparison and constant", "puts another comparison and a neighbouring constant", "n == 0 → n <= 1", 1.6, []node.Kind{node.Compare}, false, comparisonConstant},
		{"arithmetic", "puts another arithmetic operator", "a - b → a + b", .5, []node.Kind{node.Binary}, false, arithmetic},
		{"boolean", "swaps and with or", "a and b → a or b", .5, []node.Kind{node.Logical}, false, boolean},
		{"boolean chain", "swaps and with or in a whole chain", "a and b and c → a or b or c", .9, []node.Kind{node.Logical}, false, booleanChain},
		{"operand swap", "swaps the operands", "a - b → b - a", 1.0, []node.Kind{node.Binary, node.Compare}, false, operandSwap},
		{"operand drop", "keeps one operand only", "a + b → a", .5, []node.Kind{node.Binary, node.Logical}, false, operandDrop},
		{"grouping", "moves the parentheses", "a + b * c → (a + b) * c", 1.3, []node.Kind{node.Binary, node.Logical, node.Compare, node.Cond}, false, grouping},
		{"unary drop", "drops a prefix operator", "not a → a", .6, []node.Kind{node.Unary}, false, unaryDrop},
	}
}

func comparison(g *site) {
	for k, op := range g.Dialect.Compare[g.n.Op] {
		cost := .35 * float64(k)
		if against(g.neighbour(), op) {
			cost += .7
		}
		g.swapOp(g.n, op, cost)
	}
}

// neighbour is the other operator of a chain of comparisons, as a < b < c is.
func (g *site) neighbour() string {
	if p := g.Parent(g.n); p != nil && p.Kind == node.Other && p.Op != "" && g.Place(g.n) == 0 {
		return p.Op
	}
	if g.n.Kind == node.Other && len(g.n.Children) > 0 {
		return g.n.Children[0].Op
	}
	return ""
}

// against reports whether two operators of a chain point in opposite directions,
// which nobody means.
func against(a, b string) bool {
	return a != "" && b != "" && (a[0] == '<' && b[0] == '>' || a[0] == '>' && b[0] == '<')
}

func comparisonConstant(g *site) {
	ops := g.Dialect.Compare[g.n.Op]
	for _, c := range g.n.Children {
		if c.Kind != node.Number {
			continue
		}
		for _, v := range neighbours(g.Text(c)) {
			for k, op := range ops[:min(len(ops), 4)] {
				g.emitAll([]textedit.Edit{
					{Start: g.n.OpStart, End: g.n.OpEnd, New: op},
					{Start: c.Start, End: c.End, New: v},
				}, .1*float64(k), because(g.Text(g.n), op+" "+v))
			}
		}
	}
}

func arithmetic(g *site) {
	for k, op := range g.Dialect.Arithmetic[g.n.Op] {
		if g.n.Op == "+" || g.n.Op == "-" {
			// There is no product or quotient of texts and lists but by a number.
			if c := g.classOf(g.n); c == node.Text || c == node.Sequence {
				return
			}
		}
		g.swapOp(g.n, op, .2*float64(k))
	}
}

// other is the boolean operator that n has not.
func (g *site) other() string {
	if g.n.Op == g.Dialect.And {
		return g.Dialect.Or
	}
	return g.Dialect.And
}

func boolean(g *site) { g.swapOp(g.n, g.other(), 0) }

func booleanChain(g *site) {
	if p := g.Parent(g.n); p != nil && p.Kind == node.Logical && p.Op == g.n.Op {
		return
	}
	var edits []textedit.Edit
	op := g.other()
	for n := g.n; n.Kind == node.Logical && n.Op == g.n.Op; n = n.Children[0] {
		edits = append(edits, textedit.Edit{Start: n.OpStart, End: n.OpEnd, New: op})
	}
	if len(edits) > 1 {
		g.emitAll(edits, 0, because(g.n.Op, op)+" throughout "+quote(g.Text(g.n)))
	}
}

func operandSwap(g *site) {
	d, n := g.Dialect, g.n
	l, r := g.of(n.Children[0]), g.of(n.Children[1])
	switch {
	case n.Kind == node.Compare && d.Mirrored[n.Op] == n.Op:
		return // a == b and b == a say the same
	case n.Kind == node.Compare:
		g.replace(n, g.binary(r, n.Op, l), .2)
	case (n.Op == "+" || n.Op == "*") && number(g.classOf(n)) || n.Op == "&" || n.Op == "|" || n.Op == "^":
		return
	default:
		g.replace(n, g.binary(r, n.Op, l), 0)
	}
}

// forgotten is what it costs more to leave out a condition than an operand: it is
// easier to make tests pass by asking less than to have asked too much.
const forgotten = .25

func operandDrop(g *site) {
	cost := 0.0
	if g.n.Kind == node.Logical {
		cost = forgotten
	}
	for k, c := range g.n.Children {
		g.replace(g.n, g.of(c), cost)
		// a + b + c is (a + b) + c: leave out b as well.
		if c.Kind == g.n.Kind && k == 0 {
			g.replace(g.n, g.binary(g.of(c.Children[0]), g.n.Op, g.of(g.n.Children[1])), .1)
			g.replace(g.n, g.binary(g.of(c.Children[0]), c.Op, g.of(g.n.Children[1])), .3)
		}
	}
}

func (f *file) level(n *node.Node) int { return f.Dialect.Precedence[n.Op] }

func grouping(g *site) {
	n := g.n
	first, last := n.Children[0], n.Children[len(n.Children)-1]
	if n.Kind == node.Compare {
		// !a in b says something about !a, where !(a in b) was meant.
		if first.Kind == node.Unary && first.Op == strings.TrimSpace(g.Dialect.Not) && g.outerIsItself(first) {
			g.group(first.Children[0].Start, n.End, 0)
		}
		return
	}
	if n.Kind == node.Cond {
		first, last = textEnds(n)
	}
	// What binds more tightly than it should lies along the edges of the operands:
	// a - b * c / d is (a - b) * c / d or (a - b * c) / d, and a + (c ? x : y) may
	// have lost its parentheses.
	for depth, x := range g.edge(last, 0) {
		_, end := g.Outer(x)
		g.group(n.Start, end, depth)
	}
	for depth, x := range g.edge(first, 1) {
		start, _ := g.Outer(x)
		g.group(start, n.End, depth)
	}
	// (a + b) * c without its parentheses.
	for _, c := range n.Children {
		if s, e := g.Outer(c); c.Kind == n.Kind && n.Kind != node.Cond && s < c.Start && g.level(c) < g.level(n) {
			g.emit(s, e, g.Text(c), 0, because(g.Between(s, e), g.Text(c)))
		}
	}
}

// edge is the chain of operands that end, or begin, where an operand of n does: of
// b * c / d from the left, b * c and b. What has parentheses keeps them.
func (g *site) edge(operand *node.Node, side int) []*node.Node {
	var chain []*node.Node
	for x := operand; g.operation(x) && g.outerIsItself(x); {
		if x.Op == g.n.Op && associative(x.Op) {
			break
		}
		x = x.Children[side]
		chain = append(chain, x)
	}
	return chain
}

// associative says that how operands of op are grouped makes no difference.
func associative(op string) bool {
	return slices.Contains([]string{"+", "*", "&", "|", "^", "&&", "||", "and", "or", "??"}, op)
}

// group puts parentheses around a part of n.
func (g *site) group(start, end, depth int) {
	text := "(" + g.Between(start, end) + ")"
	g.emit(start, end, text, .1*float64(depth), fmt.Sprintf("%s should be %s", quote(g.Text(g.n)), quote(g.Between(g.n.Start, start)+text+g.Between(end, g.n.End))))
}

// textEnds are the children of n that its text begins and ends with: a conditional
// expression begins with its condition in one language and with its value in another.
func textEnds(n *node.Node) (first, last *node.Node) {
	byStart := func(a, b *node.Node) int { return a.Start - b.Start }
	return slices.MinFunc(n.Children, byStart), slices.MaxFunc(n.Children, byStart)
}

func (f *file) operation(n *node.Node) bool {
	return (n.Kind == node.Binary || n.Kind == node.Logical || n.Kind == node.Compare) && len(n.Children) == 2
}

func (f *file) outerIsItself(n *node.Node) bool {
	s, e := f.Outer(n)
	return s == n.Start && e == n.End
}

func unaryDrop(g *site) {
	if strings.ContainsAny(g.n.Op, "&*<") {
		return // addresses, dereferences and receives are no arithmetic
	}
	if g.n.Op == "-" && g.n.Children[0].Kind == node.Number {
		return // constants have templates of their own
	}
	g.replace(g.n, g.of(g.n.Children[0]), 0)
}
