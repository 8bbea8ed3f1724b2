package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// line is the layout of a statement that has its line to itself.
type line struct {
	indent string
	// start and end span the statement's lines, the last line end left out.
	start, end int
	newline    string
}

// lineOf returns the layout of st; ok is false when something else stands on its
// lines, or its text can't be indented without changing it.
func (f *file) lineOf(st *node.Node) (line, bool) {
	indent, first := f.Indent(st)
	end := f.LineEnd(st.End)
	tail := strings.TrimSpace(f.Between(st.End, end))
	if !first || tail != "" && !strings.HasPrefix(tail, f.Dialect.Comment) {
		return line{}, false
	}
	text := f.Between(st.End, end)
	return line{
		indent: indent, start: f.LineStart(st.Start), end: st.End + len(strings.TrimRight(text, "\r\n")), newline: f.Newline(),
	}, true
}

// shiftable reports whether the lines of a statement may be indented: no string
// of it spans lines.
func (f *file) shiftable(st *node.Node) bool {
	text := f.Text(st)
	return len(text) < 400 && !strings.Contains(text, `"""`) && !strings.Contains(text, "'''") && !strings.Contains(text, "`")
}

// shifted returns the text of st with every line but the first moved from
// indentation from to to.
func (f *file) shifted(st *node.Node, from, to string) string {
	lines := strings.Split(f.Text(st), "\n")
	for k := 1; k < len(lines); k++ {
		if rest, ok := strings.CutPrefix(lines[k], from); ok {
			lines[k] = to + rest
		}
	}
	return strings.Join(lines, "\n")
}

// guard spells an if statement around a body of one statement.
func (f *file) guard(l line, cond, body string) string {
	if f.Dialect.Indented {
		return "if " + cond + ":" + l.newline + l.indent + f.Unit + body
	}
	if f.Dialect.Parenthesised {
		cond = "(" + cond + ")"
	}
	body = f.ended(body)
	return "if " + cond + " {" + l.newline + l.indent + f.Unit + body + l.newline + l.indent + "}"
}

// ended is a statement with what ends it.
func (f *file) ended(text string) string {
	end := f.Dialect.End
	if end == "" || strings.HasSuffix(text, end) || strings.HasSuffix(text, "}") {
		return text
	}
	return text + end
}

// before emits a statement in front of st.
func (g *site) before(st *node.Node, l line, text string, cost float64, why string) {
	g.emit(st.Start, st.Start, g.ended(text)+l.newline+l.indent, cost, why)
}

// after emits a statement behind st.
func (g *site) after(l line, text string, cost float64, why string) {
	g.emit(l.end, l.end, l.newline+l.indent+g.ended(text), cost, why)
}

// remove is the edit that takes away the lines of a statement.
func (f *file) remove(l line) textedit.Edit {
	return textedit.Edit{Start: l.start, End: f.LineEnd(l.end)}
}

// listed reports whether st is a statement of a block, and returns it with its
// place and the block's statements.
func (f *file) listed(st *node.Node) (block *node.Node, at int, ok bool) {
	p := f.Parent(st)
	if p == nil || p.Kind != node.Block || f.braceless(p) {
		return nil, 0, false
	}
	return p, f.Place(st), true
}

// braceless reports whether a block is one statement that stands without braces:
// there is no room for another.
func (f *file) braceless(block *node.Node) bool {
	owner := f.Parent(block)
	if f.Dialect.Indented || owner == nil || block.Start >= len(f.Content) || f.Content[block.Start] == '{' {
		return false
	}
	return owner.Kind == node.If || owner.Kind == node.For || owner.Kind == node.While
}

// ends reports whether control never goes on behind st.
func ends(st *node.Node) bool {
	switch st.Kind {
	case node.Return, node.Break, node.Continue, node.Raise:
		return true
	default:
		return false
	}
}
