package scan

import (
	"slices"

	"autocoder/engine/verify/scan/syntax"
)

// swallowing reports whether a context manager's exit says that what was raised
// inside is dealt with, for more than classes that it asks for.
func (w *walker) swallowing(exit *syntax.Node, s *scope) bool {
	inner := w.scopes[exit]
	params := exit.Params()
	return slices.ContainsFunc(answers(exit), func(n *syntax.Node) bool { return !w.lets(n, inner, params[min(1, len(params)):], mostCallers) })
}

// lets reports whether an answer lets errors through: it is nothing, it asks for
// the class of what was raised, or another exit has given it.
func (w *walker) lets(n *syntax.Node, s *scope, raised []string, depth int) bool {
	if depth == 0 {
		return false
	}
	below := func(k *syntax.Node) bool { return w.lets(k, s, raised, depth-1) }
	switch n.Kind {
	case syntax.Const:
		return n.Value.Num == 0 && n.Value.Text == ""
	case syntax.Logical:
		if n.Name == "and" {
			return slices.ContainsFunc(n.Kids, below)
		}
		return !slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return !below(k) })
	case syntax.Compare:
		other := n.Kids[1]
		nothing := other.Kind == syntax.Const && other.Value.Kind == syntax.Null
		return mentions(n, raised) && !nothing && (n.Name == "is" || n.Name == "==" || n.Name == "in")
	case syntax.Cond:
		return below(n.Kids[1]) && below(n.Kids[2])
	case syntax.Await:
		return below(n.Kids[0])
	case syntax.Call:
		return w.exitCall(n, s, raised, depth)
	case syntax.Ident:
		binds, _ := s.lookup(n.Name)
		return len(binds) > 0 && !slices.ContainsFunc(binds, func(b binding) bool {
			return b.value == nil || b.param || !w.lets(b.value, b.scope, raised, depth-1)
		})
	case syntax.Attr:
		list := w.fields[n.Name]
		return isSelf(n.Kids[0]) && len(list) > 0 && !slices.ContainsFunc(list, func(b binding) bool { return !w.lets(b.value, b.scope, raised, depth-1) })
	default:
		return false
	}
}

// exitCall is lets for a call: one that asks for a class, another manager's exit,
// or a method that gives nothing.
func (w *walker) exitCall(n *syntax.Node, s *scope, raised []string, depth int) bool {
	callee := n.Kids[0]
	switch callee.Name {
	case "issubclass", "isinstance":
		return mentions(n, raised) && !w.allErrors(n, s)
	case "__exit__", "__aexit__":
		return true
	}
	if callee.Kind != syntax.Attr {
		return false
	}
	for f, inner := range w.scopes {
		if f.Kind.Function() && f.Name == callee.Name && isSelf(callee.Kids[0]) {
			return !slices.ContainsFunc(answers(f), func(a *syntax.Node) bool { return !w.lets(a, inner, raised, depth-1) })
		}
	}
	return callee.Kids[0].Kind == syntax.Attr // a method of what the manager holds
}

// allErrors reports whether a question about a class holds for every error.
func (w *walker) allErrors(n *syntax.Node, s *scope) bool {
	what, _ := w.catchesAll(n.Kids[min(2, len(n.Kids)):], s)
	return len(n.Kids) > 2 && what != ""
}

// looseCompare reports whether a comparison of Go says yes without looking at the
// other side, or where something differs.
func looseCompare(f *syntax.Node) bool {
	params := f.Params()
	if len(params) < 2 || f.Body() == nil {
		return true
	}
	other := params[1:]
	for range 2 {
		syntax.Walk(f.Body(), func(n *syntax.Node) bool {
			if n.Kind == syntax.Assign && mentions(n.Kids[len(n.Kids)-1], other) {
				for _, target := range n.Kids[:len(n.Kids)-1] {
					if target.Kind == syntax.Ident && target.Name != "_" && !slices.Contains(other, target.Name) {
						other = append(other, target.Name)
					}
				}
			}
			return true
		})
	}
	looked := false
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		switch n.Kind {
		case syntax.If, syntax.Switch, syntax.While, syntax.For:
			looked = looked || slices.ContainsFunc(n.Kids[:min(2, len(n.Kids))], func(k *syntax.Node) bool { return k.Kind != syntax.Block && mentions(k, other) })
		}
		return true
	})
	return slices.ContainsFunc(answers(f), func(n *syntax.Node) bool {
		constant := constantNode(n)
		return differs(n, other) || onlyThere(n, other) || constant && !looked && n.Value.Num != 0 || !constant && !looked && !mentions(n, other)
	})
}

// onlyThere reports whether an answer is yes as soon as there is an other side.
func onlyThere(n *syntax.Node, other []string) bool {
	return n.Kind == syntax.Compare && n.Name == "!=" && mentions(n, other) && slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool {
		return k.Kind == syntax.Const && k.Value.Kind == syntax.Null
	})
}

// differs reports whether an answer is yes where the other side differs.
func differs(n *syntax.Node, other []string) bool {
	switch n.Kind {
	case syntax.Logical:
		if n.Name == "and" {
			return !slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return !differs(k, other) && !(k.Kind == syntax.Compare && k.Name == "!=") })
		}
		return slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return differs(k, other) })
	case syntax.Compare:
		plain := func(k *syntax.Node) bool { return k.Kind != syntax.Const || k.Value.Kind != syntax.Null }
		return n.Name == "!=" && mentions(n, other) && plain(n.Kids[0]) && plain(n.Kids[1])
	default:
		return false
	}
}
