package scan

import (
	"cmp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// counts notes functions that keep count of their calls outside of themselves and
// decide by it: what they do then depends on how often they were asked.
func (w *walker) counts() {
	for f, s := range w.scopes {
		if !f.Kind.Function() || f.Body() == nil {
			continue
		}
		counted := w.counted(f, s)
		if accessor(f) || w.lang.overloads[f.Name] {
			counted = append(counted, ownCounts(f, w.lang)...)
		}
		line := 0
		syntax.Walk(f.Body(), func(n *syntax.Node) bool {
			if n != f.Body() && n.Kind.Function() {
				return false
			}
			switch n.Kind {
			case syntax.If, syntax.Cond, syntax.While, syntax.Compare, syntax.Index:
				for _, kid := range n.Kids[:min(2, len(n.Kids))] {
					if kid.Kind != syntax.Block && line == 0 && (mentionsAny(kid, counted) || w.counterCall(kid, s)) {
						line = n.Line
					}
				}
			}
			return true
		})
		line = cmp.Or(line, w.takesNext(f, s), w.firstTime(f, s), w.firstCalls(f))
		if line > 0 {
			w.add(fact{cap: Counting, level: Warns, key: s.name, scope: s.name, line: line, what: s.name + " decides by a count of its calls"})
		}
	}
}

// rotates reports whether a value is made of parts of what it is assigned to: its
// head or tail, as a list of answers is that gives the next one each time.
func (w *walker) rotates(value, target *syntax.Node) bool {
	found := false
	syntax.Walk(value, func(n *syntax.Node) bool {
		found = found || (n.Kind == syntax.Slice || n.Kind == syntax.Index) && text(n.Kids[0]) == text(target) && text(target) != ""
		return !found && !n.Kind.Function()
	})
	return found
}

// counted are the expressions that a function counts up and that outlive its call:
// names of the file, members of a function, counters of itertools.
func (w *walker) counted(f *syntax.Node, s *scope) []string {
	var out []string
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && len(n.Kids) > 0 {
			target, value := n.Kids[0], n.Kids[len(n.Kids)-1]
			moved := value.Kind != syntax.Binary && w.rotates(value, target)
			up := moved || n.Name == "+=" || n.Name == "++" || n.Name == "--" || n.Name == "-=" || value.Kind == syntax.Binary && mentionsAny(value, []string{text(target)})
			if (up || target.Kind == syntax.Attr) && !balanced(f, target) && w.outlives(target, s) {
				out = append(out, text(target))
			}
		}
		if n.Kind == syntax.Assign && w.counterCall(n.Kids[len(n.Kids)-1], s) && n.Kids[0].Kind == syntax.Ident {
			out = append(out, n.Kids[0].Name)
		}
		if name := w.collects(n); name != "" {
			out = append(out, name+".length", "len "+name)
		}
		return n == f.Body() || !n.Kind.Function()
	})
	for name, binds := range w.top.binds {
		if slices.ContainsFunc(binds, func(b binding) bool {
			return b.value != nil && slices.Contains(w.follow(b.value, w.top, farthest), "itertools.count()")
		}) {
			out = append(out, name)
		}
	}
	return out
}

// balanced reports whether a function counts something up and down again: how deep it is
// called says nothing of how often.
func balanced(f, target *syntax.Node) bool {
	up, down := false, false
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && text(n.Kids[0]) == text(target) {
			up = up || n.Name == "++" || n.Name == "+="
			down = down || n.Name == "--" || n.Name == "-="
		}
		return true
	})
	return up && down
}

// accessor reports whether a function runs where a property is only read.
func accessor(f *syntax.Node) bool {
	return slices.ContainsFunc(f.Kids, func(k *syntax.Node) bool {
		return k.Kind == syntax.Decorator && (k.Name == "get" || len(k.Kids) > 0 && strings.HasSuffix(k.Kids[0].Name, "property"))
	})
}

// ownCounts are the fields of its object that a function counts up.
func ownCounts(f *syntax.Node, l *language) []string {
	var out []string
	self := selfNames(f, l)
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && n.Kids[0].Kind == syntax.Attr && (isSelf(n.Kids[0].Kids[0]) || slices.Contains(self, text(n.Kids[0].Kids[0]))) {
			switch value := n.Kids[len(n.Kids)-1]; {
			case n.Name == "+=", n.Name == "++", n.Name == "--", n.Name == "-=", value.Kind == syntax.Binary && mentionsAny(value, []string{text(n.Kids[0])}):
				out = append(out, text(n.Kids[0]))
			}
		}
		return true
	})
	return out
}

// steppers are methods by which a counter, or a place in a list, moves on.
var steppers = words("Add Inc Next next shift pop popleft __next__ fetch_add Swap CompareAndSwap")

// counterCall reports whether an expression moves a counter of the file on.
func (w *walker) counterCall(n *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Call && c.Kids[0].Kind == syntax.Attr && steppers[c.Kids[0].Name] {
			base := c.Kids[0].Kids[0]
			_, own := s.binds[base.Name]
			found = found || base.Kind == syntax.Ident && !own && w.top.binds[base.Name] != nil && w.top.binds[base.Name][0].path == "" && c.Kids[0].Name != "pop"
		}
		return !found && !c.Kind.Function()
	})
	return found
}

// takesNext is the line where a function gives the next of a list that the file
// has ready, 0 for none.
func (w *walker) takesNext(f *syntax.Node, s *scope) int {
	line := 0
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		var list *syntax.Node
		switch {
		case n.Kind != syntax.Call:
		case n.Kids[0].Kind == syntax.Attr && steppers[n.Kids[0].Name]:
			list = n.Kids[0].Kids[0]
		case n.Kids[0].Name == "next" && len(n.Kids) > 1:
			list = n.Kids[1]
		}
		if n.Kind == syntax.Unary && n.Name == "<-" && n.Kids[0].Kind == syntax.Ident && s.binds[n.Kids[0].Name] == nil && line == 0 && w.filledAtLoad(n.Kids[0].Name) {
			line = n.Line
		}
		if list != nil && list.Kind == syntax.Ident && s.binds[list.Name] == nil && line == 0 {
			for _, b := range w.top.binds[list.Name] {
				if b.value != nil && w.readyList(b.value) {
					line = n.Line
				}
			}
		}
		return n == f.Body() || !n.Kind.Function()
	})
	return line
}

// filledAtLoad reports whether a name of the file has what a function gave that was
// called where it stands.
func (w *walker) filledAtLoad(name string) bool {
	return slices.ContainsFunc(w.top.binds[name], func(b binding) bool {
		return b.value != nil && b.value.Kind == syntax.Call && b.value.Kids[0].Kind == syntax.Lambda
	})
}

// readyList reports whether a value is a list of constants, or what goes through one.
func (w *walker) readyList(n *syntax.Node) bool {
	switch n.Kind {
	case syntax.List, syntax.Tuple:
		return w.constant(n, w.top)
	case syntax.Call:
		return slices.ContainsFunc(n.Kids, w.readyList)
	case syntax.Attr, syntax.Index:
		return w.readyList(n.Kids[0])
	default:
		return false
	}
}

// collects is the name of the file to which a call adds something, "" for none.
func (w *walker) collects(n *syntax.Node) string {
	if n.Kind != syntax.Call || n.Kids[0].Kind != syntax.Attr || n.Kids[0].Name != "append" && n.Kids[0].Name != "push" {
		return ""
	}
	if base := n.Kids[0].Kids[0]; base.Kind == syntax.Ident && w.top.binds[base.Name] != nil {
		return base.Name
	}
	return ""
}

// outlives reports whether an assignment's target is there after the call.
func (w *walker) outlives(target *syntax.Node, s *scope) bool {
	switch target.Kind {
	case syntax.Ident:
		if s.global[target.Name] {
			return true
		}
		binds, known := s.lookup(target.Name)
		if _, own := s.binds[target.Name]; known && !own && len(binds) > 0 && w.madeAtLoad(binds[0].scope) {
			return true
		}
		top, atTop := w.top.binds[target.Name]
		return w.lang != python && known && atTop && len(binds) == len(top) && &binds[0] == &top[0]
	case syntax.Attr, syntax.Index:
		base := target.Kids[0]
		if base.Kind != syntax.Ident || isSelf(base) {
			return false
		}
		held, own := s.binds[base.Name]
		if own && held[0].param && held[0].value != nil && (held[0].value.Kind == syntax.List || held[0].value.Kind == syntax.Dict) {
			return w.lang == python // a default that is made once
		}
		return !own && (w.ownFunction(base, s) || w.top.binds[base.Name] != nil && target.Kind == syntax.Index && target.Kids[1].Kind == syntax.Const)
	default:
		return false
	}
}

// madeAtLoad reports whether the names of a function are made while the file is
// loaded, so that what it gave back keeps them for good.
func (w *walker) madeAtLoad(s *scope) bool {
	if s == nil || s.node == nil || !s.node.Kind.Function() {
		return false
	}
	if s.node.Name == "" {
		return s.parent == w.top && w.calledAtOnce(s.node)
	}
	found := false
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		found = found || n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Ident && n.Kids[0].Name == s.node.Name
		return !found && !n.Kind.Function()
	})
	return found
}

// firstTime is the line where a function gives something else the first time that
// it is called: it tells that by a name of the file, which it changes there.
func (w *walker) firstTime(f *syntax.Node, s *scope) int {
	line := 0
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.If && len(n.Kids) > 1 && line == 0 && has(n.Kids[1], syntax.Return) && slices.ContainsFunc(answers(n.Kids[1]), func(a *syntax.Node) bool { return a.Kind != syntax.Const }) {
			syntax.Walk(n.Kids[1], func(a *syntax.Node) bool {
				if a.Kind == syntax.Assign && a.Kids[0].Kind == syntax.Ident && mentions(n.Kids[0], []string{a.Kids[0].Name}) && a.Kids[len(a.Kids)-1].Kind == syntax.Const && w.outlives(a.Kids[0], s) {
					line = n.Line
				}
				return !a.Kind.Function()
			})
		}
		return n == f.Body() || !n.Kind.Function()
	})
	return line
}

// text is a name or a member in one spelling.
func text(n *syntax.Node) string {
	switch n.Kind {
	case syntax.Ident:
		return n.Name
	case syntax.Attr:
		return text(n.Kids[0]) + "." + n.Name
	case syntax.Index:
		return text(n.Kids[0]) + "[]"
	case syntax.Call:
		if len(n.Kids) == 2 && n.Kids[0].Name == "len" {
			return "len " + text(n.Kids[1])
		}
		return ""
	default:
		return ""
	}
}

func mentionsAny(n *syntax.Node, names []string) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || slices.Contains(names, text(c)) && text(c) != ""
		return !found
	})
	return found
}

// selfNames are the names under which a method knows its object.
func selfNames(f *syntax.Node, l *language) []string {
	switch {
	case l == javascript && f.Kind == syntax.Method:
		return []string{"this"}
	case l == golang && f.Kind == syntax.Method && len(f.Params()) > 0:
		return f.Params()[:1]
	case l == python && len(f.Params()) > 0 && f.Params()[0] == "self":
		return []string{"self"}
	default:
		return nil
	}
}

// forgets notes functions that no longer look at something that they are given.
func (w *walker) forgets(before *unit) {
	if before == nil {
		return
	}
	old, had := map[string]*syntax.Node{}, constantsOf(before)
	for f, s := range before.scopes {
		old[s.name] = f
	}
	for f, s := range w.scopes {
		was := old[s.name]
		if was == nil || f.Kind == syntax.Lambda || f.Body() == nil || was.Body() == nil || len(answers(f)) == 0 && !has(f.Body(), syntax.Raise) {
			continue
		}
		w.nowGiven(was, f, s, had)
		if self := selfNames(f, w.lang); f.Kind == syntax.Method && len(self) > 0 || f.Name != "" && w.lang == python && len(self) > 0 {
			if mentions(was.Body(), self) && !mentions(f.Body(), self) {
				w.add(fact{cap: Literal, level: Warns, key: s.name + " object", scope: s.name, line: f.Line, always: true, what: s.name + " no longer looks at its object"})
			}
		}
		for _, p := range f.Params() {
			if goesThrough(was, p) && w.onlyPlaces(f, p, s) {
				w.add(fact{cap: Literal, level: Warns, key: s.name + " places " + p, scope: s.name, line: f.Line, always: true, what: s.name + " looks at a few fixed places of " + p + ", all of which it went through before"})
			}
			if p != "_" && !isSelf(&syntax.Node{Kind: syntax.Ident, Name: p}) && mentions(was.Body(), []string{p}) && !mentions(f.Body(), []string{p}) {
				w.add(fact{cap: Literal, level: Warns, key: s.name + " " + p, scope: s.name, line: f.Line, always: true, what: s.name + " no longer looks at " + p})
			}
		}
	}
}
