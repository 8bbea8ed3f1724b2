package mutate

import (
	"slices"

	"autocoder/engine/repair/node"
)

// Bounds on how many ingredients are combined with one another: without them a
// long function has millions of conditions.
const (
	maxVariables = 10
	maxPlaces    = 6
	maxStrings   = 5
	maxParts     = 8
	maxMethods   = 4
	// unread is what a field costs more that the function does not read.
	unread = .35
)

// atomsAt returns the conditions to try where n stands: those of the function
// itself first, then tests of its variables.
func (g *function) atomsAt(n *node.Node) []weighed {
	owner := g.Statement(n)
	if atoms, ok := g.atoms[owner]; ok {
		return atoms
	}
	var out []weighed
	seen := map[string]bool{}
	add := func(c code, cost float64) {
		if !seen[c.s] {
			seen[c.s] = true
			out = append(out, weighed{c, cost})
		}
	}
	g.ownConditions(add)
	g.predicates(add)
	g.conditionsBeside(n, add)
	g.varied(n, add)
	held := g.holders(n)
	for _, v := range held {
		g.testsOf(v, add)
		g.asked(v, add)
	}
	g.amongUnread(n, held, add)
	for _, v := range g.parts(n) {
		g.testsOf(v, func(c code, cost float64) { add(c, cost+unread) })
	}
	pairs := held[:min(len(held), 9)]
	for i, a := range pairs {
		for _, b := range pairs[i+1:] {
			g.comparisons(a, b, add)
			g.askedOf(a, b, add)
			g.askedOf(b, a, add)
		}
	}
	slices.SortStableFunc(out, func(a, b weighed) int {
		switch {
		case a.cost < b.cost:
			return -1
		case a.cost > b.cost:
			return 1
		default:
			return 0
		}
	})
	g.atoms[owner] = out
	return out
}

// amongUnread adds tests whether something is in a container that the function
// makes and does not read.
func (g *function) amongUnread(n *node.Node, held []expression, add func(code, float64)) {
	if _, ok := g.Dialect.Compare["in"]; !ok {
		return
	}
	for _, v := range g.vars(n) {
		if !g.unread[v.name] || !sized(v.class, true) {
			continue
		}
		test := func(c code, cost float64) {
			add(g.binary(c, "not in", atom(v.name)), cost)
			add(g.binary(c, "in", atom(v.name)), cost+.1)
		}
		for _, e := range held {
			test(e.code, .3)
			if e.n == nil || e.n.Kind != node.Index || len(e.n.Children) < 2 || e.n.Children[1].Kind != node.Number {
				continue
			}
			for _, near := range append(neighbours(g.Text(e.n.Children[1])), "-1") {
				test(atom(g.spliced(e.n, e.n.Children[1], near)), .35)
			}
		}
	}
}

// ownConditions adds the conditions that the function already has.
func (g *function) ownConditions(add func(code, float64)) {
	for _, e := range g.exprs {
		switch e.n.Kind {
		case node.Compare:
			add(e.code, .1)
			if op := g.Dialect.Negated[e.n.Op]; op != "" {
				add(g.binary(g.of(e.n.Children[0]), op, g.of(e.n.Children[1])), .6)
			}
		case node.Unary:
			if g.classOf(e.n) == node.Truth {
				add(e.code, .1)
			}
		case node.Call:
			if e.class == node.Truth {
				add(e.code, .2)
			}
		default: // No condition.
		}
	}
}

// between stands for a name while two are swapped; no source has it.
const between = "\u00ff\u00ff"

// varied adds the function's own comparisons with two variables swapped, with
// another variable, or with a neighbouring constant: what a copied line should
// have become.
func (g *function) varied(at *node.Node, add func(code, float64)) {
	vars := g.vars(at)
	for _, e := range g.exprs {
		if e.n.Kind != node.Compare {
			continue
		}
		var used []*node.Node
		node.Walk(e.n, func(n *node.Node) bool {
			switch n.Kind {
			case node.Name:
				if !g.callee(n) && !g.Dialect.Reserved[n.Name] {
					used = append(used, n)
				}
			case node.Number:
				for _, v := range append(neighbours(g.Text(n)), g.told...) {
					add(code{g.spliced(e.n, n, v), e.prec}, .9)
				}
			default: // Nothing to vary.
			}
			return true
		})
		for i, a := range used {
			for _, b := range used[i+1:] {
				if a.Name != b.Name {
					add(code{rename(rename(rename(e.s, a.Name, between), b.Name, a.Name), between, b.Name), e.prec}, .8)
				}
			}
			for _, v := range vars[:min(len(vars), maxVariables)] {
				if v.name != a.Name && agree(v.class, g.classOf(a)) && g.Dialect.Assignable(v.typ, a.Type) {
					add(code{rename(e.s, a.Name, v.name), e.prec}, .8)
				}
			}
		}
	}
}

// spliced is the text of n with that of one node in it replaced.
func (g *function) spliced(n, part *node.Node, text string) string {
	return g.Between(n.Start, part.Start) + text + g.Between(part.End, n.End)
}

// holders are the variables, and some elements and attributes, that conditions
// are made of.
func (g *function) holders(n *node.Node) []expression {
	var out []expression
	for _, v := range g.vars(n) {
		if len(out) == maxVariables {
			break
		}
		out = append(out, expression{code: atom(v.name), class: v.class, typ: v.typ})
	}
	for _, e := range g.places() {
		if len(out) == maxVariables+maxPlaces {
			break
		}
		out = append(out, e)
	}
	return out
}

// places are the elements and attributes that the function reads.
func (g *function) places() []expression {
	var out []expression
	for _, e := range g.exprs {
		if e.n.Kind == node.Index || e.n.Kind == node.Attribute && !g.packaged(e.n) {
			out = append(out, e)
		}
	}
	return out
}

// testsOf adds tests of one value.
func (g *function) testsOf(v expression, add func(code, float64)) {
	d := g.Dialect
	compare := func(op, r string, cost float64) { add(g.binary(v.code, op, atom(r)), cost) }
	if d.Truthy || v.class == node.Truth {
		add(v.code, .3)
		add(g.not(v.code), .3)
	}
	if v.class == node.Pointer || v.class == node.Callable || d.Truthy && v.class == node.Unknown || !d.Truthy && v.class == node.Mapping {
		is, isNot := "==", "!="
		if _, ok := d.Compare["is"]; ok {
			is, isNot = "is", "is not"
		}
		compare(is, d.Nil, .5)
		compare(isNot, d.Nil, .5)
	}
	if d.TypeTests != nil && v.class == node.Unknown {
		for k, t := range d.TypeTests(v.s) {
			add(atom(t), 1.1+.03*float64(k))
			add(g.not(atom(t)), 1.2+.03*float64(k))
		}
	}
	if number(v.class) || v.class == node.Unknown && d.Truthy {
		for k, t := range []struct{ op, r string }{{"==", "0"}, {"<", "0"}, {">", "0"}, {"==", "1"}, {"!=", "0"}, {">=", "0"}, {"<=", "0"}, {">", "1"}, {"<", "2"}} {
			compare(t.op, t.r, .5+.05*float64(k))
		}
	}
	if v.class == node.Int || v.class == node.Unknown && d.Truthy {
		even, cost := g.binary(v.code, "%", atom("2")), 1.7
		if g.remainders() {
			cost = .85
		}
		add(g.binary(even, "==", atom("0")), cost)
		add(g.binary(even, "==", atom("1")), cost+.1)
	}
	if v.class == node.Text || v.class == node.Unknown && d.Truthy {
		for k, s := range g.strs[:min(len(g.strs), maxStrings)] {
			compare("==", s, 1.0+.02*float64(k))
			compare("!=", s, 1.1+.02*float64(k))
		}
		if !d.Truthy {
			compare("==", d.Quote("", `"`), .6)
			compare("!=", d.Quote("", `"`), .7)
		}
	}
	if _, ok := d.Compare["in"]; ok && (v.class == node.Mapping || v.class == node.Unknown) {
		for k, key := range g.keys[:min(len(g.keys), maxStrings)] {
			add(g.binary(atom(key), "in", v.code), .8+.02*float64(k))
			add(g.binary(atom(key), "not in", v.code), .9+.02*float64(k))
		}
	}
	if d.Length != nil && sized(v.class, d.Truthy) {
		length := atom(d.Length(v.s))
		for k, t := range []struct{ op, r string }{{"==", "0"}, {">", "0"}, {"==", "1"}, {">", "1"}, {"<", "2"}} {
			add(g.binary(length, t.op, atom(t.r)), .75+.08*float64(k))
		}
	}
}

// remainders reports whether the function computes any: elsewhere a test for even
// numbers is more often a way to tell the tests' inputs apart than a repair.
func (g *function) remainders() bool {
	return slices.ContainsFunc(g.exprs, func(e expression) bool { return e.n.Kind == node.Binary && e.n.Op == "%" })
}

// sized reports whether values of the class have a length.
func sized(c node.Class, unknownToo bool) bool {
	switch c {
	case node.Text, node.Sequence, node.Mapping, node.Set:
		return true
	case node.Unknown:
		return unknownToo
	case node.Int, node.Float, node.Truth, node.Callable, node.Pointer, node.Struct:
		return false
	default:
		return false
	}
}

// comparisons adds comparisons of two values.
func (g *function) comparisons(a, b expression, add func(code, float64)) {
	d := g.Dialect
	container := func(c node.Class) bool { return sized(c, true) }
	if g.same(a, b) {
		ops := []string{"==", "!="}
		if number(a.class) || number(b.class) || a.class == node.Text || a.class == node.Unknown && d.Truthy {
			ops = []string{"==", "<", "<=", "!=", ">", ">="}
		}
		for _, op := range ops {
			cost := .9
			if ordering := op != "==" && op != "!="; ordering && (a.class == node.Text || b.class == node.Text) {
				cost = 1.5 // texts are hardly ever ordered
			} else if ordering && a.class == node.Unknown && b.class == node.Unknown {
				cost = 1.1
			}
			add(g.binary(a.code, op, b.code), cost)
		}
	}
	if _, ok := d.Compare["in"]; ok {
		for _, p := range [][2]expression{{a, b}, {b, a}} {
			if container(p[1].class) && (p[1].class != node.Text || maybe(p[0].class, node.Text)) {
				add(g.binary(p[0].code, "in", p[1].code), .85)
				add(g.binary(p[0].code, "not in", p[1].code), .85)
			}
		}
	}
	for _, p := range [][2]expression{{a, b}, {b, a}} {
		if p[0].class == node.Int && sized(p[1].class, false) && p[1].class != node.Mapping {
			add(g.binary(p[0].code, "<", atom(d.Length(p[1].s))), .95)
			add(g.binary(p[0].code, ">=", atom(d.Length(p[1].s))), 1.0)
		}
	}
}

// same reports whether two values may be compared with each other.
func (g *function) same(a, b expression) bool {
	if a.class == node.Callable || b.class == node.Callable {
		return false
	}
	return agree(a.class, b.class) && g.Dialect.Assignable(a.typ, b.typ) && (g.Dialect.Truthy || a.class != node.Sequence && a.class != node.Mapping)
}
