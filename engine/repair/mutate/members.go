package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// under is what a type is made of, as far as the parser knows.
func (f *file) under(typ string) string {
	if t := f.Root.Types; t != nil {
		if u := t.Under[typ]; u != "" {
			return u
		}
	}
	return typ
}

// classOfType is the class of the values of a type.
func (f *file) classOfType(typ string) node.Class { return f.Dialect.Class(f.under(typ)) }

// elem and key are the types of what a container holds.
func (f *file) elem(typ string) string { return f.Dialect.Elem(f.under(typ)) }
func (f *file) key(typ string) string  { return f.Dialect.Key(f.under(typ)) }

// members are what a value of a type has; known is false when nobody says.
func (f *file) members(typ string) (list []node.Symbol, known bool) {
	if f.Root.Types == nil {
		return nil, false
	}
	list, known = f.Root.Types.Members[typ]
	return list, known
}

// member is one of them, by name.
func (f *file) member(typ, name string) node.Symbol {
	list, _ := f.members(typ)
	for _, m := range list {
		if m.Name == name {
			return m
		}
	}
	return node.Symbol{}
}

// zeros are the empty values of a type.
func (f *file) zeros(typ string) []string {
	under := f.under(typ)
	out := f.Dialect.Zeros(under)
	if under == typ {
		if _, known := f.members(typ); known && len(out) == 0 && !f.Dialect.Truthy {
			return []string{typ + "{}"}
		}
		return out
	}
	named := make([]string, len(out))
	for k, z := range out {
		named[k] = z
		if rest, ok := strings.CutPrefix(z, under); ok {
			named[k] = typ + rest
		}
	}
	return named
}

// several are the values to return from a function with more than one result: empty
// ones with each error at hand, or with none.
func (g *site) several(offset int) []string {
	results := splitResults(g.fn.Type)
	if g.Dialect.Walrus == "" || len(results) < 2 {
		return nil
	}
	var values []string
	for _, r := range results[:len(results)-1] {
		z := g.zeros(r)
		if len(z) == 0 {
			return nil
		}
		values = append(values, z[0])
	}
	last := results[len(results)-1]
	var out []string
	for _, v := range g.varsBy(g.n, offset) {
		if v.typ == last {
			out = append(out, strings.Join(append(values[:len(values):len(values)], v.name), ", "))
		}
	}
	for _, z := range g.zeros(last) {
		out = append(out, strings.Join(append(values[:len(values):len(values)], z), ", "))
	}
	return out
}

// otherMember puts other members in the place of one that the site asks its object
// for: of the same type, those first that the object is asked for elsewhere.
func (g *site) otherMember(list []node.Symbol, start int, object string, callable bool) {
	own := g.member(g.n.Children[0].Type, g.n.Name).Type
	for k, m := range list {
		if m.Callable != callable || m.Name == g.n.Name || !g.Dialect.Assignable(m.Type, own) {
			continue
		}
		cost := .25 + .005*float64(k)
		switch {
		case slices.Contains(g.perReceiver[object], m.Name):
			cost = 0
		case g.file.words[m.Name] > 0:
			cost = .1
		}
		if callable && m.Type != own {
			continue
		}
		g.emit(start, g.n.End, m.Name, cost, because(object+"."+g.n.Name, object+"."+m.Name))
	}
}

// ownMethod calls a method of a value on it that gives another of its kind.
func ownMethod(g *site) {
	list, known := g.members(g.n.Type)
	if !known || !g.whole() {
		return
	}
	tried := 0
	for _, m := range list {
		if !m.Callable || m.Type != "func() "+g.n.Type {
			continue
		}
		text := g.of(g.n).at(atomic) + "." + m.Name
		if strings.HasSuffix(text, "."+m.Name+"()."+m.Name) {
			continue
		}
		cost := .3
		if g.file.words[m.Name] > 0 {
			cost = .1
		}
		if tried++; tried <= maxPlaces*2 {
			g.replace(g.n, atom(text+"()"), cost+.02*float64(tried))
		}
	}
}

// asked adds what methods without arguments say of a value, as v.IsZero() does.
func (g *function) asked(v expression, add func(code, float64)) {
	for _, m := range g.methodsOf(v, "func() "+truthType) {
		test := atom(v.at(atomic) + "." + m.Name + "()")
		add(test, .6+g.unheard(m))
		add(g.not(test), .7+g.unheard(m))
	}
}

// askedOf adds what methods say of two values of one type, as a.Equal(b) does.
func (g *function) askedOf(a, b expression, add func(code, float64)) {
	if a.typ == "" || a.typ != b.typ {
		return
	}
	for _, m := range g.methodsOf(a, "func("+a.typ+") "+truthType) {
		test := atom(a.at(atomic) + "." + m.Name + "(" + b.s + ")")
		add(test, .7+g.unheard(m))
		add(g.not(test), .8+g.unheard(m))
	}
}

// truthType is how checkers spell the type of a condition.
const truthType = "bool"

// methodsOf are the methods of a value that have a type, at most maxMethods.
func (g *function) methodsOf(v expression, typ string) []node.Symbol {
	list, _ := g.members(v.typ)
	var out []node.Symbol
	for _, m := range list {
		if m.Callable && m.Type == typ && len(out) < maxMethods {
			out = append(out, m)
		}
	}
	return out
}

// unheard is what a method costs that the file does not call.
func (g *function) unheard(m node.Symbol) float64 {
	if g.file.words[m.Name] > 0 {
		return 0
	}
	return unread
}

// parts are the fields of the objects at hand that the function does not read yet.
func (g *function) parts(n *node.Node) []expression {
	var out []expression
	for _, v := range g.vars(n) {
		list, _ := g.members(v.typ)
		for _, m := range list {
			if m.Callable || len(out) == maxParts || !g.file.reads(m.Name) {
				continue
			}
			if e := (expression{code: atom(v.name + "." + m.Name), class: g.classOfType(m.Type), typ: m.Type}); !g.mentions(e.s) {
				out = append(out, e)
			}
		}
	}
	return out
}

// reads reports whether the file asks objects for a field.
func (f *file) reads(name string) bool { return slices.Contains(f.attrs, name) }

// mentions reports whether the function has an expression.
func (g *function) mentions(text string) bool {
	return slices.ContainsFunc(g.exprs, func(e expression) bool { return e.s == text })
}
