package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// names are the templates about which variable, attribute or function is meant.
func names() []Template {
	return []Template{
		{"variable", "puts another variable", "lo → hi", .6, []node.Kind{node.Name}, false, variableReplace},
		{"variable to constant", "puts a constant of the function in the place of a variable", "i → 0", 1.4, []node.Kind{node.Name}, false, variableToConstant},
		{"element for variable", "puts an element or attribute in the place of a value", "node → node.next", 1.2, []node.Kind{node.Name, node.Index, node.Attribute}, false, placeReplace},
		{"sibling", "puts the function, method or constant it is mistaken for", "min(a, b) → max(a, b)", .6, []node.Kind{node.Name, node.Attribute}, false, sibling},
		{"function", "calls another function", "f(x) → g(x)", 1.3, []node.Kind{node.Name}, false, functionReplace},
		{"attribute", "takes another attribute of the same value", "p.x → p.y", .6, []node.Kind{node.Attribute}, false, attributeReplace},
		{"attribute drop", "takes the value itself", "node.next → node", .9, []node.Kind{node.Attribute}, false, attributeDrop},
		{"attribute add", "takes an attribute of the value", "node → node.next", 1.4, []node.Kind{node.Name}, false, attributeAdd},
		{"method", "calls another method of the same value", "s.push(x) → s.add(x)", 1.2, []node.Kind{node.Attribute}, false, methodReplace},
	}
}

// value reports whether n is a value that is read.
func (g *site) value() bool { return !g.Stored(g.n) && !g.callee(g.n) }

// isVariable reports whether a Name is one, and not a function or a package.
func (g *site) isVariable() bool {
	if g.Dialect.Reserved[g.n.Name] {
		return false
	}
	for _, s := range g.Visible(g.n) {
		if s.Name == g.n.Name {
			return !s.Callable
		}
	}
	return len(g.Visible(g.n)) == 0 || g.n.Type != ""
}

// inOnePlace is what it costs to put a variable in one place of a name that means nothing,
// and leave it in others.
const inOnePlace = 1.0

func variableReplace(g *site) {
	if !g.value() || !g.isVariable() && !g.stray() {
		return
	}
	if p := g.Parent(g.n); p.Kind == node.Assign && p.Op != "=" && p.Op != ":=" && g.Place(g.n) == 0 {
		return
	}
	cost := 0.0
	if g.longhand(g.n) {
		cost = -.4
	}
	if g.words[g.n.Name] > 1 && g.unheardOf() {
		cost = inOnePlace
	}
	class, typ := g.classOf(g.n), g.n.Type
	if g.valueless() {
		class, typ = node.Unknown, ""
	}
	for k, v := range g.fit(g.n, class, typ) {
		g.replace(g.n, atom(v.name), cost+.01*float64(min(k, 20))+g.unheld(v.name))
	}
}

// valueless reports whether the name at the site has no value yet where it stands: what it
// is elsewhere says nothing of what is meant here.
func (g *site) valueless() bool {
	at, assigned := g.since[g.n.Name]
	return g.Dialect.Truthy && g.Loop(g.n) == nil && assigned && at > g.n.Start || g.unheardOf()
}

// stray reports whether a name that is no variable may be meant for one: nothing that
// can be seen from here has it, and it does not look like something that is given.
func (g *site) stray() bool {
	name := g.n.Name
	if g.Dialect.Reserved[name] || !g.Dialect.Truthy || name == "" || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	if p := g.Parent(g.n); p == nil || p.Kind == node.Attribute {
		return false
	}
	return !slices.ContainsFunc(g.Visible(g.n), func(s node.Symbol) bool { return s.Name == name })
}

// lonely is what an object costs as a value that is only ever asked for something.
const lonely = .6

// unheld is what a name costs as a value by itself: much for the object of a method and
// for a module, where the file does nothing with them but ask them for something.
func (g *site) unheld(name string) float64 {
	if name != g.Dialect.Receiver && (g.bare[name] || g.defined[name] || len(g.perReceiver[name]) == 0) {
		return 0
	}
	if p := g.Parent(g.n); p != nil && p.Kind == node.Attribute && g.Place(g.n) == 0 {
		return 0
	}
	return lonely
}

// longhand reports whether n is the key in d[k] = d[k] + 1: who means that
// writes d[k] += 1, so that one of the keys is likely to be another.
func (g *site) longhand(n *node.Node) bool {
	index := g.Parent(n)
	if index.Kind != node.Index || g.Place(n) != 1 {
		return false
	}
	sum := g.Parent(index)
	st := g.Parent(sum)
	return sum.Kind == node.Binary && g.Place(index) == 0 && st != nil && st.Kind == node.Assign && st.Op == "=" && g.Text(st.Children[0]) == g.Text(index)
}

func variableToConstant(g *site) {
	if !g.value() || !g.isVariable() || !number(g.classOf(g.n)) && g.classOf(g.n) != node.Unknown {
		return
	}
	if p := g.Parent(g.n); p.Kind == node.Attribute || (p.Kind == node.Index || p.Kind == node.Slice) && g.Place(g.n) == 0 {
		return
	}
	for _, s := range distinct(append([]string{"0", "1"}, g.numbers[:min(len(g.numbers), 6)]...)) {
		g.replace(g.n, atom(s), .2)
	}
}

func placeReplace(g *site) {
	if !g.value() || g.packagedObject() {
		return
	}
	text := g.Text(g.n)
	for k, e := range g.places() {
		if k == maxPlaces*2 {
			break
		}
		if e.s != text && agree(e.class, g.classOf(g.n)) && g.Dialect.Assignable(e.typ, g.n.Type) {
			g.replace(g.n, e.code, .1+.02*float64(k))
		}
	}
	if g.n.Kind == node.Name {
		return
	}
	for k, v := range g.fit(g.n, g.classOf(g.n), g.n.Type) {
		g.replace(g.n, atom(v.name), .02*float64(min(k, 20)))
	}
}

// packagedObject reports whether n is a package, or something in one.
func (g *site) packagedObject() bool {
	if g.n.Kind == node.Attribute {
		return g.packaged(g.n)
	}
	return g.n.Kind == node.Name && !g.isVariable()
}

func sibling(g *site) {
	if g.Stored(g.n) {
		return
	}
	if g.n.Kind == node.Name && g.isVariable() && !g.callee(g.n) {
		return
	}
	start := g.n.Start
	if g.n.Kind == node.Attribute {
		start = g.n.End - len(g.n.Name)
	}
	for k, other := range g.Dialect.Siblings[g.n.Name] {
		why := because(g.n.Name, other)
		if st := g.Statement(g.n); st != nil { // a decorator is in none
			why += " in " + quote(g.Text(st))
		}
		g.emit(start, g.n.End, other, .05*float64(k), why)
	}
}

func functionReplace(g *site) {
	if !g.callee(g.n) {
		return
	}
	for k, f := range distinct(append(slices.Clone(g.functions), g.unary...)) {
		if k == 20 || f == g.n.Name {
			continue
		}
		g.replace(g.n, atom(f), .02*float64(k))
	}
}

func attributeReplace(g *site) {
	if g.callee(g.n) || g.packaged(g.n) {
		return
	}
	start := g.n.End - len(g.n.Name)
	object := g.Text(g.n.Children[0])
	if list, known := g.members(g.n.Children[0].Type); known {
		g.otherMember(list, start, object, false)
		return
	}
	for _, a := range g.attrs {
		if a != g.n.Name {
			g.emit(start, g.n.End, a, g.strange(object, a), because(g.Text(g.n), object+"."+a))
		}
	}
}

func attributeDrop(g *site) {
	if g.callee(g.n) || g.packaged(g.n) || g.Stored(g.n) || !g.Dialect.Assignable(g.n.Children[0].Type, g.n.Type) {
		return
	}
	g.replace(g.n, g.of(g.n.Children[0]), 0)
}

func attributeAdd(g *site) {
	if !g.value() || !g.isVariable() {
		return
	}
	if p := g.Parent(g.n); p.Kind == node.Attribute {
		return
	}
	if c := g.classOf(g.n); c != node.Unknown && c != node.Struct && c != node.Pointer {
		return
	}
	attrs := g.attrs
	if list, known := g.members(g.n.Type); known {
		attrs = nil
		for _, m := range list {
			if !m.Callable {
				attrs = append(attrs, m.Name)
			}
		}
	}
	for _, a := range attrs {
		cost := .4
		if slices.Contains(g.perReceiver[g.n.Name], a) {
			cost = 0
		}
		g.replace(g.n, atom(g.n.Name+"."+a), cost)
	}
}

func methodReplace(g *site) {
	if !g.callee(g.n) || g.packaged(g.n) {
		return
	}
	object := g.Text(g.n.Children[0])
	start := g.n.End - len(g.n.Name)
	if list, known := g.members(g.n.Children[0].Type); known {
		g.otherMember(list, start, object, true)
		return
	}
	for _, m := range g.methods {
		if m != g.n.Name && !strings.HasPrefix(m, "__") {
			g.emit(start, g.n.End, m, g.strange(object, m), because(object+"."+g.n.Name, object+"."+m))
		}
	}
}

// strange is what it costs to ask an object for something else: little for what it is
// asked for elsewhere, for what its class declares, and for what is named alike.
func (g *site) strange(object, name string) float64 {
	switch {
	case slices.Contains(g.perReceiver[object], name):
		return 0
	case object == g.Dialect.Receiver && g.declared[name], kin(name, g.n.Name):
		return .1
	default:
		return .3
	}
}

// kin reports whether one of two names is the beginning or the end of the other.
func kin(a, b string) bool {
	const least = 3
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= least && (strings.HasPrefix(b, a) || strings.HasSuffix(b, a))
}
