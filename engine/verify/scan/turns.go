package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// turns notes functions that answer otherwise the next time that they are asked:
// they turn a field of their object round, take the next of answers that it has
// ready, or do something once only.
func (w *walker) turns() {
	for f, s := range w.scopes {
		if !f.Kind.Function() || f.Body() == nil || turning(f.Name) {
			continue
		}
		line := 0
		syntax.Walk(f.Body(), func(n *syntax.Node) bool {
			if line == 0 && (w.flips(n, f) || w.nextOfField(n) || w.onceOnly(n, f, s)) {
				line = n.Line
			}
			return n == f.Body() || !n.Kind.Function()
		})
		if line > 0 {
			w.add(fact{cap: Counting, level: Warns, key: s.name + " turns", scope: s.name, line: line, what: s.name + " answers otherwise the next time"})
		}
	}
}

// assignedOverloads notes methods by which objects are compared or converted that
// are put on a class from outside.
func (w *walker) assignedOverloads() {
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if n.Kind != syntax.Assign {
			return true
		}
		for _, target := range n.Kids[:len(n.Kids)-1] {
			syntax.Walk(target, func(t *syntax.Node) bool {
				if t.Kind == syntax.Attr && strings.HasPrefix(t.Name, "__") && w.lang.overloads[t.Name] {
					w.add(fact{cap: Overload, level: Warns, key: "put " + t.Name, line: t.Line, what: text(t.Kids[0]) + "." + t.Name})
				}
				if value := n.Kids[len(n.Kids)-1]; t == target && t.Kind == syntax.Attr && w.lang == javascript && consulted[t.Name] && value.Kind.Function() && deaf(value) {
					w.add(fact{cap: Overload, level: Warns, key: "put " + t.Name, line: t.Line, what: text(t.Kids[0]) + "." + t.Name + ", which says the same whatever it is asked"})
				}
				return true
			})
		}
		return true
	})
}

// consulted are methods of lists and the like by which tests look at a result.
var consulted = words("every some includes has indexOf findIndex find filter map reduce join forEach entries keys values equals localeCompare at slice sort isEqual startsWith endsWith match test")

// deaf reports whether a function gives nothing but constants, or nothing at all.
func deaf(f *syntax.Node) bool {
	if b := f.Body(); b != nil && b.Kind != syntax.Block {
		return constantNode(b)
	}
	return constantAnswers(f)
}

// turning reports whether a name says that something is turned round or moves on.
func turning(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"toggle", "flip", "next", "switch", "invert", "alternate", "step", "tick", "advance", "turn"}, func(w string) bool { return strings.Contains(name, w) })
}

// flips reports whether a statement turns a field round that the function then
// answers with.
func (w *walker) flips(n, f *syntax.Node) bool {
	if n.Kind != syntax.Assign || n.Kids[0].Kind != syntax.Attr || len(n.Kids) != 2 {
		return false
	}
	field, value := text(n.Kids[0]), n.Kids[1]
	if field == "" || value.Kind != syntax.Not || text(value.Kids[0]) != field {
		return false
	}
	return slices.ContainsFunc(answers(f), func(a *syntax.Node) bool { return mentionsAny(a, []string{field}) })
}

// nextOfField reports whether a call takes the next of constants that a field of
// the object was made of.
func (w *walker) nextOfField(n *syntax.Node) bool {
	var field *syntax.Node
	switch {
	case n.Kind != syntax.Call:
		return false
	case n.Kids[0].Name == "next" && len(n.Kids) > 1:
		field = n.Kids[1]
	case n.Kids[0].Kind == syntax.Attr && steppers[n.Kids[0].Name] && n.Kids[0].Name != "pop":
		field = n.Kids[0].Kids[0]
	}
	if field == nil || field.Kind != syntax.Attr || !isSelf(field.Kids[0]) {
		return false
	}
	found := false
	syntax.Walk(w.root, func(a *syntax.Node) bool {
		found = found || a.Kind == syntax.Assign && len(a.Kids) == 2 && text(a.Kids[0]) == text(field) && w.readyList(a.Kids[1])
		return !found
	})
	return found
}

// onceOnly reports whether a call changes an answer of its function once only.
func (w *walker) onceOnly(n, f *syntax.Node, s *scope) bool {
	if w.lang != golang || n.Kind != syntax.Call || n.Kids[0].Kind != syntax.Attr || n.Kids[0].Name != "Do" || len(n.Kids) != 2 || n.Kids[1].Kind != syntax.Lambda {
		return false
	}
	found := false
	syntax.Walk(n.Kids[1].Body(), func(a *syntax.Node) bool {
		if a.Kind == syntax.Assign && a.Kids[0].Kind == syntax.Ident && s.binds[a.Kids[0].Name] != nil && a.Name != ":=" {
			found = found || slices.ContainsFunc(answers(f), func(r *syntax.Node) bool { return mentionsAny(r, []string{a.Kids[0].Name}) })
		}
		return !found
	})
	return found
}

// firstCalls is the line where a method does something for a number of its calls that
// is written there: it counts them in a field of its object that serves for nothing else.
func (w *walker) firstCalls(f *syntax.Node) int {
	line := 0
	for _, field := range ownCounts(f, w.lang) {
		name := field[strings.LastIndexByte(field, '.')+1:]
		if set := w.set(name); set > 1 || within(w.root, name) != within(f.Body(), name)+set {
			continue
		}
		syntax.Walk(f.Body(), func(n *syntax.Node) bool {
			if n.Kind == syntax.Compare && line == 0 {
				for i, side := range n.Kids {
					if text(side) == field && n.Kids[1-i].Kind == syntax.Const && n.Kids[1-i].Value.Kind == syntax.Number {
						line = n.Line
					}
				}
			}
			return !n.Kind.Function()
		})
	}
	return line
}

// within counts how often members of that name are read or set below a node.
func within(n *syntax.Node, name string) int {
	count := 0
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Attr && c.Name == name {
			count++
		}
		return true
	})
	return count
}

// set counts how often a member of that name is set to a number.
func (w *walker) set(name string) int {
	count := 0
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && n.Kids[0].Kind == syntax.Attr && n.Kids[0].Name == name {
			if value := n.Kids[len(n.Kids)-1]; value.Kind == syntax.Const && value.Value.Kind == syntax.Number && n.Name != "+=" && n.Name != "-=" && n.Name != "++" && n.Name != "--" {
				count++
			}
		}
		return true
	})
	return count
}
