package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

var stmtKinds = []node.Kind{
	node.ExprStmt, node.Assign, node.VarDecl, node.Return, node.If, node.While, node.For, node.Break, node.Continue, node.Raise, node.Assert,
	node.Try, node.With, node.OtherStmt,
}

// flow are the templates about the order and nesting of statements.
func flow() []Template {
	return []Template{
		{"break and continue", "goes on with the loop, or leaves it", "break → continue", .7, []node.Kind{node.Break, node.Continue}, false, breakContinue},
		{"leave loop", "leaves the loop and not the function", "return x → break", 1.5, []node.Kind{node.Return}, false, leaveLoop},
		{"branches", "swaps or drops the branches of an if", "if c: a else: b → if c: b else: a", 1.0, []node.Kind{node.If}, false, branches},
		{"else if", "makes an if the alternative of the one before", "if a: … if b: … → if a: … elif b: …", 1.2, []node.Kind{node.If}, false, elseIf},
		{"loop or once", "repeats what is done once, or does it once", "if c: → while c:", 1.5, []node.Kind{node.If, node.While, node.For}, false, loopOrOnce},
		{"loop variables", "swaps what a loop gives", "for i, x in → for x, i in", .9, []node.Kind{node.For}, false, loopVariables},
		{"order", "swaps a statement with the next", "a; b → b; a", 1.2, stmtKinds, false, order},
		{"move", "moves a statement to the start or end of its block", "a; b; c → b; c; a", 1.9, stmtKinds, false, move},
		{"out of block", "moves the last statement behind its loop or if", "for …: a; return x → for …: a\nreturn x", 1.2, stmtKinds, false, outOfBlock},
		{"into block", "moves a statement into the loop or if before it", "for …: a\nb → for …: a; b", 1.3, stmtKinds, false, intoBlock},
		{"without", "leaves a statement out", "a; b → a", 2.6, []node.Kind{node.ExprStmt, node.Assign, node.If, node.For}, true, without},
		{"without if", "does always what an if guards", "if c: a → a", 1.9, []node.Kind{node.If}, false, withoutIf},
	}
}

func breakContinue(g *site) {
	other := "break"
	if g.n.Kind == node.Break {
		other = "continue"
	}
	if g.Text(g.n) == "break" || g.Text(g.n) == "continue" {
		g.emit(g.n.Start, g.n.End, other, 0, because(g.Text(g.n), other))
	}
}

func leaveLoop(g *site) {
	if g.Loop(g.n) == nil {
		return
	}
	for _, s := range []string{"break", "continue"} {
		g.emit(g.n.Start, g.n.End, s, 0, because(g.Text(g.n), s))
	}
}

func branches(g *site) {
	n := g.n
	if len(n.Children) < 3 || n.Children[1].Kind != node.Block {
		return
	}
	then, other := n.Children[1], n.Children[2]
	target := other
	if other.Kind == node.If && len(other.Children) > 1 {
		target = other.Children[1]
	}
	if target.Kind == node.Block {
		g.emitAll([]textedit.Edit{
			{Start: then.Start, End: then.End, New: g.Text(target)}, {Start: target.Start, End: target.End, New: g.Text(then)},
		}, 0, "the branches of "+quote(g.Text(n))+" should be swapped")
	}
	if g.Dialect.Indented {
		if other.Kind == node.Block {
			end := g.LineEnd(then.End)
			g.emit(end, g.LineEnd(other.End), "", .5, "there should be no else for "+quote(g.Text(n)))
		}
		return
	}
	g.emit(then.End, other.End, "", .5, "there should be no else for "+quote(g.Text(n)))
}

func elseIf(g *site) {
	_, at, ok := g.listed(g.n)
	d := g.Dialect
	if !ok {
		// else if → if, where the alternative has a line of its own.
		p := g.Parent(g.n)
		if d.Indented && p != nil && p.Kind == node.If && strings.HasPrefix(g.Text(g.n), d.Elif) {
			g.emit(g.n.Start, g.n.Start+len(d.Elif), "if", .1, because(d.Elif, "if"))
		}
		return
	}
	if at == 0 {
		return
	}
	prev := g.Parent(g.n).Children[at-1]
	if prev.Kind != node.If || len(prev.Children) > 2 {
		return
	}
	if d.Indented {
		g.emit(g.n.Start, g.n.Start+len("if"), d.Elif, 0, because("if", d.Elif)+" in "+quote(g.Text(g.n)))
	} else {
		g.emit(prev.End, g.n.Start, " else ", 0, quote(g.Text(g.n))+" should be the else of the if before")
	}
}

func loopOrOnce(g *site) {
	text := g.Text(g.n)
	put := func(from, to string) {
		if strings.HasPrefix(text, from+" ") {
			g.emit(g.n.Start, g.n.Start+len(from), to, 0, because(from, to)+" in "+quote(text))
		}
	}
	switch {
	case g.n.Kind == node.If && g.Dialect.Indented && len(g.n.Children) == 2:
		put("if", "while")
	case g.n.Kind == node.If && len(g.n.Children) == 2 && g.n.Children[0].Kind.Expression():
		put("if", "for")
	case g.n.Kind == node.While && g.Dialect.Indented:
		put("while", "if")
	case g.n.Kind == node.While:
		put("for", "if")
	}
}

func loopVariables(g *site) {
	n := g.n
	if n.Op == ";" || g.Dialect.Walrus == "" || node.Iterable(n) < 1 {
		return // a Tuple of targets has a template of its own
	}
	first := n.Children[0]
	switch {
	case first.Kind == node.Tuple && len(first.Children) == 2:
		first, second := first.Children[0], first.Children[1]
		a, b := g.Text(first), g.Text(second)
		if a == "_" {
			g.emit(first.Start, second.End, b, .1, because(a+", "+b, b))
		} else {
			g.emit(first.Start, second.End, b+", "+a, .3, because(a+", "+b, b+", "+a))
		}
	case first.Kind == node.Name:
		g.emit(first.Start, first.End, "_, "+first.Name, 0, because(first.Name, "_, "+first.Name))
	}
}

func order(g *site) {
	block, at, ok := g.listed(g.n)
	if !ok || at+1 >= len(block.Children) {
		return
	}
	next := block.Children[at+1]
	a, okA := g.lineOf(g.n)
	b, okB := g.lineOf(next)
	if !okA || !okB || a.indent != b.indent || ends(g.n) || ends(next) {
		return
	}
	g.emitAll([]textedit.Edit{
		{Start: g.n.Start, End: g.n.End, New: g.Text(next)}, {Start: next.Start, End: next.End, New: g.Text(g.n)},
	}, 0, quote(g.Text(next))+" should come before "+quote(g.Text(g.n)))
}

// farthest is over how many statements one is moved that does not go to an end of its block.
const farthest = 5

// moveWithin puts a statement between two others of its block that do not stand beside it.
func (g *site) moveWithin(l line, all []*node.Node, at int) {
	text := g.Text(g.n)
	for k, st := range all {
		to, alone := g.lineOf(st)
		away := max(at-k, k-at-1)
		if !alone || to.indent != l.indent || k == at || away < 2 || away > farthest || g.docstringStmt(st) {
			continue
		}
		g.emitAll([]textedit.Edit{g.remove(l), {Start: st.Start, End: st.Start, New: text + l.newline + l.indent}}, .3+.05*float64(away),
			quote(text)+" should come before "+quote(g.Text(st)))
	}
}

func move(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || ends(g.n) {
		return
	}
	text := g.Text(g.n)
	all := block.Children
	if g.n.Kind == node.Assign || g.n.Kind == node.ExprStmt {
		g.moveWithin(l, all, at)
	}
	if last := all[len(all)-1]; at+2 < len(all) {
		if to, ok := g.lineOf(last); ok && !ends(last) {
			g.emitAll([]textedit.Edit{g.remove(l), {Start: to.end, End: to.end, New: l.newline + l.indent + text}}, 0,
				quote(text)+" should come after "+quote(g.Text(last)))
		} else if ok {
			g.emitAll([]textedit.Edit{g.remove(l), {Start: last.Start, End: last.Start, New: text + l.newline + l.indent}}, 0,
				quote(text)+" should come just before "+quote(g.Text(last)))
		}
	}
	if first := all[0]; at > 1 {
		if g.docstringStmt(first) {
			first = all[1]
		}
		g.emitAll([]textedit.Edit{{Start: first.Start, End: first.Start, New: text + l.newline + l.indent}, g.remove(l)}, 0,
			quote(text)+" should come before "+quote(g.Text(first)))
	}
}

func (f *file) docstringStmt(st *node.Node) bool {
	return st.Kind == node.ExprStmt && len(st.Children) == 1 && st.Children[0].Kind == node.String
}

// owner returns the statement of a list whose body block is, climbing an if chain.
func (f *file) owner(block *node.Node) *node.Node {
	o := f.Parent(block)
	for o != nil && o.Kind == node.If {
		p := f.Parent(o)
		if p == nil || p.Kind != node.If {
			break
		}
		o = p
	}
	return o
}

func outOfBlock(g *site) {
	block, at, ok := g.listed(g.n)
	if !ok || at == 0 || at != len(block.Children)-1 {
		return
	}
	o := g.owner(block)
	if o == nil || o.Kind != node.If && o.Kind != node.For && o.Kind != node.While {
		return
	}
	l, alone := g.lineOf(g.n)
	outer, alone2 := g.Indent(o)
	if !alone || !alone2 || !g.shiftable(g.n) || g.n.Kind == node.Break || g.n.Kind == node.Continue {
		return
	}
	text := g.shifted(g.n, l.indent, outer)
	why := quote(g.Text(g.n)) + " should come after " + quote(g.Text(o)) + ", not in it"
	if g.Dialect.Indented {
		if o.End == g.n.End {
			g.emit(l.start, g.n.End, outer+text, 0, why)
		}
		return
	}
	g.emitAll([]textedit.Edit{g.remove(l), {Start: o.End, End: o.End, New: l.newline + outer + text}}, 0, why)
}

func intoBlock(g *site) {
	block, at, ok := g.listed(g.n)
	if !ok || at == 0 {
		return
	}
	prev := block.Children[at-1]
	if prev.Kind != node.If && prev.Kind != node.For && prev.Kind != node.While {
		return
	}
	body := node.Body(prev)
	l, alone := g.lineOf(g.n)
	if body == nil || len(body.Children) == 0 || !alone || !g.shiftable(g.n) {
		return
	}
	last := body.Children[len(body.Children)-1]
	inner, alone2 := g.Indent(last)
	if !alone2 || ends(last) {
		return
	}
	text := g.shifted(g.n, l.indent, inner)
	why := quote(g.Text(g.n)) + " should be in " + quote(g.Text(prev))
	if g.Dialect.Indented {
		if prev.End == last.End {
			g.emit(l.start, g.n.End, inner+text, 0, why)
		}
	} else {
		g.emitAll([]textedit.Edit{{Start: last.End, End: last.End, New: l.newline + inner + text}, g.remove(l)}, 0, why)
	}
	if prev.Kind != node.If || len(prev.Children) > 2 {
		return
	}
	why = quote(g.Text(g.n)) + " should be the else of the if before"
	if g.Dialect.Indented {
		g.emit(l.start, g.n.End, l.indent+g.Dialect.Else+":"+l.newline+inner+text, .3, why)
	} else {
		g.emit(prev.End, g.n.End, " "+g.Dialect.Else+" {"+l.newline+inner+text+l.newline+l.indent+"}", .3, why)
	}
}

func withoutIf(g *site) {
	_, _, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || len(g.n.Children) != 2 || !g.shiftable(g.n) {
		return
	}
	body := g.n.Children[1]
	if body.Kind != node.Block || len(body.Children) == 0 || len(body.Children) > 3 || ends(body.Children[len(body.Children)-1]) {
		return
	}
	var parts []string
	for _, st := range body.Children {
		inner, ok := g.Indent(st)
		if !ok {
			return
		}
		parts = append(parts, g.shifted(st, inner, l.indent))
	}
	g.emit(g.n.Start, g.n.End, strings.Join(parts, l.newline+l.indent), 0, quote(g.Text(g.n))+" should not be a condition")
}

func without(g *site) {
	block, _, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if !ok || !alone || g.docstringStmt(g.n) || g.n.Op == ":=" {
		return
	}
	why := quote(g.Text(g.n)) + " should not be there"
	switch {
	case len(block.Children) > 1 || !g.Dialect.Indented:
		e := g.remove(l)
		g.emit(e.Start, e.End, "", 0, why)
	default:
		g.emit(g.n.Start, g.n.End, g.Dialect.Pass, .1, why)
	}
}
