package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// containers are the templates about lists, their elements and slices.
func containers() []Template {
	return []Template{
		{"slice bound", "changes the bounds of a slice", "a[i:] → a[i + 1:]", .7, []node.Kind{node.Slice, node.Call}, false, sliceBound},
		{"slice add", "takes a part of a list or text", "a → a[1:]", 1.2, valueKinds, false, sliceAdd},
		{"index add", "takes one element", "a → a[0]", 1.6, valueKinds, false, indexAdd},
		{"index", "takes the first, the last or the mirrored element", "a[i] → a[len(a) - 1 - i]", 1.0, []node.Kind{node.Index}, false, indexMirror},
		{"indexes swapped", "swaps two indexes of one value", "a[i][j] → a[j][i]", .9, []node.Kind{node.Index}, false, indexesSwapped},
		{"index to call", "asks for all of a list in the place of one element", "a[-1] → sum(a)", 1.7, []node.Kind{node.Index}, false, indexToCall},
		{"into list", "makes a list of a value", "x → [x]", 1.9, valueKinds, false, intoList},
		{"element swap", "swaps two elements", "(a, b) → (b, a)", .8, []node.Kind{node.Tuple, node.List}, false, elementSwap},
		{"element drop", "leaves out an element", "[a, b] → [a]", 1.2, []node.Kind{node.Tuple, node.List}, false, elementDrop},
		{"elements drop", "leaves out several elements", "[a, b, c] → [a]", 1.6, []node.Kind{node.List}, false, elementsDrop},
	}
}

func sliceBound(g *site) {
	if g.n.Kind == node.Call {
		g.cutBefore()
		return
	}
	if len(g.n.Children) < 4 || g.Stored(g.n) {
		return
	}
	d := g.Dialect
	base := g.of(g.n.Children[0]).at(atomic)
	lo, hi, st := g.Text(g.n.Children[1]), g.Text(g.n.Children[2]), g.Text(g.n.Children[3])
	put := func(lo, hi, st string, cost float64) { g.replace(g.n, atom(d.Slice(base, lo, hi, st)), cost) }
	negative := d.Last(base) == "-1"
	if lo != hi {
		// The part before a place is mistaken for the part behind it.
		put(hi, strings.TrimPrefix(lo, "0"), st, .1)
	}
	if lo != "" {
		put("", hi, st, .1)
	} else {
		put("1", hi, st, 0)
	}
	if hi != "" {
		put(lo, "", st, .1)
	} else if negative {
		put(lo, "-1", st, .1)
	} else {
		put(lo, d.Last(base), st, .1)
	}
	if st != "" {
		put(lo, hi, "", .2)
	} else if negative {
		put(lo, hi, "-1", .5)
		put(lo, hi, "2", .8)
	}
	g.replace(g.n, g.of(g.n.Children[0]), .3)
	if lo != "" && hi == "" {
		for k, n := range g.numbers[:min(len(g.numbers), 6)] {
			put(lo, g.binary(g.of(g.n.Children[1]), "+", atom(n)).s, st, .5+.03*float64(k))
		}
	}
	for k, v := range g.fit(g.n, node.Int, "int") {
		c := .4 + .02*float64(min(k, 15))
		if lo == "" || g.n.Children[1].Kind == node.Number {
			put(v.name, hi, st, c)
		}
		if hi == "" || g.n.Children[2].Kind == node.Number {
			put(lo, v.name, st, c)
		}
	}
}

// cutBefore takes the part before a place where a call takes the part behind it.
func (g *site) cutBefore() {
	callee := g.n.Children[0]
	if !g.Dialect.Truthy || callee.Kind != node.Attribute || len(g.n.Children) != 2 || !slices.Contains([]string{"slice", "substring", "subarray"}, callee.Name) {
		return
	}
	at := g.n.Children[1].Start
	g.emit(at, at, "0, ", .1, because(g.Text(g.n), g.Text(callee)+"(0, "+g.Text(g.n.Children[1])+")"))
}

// sliceable reports whether n may be cut.
func (g *site) sliceable() bool {
	if !g.whole() || g.n.Kind == node.String || g.n.Kind == node.Number || g.n.Kind == node.Binary || g.n.Kind == node.Tuple || g.condition() {
		return false
	}
	switch g.classOf(g.n) {
	case node.Sequence, node.Text:
		return true
	case node.Unknown:
		return g.Dialect.Truthy && g.n.Kind != node.Logical && g.n.Kind != node.Compare
	case node.Int, node.Float, node.Truth, node.Mapping, node.Set, node.Callable, node.Pointer, node.Struct:
		return false
	default:
		return false
	}
}

func sliceAdd(g *site) {
	if !g.sliceable() {
		return
	}
	d := g.Dialect
	base := g.of(g.n).at(atomic)
	extra := 0.0
	if g.classOf(g.n) == node.Unknown {
		extra = .2
	}
	put := func(lo, hi, st string, cost float64) { g.replace(g.n, atom(d.Slice(base, lo, hi, st)), cost+extra) }
	put("1", "", "", 0)
	if g.n.Kind == node.Call && slices.Contains([]string{"bin", "oct", "hex"}, g.n.Children[0].Name) {
		put("2", "", "", 0) // without the prefix that tells the base
	}
	if d.Last(base) == "-1" {
		put("", "-1", "", .1)
		put("", "", "-1", .1)
	} else {
		put("", d.Last(base), "", .2)
	}
	for k, v := range g.fit(g.n, node.Int, "int") {
		if v.name == base {
			continue
		}
		c := .2 + .2*extra + .02*float64(min(k, 15))
		put(v.name, "", "", c)
		put("", v.name, "", c)
	}
}

func indexAdd(g *site) {
	if !g.sliceable() && !(g.whole() && g.classOf(g.n) == node.Mapping) {
		return
	}
	d := g.Dialect
	base := g.of(g.n).at(atomic)
	if !d.Truthy && g.n.Type == "" {
		return
	}
	if !d.Truthy {
		// The element must fit where the list stands, and only the type check knows.
		if p := g.Parent(g.n); p.Kind == node.For {
			return
		}
	}
	if g.classOf(g.n) != node.Mapping {
		g.replace(g.n, atom(base+"[0]"), 0)
		g.replace(g.n, atom(base+"["+d.Last(base)+"]"), .1)
		g.replace(g.n, atom(base+"[1]"), .2)
	}
	for k, v := range g.vars(g.n) {
		if v.name != base && (v.class == node.Int || v.class == node.Unknown || g.classOf(g.n) == node.Mapping) && k < 15 {
			g.replace(g.n, atom(base+"["+v.name+"]"), .1+.02*float64(k))
		}
	}
}

func indexMirror(g *site) {
	if g.Stored(g.n) || len(g.n.Children) < 2 || g.classOf(g.n.Children[0]) == node.Mapping {
		return
	}
	index := g.n.Children[1]
	if c := g.classOf(index); !number(c) && c != node.Unknown || index.Kind == node.Other || index.Kind == node.Tuple {
		return
	}
	base := g.Text(g.n.Children[0])
	g.replace(index, atom("0"), 0)
	g.replace(index, atom(g.Dialect.Last(base)), .2)
	if g.Dialect.Last(base) == "-1" {
		g.replace(index, g.binary(g.minus(g.of(index)), "-", atom("1")), .6)
		if index.Kind != node.Number {
			g.replace(index, g.minus(g.of(index)), .5)
		}
		return
	}
	last := g.binary(atom(g.Dialect.Length(base)), "-", atom("1"))
	g.replace(index, g.binary(last, "-", g.of(index)), .6)
}

// indexesSwapped takes a column where a row was taken.
func indexesSwapped(g *site) {
	if len(g.n.Children) != 2 || g.n.Children[0].Kind != node.Index || len(g.n.Children[0].Children) != 2 {
		return
	}
	inner, outer := g.n.Children[0].Children[1], g.n.Children[1]
	if g.Text(inner) == g.Text(outer) {
		return
	}
	g.emitAll([]textedit.Edit{
		{Start: inner.Start, End: inner.End, New: g.Text(outer)}, {Start: outer.Start, End: outer.End, New: g.Text(inner)},
	}, 0, "the indexes in "+quote(g.Text(g.n))+" should be swapped")
}

func indexToCall(g *site) {
	if g.Stored(g.n) || len(g.n.Children) < 2 || !g.Dialect.Truthy {
		return
	}
	object := g.Text(g.n.Children[0])
	for _, w := range g.Dialect.Wraps {
		if slices.Contains(w.Of, node.Sequence) && !strings.HasPrefix(w.Call, ".") && w.To != node.Sequence {
			g.replace(g.n, atom(w.Call+"("+object+")"), w.Cost)
		}
	}
}

func intoList(g *site) {
	if !g.whole() || !g.Dialect.Truthy || g.condition() || g.n.Kind == node.List {
		return
	}
	if p := g.Parent(g.n); p.Kind == node.Compare || p.Kind == node.Index || p.Kind == node.Slice {
		return
	}
	g.replace(g.n, atom("["+g.of(g.n).at(1)+"]"), 0)
}

func elementSwap(g *site) {
	if p := g.Parent(g.n); p == nil || g.Stored(g.n) && p.Kind == node.For && len(g.n.Children) != 2 {
		return
	}
	extra := .0
	if g.Stored(g.n) {
		extra = .4
	}
	for i, a := range g.n.Children {
		for j := i + 1; j < len(g.n.Children) && j < i+4; j++ {
			b := g.n.Children[j]
			if g.Text(a) == g.Text(b) {
				continue
			}
			as, ae := g.Outer(a)
			bs, be := g.Outer(b)
			g.emitAll([]textedit.Edit{
				{Start: as, End: ae, New: g.Between(bs, be)}, {Start: bs, End: be, New: g.Between(as, ae)},
			}, extra+.05*float64(j-i-1), quote(g.Text(a))+" and "+quote(g.Text(b))+" should be swapped")
		}
	}
}

func elementDrop(g *site) {
	all := g.n.Children
	if len(all) < 2 || g.Stored(g.n) || g.n.Kind == node.Tuple && len(all) == 2 {
		return
	}
	if p := g.Parent(g.n); p != nil && p.Kind == node.Return && g.n.Kind == node.Tuple {
		return
	}
	for i, a := range all {
		s, e := a.Start, a.End
		if i+1 < len(all) {
			e = all[i+1].Start
		} else {
			s = all[i-1].End
		}
		g.emit(s, e, "", 0, quote(g.Text(a))+" should not be in "+quote(g.Text(g.n)))
	}
}

// elementsDrop leaves out several elements at the end of a list, or at its start.
func elementsDrop(g *site) {
	all := g.n.Children
	if len(all) < 3 || g.Stored(g.n) {
		return
	}
	for n := 2; n < len(all) && n <= 4; n++ {
		cost := .05 * float64(n-2)
		last := all[len(all)-1]
		g.emit(all[len(all)-1-n].End, last.End, "", cost, quote(g.Between(all[len(all)-n].Start, last.End))+" should not be in "+quote(g.Text(g.n)))
		g.emit(all[0].Start, all[n].Start, "", .1+cost, quote(g.Between(all[0].Start, all[n-1].End))+" should not be in "+quote(g.Text(g.n)))
	}
}
