package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// slips are the templates about what a language lets pass without a word: a value
// that is shared where each should have its own, an error that is returned and not
// raised, one half of a comparison.
func slips() []Template {
	return []Template{
		{"shared default", "gives each call a default value of its own", "def f(a=[]) → def f(a=None)", .7, []node.Kind{node.Param}, false, sharedDefault},
		{"shared attribute", "gives each object a value of its own", "class A: xs = [] → self.xs = []", .8, []node.Kind{node.Assign}, false, sharedAttribute},
		{"in place", "makes a changed copy", "xs.sort() → sorted(xs)", .9, []node.Kind{node.Call}, false, inPlace},
		{"raise", "raises an error that was only made", "return ValueError(x) → raise ValueError(x)", .6, []node.Kind{node.Return, node.ExprStmt}, false, returnedError},
		{"pass", "does something where nothing was done", "pass → return None", 1.0, []node.Kind{node.OtherStmt}, false, nothingDone},
		{"as well", "compares another attribute too", "a.x == b.x → a.x == b.x and a.y == b.y", 1.2, []node.Kind{node.Compare}, false, asWell},
		{"chained", "does something to a value before its method is called", "s.split() → s.strip().split()", 1.4, []node.Kind{node.Attribute}, false, chained},
		{"whose this", "sees the object of the function around it", "function () { this.x } → () => { this.x }", .8, []node.Kind{node.Lambda}, false, whoseThis},
		{"call", "calls what was only named", "s.strip → s.strip()", .8, []node.Kind{node.Attribute, node.Name}, false, calledNow},
		{"repeated", "makes each element anew", "[[]] * n → [[] for _ in range(n)]", .6, []node.Kind{node.Binary, node.Call}, false, repeated},
		{"both", "goes down both ways", "f(t.left) → f(t.left) + f(t.right)", 1.5, []node.Kind{node.Call}, false, both},
	}
}

// shares reports whether a value is a container that its holders would share.
func (g *site) shares(value *node.Node) bool {
	switch value.Kind {
	case node.List, node.Dict, node.Comp:
		return true
	case node.Call:
		return slices.Contains([]string{"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict"}, value.Children[0].Name)
	default:
		return false
	}
}

func sharedDefault(g *site) {
	fn := g.Parent(g.n)
	if _, once := g.Dialect.Compare["is"]; !once || fn.Kind != node.Function || len(g.n.Children) != 1 || !g.shares(g.n.Children[0]) {
		return // elsewhere a default is made anew for each call
	}
	body := node.Body(fn)
	if body == nil {
		return
	}
	statements := body.Children
	for len(statements) > 0 && g.docstringStmt(statements[0]) {
		statements = statements[1:]
	}
	if len(statements) == 0 {
		return
	}
	first, value := statements[0], g.n.Children[0]
	l, alone := g.lineOf(first)
	if !alone {
		return
	}
	text := g.guard(l, g.n.Name+" is "+g.Dialect.Nil, g.n.Name+" = "+g.Text(value))
	g.emitAll([]textedit.Edit{
		{Start: value.Start, End: value.End, New: g.Dialect.Nil},
		{Start: first.Start, End: first.Start, New: text + l.newline + l.indent},
	}, 0, quote(g.n.Name+"="+g.Text(value))+" is shared by all calls")
}

func sharedAttribute(g *site) {
	block, _, ok := g.listed(g.n)
	self := g.Dialect.Receiver
	if _, once := g.Dialect.Compare["is"]; !once || !ok || g.Parent(block).Kind != node.OtherStmt || g.n.Op != "=" || len(g.n.Children) != 2 || g.n.Children[0].Kind != node.Name || !g.shares(g.n.Children[1]) {
		return
	}
	l, alone := g.lineOf(g.n)
	if !alone {
		return
	}
	text := self + "." + g.Text(g.n)
	why := quote(g.Text(g.n)) + " is shared by all objects of the class"
	remove := g.remove(l)
	for _, c := range block.Children {
		body := node.Body(c)
		if c.Kind != node.Function || c.Name != "__init__" || body == nil || len(body.Children) == 0 {
			continue
		}
		last := body.Children[len(body.Children)-1]
		if at, alone := g.lineOf(last); alone {
			g.emitAll([]textedit.Edit{remove, {Start: at.end, End: at.end, New: at.newline + at.indent + text}}, 0, why)
		}
		return
	}
	inner := l.newline + l.indent
	g.emit(g.n.Start, g.n.End, "def __init__("+self+"):"+inner+g.Unit+text+l.newline, .3, why)
}

// inPlace puts a copy in the place of what changes its object: for the value of a
// call, and for a statement that then is an assignment.
func inPlace(g *site) {
	callee := g.n.Children[0]
	if callee.Kind != node.Attribute {
		return
	}
	form := g.Dialect.Copies[callee.Name]
	if form == "" {
		return
	}
	object := g.Text(callee.Children[0])
	arguments := ""
	if len(g.n.Children) > 1 {
		arguments = g.Between(g.n.Children[1].Start, g.n.Children[len(g.n.Children)-1].End)
	} else {
		form = strings.Replace(form, ", @", "@", 1)
	}
	text := strings.NewReplacer("$", object, "@", arguments).Replace(form)
	why := because(g.Text(g.n), text)
	if p := g.Parent(g.n); p.Kind == node.ExprStmt {
		g.emit(p.Start, p.End, g.ended(object+" = "+text), .2, why)
		return
	}
	g.replaceWhy(g.n, atom(text), 0, why)
}

func returnedError(g *site) {
	if g.Dialect.Raise == nil || len(g.n.Children) != 1 {
		return
	}
	made := g.n.Children[0]
	if made.Kind == node.Name && g.n.Kind == node.Return && g.caught(g.n) {
		text := g.raise() + " " + made.Name
		g.emit(g.n.Start, g.n.End, g.ended(text), .3, because(g.Text(g.n), text))
	}
	if made.Kind != node.Call {
		return
	}
	class := strings.TrimPrefix(g.Text(made.Children[0]), "new ")
	if !strings.HasSuffix(class, "Error") && !strings.HasSuffix(class, "Exception") && !slices.Contains(g.Dialect.Exceptions, class) {
		return
	}
	text := g.raise() + " " + g.Text(made)
	g.emit(g.n.Start, g.n.End, g.ended(text), 0, because(g.Text(g.n), text))
}

// raise is the word that raises an error.
func (g *site) raise() string {
	verb, _, _ := strings.Cut(g.Dialect.Raise("E", "m"), " ")
	return verb
}

// caught reports whether a statement is in what handles an error.
func (g *site) caught(st *node.Node) bool {
	for p := g.Parent(st); p != nil && p != g.fn; p = g.Parent(p) {
		if p.Kind == node.Other && p.Op == "except" {
			return true
		}
		if try := g.Parent(p); p.Kind == node.Block && try.Kind == node.Try && !g.Dialect.Indented && g.Place(p) == 1 {
			return true
		}
	}
	return false
}

func nothingDone(g *site) {
	if g.Dialect.Pass == "" || g.Text(g.n) != g.Dialect.Pass || g.fn.Kind != node.Function {
		return
	}
	put := func(text string, cost float64) { g.emit(g.n.Start, g.n.End, text, cost, because(g.Dialect.Pass, text)) }
	if g.caught(g.n) {
		put(g.raise(), .1)
	}
	if g.Loop(g.n) != nil {
		put("continue", .1)
		put("break", .1)
	}
	for k, s := range g.resultsAt(g.n.End) {
		put(strings.TrimSpace("return "+s), .05*float64(k))
	}
}

// asWell compares the other attributes of two objects too.
func asWell(g *site) {
	left, right := g.n.Children[0], g.n.Children[1]
	if left.Kind != node.Attribute || right.Kind != node.Attribute || left.Name != right.Name || g.callee(left) || g.packaged(left) {
		return
	}
	join := g.Dialect.And
	if g.n.Op == "!=" || g.n.Op == "!==" {
		join = g.Dialect.Or
	}
	for k, a := range g.sisters(left) {
		other := g.binary(atom(g.Text(left.Children[0])+"."+a), g.n.Op, atom(g.Text(right.Children[0])+"."+a))
		g.replace(g.n, g.binary(g.of(g.n), join, other), .03*float64(k))
	}
}

// both goes down the other way too, where a function calls itself for one.
func both(g *site) {
	callee := g.n.Children[0]
	if callee.Name != g.fn.Name || g.fn.Name == "" || g.Parent(g.n).Kind == node.ExprStmt {
		return
	}
	var way *node.Node
	node.Walk(g.n, func(n *node.Node) bool {
		if n.Kind == node.Attribute && n != callee && !g.callee(n) && way == nil {
			way = n
		}
		return true
	})
	if way == nil {
		return
	}
	self, d := g.of(g.n), g.Dialect
	others := distinct(append(slices.Clone(opposites[way.Name]), g.sisters(way)...))
	for k, a := range others[:min(len(others), 4)] {
		there := atom(g.Between(g.n.Start, way.End-len(way.Name)) + a + g.Between(way.End, g.n.End))
		extra := .05 * float64(k)
		g.replace(g.n, g.binary(self, "+", there), extra)
		g.replace(g.n, g.binary(there, "+", self), .1+extra)
		g.replace(g.n, atom(g.called("max")+"("+self.s+", "+there.s+")"), .1+extra)
		g.replace(g.n, atom(g.called("min")+"("+self.s+", "+there.s+")"), .2+extra)
		g.replace(g.n, g.binary(self, d.Or, there), .1+extra)
		g.replace(g.n, g.binary(self, d.And, there), .1+extra)
	}
}

// calledNow calls a method or function that stands as a value.
func calledNow(g *site) {
	if g.callee(g.n) || g.Stored(g.n) || g.n.Name == "" {
		return
	}
	p := g.Parent(g.n)
	if p.Kind == node.Attribute || p.Kind == node.Keyword {
		return
	}
	name, text := g.n.Name, g.Text(g.n)
	if g.n.Kind == node.Name {
		if !g.isVariable() && slices.Contains(g.functions, name) {
			g.replace(g.n, atom(text+"()"), .2)
		}
		if g.isVariable() && g.holdsFunction(name) {
			const most = 8
			vars := g.varsBy(g.n, g.n.Start)
			for k, v := range vars[:min(len(vars), most)] {
				if v.name != name {
					g.replace(g.n, atom(text+"("+v.name+")"), .05*float64(k))
				}
			}
		}
		return
	}
	if slices.Contains(g.methods, name) || g.Dialect.Results[name] != node.Unknown || g.Dialect.Receivers[name] != node.Unknown {
		g.replace(g.n, atom(text+"()"), 0)
	}
	for k, s := range g.Dialect.Siblings[name] {
		if !slices.Contains(g.attrs, s) {
			g.replace(g.n, atom(strings.TrimSuffix(text, name)+s+"()"), .3+.05*float64(k))
		}
	}
}

// holdsFunction reports whether a variable is one that the function asks whether it
// can be called.
func (g *site) holdsFunction(name string) bool {
	all := g.Text(g.fn)
	return strings.Contains(all, "typeof "+name+" === ") || strings.Contains(all, "callable("+name+")")
}

// repeated makes a list of containers whose elements are not all the same one.
func repeated(g *site) {
	d := g.Dialect
	if d.Repeated == nil {
		return
	}
	if g.n.Kind == node.Binary {
		list, count := g.n.Children[0], g.n.Children[1]
		if g.n.Op == "*" && list.Kind == node.List && len(list.Children) == 1 && g.holds(list.Children[0]) {
			g.replace(g.n, atom(d.Repeated(g.Text(list.Children[0]), g.Text(count))), 0)
		}
		return
	}
	fill := g.n.Children[0]
	if fill.Kind != node.Attribute || fill.Name != "fill" || len(g.n.Children) != 2 || !g.holds(g.n.Children[1]) {
		return
	}
	if array := fill.Children[0]; array.Kind == node.Call && len(array.Children) == 2 && strings.HasSuffix(g.Text(array.Children[0]), "Array") {
		g.replace(g.n, atom(d.Repeated(g.Text(g.n.Children[1]), g.Text(array.Children[1]))), 0)
	}
}

// holds reports whether a value is a container made on the spot.
func (g *site) holds(n *node.Node) bool {
	if n.Kind == node.Binary && n.Op == "*" {
		return n.Children[0].Kind == node.List
	}
	if n.Kind == node.Call && n.Children[0].Kind == node.Attribute {
		return n.Children[0].Name == "fill"
	}
	return g.shares(n)
}

// chained puts a method that gives the same kind of value in front of another.
func chained(g *site) {
	object := g.n.Children[0]
	if !g.callee(g.n) || g.packaged(g.n) {
		return
	}
	class := g.classOf(object)
	if class == node.Unknown {
		class = g.Dialect.Receivers[g.n.Name]
	}
	if class == node.Unknown {
		return
	}
	for k, w := range g.Dialect.Wraps {
		if !strings.HasPrefix(w.Call, ".") || !slices.Contains(w.Of, class) || w.To != class || w.Call == "."+g.n.Name || strings.HasSuffix(g.Text(object), w.Call+"()") {
			continue
		}
		g.emit(object.End, object.End, w.Call+"()", w.Cost+.02*float64(k), because(g.Text(object), g.Text(object)+w.Call+"()"))
	}
}

// whoseThis makes an arrow function of one that has an object of its own, which is
// hardly ever meant where the object around it is asked for.
func whoseThis(g *site) {
	text := g.Text(g.n)
	body := node.Body(g.n)
	rest, ok := strings.CutPrefix(text, "function")
	if !ok || body == nil || identifiers(text)[g.Dialect.Receiver] == 0 {
		return
	}
	open := strings.IndexByte(rest, '(')
	if open < 0 || strings.ContainsAny(rest[:open], "*{") {
		return
	}
	from := g.n.Start + len("function") + open
	g.emitAll([]textedit.Edit{
		{Start: g.n.Start, End: from, New: ""}, {Start: body.Start, End: body.Start, New: "=> "},
	}, 0, quote(text)+" should be an arrow function")
}
