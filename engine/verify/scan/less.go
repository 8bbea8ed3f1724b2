package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// comparesLess notes comparisons of the project's own that no longer look at a
// member that they looked at: what differs in it is equal now.
func (w *walker) comparesLess(before *unit) {
	now := w.byName()
	for f, s := range before.scopes {
		is := now[s.name]
		if !f.Kind.Function() || !comparing[f.Name] || is == nil || f.Body() == nil || is.Body() == nil {
			continue
		}
		has := fieldsRead(is)
		for _, name := range fieldsRead(f) {
			if !slices.Contains(has, name) && len(has) > 0 && !callsSomething(is) {
				w.add(fact{cap: Weaken, level: Warns, key: s.name + " " + name, scope: s.name, line: is.Line, always: true, what: f.Name + " no longer compares " + name})
			}
		}
	}
}

// byName are the functions of the file by their full names.
func (w *walker) byName() map[string]*syntax.Node {
	now := map[string]*syntax.Node{}
	for f, s := range w.scopes {
		if f.Kind.Function() {
			now[s.name] = f
		}
	}
	return now
}

// fieldsRead are the members that a function reads of its parameters or its object.
func fieldsRead(f *syntax.Node) []string {
	var out []string
	given := append(f.Params(), "this", "self")
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.Attr && n.Kids[0].Kind == syntax.Ident && slices.Contains(given, n.Kids[0].Name) {
			out = append(out, n.Name)
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// callsSomething reports whether a function leaves the work to others.
func callsSomething(f *syntax.Node) bool { return has(f.Body(), syntax.Call) }

// tellsLess notes names that stood for things of their own, such as errors, and that
// now stand for another thing that was there: what tells them apart finds no difference
// any more.
func (w *walker) tellsLess(before *unit) {
	for name, binds := range before.top.binds {
		is := w.top.binds[name]
		if len(binds) != 1 || len(is) != 1 || !ofItsOwn(binds[0].value) || is[0].value == nil || is[0].value.Kind != syntax.Ident {
			continue
		}
		other := is[0].value.Name
		had, has := before.top.binds[other], w.top.binds[other]
		if builtin := len(had) == 0 && len(has) == 0; other != name && (builtin || len(had) == 1 && ofItsOwn(had[0].value)) {
			w.add(fact{cap: Weaken, level: Warns, key: "same " + name, line: is[0].value.Line, always: true, what: name + " is " + other + " now, and nothing tells them apart"})
		}
	}
}

// ofItsOwn reports whether a value is unlike any other: an object, or a class.
func ofItsOwn(n *syntax.Node) bool {
	return n != nil && (n.Kind == syntax.Call || n.Kind == syntax.Class)
}

// holdsLess notes types of Go that lost fields, and classes of JavaScript whose objects no
// longer show some: values that differed in one are equal now.
func (w *walker) holdsLess(before *unit) {
	if w.lang == javascript {
		w.showsLess(before)
	}
	if w.lang != golang {
		return
	}
	for name, binds := range before.top.binds {
		was, is := classOf(binds), classOf(w.top.binds[name])
		if was == nil || is == nil || len(is.Kids) == 0 || len(was.Kids) == 0 {
			continue
		}
		if had, has := len(was.Kids[0].Kids), len(is.Kids[0].Kids); was.Kids[0].Kind == syntax.Other && is.Kids[0].Kind == syntax.Other && has < had {
			w.add(fact{cap: Weaken, level: Warns, key: "type " + name, line: is.Line, always: true, what: "values of " + name + " hold less, and what differed in that is equal"})
		}
	}
}

// showsLess notes the fields that methods of a class gave to its objects and now keep
// from whoever compares them.
func (w *walker) showsLess(before *unit) {
	for name, binds := range before.top.binds {
		was, is := classOf(binds), classOf(w.top.binds[name])
		if was == nil || is == nil {
			continue
		}
		has := fieldsGiven(is)
		for _, field := range fieldsGiven(was) {
			if !slices.Contains(has, field) {
				w.add(fact{cap: Weaken, level: Warns, key: "class " + name + " " + field, line: is.Line, always: true, what: "objects of " + name + " no longer show " + field + ", and what differed in that is equal"})
			}
		}
	}
}

// fieldsGiven are the fields that the methods of a class set on its objects, if it is one
// of those that set any.
func fieldsGiven(class *syntax.Node) []string {
	var out []string
	syntax.Walk(class, func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && len(n.Kids) > 0 {
			if to := n.Kids[0]; to.Kind == syntax.Attr && to.Kids[0].Kind == syntax.Ident && to.Kids[0].Name == "this" && !strings.HasPrefix(to.Name, "#") {
				out = append(out, to.Name)
			}
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

func classOf(binds []binding) *syntax.Node {
	for _, b := range binds {
		if b.value != nil && b.value.Kind == syntax.Class {
			return b.value
		}
	}
	return nil
}

// alwaysTrue notes functions that gave an answer and now give a generator or a
// promise, while a failing test only asks whether the answer is true: it always is.
func (w *walker) alwaysTrue(before *unit) {
	now := w.byName()
	for f, s := range before.scopes {
		is := now[s.name]
		if !f.Kind.Function() || is == nil || f.Body() == nil || is.Body() == nil || !w.tests.believed[f.Name] {
			continue
		}
		if later(is) && !later(f) {
			w.add(fact{cap: Incomparable, level: Warns, key: s.name + " later", scope: s.name, line: is.Line, always: true, what: "what " + f.Name + " gives is true whatever comes of it"})
		}
	}
}

// later reports whether a function gives something that is to be waited for, or gone
// through.
func later(f *syntax.Node) bool {
	return has(f.Body(), syntax.Yield) || has(f.Body(), syntax.Await)
}

// believes notes the functions of which a test only asks whether they give something
// true.
func (t *tests) believes(n *syntax.Node) {
	var asked *syntax.Node
	switch {
	case n.Kind == syntax.Assert && len(n.Kids) > 0:
		asked = n.Kids[0]
	case n.Kind == syntax.Call && len(n.Kids) > 1 && (n.Kids[0].Name == "ok" || n.Kids[0].Name == "assert" || n.Kids[0].Name == "assertTrue"):
		asked = n.Kids[1]
	default:
		return
	}
	if asked.Kind == syntax.Call && asked.Kids[0].Name != "" {
		t.believed[asked.Kids[0].Name] = true
	}
}
