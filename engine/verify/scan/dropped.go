package scan

import (
	"slices"

	"autocoder/engine/verify/scan/syntax"
)

// dropsErrors notes functions of Go that handed on the error which a function of the
// caller's gave, and do so no longer, or only for some errors: it may be how a test says
// that its check failed.
func (w *walker) dropsErrors(before *unit) {
	if w.lang != golang {
		return
	}
	now := w.byName()
	for f, s := range before.scopes {
		is := now[s.name]
		if !f.Kind.Function() || s.name == "" || is == nil || f.Body() == nil || is.Body() == nil {
			continue
		}
		was, will := givenErrors(f), givenErrors(is)
		if was.checked && len(will.calls) > 0 && was.handedOn(f.Body()) && !will.handedOn(is.Body()) {
			line := will.calls[0].Line
			w.add(fact{cap: Swallow, level: Warns, key: "dropped error", scope: s.name, line: line, always: true, what: "the error of what the caller gave is no longer handed on, whatever it is"})
		}
	}
}

// errorsGiven are the calls in a function of what it is given to call, and the names that
// their errors have.
type errorsGiven struct {
	calls []*syntax.Node
	names []string
	// checked means that it is asked whether there is an error.
	checked bool
	// named means that what the function gives has names.
	named bool
	// read are the channels from which something is taken.
	read map[string]bool
}

// givenErrors finds them in a function.
func givenErrors(f *syntax.Node) errorsGiven {
	g := errorsGiven{read: map[string]bool{}}
	given := f.Params()
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		switch n.Kind {
		case syntax.Call:
			if callee := n.Kids[0]; callee.Kind == syntax.Ident && slices.Contains(given, callee.Name) {
				g.calls = append(g.calls, n)
			}
		case syntax.Assign:
			if call := n.Kids[len(n.Kids)-1]; len(n.Kids) > 1 && call.Kind == syntax.Call && slices.Contains(given, call.Kids[0].Name) {
				if name := last(n.Kids[len(n.Kids)-2]).Name; name != "" && name != "_" {
					g.names = append(g.names, name)
				}
			}
		case syntax.Return:
			g.named = g.named || len(n.Kids) == 0
		case syntax.Unary:
			if n.Name == "<-" {
				g.read[n.Kids[0].Name] = true
			}
		case syntax.For:
			g.read[n.Kids[1].Name] = true
		}
		return true
	})
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		g.checked = g.checked || n.Kind == syntax.If && isAnError(n.Kids[0], g.names)
		return !g.checked
	})
	return g
}

// last is the last of several targets.
func last(n *syntax.Node) *syntax.Node {
	if n.Kind == syntax.Tuple && len(n.Kids) > 0 {
		return n.Kids[len(n.Kids)-1]
	}
	return n
}

// handedOn reports whether an error goes on from a block, whatever error it is: it is
// returned, kept, or sent to who waits for it, and no condition asks first which it is.
func (g errorsGiven) handedOn(n *syntax.Node) bool {
	switch n.Kind {
	case syntax.Return:
		return g.in(n)
	case syntax.Assign:
		value, to := n.Kids[len(n.Kids)-1], last(n.Kids[max(0, len(n.Kids)-2)])
		if slices.Contains(g.calls, value) {
			return to.Kind == syntax.Index || to.Kind == syntax.Attr || g.named && n.Name == "=" && to.Name != "_"
		}
		return mentions(value, g.names) || slices.ContainsFunc(value.Kids, g.in) && value.Kids[0].Name == "append"
	case syntax.Other:
		if len(n.Kids) == 2 && n.Kids[0].Kind == syntax.Ident && g.in(n.Kids[1]) {
			return g.read[n.Kids[0].Name]
		}
	case syntax.If:
		if !g.mostErrors(n.Kids[0]) {
			return slices.ContainsFunc(n.Kids[2:], g.handedOn)
		}
		return slices.ContainsFunc(n.Kids[1:], g.handedOn)
	case syntax.Case:
		if len(n.Kids) > 1 && !slices.ContainsFunc(n.Kids[:len(n.Kids)-1], func(k *syntax.Node) bool { return g.mostErrors(k) }) {
			return false
		}
	}
	return slices.ContainsFunc(n.Kids, g.handedOn)
}

// mostErrors reports whether a condition holds for errors, but for some that it names.
func (g errorsGiven) mostErrors(n *syntax.Node) bool {
	switch n.Kind {
	case syntax.Compare:
		return n.Name == "!=" && mentions(n, g.names)
	case syntax.Not:
		return n.Kids[0].Kind == syntax.Call && mentions(n.Kids[0], g.names)
	case syntax.Logical:
		return n.Name == "and" && !slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return !g.mostErrors(k) })
	default:
		return false
	}
}

// in reports whether an expression has an error, or a call that gives one.
func (g errorsGiven) in(n *syntax.Node) bool {
	found := mentions(n, g.names)
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || slices.Contains(g.calls, c)
		return !found
	})
	return found
}

// isAnError reports whether a condition asks for nothing but whether there is an error.
func isAnError(n *syntax.Node, names []string) bool {
	return n.Kind == syntax.Compare && n.Name == "!=" && mentions(n.Kids[0], names) && n.Kids[1].Kind == syntax.Const && n.Kids[1].Value.Kind == syntax.Null
}
