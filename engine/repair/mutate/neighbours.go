package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

const (
	maxNeighbours = 8   // functions beside this one that are looked at
	maxAlike      = 4   // those of them that are chosen for their names
	maxAdopted    = 160 // bytes of a statement that is taken over
)

// asNeighbour adds statements that functions beside this one have: functions of a
// family check and record alike, and what one of them lacks is often seen in the
// others.
func asNeighbour(g *site) {
	if g.fn.Kind != node.Function {
		return
	}
	for _, p := range g.spots() {
		seen := map[string]bool{}
		for _, f := range g.neighbours() {
			for k, st := range p.sameSpot(f) {
				if !p.fits(st) {
					continue
				}
				if text, ok := p.adopted(f, st); ok && !seen[text] {
					seen[text] = true
					p.put(text, .02*float64(min(k, 10)))
				}
			}
		}
	}
}

// sameSpot are the statements of f that stand where the spot is: in its body, or under
// the same condition.
func (p spot) sameSpot(f *node.Node) []*node.Node {
	body := node.Body(f)
	here, _, _ := p.listed(p.n)
	owner := p.Parent(here)
	if body == nil || owner == p.fn {
		return p.own(body)
	}
	if owner.Kind != node.If || p.Place(here) != 1 {
		return nil
	}
	for _, st := range body.Children {
		if st.Kind == node.If && p.Text(st.Children[0]) == p.Text(owner.Children[0]) {
			return p.own(st.Children[1])
		}
	}
	return nil
}

// fits reports whether the spot is where a neighbour has the statement: checks stand
// in front, what comes first or last there does so here.
func (p spot) fits(st *node.Node) bool {
	there, at, _ := p.listed(st)
	here, place, _ := p.listed(p.n)
	last := func(block *node.Node, next int) bool {
		return next == len(block.Children) || next == len(block.Children)-1 && ends(block.Children[next])
	}
	if p.behind {
		place++
	}
	switch {
	case st.Kind == node.If:
		return place <= at+1
	case at == 0 && place == 0:
		return true
	case last(there, at+1):
		return last(here, place)
	default:
		return true
	}
}

// neighbours are the functions of the same block that are likely to be of one family with
// this one: those of like names and parameters, and those that stand near.
func (g *function) neighbours() []*node.Node {
	parent := g.Parent(g.fn)
	if parent == nil || g.beside != nil {
		return g.beside
	}
	var near []*node.Node
	for _, c := range parent.Children {
		if c.Kind == node.Function && c != g.fn {
			near = append(near, c)
		}
	}
	slices.SortStableFunc(near, func(a, b *node.Node) int { return g.distance(a) - g.distance(b) })
	alike := slices.DeleteFunc(slices.Clone(near), func(f *node.Node) bool { return g.likeness(f) == 0 })
	slices.SortStableFunc(alike, func(a, b *node.Node) int { return g.likeness(b) - g.likeness(a) })
	out := slices.Clone(alike[:min(len(alike), maxAlike)])
	for _, f := range near {
		if len(out) < maxNeighbours && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	g.beside = out
	return out
}

// likeness is how much of its name and parameters a function has in common with this one.
func (g *function) likeness(f *node.Node) int {
	n := 0
	for _, lists := range [][2][]string{{parts(g.fn.Name), parts(f.Name)}, {parameters(g.fn), parameters(f)}} {
		for _, w := range lists[0] {
			if w != g.Dialect.Receiver && slices.Contains(lists[1], w) {
				n++
			}
		}
	}
	return n
}

// parts are the words that a name is made of, in small letters.
func parts(name string) []string {
	var out []string
	start := 0
	for i, r := range name {
		if i > start && (r == '_' || r >= 'A' && r <= 'Z' && name[i-1] >= 'a') {
			out = append(out, strings.ToLower(strings.Trim(name[start:i], "_")))
			start = i
		}
	}
	out = append(out, strings.ToLower(strings.Trim(name[start:], "_")))
	return slices.DeleteFunc(out, func(w string) bool { return w == "" })
}

func (g *function) distance(f *node.Node) int {
	if f.Start > g.fn.Start {
		return f.Start - g.fn.End
	}
	return g.fn.Start - f.End
}

// fillsIn reports whether an if only gives another value to what its condition asks for.
func (g *site) fillsIn(st *node.Node) bool {
	asked := g.Text(st.Children[0])
	return !slices.ContainsFunc(st.Children[1].Children, func(inner *node.Node) bool {
		return inner.Kind != node.Assign || inner.Op != "=" || !strings.Contains(asked, g.Text(inner.Children[0]))
	})
}

// own are the statements of a block that another function could have too: calls,
// assignments, and ifs that leave the function or fill in a value.
func (g *site) own(block *node.Node) []*node.Node {
	if block == nil || block.Kind != node.Block {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(block.Children), func(st *node.Node) bool {
		if _, alone := g.lineOf(st); !alone || len(g.Text(st)) > maxAdopted || !g.shiftable(st) || g.docstringStmt(st) {
			return true
		}
		switch st.Kind {
		case node.Assign:
			return st.Op == ":="
		case node.ExprStmt:
			return false
		case node.If:
			if len(st.Children) != 2 || st.Children[1].Kind != node.Block {
				return true
			}
			inner := st.Children[1].Children
			return len(inner) == 0 || !ends(inner[len(inner)-1]) && !g.fillsIn(st)
		default:
			return true
		}
	})
}

// adopted is a statement of the function f as this function would have it: with
// its own name, and its own parameter in the place of one that it does not have.
func (p spot) adopted(f, st *node.Node) (text string, ok bool) {
	there := p.in(st)
	l, _ := p.lineOf(st)
	text = p.shifted(st, l.indent, p.indent)
	var missing []string
	node.Walk(st, func(n *node.Node) bool {
		if n.Kind == node.Name && there.defined[n.Name] && !p.params[n.Name] && !p.has(n.Name) && !slices.Contains(missing, n.Name) {
			missing = append(missing, n.Name)
		}
		return true
	})
	switch len(missing) {
	case 0:
	case 1:
		mine, found := p.counterpartOf(f, missing[0])
		if !found {
			return "", false
		}
		text = rename(text, missing[0], mine)
	default:
		return "", false
	}
	for _, quote := range []string{`"`, "'", "`"} {
		text = strings.ReplaceAll(text, quote+f.Name+quote, quote+p.fn.Name+quote)
	}
	return text, true
}

// counterpartOf is this function's parameter in the place of one of f.
func (p spot) counterpartOf(f *node.Node, name string) (mine string, ok bool) {
	theirs, ours := parameters(f), parameters(p.fn)
	at := slices.Index(theirs, name)
	if at < 0 || at >= len(ours) || slices.Contains(theirs, ours[at]) {
		return "", false
	}
	return ours[at], true
}

func parameters(f *node.Node) []string {
	var out []string
	for _, c := range f.Children {
		if c.Kind == node.Param {
			out = append(out, c.Name)
		}
	}
	return out
}

// predicates adds what methods beside this one say of the object itself.
func (g *function) predicates(add func(code, float64)) {
	self := g.self()
	if self == "" {
		return
	}
	for _, f := range g.neighbours() {
		names := parameters(f)
		if f.Name == "" || strings.HasPrefix(f.Name, "__") || len(names) > 1 || len(names) == 1 && names[0] != self || !g.says(f) {
			continue
		}
		test := atom(self + "." + f.Name + "()")
		add(test, .6)
		add(g.not(test), .7)
	}
}

// mostBeside is how many conditions of functions beside this one are tried.
const mostBeside = 24

// conditionsBeside adds what functions beside this one look at, where all that it names
// has a meaning here too: what one of a family looks at the others mostly should.
func (g *function) conditionsBeside(at *node.Node, add func(code, float64)) {
	here := map[string]bool{}
	for _, v := range g.vars(at) {
		here[v.name] = true
	}
	tried := 0
	for _, f := range g.neighbours() {
		body := node.Body(f)
		if body == nil || len(body.Children) == 0 {
			continue
		}
		there := g.in(body.Children[0])
		for _, e := range there.exprs {
			if e.n.Kind != node.Compare && (e.n.Kind != node.Unary || e.class != node.Truth) || tried == mostBeside {
				continue
			}
			known := true
			node.Walk(e.n, func(n *node.Node) bool {
				known = known && (n.Kind != node.Name || here[n.Name] || !there.defined[n.Name])
				return known
			})
			if known {
				tried++
				add(e.code, .75)
			}
		}
	}
}

// says reports whether a function returns whether something holds.
func (g *function) says(f *node.Node) bool {
	body := node.Body(f)
	if body == nil || len(body.Children) == 0 {
		return false
	}
	last := body.Children[len(body.Children)-1]
	if last.Kind != node.Return || len(last.Children) != 1 {
		return false
	}
	switch last.Children[0].Kind {
	case node.Compare, node.Bool:
		return true
	case node.Unary:
		return last.Children[0].Op == strings.TrimSpace(g.Dialect.Not)
	default:
		return g.classOf(last.Children[0]) == node.Truth
	}
}

// self is what the function calls its own object; "" where it has none.
func (g *function) self() string {
	name := g.Dialect.Receiver
	if name == "" || g.params[name] {
		return name
	}
	if !g.Dialect.Reserved[name] {
		return "" // only a parameter can be it
	}
	for f := g.fn; f != nil; f = g.Function(f) {
		if p := g.Parent(f); f.Kind == node.Function && p != nil && p.Kind == node.OtherStmt {
			return name
		}
	}
	return ""
}
