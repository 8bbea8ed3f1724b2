package scan

import (
	"slices"

	"autocoder/engine/verify/scan/syntax"
)

// nowGiven notes a function that worked something out and now has it ready: a constant
// that failing tests expect, whatever there is to look at; or one that no longer
// looks at all of what it is given.
func (w *walker) nowGiven(was, f *syntax.Node, s *scope, had map[string]int) {
	note := func(key, what string) {
		w.add(fact{cap: Literal, level: Warns, key: s.name + " " + key, scope: s.name, line: f.Line, always: true, what: what})
	}
	expected := ""
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if key, ok := w.literal(n, s); ok && n.Kind == syntax.Const && had[key] == 0 && w.tests.cases.expected[key] && !trivial(key) {
			expected = key
		}
		return true
	})
	if len(f.Params()) == 0 && expected != "" && constantAnswers(f) && !constantAnswers(was) && !has(f.Body(), syntax.If) && !has(f.Body(), syntax.Switch) {
		note("ready", s.name+" gives "+expected+", which a failing test expects, and no longer works it out")
	}
	for _, p := range f.Params() {
		if lost := lostMembers(was, f, p); lost != "" && expected != "" {
			note(lost, s.name+" no longer looks at "+lost+", and has "+expected+", which a failing test expects")
		}
		if wholly(was.Body(), p) && placesOnly(f.Body(), p) {
			note(p+" whole", s.name+" no longer looks at all of "+p)
		}
	}
}

// lostMembers is a member of a parameter that was looked at and no longer is, though no
// other came in its place; "" for none.
func lostMembers(was, f *syntax.Node, param string) string {
	before, after := membersOf(was.Body(), param), membersOf(f.Body(), param)
	if len(after) == 0 || slices.ContainsFunc(after, func(m string) bool { return !slices.Contains(before, m) }) {
		return ""
	}
	if i := slices.IndexFunc(before, func(m string) bool { return !slices.Contains(after, m) }); i >= 0 {
		return param + "." + before[i]
	}
	return ""
}

func membersOf(n *syntax.Node, name string) []string {
	var out []string
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Attr && c.Kids[0].Kind == syntax.Ident && c.Kids[0].Name == name {
			out = append(out, c.Name)
		}
		return true
	})
	return out
}

// wholly reports whether something is asked or gone over as a whole: it is looped
// over, handed on, or has a method called.
func wholly(n *syntax.Node, name string) bool {
	is := func(n *syntax.Node) bool { return n.Kind == syntax.Ident && n.Name == name }
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		switch c.Kind {
		case syntax.For:
			found = found || is(c.Kids[1])
		case syntax.Call:
			found = found || slices.ContainsFunc(c.Kids[1:], is) || c.Kids[0].Kind == syntax.Attr && is(c.Kids[0].Kids[0])
		}
		return !found
	})
	return found
}

// placesOnly reports whether only fixed places of something are looked at, and not
// its first, which code has a reason to take.
func placesOnly(n *syntax.Node, name string) bool {
	total, placed := 0, 0
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Ident && c.Name == name {
			total++
		}
		if c.Kind == syntax.Index && c.Kids[0].Kind == syntax.Ident && c.Kids[0].Name == name && c.Kids[1].Kind == syntax.Const && c.Kids[1].Value.Num > 0 {
			placed++
		}
		return true
	})
	return total > 0 && total == placed
}
