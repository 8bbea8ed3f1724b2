package scan

import (
	"slices"

	"autocoder/engine/verify/scan/syntax"
)

// fromCaller reports whether an expression is made of what those who call the file
// hand over, and of no text of its own: of parameters of a function that a failing
// test names, or that others of the file call with such values.
func (w *walker) fromCaller(n *syntax.Node, s *scope) bool { return w.handedOver(n, s, mostCallers) }

// mostCallers is how many calls of calls are followed.
const mostCallers = 4

func (w *walker) handedOver(n *syntax.Node, s *scope, depth int) bool {
	if depth == 0 || hasText(n) {
		return false
	}
	given, own := false, false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind != syntax.Ident || isSelf(c) {
			return !own
		}
		binds, _ := s.lookup(c.Name)
		for _, b := range binds {
			switch {
			case b.param && b.value == nil && w.calledWithGiven(b.scope, c.Name, depth):
				given = true
			case b.param:
				own = true
			case b.path == "" && b.value != nil && b.value != n && b.scope != nil && b.scope.name != "":
				inner := w.handedOver(b.value, b.scope, depth-1)
				given, own = given || inner, own || !inner
			}
		}
		return !own
	})
	return given && !own
}

// calledWithGiven reports whether a parameter of a function is always filled by
// those who call the file.
func (w *walker) calledWithGiven(f *scope, param string, depth int) bool {
	name := f.node.Name
	at := slices.Index(f.node.Params(), param)
	if f.node.Kind == syntax.Lambda {
		name = w.nameOf(f.node)
	}
	ok, calls := true, 0
	var walk func(n *syntax.Node, s *scope)
	walk = func(n *syntax.Node, s *scope) {
		if inner := w.scopes[n]; inner != nil {
			s = inner
		}
		if n.Kind == syntax.Call && n.Kids[0].Name == name && name != "" && s != f {
			calls++
			i := at + 1
			if n.Kids[0].Kind == syntax.Attr && f.node.Kind == syntax.Method && w.lang == golang || len(f.node.Params()) > 0 && isSelf(&syntax.Node{Kind: syntax.Ident, Name: f.node.Params()[0]}) {
				i--
			}
			ok = ok && i > 0 && i < len(n.Kids) && w.handedOver(n.Kids[i], s, depth-1)
		}
		for _, kid := range n.Kids {
			walk(kid, s)
		}
	}
	walk(w.root, w.top)
	return ok && (calls > 0 || w.tests.words[name])
}

// nameOf is the name that a function without one is assigned to.
func (w *walker) nameOf(f *syntax.Node) string {
	name := ""
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if (n.Kind == syntax.Assign || n.Kind == syntax.Pair) && len(n.Kids) > 1 && n.Kids[len(n.Kids)-1] == f {
			name = n.Kids[0].Name
		}
		return name == ""
	})
	return name
}

// hasText reports whether an expression has words of its own.
func hasText(n *syntax.Node) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || c.Kind == syntax.Const && c.Value.Kind == syntax.Text && len(tokens(c.Value.Text)) > 0
		return !found
	})
	return found
}
