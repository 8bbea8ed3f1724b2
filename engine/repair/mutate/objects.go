package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// objects are the templates about objects, their attributes, and what is called
// with which names.
func objects() []Template {
	return []Template{
		{"receiver", "asks another object", "self.f(x) → other.f(x)", .9, []node.Kind{node.Name}, false, receiver},
		{"other attribute", "computes with another attribute of the same object", "i.price → i.price * i.count", 1.6, []node.Kind{node.Attribute}, false, otherAttribute},
		{"counterpart", "computes with the same attribute of another object", "a.count → a.count + b.count", 1.1, []node.Kind{node.Attribute}, false, counterpart},
		{"attribute update", "counts or sets an attribute", "self.hits += 1", 1.7, stmtKinds, false, attributeUpdate},
		{"keyword", "gives an argument under another name", "f(seconds=n) → f(minutes=n)", .8, []node.Kind{node.Keyword}, false, keyword},
		{"own function", "calls a function of the file on a value", "x → convert(x)", 1.4, valueKinds, false, ownFunction},
		{"sort key", "sorts by something else", "sorted(xs) → sorted(xs, key=lambda x: x.name)", 1.4, []node.Kind{node.Call}, false, sortKey},
		{"tie", "orders what is equal so far", "key=lambda p: p[1] → key=lambda p: (p[1], p[0])", 1.4, []node.Kind{node.Lambda}, false, tie},
		{"missing if, copied", "does once more on a condition what the function does", "if line: lines.append(line)", 1.9, stmtKinds, false, conditionalCopy},
		{"own name", "takes the variable that a text names", "'text' → text", 1.0, []node.Kind{node.String}, false, ownName},
	}
}

func receiver(g *site) {
	p, self := g.Parent(g.n), g.self()
	if self != "" && g.unknown() {
		g.emit(g.n.Start, g.n.Start, self+".", -.2, quote(g.n.Name)+" should be "+quote(self+"."+g.n.Name))
		return
	}
	if self == "" || p == nil || p.Kind != node.Attribute || g.Place(g.n) != 0 {
		return
	}
	if g.n.Name != self {
		if g.isVariable() {
			g.emit(g.n.Start, g.n.End, self, .2, because(g.Text(p), self+"."+p.Name))
		}
		return
	}
	for k, v := range g.vars(g.n) {
		if v.name != self && (v.class == node.Unknown || v.class == node.Pointer || v.class == node.Struct) && k < maxVariables {
			cost := .3
			if g.params[v.name] {
				cost = 0
			}
			g.emit(g.n.Start, g.n.End, v.name, cost+.02*float64(k), because(g.Text(p), v.name+"."+p.Name))
		}
	}
}

// unknown reports whether a name that the file knows as an attribute means nothing
// by itself.
func (g *site) unknown() bool {
	name := g.n.Name
	if g.Stored(g.n) || g.Dialect.Reserved[name] || g.defined[name] || g.params[name] || slices.Contains(g.functions, name) {
		return false
	}
	if !slices.Contains(g.attrs, name) && !slices.Contains(g.methods, name) {
		return false
	}
	return !slices.ContainsFunc(g.Visible(g.n), func(s node.Symbol) bool { return s.Name == name })
}

// sisters are the other attributes of the same object that the file knows.
func (g *site) sisters(n *node.Node) []string {
	object := g.Text(n.Children[0])
	var out []string
	for _, a := range append(slices.Clone(g.perReceiver[object]), g.attrs...) {
		if a != n.Name && !slices.Contains(g.methods, a) {
			out = append(out, a)
		}
	}
	out = distinct(out)
	return out[:min(len(out), 8)]
}

func otherAttribute(g *site) {
	if g.callee(g.n) || g.packaged(g.n) || !g.numeric() {
		return
	}
	object := g.Text(g.n.Children[0])
	for k, a := range g.sisters(g.n) {
		for i, op := range []string{"*", "+", "-", g.Dialect.IntDivide} {
			g.replace(g.n, g.binary(g.of(g.n), op, atom(object+"."+a)), .1*float64(i)+.03*float64(k))
		}
	}
}

// counterpart computes with the attribute of an object that is like this one.
func counterpart(g *site) {
	if g.callee(g.n) || g.packaged(g.n) || !g.numeric() {
		return
	}
	owner, self := g.n.Children[0], g.of(g.n)
	taken := 0
	for _, v := range g.vars(g.n) {
		if v.name == g.Text(owner) || !g.alike(owner, v) || taken == maxVariables {
			continue
		}
		other := atom(v.name + "." + g.n.Name)
		extra := .03 * float64(taken)
		taken++
		g.replace(g.n, g.binary(self, "+", other), extra)
		g.replace(g.n, g.binary(other, "+", self), extra)
		g.replace(g.n, g.binary(self, "-", other), .1+extra)
		g.replace(g.n, g.binary(other, "-", self), .2+extra)
		g.replace(g.n, g.binary(self, "*", other), .3+extra)
	}
}

// alike reports whether a variable seems to hold what an object is: it has the
// same type or, where types are unknown, is asked for an attribute that the object
// is asked for.
func (g *site) alike(object *node.Node, v variable) bool {
	if object.Type != "" && v.typ != "" {
		return object.Type == v.typ
	}
	asked := g.perReceiver[g.Text(object)]
	return slices.ContainsFunc(g.perReceiver[v.name], func(a string) bool { return slices.Contains(asked, a) })
}

// attributeUpdate changes the attributes that the file sets to a number or a truth
// value somewhere.
func attributeUpdate(g *site) {
	self := g.self()
	if self == "" || g.fn.Kind != node.Function || g.fn.Name == "__init__" {
		return
	}
	seen := map[string]bool{}
	for _, p := range g.spots() {
		clear(seen)
		node.Walk(g.Root, func(n *node.Node) bool {
			if n.Kind != node.Assign || len(n.Children) != 2 || n.Children[0].Kind != node.Attribute {
				return true
			}
			target, value := g.Text(n.Children[0]), n.Children[1]
			if !strings.HasPrefix(target, self+".") || seen[target] || len(seen) > 12 {
				return true
			}
			seen[target] = true
			cost := .3
			if g.file.words[n.Children[0].Name] == 1 {
				cost = 0 // nobody else touches it
			}
			switch value.Kind {
			case node.Number:
				p.put(g.Dialect.Increment(target, 1), cost)
				p.put(g.Dialect.Increment(target, -1), cost+.2)
				p.put(target+" = 0", cost+.3)
			case node.Bool, node.Nil:
				for _, v := range []string{g.Dialect.True, g.Dialect.False, g.Dialect.Nil} {
					p.put(target+" = "+v, cost+.2)
				}
			default: // Other values are no counters.
			}
			for _, v := range p.vars {
				if g.params[v.name] && v.name == n.Children[0].Name {
					p.put(target+" = "+v.name, cost)
				}
			}
			return true
		})
	}
}

// named are keywords that are mistaken for one another.
var named = [][]string{
	{"seconds", "minutes", "hours", "days", "weeks", "milliseconds", "microseconds"},
	{"key", "default", "reverse"},
	{"start", "stop", "step"},
	{"year", "month", "day"},
	{"hour", "minute", "second", "microsecond"},
	{"left", "right"},
	{"min", "max"},
	{"sep", "end"},
	{"width", "height"},
	{"x", "y"},
	{"first", "last"},
	{"mode", "encoding"},
	{"default", "default_factory"},
	{"stdout", "stderr"},
}

func keyword(g *site) {
	n := g.n
	if n.Name == "" {
		return
	}
	call := g.Parent(n)
	taken := map[string]bool{n.Name: true}
	for _, a := range call.Children[1:] {
		if a.Kind == node.Keyword {
			taken[a.Name] = true
		}
	}
	var names []string
	if v := n.Children[0]; v.Kind == node.Name || v.Kind == node.Attribute {
		names = append(names, v.Name)
	}
	for _, group := range named {
		if slices.Contains(group, n.Name) {
			names = append(names, group...)
		}
	}
	names = append(names, opposites[n.Name]...)
	callee := g.Text(call.Children[0])
	node.Walk(g.Root, func(m *node.Node) bool {
		switch m.Kind {
		case node.Call:
			if g.Text(m.Children[0]) == callee {
				for _, a := range m.Children[1:] {
					if a.Kind == node.Keyword {
						names = append(names, a.Name)
					}
				}
			}
		case node.Function:
			if m.Name == call.Children[0].Name {
				for _, c := range m.Children {
					if c.Kind == node.Param {
						names = append(names, c.Name)
					}
				}
			}
		default: // Nothing else names arguments.
		}
		return true
	})
	for k, s := range distinct(names) {
		if !taken[s] && s != g.Dialect.Receiver {
			g.emit(n.Start, n.Start+len(n.Name), s, .03*float64(min(k, 15)), because(n.Name, s)+" in "+quote(g.Text(call)))
		}
	}
}

// ownFunction calls functions that nobody calls on anything here, and parameters
// that nobody uses.
func ownFunction(g *site) {
	if !g.whole() || g.classOf(g.n) == node.Truth || g.n.Kind == node.String || g.n.Kind == node.Number || g.condition() {
		return
	}
	text := g.Text(g.n)
	if g.n.Kind == node.Comp && strings.HasPrefix(text, "(") || g.n.Kind == node.Tuple && !strings.HasPrefix(text, "(") {
		return
	}
	for k, f := range g.wrappers {
		if k == 30 || slices.Contains(g.unary, f) || f == g.fn.Name || strings.HasPrefix(f, "test") || f == text {
			continue
		}
		cost := .5
		if g.file.words[f] == 1 {
			cost = 0
		}
		g.replace(g.n, atom(f+"("+text+")"), cost+.02*float64(k))
	}
	if !g.Dialect.Truthy {
		return
	}
	for _, v := range g.vars(g.n) {
		if g.params[v.name] && g.words[v.name] == 1 && v.name != text && v.class == node.Unknown {
			g.replace(g.n, atom(v.name+"("+text+")"), .1)
		}
	}
}

func sortKey(g *site) {
	callee := g.n.Children[0]
	if g.Dialect.SortKeys == nil || callee.Kind != node.Name && callee.Kind != node.Attribute {
		return
	}
	switch callee.Name {
	case "sorted", "sort", "min", "max":
	default:
		return
	}
	for _, a := range g.n.Children[1:] {
		if a.Kind == node.Keyword && a.Name == "key" {
			return
		}
	}
	at, comma := g.n.End-1, ", "
	if len(g.n.Children) == 1 {
		comma = ""
	}
	var keys []string
	for _, a := range g.attrs[:min(len(g.attrs), 6)] {
		keys = append(keys, "x."+a)
	}
	keys = append(keys, g.Dialect.SortKeys...)
	for k, s := range keys {
		text := "key=lambda x: " + s
		g.emit(at, at, comma+text, .05*float64(k), quote(text)+" is missing in "+quote(g.Text(g.n)))
	}
}

func tie(g *site) {
	p := g.Parent(g.n)
	if g.Dialect.SortKeys == nil || p == nil || p.Kind != node.Keyword || p.Name != "key" || len(g.n.Children) != 2 {
		return
	}
	x, body := g.n.Children[0].Name, g.n.Children[1]
	if body.Kind == node.Tuple {
		return
	}
	text := g.Text(body)
	for k, s := range []string{x, x + "[0]", x + "[1]"} {
		if s != text {
			g.replace(body, atom("("+text+", "+s+")"), .05*float64(k))
		}
	}
	for k, a := range g.attrs[:min(len(g.attrs), 6)] {
		if s := x + "." + a; s != text {
			g.replace(body, atom("("+text+", "+s+")"), .2+.03*float64(k))
		}
	}
	if body.Kind != node.Unary {
		g.replace(body, g.minus(g.of(body)), .2)
		g.replace(body, atom("("+g.minus(g.of(body)).s+", "+x+"[0])"), .2)
	}
}

// conditionalCopy repeats a statement of the function where one of its variables
// holds something.
func conditionalCopy(g *site) {
	d := g.Dialect
	for _, p := range g.spots() {
		held := map[string]variable{}
		for _, v := range p.vars {
			held[v.name] = v
		}
		for _, st := range p.stmts[:min(len(p.stmts), 12)] {
			text := p.Text(st)
			if st == p.n || st.Op == ":=" || p.Parent(st).Kind != node.Block {
				continue
			}
			for name := range identifiers(text) {
				v, ok := held[name]
				if !ok {
					continue
				}
				cond := name
				if !d.Truthy {
					if !sized(v.class, false) {
						continue
					}
					cond = g.binary(atom(d.Length(name)), ">", atom("0")).s
				}
				p.put(p.guard(p.line, cond, text), .1)
			}
		}
	}
}

// ownName puts a variable in the place of a text that is its name.
func ownName(g *site) {
	_, text, _, ok := g.body()
	if !ok {
		return
	}
	for _, v := range g.vars(g.n) {
		if v.name != text {
			continue
		}
		g.replace(g.n, atom(text), 0)
		for k, s := range []string{".encode()", ".lower()", ".strip()"} {
			if g.Dialect.Receiver == "self" {
				g.replace(g.n, atom(text+s), .1+.1*float64(k))
			}
		}
	}
}
