package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// lookups are the templates about values that may be missing or empty.
func lookups() []Template {
	return []Template{
		{"lookup", "looks a key up with a fallback, or without one", "d[k] → d.get(k, 0)", 1.1, []node.Kind{node.Index, node.Call}, false, lookup},
		{"put", "puts a value under a key in another way", "d[k] = v → d.setdefault(k, []).append(v)", 1.3, []node.Kind{node.Assign}, false, put},
		{"fallback", "takes another value for an empty one", "x → x or []", 1.5, valueKinds, false, fallback},
		{"emptied entry", "takes an entry out whose value has come to nothing", "d[k] -= n → …; if d[k] == 0: del d[k]", 1.3, []node.Kind{node.Assign, node.ExprStmt}, false, emptiedEntry},
		{"empty value", "starts with another empty value", "x = [] → x = {}", 1.3, []node.Kind{node.List, node.Dict, node.Call, node.Number, node.String, node.Nil, node.Tuple}, false, emptyValue},
		{"look up by", "takes what is found under a value", "k → d[k]", 1.7, []node.Kind{node.Name}, false, lookUpBy},
		{"guarded value", "takes a value only where there is one", "a[-1] → a[-1] if a else None", 1.6, []node.Kind{node.Index, node.Attribute, node.Call}, false, guardedValue},
		{"each element", "does something to each element first", "join(xs) → join(str(x) for x in xs)", 1.5, valueKinds, false, eachElement},
	}
}

func lookup(g *site) {
	d := g.Dialect
	if d.Lookup == nil || g.Stored(g.n) || g.callee(g.n) {
		return
	}
	if g.n.Kind == node.Index {
		object, key := g.n.Children[0], g.n.Children[1]
		if c := g.classOf(object); c == node.Sequence || c == node.Text || key.Kind == node.Number && c != node.Mapping || key.Kind == node.Unary || key.Kind == node.Tuple {
			return
		}
		base := g.of(object).at(atomic)
		g.replace(g.n, atom(d.Lookup(base, g.Text(key), "")), 0)
		for k, f := range d.Fallbacks[1:] {
			g.replace(g.n, atom(d.Lookup(base, g.Text(key), f)), .1+.05*float64(k))
		}
		for k, v := range g.vars(g.n) {
			if g.params[v.name] && k < maxVariables && v.name != g.Text(key) {
				g.replace(g.n, atom(d.Lookup(base, g.Text(key), v.name)), .4)
			}
		}
		return
	}
	callee := g.n.Children[0]
	if callee.Kind != node.Attribute || g.packaged(callee) {
		return
	}
	object := g.of(callee.Children[0]).at(atomic)
	switch args := g.n.Children[1:]; {
	case callee.Name == "get" && len(args) == 1:
		g.replace(g.n, atom(object+"["+g.Text(args[0])+"]"), .2)
		for k, f := range d.Fallbacks[1:] {
			g.replace(g.n, atom(d.Lookup(object, g.Text(args[0]), f)), .05*float64(k))
		}
	case callee.Name == "get" && len(args) == 2:
		g.replace(g.n, atom(object+"["+g.Text(args[0])+"]"), .4)
	case callee.Name == "pop" && len(args) == 1:
		at := g.n.End - 1
		g.emit(at, at, ", "+d.Nil, .2, because(g.Text(g.n), object+".pop("+g.Text(args[0])+", "+d.Nil+")"))
	}
}

func put(g *site) {
	d, n := g.Dialect, g.n
	if d.Put == nil || n.Op != "=" || len(n.Children) != 2 || n.Children[0].Kind != node.Index {
		return
	}
	target := n.Children[0]
	if c := g.classOf(target.Children[0]); c == node.Sequence || c == node.Text {
		return
	}
	values := []string{g.Text(n.Children[1])}
	if list := n.Children[1]; list.Kind == node.List && len(list.Children) == 1 {
		values = append([]string{g.Text(list.Children[0])}, values...) // one is put in where all are kept
	}
	for _, v := range values {
		for k, s := range d.Put(g.of(target.Children[0]).at(atomic), g.Text(target.Children[1]), v) {
			g.emit(n.Start, n.End, s, .1*float64(k), because(g.Text(n), s))
		}
	}
}

// received reports whether n stands where a value is handed on: returned,
// assigned, given, iterated.
func (g *site) received() bool {
	if !g.whole() || g.condition() {
		return false
	}
	switch p := g.Parent(g.n); p.Kind {
	case node.Return, node.Assign, node.VarDecl, node.Keyword, node.For, node.Yield:
		return true
	case node.Call:
		return g.Place(g.n) > 0
	default:
		return false
	}
}

func fallback(g *site) {
	d := g.Dialect
	switch g.n.Kind {
	case node.Name, node.Attribute, node.Call, node.Index:
	default:
		return
	}
	if !d.Truthy || d.Fallbacks == nil || !g.received() {
		return
	}
	class := g.classOf(g.n)
	cost := .3
	if g.n.Kind == node.Name && g.params[g.n.Name] {
		cost = 0
	}
	fits := map[string]node.Class{"0": node.Int, "''": node.Text, "[]": node.Sequence, "{}": node.Mapping}
	for k, f := range d.Fallbacks {
		if c, ok := fits[f]; ok && agree(c, class) && class != node.Truth {
			g.replace(g.n, g.binary(g.of(g.n), d.Or, atom(f)), cost+.05*float64(k))
		}
	}
	for k, v := range g.fit(g.n, class, g.n.Type) {
		if v.name != g.Text(g.n) && k < maxVariables {
			g.replace(g.n, g.binary(g.of(g.n), d.Or, atom(v.name)), cost+.3+.02*float64(k))
		}
	}
}

func emptyValue(g *site) {
	text := g.Text(g.n)
	if !slices.Contains(g.Dialect.Empties, text) || g.docstring(g.n) {
		return
	}
	p := g.Parent(g.n)
	if p.Kind != node.Assign && p.Kind != node.VarDecl && p.Kind != node.Return && p.Kind != node.Call && p.Kind != node.Param && p.Kind != node.Keyword {
		return
	}
	for k, s := range g.Dialect.Empties {
		if s != text {
			g.replace(g.n, atom(s), .05*float64(k))
		}
	}
}

func lookUpBy(g *site) {
	if !g.whole() || !g.isVariable() || g.condition() {
		return
	}
	for k, v := range g.vars(g.n) {
		if v.name == g.n.Name || k >= maxVariables {
			continue
		}
		cost := .0
		switch v.class {
		case node.Mapping:
			if !g.Dialect.Assignable(g.n.Type, g.key(v.typ)) {
				continue
			}
		case node.Sequence:
			if !number(g.classOf(g.n)) {
				continue
			}
		case node.Unknown:
			if !g.Dialect.Truthy {
				continue
			}
			cost = .3
		case node.Int, node.Float, node.Text, node.Truth, node.Set, node.Callable, node.Pointer, node.Struct:
			continue
		}
		if elem := g.elem(v.typ); g.Dialect.Assignable(elem, g.n.Type) || g.n.Type == "" {
			g.replace(g.n, atom(v.name+"["+g.n.Name+"]"), cost+.02*float64(k))
		}
	}
}

func guardedValue(g *site) {
	d := g.Dialect
	if d.Conditional == nil || d.Fallbacks == nil || g.callee(g.n) || g.n.Kind == node.Attribute && g.packaged(g.n) || !g.received() {
		return
	}
	base := g.n.Children[0]
	if g.n.Kind == node.Call {
		if base.Kind != node.Attribute || g.packaged(base) {
			return
		}
		base = base.Children[0]
	}
	if base.Kind != node.Name && base.Kind != node.Attribute || base.Kind == node.Name && base.Name == d.Receiver {
		return
	}
	for k, f := range d.Fallbacks {
		g.replace(g.n, code{d.Conditional(g.Text(base), g.Text(g.n), f), 0}, .06*float64(k))
	}
}

// fresh is a name for an element that means nothing else here.
func (g *function) fresh() string {
	for _, s := range []string{"x", "item", "v", "e", "each"} {
		if g.words[s] == 0 {
			return s
		}
	}
	return "_x"
}

// takesAll are functions that take all elements of their argument.
var takesAll = []string{"join", "sum", "Counter", "set", "list", "sorted", "tuple", "max", "min", "any", "all", "frozenset"}

func eachElement(g *site) {
	p := g.Parent(g.n)
	if g.Dialect.Each == nil || p == nil || p.Kind != node.Call || g.Place(g.n) != 1 {
		return
	}
	switch g.n.Kind {
	case node.Name, node.Attribute, node.Call, node.Index:
	default:
		return
	}
	callee := p.Children[0]
	if callee.Kind != node.Name && callee.Kind != node.Attribute || !slices.Contains(takesAll, callee.Name) {
		return
	}
	calls := []string{"str", "int", "float", ".lower", ".strip", "len", "abs", ".upper"}
	if callee.Name != "join" {
		calls = append(calls[1:], "str")
	}
	for k, f := range append(calls, g.unary...) {
		text := g.Dialect.Each(f, g.fresh(), g.Text(g.n))
		if len(p.Children) > 2 {
			text = "(" + text + ")"
		}
		g.replace(g.n, code{text, atomic}, .1*float64(min(k, 8)))
	}
	if strings.HasPrefix(g.Text(g.n), "(") {
		return
	}
}

// emptiedEntry takes an entry out of a mapping behind what makes its value less.
func emptiedEntry(g *site) {
	d := g.Dialect
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); !ok || !alone || d.Delete == nil {
		return
	}
	put := func(entry *node.Node, emptied ...code) {
		for k, c := range emptied {
			text := d.Delete(g.Text(entry.Children[0]), g.Text(entry.Children[1]))
			g.after(l, g.guard(l, c.s, text), .1*float64(k), quote(text)+" is missing "+quote("if "+c.s))
		}
	}
	target := g.n.Children[0]
	switch {
	case g.n.Kind == node.Assign && target.Kind == node.Index && len(g.n.Children) == 2:
		if value := g.n.Children[1]; g.n.Op == "-=" || g.n.Op == "=" && value.Kind == node.Binary && value.Op == "-" {
			put(target, g.binary(g.of(target), "==", atom("0")), g.binary(g.of(target), "<=", atom("0")))
		}
	case g.n.Kind == node.ExprStmt && target.Kind == node.Call && target.Children[0].Kind == node.Attribute:
		entry := target.Children[0].Children[0]
		if lessens := []string{"remove", "discard", "pop", "popleft"}; entry.Kind == node.Index && d.Truthy && slices.Contains(lessens, target.Children[0].Name) {
			put(entry, g.not(g.of(entry)))
		}
	}
}
