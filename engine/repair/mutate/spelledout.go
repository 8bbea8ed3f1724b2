package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// spelledOut are the templates about what languages with error values have programs say
// in so many words: errors that are looked at, maps that are made before they are
// filled, values that may not be there.
func spelledOut() []Template {
	return []Template{
		{"missing map", "makes a map before something is put into it", "if m == nil { m = map[string]int{} }", 1.2, []node.Kind{node.Assign}, false, missingMap},
		{"dropped error", "hands on an error that was dropped", "f() → if err := f(); err != nil { return err }", 1.0, []node.Kind{node.Assign, node.ExprStmt}, false, droppedError},
		{"found", "looks whether there is such a value", "v := m[k] → v, ok := m[k]; if !ok { return 0 }", 1.5, []node.Kind{node.Assign}, false, found},
		{"wrapped error", "knows an error that is wrapped too", "err == ErrX → errors.Is(err, ErrX)", .9, []node.Kind{node.Compare}, false, wrappedError},
		{"cancelled", "ends when the context does", "if err := ctx.Err(); err != nil { return err }", 1.7, stmtKinds, false, cancelled},
		{"lock", "locks while it works", "mu.Lock(); defer mu.Unlock()", 1.5, stmtKinds, false, locked},
		{"pointer receiver", "changes the object itself and not a copy", "func (c T) → func (c *T)", .9, []node.Kind{node.Function}, false, pointerReceiver},
		{"element itself", "changes the element and not a copy of it", "x.n = 1 → xs[i].n = 1", .8, []node.Kind{node.Assign, node.ExprStmt}, false, elementItself},
		{"own variable", "has a variable of its own in each round of a loop", "x := x", 1.5, []node.Kind{node.For}, false, ownVariable},
		{"case value", "adds a value to a case", "case 'a': → case 'a', 'b':", 1.3, []node.Kind{node.Other}, false, caseValue},
		{"missing default", "does something where no case holds", "switch … → switch … default: return 0", 1.8, []node.Kind{node.OtherStmt}, false, missingDefault},
		{"missing else", "does something else where a condition does not hold", "if c { a } → if c { a } else { b }", 1.9, []node.Kind{node.If}, false, missingElse},
	}
}

// spelled reports whether errors are values in the language, and there are no words for
// what the templates here write.
func (f *file) spelled() bool { return f.Dialect.Walrus != "" }

// handsOn is the statement that returns an error, with nothing beside it; ok is false
// where the function returns none.
func (g *site) handsOn(err string) (text string, ok bool) {
	results := splitResults(g.fn.Type)
	if g.fn.Kind != node.Function || len(results) == 0 || !strings.HasSuffix(results[len(results)-1], "error") {
		return "", false
	}
	var values []string
	for _, r := range results[:len(results)-1] {
		z := g.zeros(r)
		if len(z) == 0 {
			z = []string{r + "{}"}
		}
		values = append(values, z[0])
	}
	return "return " + strings.Join(append(values, err), ", "), true
}

func missingMap(g *site) {
	target := g.n.Children[0]
	if !g.spelled() || target.Kind != node.Index || g.classOf(target.Children[0]) != node.Mapping {
		return
	}
	l, alone := g.lineOf(g.n)
	object := target.Children[0]
	if _, _, ok := g.listed(g.n); !ok || !alone || object.Type == "" {
		return
	}
	m := g.Text(object)
	text := g.guard(l, m+" == "+g.Dialect.Nil, m+" = make("+object.Type+")")
	g.before(g.n, l, text, 0, quote(m)+" may not have been made before "+quote(g.Text(g.n)))
	if object.Kind == node.Index {
		// A map of maps: the outer one has none under the key yet.
		whole := object.Children[0]
		if inner := g.elem(whole.Type); inner != "" && g.classOf(whole) == node.Mapping {
			text := g.guard(l, "_, ok := "+m+"; !ok", m+" = make("+inner+")")
			g.before(g.n, l, text, .2, quote(m)+" may not have been made before "+quote(g.Text(g.n)))
		}
	}
}

func droppedError(g *site) {
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); !g.spelled() || !ok || !alone {
		return
	}
	call := g.n.Children[len(g.n.Children)-1]
	types := splitResults(call.Type)
	if call.Kind != node.Call || len(types) == 0 || !strings.HasSuffix(types[len(types)-1], "error") {
		return
	}
	var exits []string
	if text, ok := g.handsOn("err"); ok {
		exits = append(exits, text)
	}
	if g.Loop(g.n) != nil {
		exits = append(exits, "continue", "break")
	}
	for k, exit := range exits {
		text, ok := g.looked(l, call, len(types), exit)
		if ok {
			g.emit(g.n.Start, g.n.End, text, .2*float64(k), "the error of "+quote(g.Text(call))+" is dropped")
		}
	}
}

// looked is the statement of the site with a look at the error that it drops.
func (g *site) looked(l line, call *node.Node, results int, exit string) (text string, ok bool) {
	blanks := strings.Repeat("_, ", results-1) + "err := " + g.Text(call) + "; err != " + g.Dialect.Nil
	if g.n.Kind == node.ExprStmt {
		return g.guard(l, blanks, exit), true
	}
	targets := g.n.Children[:len(g.n.Children)-1]
	if len(targets) == 1 && targets[0].Kind == node.Tuple {
		targets = targets[0].Children
	}
	last := targets[len(targets)-1]
	if g.Text(last) != "_" || len(targets) != results {
		return "", false
	}
	if results == 1 || !slices.ContainsFunc(targets, func(t *node.Node) bool { return g.Text(t) != "_" }) {
		return g.guard(l, blanks, exit), true
	}
	if g.n.Op != g.Dialect.Walrus {
		return "", false
	}
	return g.Between(g.n.Start, last.Start) + "err" + g.Between(last.End, g.n.End) + l.newline + l.indent + g.guard(l, "err != "+g.Dialect.Nil, exit), true
}

// found looks whether a map has a key, or a value a type, and leaves where it has not.
func found(g *site) {
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); !g.spelled() || !ok || !alone || g.n.Op != g.Dialect.Walrus || len(g.n.Children) != 2 || g.n.Children[0].Kind != node.Name {
		return
	}
	value := g.n.Children[1]
	looked := value.Kind == node.Index && g.classOf(value.Children[0]) == node.Mapping || value.Kind == node.Other && strings.HasSuffix(g.Text(value), ")") && strings.Contains(g.Text(value), ".(")
	ok := g.unused("ok", "found")
	if !looked || ok == "" {
		return
	}
	head := g.Text(g.n.Children[0]) + ", " + ok + " := " + g.Text(value) + l.newline + l.indent
	put := func(exit string, cost float64) {
		g.emit(g.n.Start, g.n.End, head+g.guard(l, g.Dialect.Not+ok, exit), cost, quote(g.Text(value))+" may not be there")
	}
	if g.Loop(g.n) != nil {
		put("continue", .1)
	}
	for k, r := range g.resultsAt(g.n.Start) {
		if k < 8 {
			put(strings.TrimSpace("return "+r), .05*float64(k))
		}
	}
}

// unused is the first of some names that the function does not use.
func (g *function) unused(names ...string) string {
	for _, name := range names {
		if g.words[name] == 0 {
			return name
		}
	}
	return ""
}

func wrappedError(g *site) {
	a, b := g.n.Children[0], g.n.Children[1]
	if !g.spelled() || a.Type != "error" && b.Type != "error" || a.Kind == node.Nil || b.Kind == node.Nil {
		return
	}
	is := atom("errors.Is(" + g.Text(a) + ", " + g.Text(b) + ")")
	switch g.n.Op {
	case "==":
		g.replace(g.n, is, 0)
	case "!=":
		g.replace(g.n, g.not(is), 0)
	}
}

// cancelled looks at a context at the start of a function or of a loop's round.
func cancelled(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	exit, hands := g.handsOn("err")
	if !g.spelled() || !ok || !alone || at != 0 || !hands || g.Parent(block) != g.fn && g.Parent(block) != g.Loop(g.n) {
		return
	}
	for _, v := range g.vars(g.n) {
		if v.typ == "context.Context" {
			g.before(g.n, l, g.guard(l, "err := "+v.name+".Err(); err != "+g.Dialect.Nil, exit), 0, quote(v.name)+" may have ended before "+quote(g.Text(g.n)))
		}
	}
}

// locked locks what its object has to be locked with for as long as the function runs.
func locked(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !g.spelled() || !ok || !alone || at != 0 || g.Parent(block) != g.fn || len(g.fn.Children) == 0 || g.fn.Children[0].Kind != node.Param {
		return
	}
	object := g.fn.Children[0]
	list, _ := g.members(object.Type)
	for _, m := range list {
		if m.Type != "sync.Mutex" && m.Type != "sync.RWMutex" && m.Type != "*sync.Mutex" && m.Type != "*sync.RWMutex" {
			continue
		}
		lock := object.Name + "." + m.Name
		if g.mentions(lock + ".") {
			continue
		}
		for k, verb := range []string{"Lock", "RLock"} {
			if verb == "RLock" && !strings.HasSuffix(m.Type, "RWMutex") {
				continue
			}
			text := lock + "." + verb + "()" + l.newline + l.indent + "defer " + lock + "." + closers[verb] + "()"
			g.before(g.n, l, text, .2*float64(k), quote(lock)+" is not locked in "+quote(g.fn.Name))
		}
	}
}

// root is the name at the start of an access: x of x.a[1].b.
func root(n *node.Node) *node.Node {
	for n.Kind == node.Attribute || n.Kind == node.Index {
		n = n.Children[0]
	}
	return n
}

// anywhere collects nodes of a statement, with those in the blocks in it.
func anywhere(n *node.Node, want func(*node.Node) bool) []*node.Node {
	var out []*node.Node
	node.Walk(n, func(m *node.Node) bool {
		if want(m) {
			out = append(out, m)
		}
		return true
	})
	return out
}

func pointerReceiver(g *site) {
	if !g.spelled() || len(g.n.Children) == 0 || g.n.Children[0].Kind != node.Param || !strings.HasPrefix(g.Text(g.n), "func (") {
		return
	}
	object := g.n.Children[0]
	at := object.End + 1
	if at >= len(g.Content) || !wordStart(g.Content[at]) {
		return
	}
	changes := anywhere(g.n, func(n *node.Node) bool {
		return n.Kind == node.Assign && n.Op != g.Dialect.Walrus && n.Children[0] != root(n.Children[0]) && root(n.Children[0]).Name == object.Name
	})
	if len(changes) > 0 {
		g.emit(at, at, "*", 0, quote(g.n.Name)+" changes a copy of "+quote(object.Name))
	}
}

// elementItself changes the element of a list where a loop's variable has a copy.
func elementItself(g *site) {
	if !g.spelled() || len(g.n.Children) == 0 {
		return
	}
	target := g.n.Children[0]
	if g.n.Kind == node.ExprStmt {
		if target.Kind != node.Call || target.Children[0].Kind != node.Attribute {
			return
		}
		target = target.Children[0]
	}
	name := root(target)
	if name == target || name.Kind != node.Name || strings.HasPrefix(name.Type, "*") {
		return
	}
	for loop := g.Loop(g.n); loop != nil; loop = g.Loop(loop) {
		if loop.Op != "in" || loop.Children[0].Kind != node.Tuple || loop.Children[0].Children[1].Name != name.Name {
			continue
		}
		key, list := loop.Children[0].Children[0], loop.Children[1]
		index := g.Text(key)
		edits := []textedit.Edit{}
		if index == "_" {
			if index = g.unused("i", "k", "n"); index == "" {
				return
			}
			edits = append(edits, textedit.Edit{Start: key.Start, End: key.End, New: index})
		}
		text := g.Text(list) + "[" + index + "]"
		g.emitAll(append(edits, textedit.Edit{Start: name.Start, End: name.End, New: text}), 0, quote(name.Name)+" is a copy of "+quote(text))
		if rest := anywhere(node.Body(loop), func(n *node.Node) bool { return n.Kind == node.Name && n.Name == name.Name }); len(rest) == 1 {
			whole := loop.Children[0]
			g.emitAll([]textedit.Edit{{Start: whole.Start, End: whole.End, New: index}, {Start: name.Start, End: name.End, New: text}}, 0, quote(name.Name)+" is a copy of "+quote(text))
		}
		return
	}
}

// ownVariable gives what is made in a loop's round and runs later the round's own value.
func ownVariable(g *site) {
	body := node.Body(g.n)
	if !g.spelled() || body == nil || len(body.Children) == 0 || len(anywhere(body, func(n *node.Node) bool { return n.Kind == node.Lambda })) == 0 {
		return
	}
	first := body.Children[0]
	l, alone := g.lineOf(first)
	if !alone {
		return
	}
	for _, name := range below(g.n.Children[0], func(n *node.Node) bool { return n.Kind == node.Name && g.Stored(n) }) {
		text := name.Name + " := " + name.Name
		g.emit(first.Start, first.Start, text+l.newline+l.indent, 0, "all rounds share one "+quote(name.Name))
	}
}
