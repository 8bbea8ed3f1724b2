package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
)

// assignments are the templates about what is assigned to what.
func assignments() []Template {
	return []Template{
		{"assignment operator", "adds in another way, or replaces", "x += y → x -= y", .5, []node.Kind{node.Assign}, false, assignmentOperator},
		{"assignment target", "assigns to another variable or element", "a = x → b = x", 1.2, []node.Kind{node.Name, node.Index, node.Attribute}, false, assignmentTarget},
		{"declaration", "assigns to the outer variable, or declares a new one", "x := f() → x = f()", .7, []node.Kind{node.Assign, node.VarDecl}, false, declaration},
		{"return value", "returns something else", "return a → return b", 1.1, []node.Kind{node.Return}, false, returnValue},
		{"result unused", "returns or keeps the result of a call", "f(x) → return f(x)", 1.1, []node.Kind{node.ExprStmt}, false, resultUnused},
		{"yield", "yields each element, or the whole", "yield x → yield from x", .9, []node.Kind{node.Yield}, false, yields},
	}
}

func assignmentOperator(g *site) {
	n := g.n
	switch op := strings.TrimSuffix(n.Op, "="); {
	case n.Op == "++" || n.Op == "--":
		target := g.Text(n.Children[0])
		flipped, step := g.Dialect.Increment(target, -1), g.Dialect.Increment(target, 2)
		if n.Op == "--" {
			flipped, step = g.Dialect.Increment(target, 1), target+" -= 2"
		}
		g.emit(n.Start, n.End, flipped, .1, because(g.Text(n), flipped))
		g.emit(n.Start, n.End, step, .9, because(g.Text(n), step))
		for k, v := range g.fit(n, node.Int, n.Children[0].Type) {
			if v.name != target && k < 10 {
				g.emit(n.Start, n.End, target+" += "+v.name, 1.1, because(g.Text(n), target+" += "+v.name))
			}
		}
	case n.Op == "=" && len(n.Children) == 2 && n.Children[0].Kind != node.Tuple:
		if p := g.Parent(n); p != nil && p.Kind == node.For {
			return
		}
		for k, x := range []string{"+", "-", "*", g.Dialect.IntDivide, "|", "%"} {
			if g.Dialect.Arithmetic[x] != nil && g.assigned(n) {
				g.emit(n.OpStart, n.OpEnd, x+"=", .4+.2*float64(k), because(n.Op, x+"=")+" in "+quote(g.Text(n)))
			}
		}
	case n.Op != "=" && n.Op != ":=" && g.Dialect.Arithmetic[op] != nil:
		for k, x := range g.Dialect.Arithmetic[op] {
			g.emit(n.OpStart, n.OpEnd, x+"=", .2*float64(k), because(n.Op, x+"=")+" in "+quote(g.Text(n)))
		}
		g.emit(n.OpStart, n.OpEnd, "=", .5, because(n.Op, "=")+" in "+quote(g.Text(n)))
	}
}

// assigned reports whether the target of n can have had a value before.
func (g *site) assigned(n *node.Node) bool {
	target := n.Children[0]
	return target.Kind != node.Name || g.words[target.Name] > 2 || g.params[target.Name]
}

func assignmentTarget(g *site) {
	if !g.Stored(g.n) {
		return
	}
	p := g.Parent(g.n)
	for p.Kind == node.Tuple {
		p = g.Parent(p)
	}
	if p.Op == ":=" || p.Kind == node.VarDecl || p.Kind == node.For {
		return
	}
	text := g.Text(g.n)
	class := g.classOf(g.n)
	for k, v := range g.fit(g.n, class, g.n.Type) {
		if v.name != text {
			g.replace(g.n, atom(v.name), .2+.02*float64(min(k, 15)))
		}
	}
	for k, e := range g.places() {
		if e.s != text && k < maxPlaces*2 && g.Dialect.Assignable(e.typ, g.n.Type) {
			g.replace(g.n, e.code, .6)
		}
	}
	if g.n.Kind != node.Index {
		return
	}
	// d[u] → another container or key of the function, in any combination.
	bases, keys := []string{g.Text(g.n.Children[0])}, []string{g.Text(g.n.Children[1])}
	node.Walk(g.fn, func(n *node.Node) bool {
		if n.Kind == node.Index && len(n.Children) == 2 {
			bases, keys = append(bases, g.Text(n.Children[0])), append(keys, g.Text(n.Children[1]))
		}
		return true
	})
	bases, keys = distinct(bases), distinct(keys)
	for _, b := range bases[:min(len(bases), 6)] {
		for _, k := range keys[:min(len(keys), 8)] {
			g.replace(g.n, atom(b+"["+k+"]"), .8)
		}
	}
}

func declaration(g *site) {
	w := g.Dialect.Walrus
	switch {
	case w == "" || g.n.OpEnd == 0:
	case g.n.Op == w:
		g.emit(g.n.OpStart, g.n.OpEnd, "=", 0, because(w, "=")+" in "+quote(g.Text(g.n)))
	case g.n.Op == "=" && g.n.Kind == node.Assign:
		g.emit(g.n.OpStart, g.n.OpEnd, w, 1.3, because("=", w)+" in "+quote(g.Text(g.n)))
	}
}

func returnValue(g *site) {
	if len(g.n.Children) != 1 {
		return
	}
	v := g.n.Children[0]
	typ := g.resultType()
	if typ == "" && !g.Dialect.Truthy {
		typ = v.Type
	}
	class := g.classOfType(typ)
	put := func(s string, cost float64) { g.replace(v, atom(s), cost) }
	for k, s := range g.returns {
		put(s, .05+.02*float64(min(k, 20)))
	}
	for k, s := range g.zeros(typ) {
		put(s, .3+.03*float64(k))
	}
	for k, x := range g.vars(g.n) {
		if agree(x.class, class) && g.Dialect.Assignable(x.typ, typ) {
			put(x.name, .2+.02*float64(min(k, 20)))
		}
	}
	if g.Dialect.Truthy {
		for k, x := range g.vars(g.n) {
			if g.params[x.name] && k < 8 {
				put("["+x.name+"]", .5)
			}
		}
	}
}

// resultType is the declared type of what the function returns.
func (g *site) resultType() string {
	if g.fn.Kind != node.Function {
		return ""
	}
	return g.fn.Type
}

func resultUnused(g *site) {
	call := g.n.Children[0]
	switch call.Kind {
	case node.Call:
	case node.Compare:
		if call.Op == "==" || call.Op == "===" {
			g.swapOp(call, "=", 0)
		}
		g.emit(g.n.Start, g.n.Start, "return ", .1, quote("return")+" is missing before "+quote(g.Text(call)))
		return
	case node.Binary, node.Logical, node.Attribute, node.Index, node.Name, node.Cond, node.List, node.Dict, node.Tuple:
		if g.fn.Kind == node.Function || g.fn.Kind == node.Lambda {
			g.emit(g.n.Start, g.n.Start, "return ", 0, quote("return")+" is missing before "+quote(g.Text(call)))
		}
		return
	default:
		return
	}
	text := g.Text(call)
	if g.fn.Kind == node.Function && (len(g.returns) > 0 || g.Dialect.Truthy) && g.fn.Type != "None" {
		g.emit(g.n.Start, g.n.Start, "return ", 0, quote("return")+" is missing before "+quote(text))
	}
	callee := call.Children[0]
	if callee.Kind == node.Attribute && !g.packaged(callee) && g.Dialect.Assignable(call.Type, callee.Children[0].Type) {
		object := g.Text(callee.Children[0])
		g.emit(g.n.Start, g.n.Start, object+" = ", .8, "the result of "+quote(text)+" should be kept")
	}
	if callee.Kind == node.Attribute && !g.packaged(callee) && len(call.Children) == 2 && callee.Children[0].Kind != node.Other {
		object := g.Text(callee.Children[0])
		put := object + " = " + g.Text(call.Children[1])
		g.emit(g.n.Start, g.n.End, put, .9, because(text, put))
	}
	if len(call.Children) > 1 && call.Children[1].Kind == node.Name && call.Children[1].Name != "self" {
		g.emit(g.n.Start, g.n.Start, call.Children[1].Name+" = ", .9, "the result of "+quote(text)+" should be kept")
	}
}

func yields(g *site) {
	if len(g.n.Children) != 1 {
		return
	}
	v := g.Text(g.n.Children[0])
	if g.n.Op == "yield" {
		g.replace(g.n, code{"yield from " + v, 0}, 0)
	} else {
		g.replace(g.n, code{"yield " + v, 0}, 0)
	}
	if p := g.Parent(g.n); p != nil && p.Kind == node.ExprStmt {
		g.emit(g.n.Start, g.n.End, "return "+v, .3, because(g.Text(g.n), "return "+v))
	}
}
