package scan

import (
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// endsInOrder reports whether a condition bounds the length of a value and asks which of
// two elements at fixed places of it is larger.
func (x *special) endsInOrder(n *syntax.Node, s *scope) bool {
	bounded, ordered := map[string]bool{}, map[string]bool{}
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind != syntax.Compare || len(c.Kids) != 2 {
			return !c.Kind.Function()
		}
		a, b := c.Kids[0], c.Kids[1]
		for i, side := range c.Kids {
			v, ok := x.fold(c.Kids[1-i], s, deepest)
			if length, _ := x.held(side, s); ok && v.Kind == syntax.Number && v.Num > 2 && isLength(length) {
				bounded[text(measuredBy(length))] = true
			}
		}
		if strings.ContainsAny(c.Name, "<>") && a.Kind == syntax.Index && b.Kind == syntax.Index && text(a) == text(b) && x.atEnd(a, s) && x.atEnd(b, s) {
			ordered[text(a.Kids[0])] = true
		}
		return true
	})
	for name := range ordered {
		if bounded[name] && name != "" {
			return true
		}
	}
	return false
}

// measuredBy is the value of which an expression is the length.
func measuredBy(length *syntax.Node) *syntax.Node {
	if length.Kind == syntax.Attr {
		return length.Kids[0]
	}
	return length.Kids[len(length.Kids)-1]
}

// atEnd reports whether an element stands at a fixed place, or at one that is counted from
// the length.
func (x *special) atEnd(n *syntax.Node, s *scope) bool {
	if x.isElement(n, s) {
		return true
	}
	at := n.Kids[1]
	if at.Kind != syntax.Binary || at.Name != "-" {
		return false
	}
	length, _ := x.held(at.Kids[0], s)
	_, ok := x.fold(at.Kids[1], s, deepest)
	return ok && isLength(length)
}

// endsTogether reports whether a condition compares letters or figures that stand at fixed
// places of a value, put together, with texts.
func (x *special) endsTogether(n *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Compare && (c.Name == "==" || c.Name == "in") {
			for i, side := range c.Kids {
				joined, inner := x.held(side, s)
				found = found || x.joinsElements(joined, inner) && x.wordsOf(c.Kids[1-i], s, deepest)
			}
		}
		if c.Kind == syntax.Call && len(c.Kids) == 2 && c.Kids[0].Kind == syntax.Attr && (c.Kids[0].Name == "includes" || c.Kids[0].Name == "has") {
			joined, inner := x.held(c.Kids[1], s)
			found = found || x.joinsElements(joined, inner) && x.wordsOf(c.Kids[0].Kids[0], s, deepest)
		}
		return !found && !c.Kind.Function()
	})
	return found
}

// wholes are sums that mean something by themselves: everything, a half turn, a turn.
var wholes = words("0 1 100 180 360")

// sumAndLength reports whether a condition asks how long a list is, or what that leaves when
// it is divided, and what its elements add up to.
func (x *special) sumAndLength(n *syntax.Node, s *scope) bool {
	length, sum := false, false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind != syntax.Compare || c.Name != "==" {
			return !c.Kind.Function()
		}
		for i, side := range c.Kids {
			v, ok := x.fold(c.Kids[1-i], s, deepest)
			if !ok || v.Kind != syntax.Number {
				continue
			}
			side, _ = x.held(side, s)
			sum = sum || side.Kind == syntax.Call && sums[side.Kids[0].Name] && !wholes[v.String()] && x.fresh(v.String())
			for side.Kind == syntax.Binary {
				side = side.Kids[0]
			}
			length = length || isLength(side)
		}
		return true
	})
	return length && sum
}

// joinsElements reports whether an expression puts elements of one value together.
func (x *special) joinsElements(n *syntax.Node, s *scope) bool {
	if n.Kind != syntax.Binary && n.Kind != syntax.Template || n.Kind == syntax.Binary && n.Name != "+" {
		return false
	}
	parts := slices.DeleteFunc(slices.Clone(n.Kids), func(k *syntax.Node) bool { return k.Kind == syntax.Const })
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(k *syntax.Node) bool { return !x.isElement(k, s) && !x.joinsElements(k, s) })
}

// wordsOf reports whether an expression is a text of letters and figures, or a list of such.
func (x *special) wordsOf(n *syntax.Node, s *scope, depth int) bool {
	if depth == 0 {
		return false
	}
	n, s = x.held(n, s)
	if n.Kind == syntax.Call && len(n.Kids) == 2 {
		n = n.Kids[1] // new Set([…]), frozenset((…))
	}
	if n.Kind == syntax.List || n.Kind == syntax.Tuple || n.Kind == syntax.Set {
		return len(n.Kids) > 0 && !slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return !x.wordsOf(k, s, depth-1) })
	}
	v, ok := x.fold(n, s, deepest)
	return ok && v.Kind == syntax.Text && len(v.Text) > 1 && wordLike.MatchString(v.Text)
}

// wordLike is a text of letters and figures.
var wordLike = regexp.MustCompile(`^\w+$`)
