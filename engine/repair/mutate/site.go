package mutate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// atomic is the precedence of an expression that never needs parentheses.
const atomic = 100

// site is one template at one node: what generate functions work with.
type site struct {
	*function
	n *node.Node
	// out takes an edit whose Cost is what it adds to the template's prior.
	out func(Edit)
	// doubtful means that the edits that follow silence more often than they repair.
	doubtful bool
}

// code is source text and how tightly its outermost operator binds.
type code struct {
	s    string
	prec int
}

// of is the code of an existing expression.
func (f *file) of(n *node.Node) code {
	s := f.Text(n)
	d := f.Dialect
	switch n.Kind {
	case node.Binary, node.Compare, node.Logical:
		return code{s, d.Precedence[n.Op]}
	case node.Unary:
		if n.Op == strings.TrimSpace(d.Not) {
			return code{s, d.NotPrecedence}
		}
		return code{s, d.Unary}
	case node.Cond, node.Lambda, node.Yield:
		return code{s, 0}
	case node.Tuple:
		if !strings.HasPrefix(s, "(") {
			return code{s, 0}
		}
	case node.Number:
		if strings.HasPrefix(s, "-") {
			return code{s, d.Unary}
		}
	case node.Other:
		return code{s, 0}
	}
	return code{s, atomic}
}

// at returns c with parentheses when it binds less tightly than prec.
func (c code) at(prec int) string {
	if c.prec < prec {
		return "(" + c.s + ")"
	}
	return c.s
}

func atom(s string) code { return code{s, atomic} }

// binary is l op r with the parentheses it needs; the blanks around op are left
// out where the language's formatter leaves them out.
func (f *file) binary(l code, op string, r code) code {
	if strict := f.Dialect.Strict[op]; strict != "" {
		op = strict
	}
	p := f.Dialect.Precedence[op]
	right := p + 1
	if op == f.Dialect.And || op == f.Dialect.Or {
		right = p
	}
	return code{l.at(p) + " " + op + " " + r.at(right), p}
}

func (f *file) not(c code) code {
	return code{f.Dialect.Not + c.at(f.Dialect.NotPrecedence), f.Dialect.NotPrecedence}
}

func (f *file) minus(c code) code { return code{"-" + c.at(f.Dialect.Unary), f.Dialect.Unary} }

// wants is the precedence that an expression must have where n stands; 0 where
// anything may.
func (f *file) wants(n *node.Node) int {
	p := f.Parent(n)
	if p == nil {
		return 0
	}
	if s, e := f.Outer(n); s != n.Start || e != n.End {
		return 0
	}
	d := f.Dialect
	switch p.Kind {
	case node.Binary, node.Compare:
		if f.Place(n) == 0 && p.Op != "**" {
			return d.Precedence[p.Op]
		}
		return d.Precedence[p.Op] + 1
	case node.Logical:
		return d.Precedence[p.Op]
	case node.Unary:
		if p.Op == strings.TrimSpace(d.Not) {
			return d.NotPrecedence
		}
		return d.Unary
	case node.Attribute:
		return atomic
	case node.Index, node.Slice, node.Call:
		if f.Place(n) == 0 {
			return atomic
		}
		return 0
	case node.Other:
		return atomic
	case node.Cond:
		return 1
	default:
		return 0
	}
}

// replace emits the edit that puts c in the place of n.
func (g *site) replace(n *node.Node, c code, cost float64) {
	g.replaceWhy(n, c, cost, "")
}

func (g *site) replaceWhy(n *node.Node, c code, cost float64, why string) {
	old := g.Text(n)
	if c.s == old || c.s == "" || g.pointless(n, c) {
		return
	}
	start, end := n.Start, n.End
	p := g.Parent(n)
	text := c.at(g.wants(n))
	if n.Kind == node.Comp && p != nil && p.Kind == node.Call && strings.HasPrefix(old, "(") && g.Place(n) > 0 {
		// The parentheses of a generator are those of the call it is the argument of.
		if len(p.Children) == 2 && p.End == n.End {
			text = "(" + c.s + ")"
		}
	}
	if why == "" {
		why = because(old, text)
	}
	g.emit(start, end, text, cost, why)
}

// swapOp emits the edit that gives n another operator.
func (g *site) swapOp(n *node.Node, op string, cost float64) {
	if op == n.Op || n.OpEnd <= n.OpStart {
		return
	}
	text := op
	if letter(op) {
		// `a<b` has no blanks to share with `in`.
		if n.OpStart > 0 && !space(g.Content[n.OpStart-1]) {
			text = " " + text
		}
		if n.OpEnd < len(g.Content) && !space(g.Content[n.OpEnd]) {
			text += " "
		}
	}
	if len(n.Children) == 2 && trivial(g.Text(n.Children[0]), op, g.Text(n.Children[1])) {
		return
	}
	if g.twin(n) {
		cost += parted
	}
	g.emit(n.OpStart, n.OpEnd, text, cost, fmt.Sprintf("`%s` should be `%s` in %s", n.Op, op, quote(g.Text(n))))
}

// twin reports whether the function computes elsewhere what n does: an operation on
// two things that it names in two places means the same in both.
func (g *site) twin(n *node.Node) bool {
	return n.Kind == node.Binary && !slices.ContainsFunc(n.Children, func(c *node.Node) bool { return c.Kind == node.Number }) && strings.Count(g.Text(g.fn), g.Text(n)) > 1
}

// emit emits one replacement of bytes.
func (g *site) emit(start, end int, text string, cost float64, why string) {
	g.emitAll([]textedit.Edit{{Start: start, End: end, New: text}}, cost, why)
}

// emitAll emits several replacements as one edit.
func (g *site) emitAll(edits []textedit.Edit, cost float64, why string) {
	slices.SortFunc(edits, func(a, b textedit.Edit) int { return a.Start - b.Start })
	for k := 1; k < len(edits); k++ {
		if edits[k].Start < edits[k-1].End {
			return
		}
	}
	if n := g.n; g.Dialect.End != "" && n.Kind.Statement() && len(edits) == 1 && edits[0].End == n.End && strings.HasSuffix(g.Text(n), g.Dialect.End) && edits[0].New != "" {
		edits[0].New = g.ended(edits[0].New)
	}
	if g.bringsAsserted(edits) {
		cost = max(0, cost-assertedOf)
	}
	g.out(Edit{Edits: edits, Cost: cost, Why: why, Line: g.n.Line, Suspicious: g.doubtful || g.drops(edits)})
}

// assertedOf is what an edit gains that brings a name of which the failing tests speak.
const assertedOf = .25

// bringsAsserted reports whether an edit does, other than by calling its own function.
func (g *site) bringsAsserted(edits []textedit.Edit) bool {
	if len(g.asserted) == 0 {
		return false
	}
	for _, e := range edits {
		before := identifiers(string(g.Content[e.Start:e.End]))
		for _, w := range words(e.New) {
			if g.asserted[w] > 0 && w != g.fn.Name && before[w] == 0 {
				return true
			}
		}
	}
	return false
}

func because(old, text string) string {
	if quote(old) == quote(text) {
		// They differ where a sentence has no room for them.
		const lead = 20
		same := 0
		for same < min(len(old), len(text)) && old[same] == text[same] {
			same++
		}
		for same = max(0, same-lead); same > 0 && !utf8.RuneStart(text[same]); same-- {
		}
		old, text = "…"+strings.TrimSpace(old[same:]), "…"+strings.TrimSpace(text[same:])
	}
	return fmt.Sprintf("%s should be %s", quote(old), quote(text))
}

// quote shows code in a sentence: its first line, not too long.
func quote(s string) string {
	s = strings.TrimSpace(s)
	first, _, more := strings.Cut(s, "\n")
	if r := []rune(first); len(r) > 60 {
		first, more = string(r[:57]), true
	}
	if more {
		first = strings.TrimSpace(first) + "…"
	}
	return "`" + first + "`"
}

// called is how a function of the library is called in the language.
func (f *file) called(name string) string {
	if c := f.Dialect.Called[name]; c != "" {
		return c
	}
	return name
}

// pointless reports whether c in the place of n says nothing: x + 0, x * 1,
// a and a, x = x.
func (g *site) pointless(n *node.Node, c code) bool {
	p := g.Parent(n)
	if p == nil {
		return false
	}
	switch p.Kind {
	case node.Binary, node.Compare, node.Logical:
		l, r := g.Text(p.Children[0]), g.Text(p.Children[1])
		if g.Place(n) == 0 {
			l = c.s
		} else {
			r = c.s
		}
		return trivial(l, p.Op, r)
	case node.Assign, node.VarDecl:
		if p.Op != "=" && p.Op != ":=" {
			return c.s == "0" || p.Op == "*=" && c.s == "1"
		}
		last := len(p.Children) - 1
		if g.Place(n) == last {
			return len(p.Children) == 2 && c.s == g.Text(p.Children[0])
		}
		return c.s == g.Text(p.Children[last])
	case node.Call:
		callee := g.Text(p.Children[0])
		return len(p.Children) == 3 && g.Place(n) > 0 && c.s == g.Text(p.Children[3-g.Place(n)]) && (callee == g.called("max") || callee == g.called("min"))
	default:
		return false
	}
}

// trivial reports whether l op r is one of its operands, or a constant.
func trivial(l, op, r string) bool {
	l, r = strings.TrimSuffix(l, ".0"), strings.TrimSuffix(r, ".0")
	switch op {
	case "+", "|", "<<", ">>", "^":
		return r == "0" || l == "0" && op == "+"
	case "-":
		return r == "0" || l == r
	case "*":
		return r == "1" || l == "1" || r == "0" || l == "0"
	case "/", "//", "%":
		return r == "1" || r == "0" || l == r
	case "**":
		return r == "1" || r == "0"
	case "and", "or", "&&", "||", "==", "!=", "===", "!==", "??", "<", ">", "<=", ">=", "is", "is not":
		return l == r
	default:
		return false
	}
}

func letter(op string) bool { return op != "" && (op[0] >= 'a' && op[0] <= 'z') }

func space(b byte) bool {
	return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '(' || b == ')'
}
