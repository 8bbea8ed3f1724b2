package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// waiting are the templates about functions that wait, and about results that are
// handed on.
func waiting() []Template {
	return []Template{
		{"await", "waits for a result, or does not", "f() → await f()", .9, []node.Kind{node.Call, node.Other}, false, await},
		{"async", "makes a function one that waits, or not", "def f → async def f", 1.5, []node.Kind{node.Function}, false, async},
		{"spread", "gives elements one by one, or all at once", "f(a) → f(*a)", 1.2, []node.Kind{node.Call}, false, spreadOut},
		{"handed on", "yields what a call gives", "f(x) → yield from f(x)", 1.0, []node.Kind{node.ExprStmt}, false, handedOn},
		{"decorator", "decorates a function, or does not", "def f → @property def f", 1.9, []node.Kind{node.Function}, false, decorator},
		{"base class", "sets up the base class", "super().__init__(name)", 1.3, []node.Kind{node.Function}, false, baseClass},
	}
}

// head is the source of a function up to its body.
func (f *file) head(fn *node.Node) string {
	end := fn.End
	if b := node.Body(fn); b != nil {
		end = b.Start
	}
	return f.Between(fn.Start, end)
}

// waits reports whether n is in a function that may wait.
func (f *file) waits(n *node.Node) bool {
	for n = f.Parent(n); n != nil; n = f.Parent(n) {
		if n.Kind == node.Function || n.Kind == node.Lambda {
			return strings.Contains(" "+f.head(n), " "+f.Dialect.Async) || strings.Contains(f.head(n), "\n"+f.Dialect.Async)
		}
	}
	return false
}

func await(g *site) {
	d := g.Dialect
	if d.Await == "" || !g.waits(g.n) {
		return
	}
	text := g.Text(g.n)
	if g.n.Kind == node.Other {
		if rest, ok := strings.CutPrefix(text, d.Await); ok {
			g.emit(g.n.Start, g.n.End, rest, .3, because(text, rest))
		}
		return
	}
	if p := g.Parent(g.n); p.Kind == node.Other && strings.HasPrefix(g.Text(p), d.Await) {
		return
	}
	g.replace(g.n, code{d.Await + text, atomic - 1}, 0)
}

func async(g *site) {
	d := g.Dialect
	if d.Async == "" || g.n.Name == "" {
		return
	}
	at := g.n.Start
	if k := strings.LastIndex(g.head(g.n), "\n"); d.Indented && k >= 0 {
		// Decorators stand before it on lines of their own.
		line := g.head(g.n)[k+1:]
		if trimmed := strings.TrimLeft(line, " \t"); strings.HasPrefix(trimmed, "def ") || strings.HasPrefix(trimmed, d.Async) {
			at += k + 1 + len(line) - len(trimmed)
		}
	}
	rest := string(g.Content[at:g.n.End])
	switch {
	case strings.HasPrefix(rest, d.Async):
		g.emit(at, at+len(d.Async), "", .2, quote(g.n.Name)+" should not be "+quote(d.Async))
	case strings.HasPrefix(rest, "def ") || strings.HasPrefix(rest, "function "):
		cost := .3
		if strings.Contains(g.Text(g.n), d.Await) {
			cost = 0
		}
		g.emit(at, at, d.Async, cost, quote(g.n.Name)+" should be "+quote(d.Async))
	}
}

func spreadOut(g *site) {
	d := g.Dialect
	if d.Spread == "" || d.Walrus != "" {
		return
	}
	for _, a := range g.n.Children[1:] {
		text := g.Text(a)
		switch a.Kind {
		case node.Name, node.Attribute, node.Call, node.Comp, node.Index, node.Slice, node.List:
			if a.Kind == node.Comp && !strings.HasPrefix(text, "[") {
				text = "(" + strings.TrimSuffix(strings.TrimPrefix(text, "("), ")") + ")"
			}
			s, e := a.Start, a.End
			g.emit(s, e, d.Spread+text, .1*float64(min(len(g.n.Children)-2, 4)), because(g.Text(a), d.Spread+text))
		case node.Other:
			if rest, ok := strings.CutPrefix(text, d.Spread); ok && !strings.HasPrefix(rest, d.Spread) {
				g.emit(a.Start, a.End, rest, .1, because(text, rest))
			}
		default: // Texts and numbers have no elements to give.
		}
	}
}

func handedOn(g *site) {
	call := g.n.Children[0]
	if call.Kind != node.Call || !g.Dialect.Indented || !strings.Contains(g.Text(g.fn), "yield ") {
		return
	}
	for k, s := range []string{"yield from ", "yield "} {
		g.emit(g.n.Start, g.n.Start, s, .2*float64(k), quote(s)+" is missing before "+quote(g.Text(call)))
	}
}

// method reports whether a function stands in a class.
func (g *site) method() bool {
	block := g.Parent(g.n)
	return block != nil && block.Kind == node.Block && g.Parent(block) != nil && g.Parent(block).Kind == node.OtherStmt && g.Parent(block).Name != ""
}

func decorator(g *site) {
	d := g.Dialect
	if len(d.Decorators) == 0 || !g.method() || strings.HasPrefix(g.n.Name, "__") {
		return
	}
	indent, first := g.Indent(g.n)
	if !first {
		return
	}
	own := false
	for _, c := range g.n.Children {
		if text := strings.TrimPrefix(g.Text(c), "@"); c.Kind == node.Other && strings.HasPrefix(g.Text(c), "@") {
			own = true
			g.emit(c.Start, g.LineEnd(c.End)+len(indent), "", .3, quote("@"+text)+" should not be at "+quote(g.n.Name))
			for _, s := range d.Decorators {
				if s != text {
					g.emit(c.Start+1, c.End, s, .2, because(text, s)+" at "+quote(g.n.Name))
				}
			}
		}
	}
	if own {
		return
	}
	plain := 0
	for _, c := range g.n.Children {
		if c.Kind == node.Param {
			plain++
		}
	}
	for k, s := range d.Decorators {
		if s == "property" && plain != 1 {
			continue
		}
		g.emit(g.n.Start, g.n.Start, "@"+s+g.Newline()+indent, .1*float64(k), quote("@"+s)+" is missing at "+quote(g.n.Name))
	}
}

func baseClass(g *site) {
	d := g.Dialect
	body := node.Body(g.n)
	if d.Base == nil || g.n.Name != "__init__" || !g.method() || body == nil || strings.Contains(g.Text(g.n), "super(") {
		return
	}
	class := g.Parent(g.Parent(g.n))
	if class.Children[0].Kind == node.Block {
		return // it has no base
	}
	var names []string
	for _, c := range g.n.Children {
		if c.Kind == node.Param && c.Name != d.Receiver && c.Name != "args" && c.Name != "kwargs" {
			names = append(names, c.Name)
		}
	}
	first := body.Children[0]
	indent, alone := g.Indent(first)
	if !alone {
		return
	}
	for k := len(names); k >= 0; k-- {
		text := d.Base(strings.Join(names[:k], ", "))
		g.emitAll([]textedit.Edit{{Start: first.Start, End: first.Start, New: text + g.Newline() + indent}}, .1*float64(len(names)-k),
			quote(text)+" is missing in "+quote(g.n.Name))
	}
}
