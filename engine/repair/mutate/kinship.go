package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// kinship are the templates about classes: which of them a value may be of, whose method
// is meant, and what is made.
func kinship() []Template {
	return []Template{
		{"one more type", "lets a value be of another type too", "isinstance(x, str) → isinstance(x, (str, bytes))", 1.0, []node.Kind{node.Call}, false, oneMoreType},
		{"method of the base class", "calls the method that this one overrides", "self.put(x) → super().put(x)", 1.0, []node.Kind{node.Name}, false, methodOfBase},
		{"own class", "makes one of its own class, which may inherit from the named one", "Set(xs) → type(self)(xs)", 1.1, []node.Kind{node.Name}, false, ownClass},
		{"not comparable", "leaves the answer to the other operand", "return False → return NotImplemented", .9, []node.Kind{node.Return}, false, notComparable},
		{"gathered arguments", "hands on the arguments that a function gathers", "f(x) → f(x, **options)", 1.1, []node.Kind{node.Call}, false, gatheredArguments},
		{"called as elsewhere", "calls a method on a value that is called so elsewhere", "s → s.replace('_', '')", 1.5, []node.Kind{node.Name, node.Call, node.Index, node.Attribute}, false, calledAsElsewhere},
	}
}

// oneMoreType adds a type to those that a value is tested for, or puts another one.
func oneMoreType(g *site) {
	callee := g.n.Children[0]
	args, _, ok := g.arguments()
	if !ok || len(args) != 2 || callee.Kind != node.Name || callee.Name != g.Dialect.TypeTest || callee.Name == "" {
		return
	}
	tested := args[1]
	have := identifiers(g.Text(tested))
	old := strings.TrimSuffix(strings.TrimSpace(strings.Trim(g.Text(tested), "()")), ",")
	for _, t := range g.relatedTypes(have) {
		start, end := g.Outer(tested)
		g.emit(start, end, "("+old+", "+t.s+")", t.cost, "a "+quote(t.s)+" should do as well as a "+quote(old))
		if tested.Kind != node.Tuple {
			g.emit(start, end, t.s, t.cost+.2, because(old, t.s))
		}
	}
}

// relatedTypes are types that a value may be of beside some: those that are often taken for
// one another, then those that the file tests for.
func (g *site) relatedTypes(have map[string]int) []weighed {
	var out []weighed
	add := func(t string, cost float64) {
		if have[t] == 0 && !slices.ContainsFunc(out, func(w weighed) bool { return w.s == t }) {
			out = append(out, weighed{atom(t), cost})
		}
	}
	for _, group := range g.Dialect.RelatedTypes {
		types := strings.Fields(group)
		if slices.ContainsFunc(types, func(t string) bool { return have[t] > 0 }) {
			for _, t := range types {
				add(t, 0)
			}
		}
	}
	for _, n := range g.callsOf[g.Dialect.TypeTest] {
		if len(n.Children) == 3 {
			for w := range strings.FieldsFuncSeq(g.Text(n.Children[2]), func(r rune) bool { return strings.ContainsRune("(), \n|", r) }) {
				add(w, .3)
			}
		}
	}
	return out
}

// methodOfBase calls the method of the base class in the method that overrides it, which
// would call itself.
func methodOfBase(g *site) {
	p := g.Parent(g.n)
	self := g.self()
	if g.Dialect.Super == "" || self == "" || g.n.Name != self || p == nil || p.Kind != node.Attribute {
		return
	}
	cost := .8
	if p.Name == g.fn.Name {
		cost = 0
	}
	if call := g.Parent(p); call.Kind == node.Call && g.Place(p) == 0 {
		g.emit(g.n.Start, g.n.End, g.Dialect.Super, cost, because(g.Text(p), g.Dialect.Super+"."+p.Name))
	}
}

// ownClass makes an object of the class that the method's own object is of.
func ownClass(g *site) {
	self := g.self()
	if self == "" || len(g.Dialect.OwnClass) == 0 || g.Stored(g.n) {
		return
	}
	class := g.fn
	for class != nil && (class.Kind != node.OtherStmt || class.Name == "") {
		class = g.Parent(class)
	}
	if class == nil || class.Name != g.n.Name {
		return
	}
	for k, form := range g.Dialect.OwnClass {
		g.replace(g.n, atom(strings.ReplaceAll(form, "$", self)), .1*float64(k))
	}
}

// notComparable answers, in a method that an operator calls, that it can't tell.
func notComparable(g *site) {
	name := g.fn.Name
	if g.Dialect.NotComparable == "" || !strings.HasPrefix(name, "__") || len(parameters(g.fn)) != 2 || len(g.n.Children) != 1 {
		return
	}
	switch v := g.n.Children[0]; v.Kind {
	case node.Bool, node.Nil:
		g.replace(v, atom(g.Dialect.NotComparable), 0)
	case node.Name:
		if v.Name == g.Dialect.NotComparable {
			g.replace(v, atom(g.Dialect.False), .2)
		}
	default: // Anything else is an answer.
	}
}

// gatheredArguments hands on what the function gathers and the call does not have.
func gatheredArguments(g *site) {
	if g.Dialect.Named == nil || g.conversion() {
		return
	}
	at, comma := g.behindArguments()
	for _, c := range g.fn.Children {
		if c.Kind != node.Param || identifiers(g.Text(g.n))[c.Name] > 0 {
			continue
		}
		if gathered := strings.TrimLeft(g.Between(max(0, c.Start-2), c.Start), " (,\t\n"); gathered == "*" || gathered == "**" {
			g.emit(at, at, comma+gathered+c.Name, 0, quote(gathered+c.Name)+" is missing in "+quote(g.Text(g.n)))
		}
	}
}

// mostElsewhere is how many calls of methods are tried on a value.
const mostElsewhere = 12

// calledAsElsewhere calls a method on a value as the function calls it on another one, with
// the same arguments.
func calledAsElsewhere(g *site) {
	if !g.whole() || g.condition() || g.n.Kind == node.Name && !g.isVariable() {
		return
	}
	text := g.Text(g.n)
	tried := 0
	for _, e := range g.exprs {
		callee := e.n.Children
		if e.n.Kind != node.Call || callee[0].Kind != node.Attribute || g.packaged(callee[0]) || tried == mostElsewhere {
			continue
		}
		object := callee[0].Children[0]
		if e.n == g.n || !agree(e.class, g.classOf(g.n)) || g.classOf(object) != e.class && g.classOf(object) != node.Unknown || identifiers(g.Between(object.End, e.n.End))[text] > 0 {
			continue
		}
		if p := g.Parent(e.n); p.Kind == node.ExprStmt {
			continue // it is called for what it does
		}
		call := g.Between(object.End, e.n.End)
		if strings.HasSuffix(text, call) {
			continue
		}
		tried++
		g.replace(g.n, atom(g.of(g.n).at(atomic)+call), .03*float64(tried))
	}
}
