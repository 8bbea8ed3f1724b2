package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// calls are the templates about arguments and wrappers.
func calls() []Template {
	return []Template{
		{"argument swap", "swaps two arguments", "f(a, b) → f(b, a)", .5, []node.Kind{node.Call}, false, argumentSwap},
		{"argument drop", "leaves out an argument", "f(a, b) → f(a)", 1.0, []node.Kind{node.Call}, false, argumentDrop},
		{"argument add", "gives another argument", "f(a) → f(a, b)", 1.6, []node.Kind{node.Call}, false, argumentAdd},
		{"keyword add", "gives a keyword argument", "sorted(xs) → sorted(xs, reverse=True)", 1.3, []node.Kind{node.Call}, false, keywordAdd},
		{"unwrap", "takes what is given to a call in its place", "abs(x) → x", .8, []node.Kind{node.Call}, false, unwrap},
		{"range", "counts over another range", "range(n) → range(1, n + 1)", .8, []node.Kind{node.Call}, false, rangeBounds},
		{"wrap both", "calls a function on both sides of a comparison", "a == b → set(a) == set(b)", 1.6, []node.Kind{node.Compare}, false, wrapBoth},
		{"wrap", "calls a function on a value", "x → abs(x)", 1.4, valueKinds, false, wrap},
		{"own method", "calls a method on a value that gives another of its kind", "t → t.UTC()", 1.4, []node.Kind{node.Name, node.Call, node.Index, node.Attribute}, false, ownMethod},
	}
}

var valueKinds = []node.Kind{
	node.Name, node.Number, node.Binary, node.Unary, node.Call, node.Index, node.Slice, node.Attribute, node.Cond, node.List, node.Comp,
	node.String, node.Logical, node.Compare, node.Tuple,
}

// arguments are those of a call, keywords apart. ok is false when there is one
// that spreads a list, so that they can't be counted.
func (g *site) arguments() (plain, keywords []*node.Node, ok bool) {
	ok = true
	for _, a := range g.n.Children[1:] {
		switch a.Kind {
		case node.Keyword:
			keywords = append(keywords, a)
		case node.Other:
			ok = false
			plain = append(plain, a)
		default:
			plain = append(plain, a)
		}
	}
	return plain, keywords, ok
}

// conversion reports whether the call makes a value of a type, as []byte(s).
func (g *site) conversion() bool { return g.n.Children[0].Kind == node.Other }

func argumentSwap(g *site) {
	args, _, _ := g.arguments()
	for i, a := range args {
		for _, b := range args[i+1:] {
			if !agree(g.classOf(a), g.classOf(b)) || !g.Dialect.Assignable(a.Type, b.Type) || g.Text(a) == g.Text(b) {
				continue
			}
			as, ae := g.Outer(a)
			bs, be := g.Outer(b)
			g.emitAll([]textedit.Edit{
				{Start: as, End: ae, New: g.Between(bs, be)},
				{Start: bs, End: be, New: g.Between(as, ae)},
			}, 0, "the arguments "+quote(g.Text(a))+" and "+quote(g.Text(b))+" should be swapped in "+quote(g.Text(g.n)))
		}
	}
}

func argumentDrop(g *site) {
	all := g.n.Children[1:]
	if callee := g.n.Children[0]; len(all) == 0 && callee.Kind == node.Attribute && !g.packaged(callee) && strings.HasSuffix(g.Text(g.n), "()") {
		g.emit(g.n.End-2, g.n.End, "", .6, because(g.Text(g.n), g.Text(callee)))
	}
	if len(all) == 1 && g.n.Children[0].Kind == node.Attribute && !g.packaged(g.n.Children[0]) {
		s, e := g.Outer(all[0])
		g.emit(s, e, "", .3, quote(g.Text(all[0]))+" should not be given in "+quote(g.Text(g.n)))
	}
	if len(all) < 2 || g.conversion() {
		return
	}
	for i, a := range all {
		s, e := g.Outer(a)
		if i+1 < len(all) {
			e, _ = g.Outer(all[i+1])
		} else {
			_, s = g.Outer(all[i-1])
		}
		g.emit(s, e, "", .1, quote(g.Text(a))+" should not be given in "+quote(g.Text(g.n)))
	}
}

func argumentAdd(g *site) {
	args, keywords, ok := g.arguments()
	if !ok || len(keywords) > 0 || len(args) > 2 || g.conversion() {
		return
	}
	at, comma := g.behindArguments()
	for k, v := range g.vars(g.n) {
		c := .02 * float64(min(k, 20))
		g.emit(at, at, comma+v.name, c, because(g.Text(g.n), strings.TrimSuffix(g.Text(g.n), ")")+comma+v.name+")"))
		if len(args) > 0 {
			s, _ := g.Outer(args[0])
			g.emit(s, s, v.name+", ", .2+c, quote(v.name)+" is missing as the first argument of "+quote(g.Text(g.n)))
		}
	}
	for k, s := range []string{"0", "1", "-1"} {
		g.emit(at, at, comma+s, .4+.1*float64(k), quote(s)+" is missing as an argument of "+quote(g.Text(g.n)))
	}
}

func keywordAdd(g *site) {
	callee := g.n.Children[0]
	if callee.Kind != node.Name && callee.Kind != node.Attribute {
		return
	}
	_, keywords, _ := g.arguments()
	at, comma := g.behindArguments()
	for k, word := range g.Dialect.Keywords[callee.Name] {
		name, _, _ := strings.Cut(word, "=")
		if slices.ContainsFunc(keywords, func(n *node.Node) bool { return n.Name == name }) {
			continue
		}
		g.emit(at, at, comma+word, .1*float64(k), quote(word)+" is missing in "+quote(g.Text(g.n)))
	}
}

func unwrap(g *site) {
	if g.callee(g.n) {
		return
	}
	args, keywords, ok := g.arguments()
	callee := g.n.Children[0]
	statement := g.Parent(g.n) != nil && g.Parent(g.n).Kind == node.ExprStmt
	if statement {
		return
	}
	if ok && len(keywords) == 0 {
		for k, a := range args {
			if g.Dialect.Assignable(a.Type, g.n.Type) {
				g.replace(g.n, g.of(a), .4*float64(min(1, len(args)-1))+.1*float64(k))
			}
		}
	}
	if callee.Kind == node.Attribute && !g.packaged(callee) && g.Dialect.Assignable(callee.Children[0].Type, g.n.Type) {
		g.replace(g.n, g.of(callee.Children[0]), .1)
	}
}

// rangeBounds knows the one function whose arguments are bounds in the languages
// that have it.
func rangeBounds(g *site) {
	callee := g.n.Children[0]
	if callee.Kind != node.Name || callee.Name != "range" || !g.Dialect.Reserved["range"] {
		return
	}
	args, _, ok := g.arguments()
	if !ok {
		return
	}
	put := func(cost float64, parts ...string) {
		g.replace(g.n, atom("range("+strings.Join(parts, ", ")+")"), cost)
	}
	plus := func(n *node.Node, op string) string { return g.binary(g.of(n), op, atom("1")).s }
	switch len(args) {
	case 1:
		n := g.Text(args[0])
		put(0, "1", n)
		put(.2, "1", plus(args[0], "+"))
		put(.4, "2", n)
		put(.5, "2", plus(args[0], "+"))
		put(.8, n, "0", "-1")
		put(.8, plus(args[0], "-"), "-1", "-1")
		put(.9, "0", n, "2")
		put(.9, "1", n, "2")
		for k, v := range g.vars(g.n) {
			if maybe(v.class, node.Int) && v.name != n && k < maxVariables {
				put(.6, v.name, n)
				put(.8, n, v.name)
			}
		}
	case 2:
		a, b := g.Text(args[0]), g.Text(args[1])
		put(.1, b)
		put(.4, a, b, "2")
		for k, v := range g.vars(g.n) {
			if maybe(v.class, node.Int) && v.name != a && v.name != b && k < maxVariables {
				put(.35+.01*float64(k), a, b, v.name)
			}
		}
		put(.4, a, b, "-1")
		put(.5, plus(args[0], "+"), plus(args[1], "+"))
		put(.6, plus(args[0], "-"), plus(args[1], "-"))
		put(.7, plus(args[1], "-"), plus(args[0], "-"), "-1")
		put(.8, b, a, "-1")
	case 3:
		put(.4, g.Text(args[0]), g.Text(args[1]))
		put(.4, g.Text(args[0]), g.Text(args[1]), g.minus(g.of(args[2])).s)
	}
}

// whole reports whether n is a value that something may be done to: the operand
// of another operation, an argument, what is assigned or returned.
func (g *site) whole() bool {
	p := g.Parent(g.n)
	if p == nil || !g.value() || g.docstring(g.n) {
		return false
	}
	switch p.Kind {
	case node.Attribute, node.ExprStmt:
		return false
	case node.Unary:
		return g.n.Kind != node.Number
	case node.Index, node.Slice:
		return g.Place(g.n) > 0
	case node.For:
		return p.Op == "in" && g.Place(g.n) == node.Iterable(p)
	case node.Lambda:
		return g.Place(g.n) == len(p.Children)-1 // what the function gives
	case node.Call:
		return g.Place(g.n) > 0
	case node.Return, node.Assign, node.VarDecl, node.Compare, node.Binary, node.Yield, node.Cond, node.List, node.Tuple, node.Dict,
		node.Comp, node.Keyword, node.Raise, node.If, node.While, node.Logical:
		return true
	default:
		return p.Kind == node.OtherStmt
	}
}

// inOrder reports whether the elements of g.n are gone through where their order
// shows.
func (g *site) inOrder() bool {
	n := g.n
	p := g.Parent(n)
	if p.Kind == node.For && g.Parent(p).Kind == node.Comp {
		n = g.Parent(p)
		p = g.Parent(n)
		if !strings.HasPrefix(g.Text(n), "[") && !strings.HasPrefix(g.Text(n), "(") && p.Kind != node.Call {
			return false // a set or a mapping is made of them
		}
	}
	if p.Kind != node.Call {
		return n.Kind == node.Comp || p.Kind == node.For || p.Kind == node.Index || p.Kind == node.Slice
	}
	name := p.Children[0].Name
	return name == "join" || name == "list" || name == "tuple" || name == "enumerate" || name == "zip" || name == "reversed" || name == "map"
}

func wrap(g *site) {
	if !g.whole() || g.classOfType(g.n.Type) == node.Struct && !g.Dialect.Truthy {
		return
	}
	class := g.classOf(g.n)
	if class == node.Truth || g.n.Kind == node.Tuple && !strings.HasPrefix(g.Text(g.n), "(") {
		return
	}
	text := g.Text(g.n)
	lit := g.n.Kind == node.Number || g.n.Kind == node.String
	own := func(name string) bool {
		return g.Parent(g.n).Kind == node.Call && g.Text(g.Parent(g.n).Children[0]) == name
	}
	if g.n.Kind == node.Comp && strings.HasPrefix(text, "(") {
		text = strings.TrimSuffix(text[1:], ")")
	}
	seen := map[string]bool{}
	for k, f := range g.unary {
		if !own(f) && !seen[f] && !lit {
			seen[f] = true
			g.replace(g.n, atom(f+"("+text+")"), .1+.02*float64(k))
		}
	}
	// A literal is wrapped by its author only.
	if lit {
		return
	}
	for _, w := range g.Dialect.Wraps {
		if class == node.Unknown && !g.Dialect.Truthy || class != node.Unknown && len(w.Of) > 0 && !slices.Contains(w.Of, class) {
			continue
		}
		cost := w.Cost
		if g.Dialect.Truthy {
			cost += .4
		}
		if w.To == node.Truth && g.n.Kind == node.Binary {
			cost += .5 // nobody computes something to ask only whether it is zero
		}
		if w.To == node.Set && g.inOrder() {
			cost += .8 // it would come in any order
		}
		switch {
		case own(w.Call) || seen[w.Call]:
		case strings.HasPrefix(w.Call, "."):
			g.replace(g.n, atom(g.of(g.n).at(atomic)+w.Call+"()"), cost+.1)
		default:
			g.replace(g.n, atom(w.Call+"("+text+")"), cost)
		}
	}
}

// wrapBoth emits the same call around both operands.
func wrapBoth(g *site) {
	l, r := g.n.Children[0], g.n.Children[1]
	class := g.classOf(l)
	if class == node.Unknown {
		class = g.classOf(r)
	}
	if class == node.Unknown && !g.Dialect.Truthy || class == node.Truth || l.Kind == node.Number || r.Kind == node.Number {
		return
	}
	spelled := l.Kind == node.String || r.Kind == node.String
	for _, w := range g.Dialect.Wraps {
		if class != node.Unknown && len(w.Of) > 0 && !slices.Contains(w.Of, class) {
			continue
		}
		if spelled && (w.To == node.Int || w.To == node.Text) {
			continue // what that makes of a literal would be written in its place
		}
		put := func(n *node.Node) textedit.Edit {
			s, e := g.Outer(n)
			text := w.Call + "(" + g.Text(n) + ")"
			if strings.HasPrefix(w.Call, ".") {
				text = g.of(n).at(atomic) + w.Call + "()"
			}
			return textedit.Edit{Start: s, End: e, New: text}
		}
		g.emitAll([]textedit.Edit{put(l), put(r)}, w.Cost+.1, "both sides of "+quote(g.Text(g.n))+" should be given to "+quote(w.Call))
	}
}
