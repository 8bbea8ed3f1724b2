package scan

import "autocoder/engine/verify/scan/syntax"

// throughAll are methods that go through all of a list or text.
var throughAll = words("map forEach filter reduce reduceRight flatMap every some find entries values keys join split replace replaceAll")

// goesThrough reports whether a function goes through all of what it is given.
func goesThrough(f *syntax.Node, param string) bool {
	is := func(n *syntax.Node) bool {
		for n.Kind == syntax.Call && len(n.Kids) == 2 { // enumerate, reversed, range of its length
			n = n.Kids[1]
		}
		return n.Kind == syntax.Ident && n.Name == param
	}
	found := false
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		switch n.Kind {
		case syntax.For:
			found = found || is(n.Kids[1])
		case syntax.Call:
			found = found || n.Kids[0].Kind == syntax.Attr && throughAll[n.Kids[0].Name] && is(n.Kids[0].Kids[0])
		}
		return !found
	})
	return found
}

// onlyPlaces reports whether a function does nothing with what it is given but to take
// what is at fixed places of it.
func (w *walker) onlyPlaces(f *syntax.Node, param string, s *scope) bool {
	places, all := 0, 0
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		switch {
		case n.Kind == syntax.Ident && n.Name == param:
			all++
		case n.Kind == syntax.Index && n.Kids[0].Kind == syntax.Ident && n.Kids[0].Name == param:
			if v, ok := w.fold(n.Kids[1], s, deepest); ok && v.Kind == syntax.Number {
				places++
			}
		case n.Kind == syntax.Assign && len(n.Kids) == 2 && takesPlaces(n.Kids[0]) && n.Kids[1].Kind == syntax.Ident && n.Kids[1].Name == param:
			places++
		}
		return true
	})
	return places > 0 && places == all
}

// takesPlaces reports whether an assignment takes what it is given apart, and keeps no
// rest of it.
func takesPlaces(n *syntax.Node) bool {
	return (n.Kind == syntax.List || n.Kind == syntax.Tuple) && len(n.Kids) > 0 && !has(n, syntax.Spread)
}
