package node

import (
	"bytes"
	"strings"
)

// Info is a tree with the content it was parsed from and what templates ask of
// both. It is read-only.
type Info struct {
	Root    *Node
	Content []byte
	Dialect *Dialect
	// Unit is one step of indentation in this file.
	Unit string

	parent map[*Node]*Node
	place  map[*Node]int
}

// NewInfo makes the Info of a tree.
func NewInfo(root *Node, content []byte, d *Dialect) *Info {
	i := &Info{Root: root, Content: content, Dialect: d, parent: map[*Node]*Node{}, place: map[*Node]int{}}
	Walk(root, func(n *Node) bool {
		for k, c := range n.Children {
			i.parent[c], i.place[c] = n, k
		}
		return true
	})
	i.Unit = unitOf(content, d.Unit)
	return i
}

// unitOf is the indentation of the first indented line that follows one that is
// not, which is one step.
func unitOf(content []byte, otherwise string) string {
	outer := true
	for line := range bytes.Lines(content) {
		text := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if n := len(line) - len(text); n > 0 && n <= 8 && outer {
			return string(line[:n])
		} else if n > 0 {
			return otherwise
		}
		outer = bytes.HasSuffix(bytes.TrimSpace(text), []byte(":")) || bytes.HasSuffix(bytes.TrimSpace(text), []byte("{"))
	}
	return otherwise
}

// Parent returns the node above n, nil for the root.
func (i *Info) Parent(n *Node) *Node { return i.parent[n] }

// Place returns which child of its parent n is.
func (i *Info) Place(n *Node) int { return i.place[n] }

// Text returns the source of n.
func (i *Info) Text(n *Node) string { return string(i.Content[n.Start:n.End]) }

// Between returns the source between two offsets.
func (i *Info) Between(start, end int) string { return string(i.Content[start:end]) }

// Statement returns the statement that n is or lies in; nil at the top.
func (i *Info) Statement(n *Node) *Node {
	for ; n != nil; n = i.parent[n] {
		if n.Kind.Statement() {
			return n
		}
	}
	return nil
}

// Function returns the innermost Function that n lies in, not n itself; nil when
// there is none.
func (i *Info) Function(n *Node) *Node {
	for n = i.parent[n]; n != nil; n = i.parent[n] {
		if n.Kind == Function {
			return n
		}
	}
	return nil
}

// Loop returns the innermost loop whose body n lies in, within its function.
func (i *Info) Loop(n *Node) *Node {
	for p := i.parent[n]; p != nil; n, p = p, i.parent[p] {
		switch {
		case (p.Kind == For || p.Kind == While) && n.Kind == Block:
			return p
		case p.Kind == Function || p.Kind == Lambda:
			return nil
		}
	}
	return nil
}

// Body returns the Block of a function, loop or if; nil when it has none.
func Body(n *Node) *Node {
	for _, c := range n.Children {
		if c.Kind == Block {
			return c
		}
	}
	return nil
}

// Visible returns the names that are visible at n, as the parser knows them.
func (i *Info) Visible(n *Node) []Symbol {
	for ; n != nil; n = i.parent[n] {
		if n.Scope != nil {
			return n.Scope
		}
	}
	return nil
}

// Stored reports whether n is assigned to where it stands.
func (i *Info) Stored(n *Node) bool {
	p := i.parent[n]
	if p == nil {
		return false
	}
	switch p.Kind {
	case Assign, VarDecl:
		return i.place[n] < len(p.Children)-1
	case For:
		return p.Op == "in" && i.place[n] < Iterable(p)
	case Tuple, List:
		return i.Stored(p)
	default:
		return false
	}
}

// Iterable returns which child of an iterating For is what it iterates.
func Iterable(loop *Node) int {
	for k, c := range loop.Children {
		if c.Kind == Block {
			return k - 1
		}
	}
	return len(loop.Children) - 1
}

// Indent returns the white space at the start of the line on which n starts, and
// whether n is the first thing on it.
func (i *Info) Indent(n *Node) (string, bool) {
	line := i.Content[i.LineStart(n.Start):n.Start]
	text := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(text)]), len(text) == 0
}

// LineStart returns the offset at which the line that holds at begins.
func (i *Info) LineStart(at int) int { return bytes.LastIndexByte(i.Content[:at], '\n') + 1 }

// LineEnd returns the offset after the line that holds at, its line end
// included.
func (i *Info) LineEnd(at int) int {
	if k := bytes.IndexByte(i.Content[at:], '\n'); k >= 0 {
		return at + k + 1
	}
	return len(i.Content)
}

// Newline returns the file's line end.
func (i *Info) Newline() string {
	if bytes.Contains(i.Content, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// Outer returns the span of n with the parentheses that are around it alone.
func (i *Info) Outer(n *Node) (start, end int) {
	start, end = n.Start, n.End
	low, high := i.room(n)
	for {
		a := start - 1
		for a >= low && blank(i.Content[a]) {
			a--
		}
		b := end
		for b < high && blank(i.Content[b]) {
			b++
		}
		if a < low || b >= high || i.Content[a] != '(' || i.Content[b] != ')' {
			return start, end
		}
		start, end = a, b+1
	}
}

// room returns the offsets between which parentheses around n may stand: within
// its parent, between its siblings, inside the parentheses of a call.
func (i *Info) room(n *Node) (low, high int) {
	p := i.parent[n]
	if p == nil {
		return n.Start, n.End
	}
	low, high = p.Start, p.End
	at := i.place[n]
	if at > 0 {
		low = p.Children[at-1].End
	}
	if at+1 < len(p.Children) {
		high = p.Children[at+1].Start
	}
	if p.Kind != Call || at == 0 {
		return low, high
	}
	if at == 1 {
		if k := strings.IndexByte(i.Between(low, n.Start), '('); k >= 0 {
			low += k + 1
		} else {
			low = n.Start
		}
	}
	if at == len(p.Children)-1 {
		high = p.End - 1
	}
	return low, high
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
