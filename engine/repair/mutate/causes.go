package mutate

import (
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// causes are the templates about what an error comes from, and where one is missing.
func causes() []Template {
	return []Template{
		{"cause", "says from which error another one comes, or that it comes from none", "raise KeyError(k) → raise KeyError(k) from e", 1.0, []node.Kind{node.Raise}, false, cause},
		{"refusal", "raises an error where a condition only does something else", "if n < 0: n = 0 → if n < 0: raise ValueError('n')", 1.3, []node.Kind{node.If}, false, refusal},
		{"object check", "null is an object too", "typeof x === 'object' → x && typeof x === 'object'", .8, []node.Kind{node.Compare}, false, objectCheck},
	}
}

// caughtAs finds the name of what a handler catches, in its head.
var caughtAs = regexp.MustCompile(`\bas\s+(\w+)\s*:`)

// cause is for languages in which errors are raised from others.
func cause(g *site) {
	h := g.catcher(g.n)
	if h == nil || g.Dialect.Either == nil || len(g.n.Children) == 0 || g.n.Children[0].Kind == node.Empty {
		return
	}
	raised := g.Text(g.n.Children[0])
	_, end := g.Outer(g.n.Children[0])
	head := g.Between(h.Start, h.Children[len(h.Children)-1].Start)
	names := []string{g.Dialect.Nil}
	if m := caughtAs.FindStringSubmatch(head); m != nil && m[1] != raised {
		names = []string{m[1], g.Dialect.Nil}
	}
	from := strings.TrimPrefix(strings.TrimSpace(g.Between(end, g.n.End)), "from ")
	for k, name := range names {
		if name != from {
			g.emit(end, g.n.End, " from "+name, .2*float64(k), quote(raised)+" should be raised from "+quote(name))
		}
	}
	if from != "" {
		g.emit(end, g.n.End, "", .6, quote(raised)+" should keep what it comes from by itself")
	}
}

// catcher is what catches an error around a node of the same function.
func (g *site) catcher(n *node.Node) *node.Node {
	for p := g.Parent(n); p != nil && p.Kind != node.Function; p = g.Parent(p) {
		if p.Kind == node.Other && p.Op == "except" {
			return p
		}
	}
	return nil
}

// refusal raises what the tests expect where a condition holds. Without a test that
// expects an error it makes none.
func refusal(g *site) {
	d, n := g.Dialect, g.n
	if d.Raise == nil || len(n.Children) != 2 || n.Children[1].Kind != node.Block || len(n.Children[1].Children) == 0 {
		return
	}
	body := n.Children[1].Children
	last := body[len(body)-1]
	l, alone := g.lineOf(last)
	if !alone || g.braceless(n.Children[1]) || last.Kind == node.Raise {
		return
	}
	for k, e := range g.errors {
		if e.Thrown || e.Class == "" || k == 3 {
			continue
		}
		message := e.Message
		if message == "" {
			message = "invalid " + firstWord(g.Text(n.Children[0]))
		}
		text, extra := d.Raise(e.Class, d.Quote(message, "'")), .05*float64(k)
		why := quote(text) + " is missing where " + quote(g.Text(n.Children[0]))
		switch last.Kind {
		case node.Return:
			g.emit(last.Start, last.End, g.ended(text), extra+.2, why)
		case node.Break, node.Continue:
		default:
			if len(body) == 1 {
				g.emit(last.Start, last.End, text, extra+.1, why)
			}
			g.after(l, text, extra, why)
		}
	}
}

// typeOfObject finds a comparison that null passes in JavaScript.
var typeOfObject = regexp.MustCompile(`^typeof\s+\(?([\w.$]+)\)?\s*={2,3}\s*['"]object['"]$`)

// objectCheck asks first whether there is an object at all.
func objectCheck(g *site) {
	m := typeOfObject.FindStringSubmatch(g.Text(g.n))
	if m == nil || len(g.Dialect.Strict) == 0 || strings.Contains(g.Text(g.Statement(g.n)), m[1]+" &&") {
		return
	}
	start, end := g.Outer(g.n)
	for k, with := range []string{m[1] + " && " + g.Text(g.n), g.Text(g.n) + " && " + m[1] + " !== null"} {
		text := with
		if p := g.Parent(g.n); start == g.n.Start && p != nil && (p.Kind == node.Logical && p.Op != "&&" || p.Kind == node.Unary) {
			text = "(" + with + ")"
		}
		g.emit(start, end, g.Between(start, g.n.Start)+text+g.Between(g.n.End, end), .1*float64(k), quote(m[1])+" may be null in "+quote(g.Text(g.n)))
	}
}

// erring finds what is an error by its name, where functions return errors.
var erring = regexp.MustCompile(`(?i)err`)

// drops reports whether edits have a statement that returned an error return none, a
// condition no longer decide by an error alone, or a loop go over nothing: that silences
// the test and repairs nothing.
func (g *site) drops(edits []textedit.Edit) bool {
	st := g.Statement(g.n)
	if p := g.Parent(g.n); p != nil && p.Kind == node.For && p.Op == "in" && g.Place(g.n) == node.Iterable(p) && len(edits) == 1 && slices.Contains(g.Dialect.Empties, edits[0].New) {
		return true
	}
	if g.Dialect.Walrus == "" || st == nil || len(st.Children) == 0 {
		return false
	}
	for _, e := range edits {
		if old := g.Between(e.Start, e.End); strings.Contains(old, "return") && strings.Contains(old, "\n") && erring.MatchString(old) && !erring.MatchString(e.New) {
			return true
		}
	}
	if st.Kind == node.If {
		return g.unchecks(edits)
	}
	if st.Kind != node.Return {
		return false
	}
	last := st.Children[len(st.Children)-1]
	if last.Kind == node.Tuple {
		last = last.Children[len(last.Children)-1]
	}
	if !erring.MatchString(g.Text(last)) {
		return false
	}
	return slices.ContainsFunc(edits, func(e textedit.Edit) bool {
		return e.Start <= last.Start && e.End >= last.End && (e.New == g.Dialect.Nil || strings.HasSuffix(e.New, " "+g.Dialect.Nil))
	})
}

// checksError finds the condition that there is an error, or none.
var checksError = regexp.MustCompile(`\b\w*[eE]rr\w*\s*[!=]=\s*nil\b`)

// unchecks reports whether edits change a condition about an error without a word more
// about that error. The operator alone may be wrong.
func (g *site) unchecks(edits []textedit.Edit) bool {
	for _, c := range g.Statement(g.n).Children {
		if c.Kind == node.Block || len(edits) != 1 || edits[0].Start < c.Start || edits[0].End > c.End {
			continue
		}
		old, e := g.Text(c), edits[0]
		if !checksError.MatchString(old) {
			return false
		}
		now := g.Between(c.Start, e.Start) + e.New + g.Between(e.End, c.End)
		said := func(text string) int { return len(erring.FindAllString(checksError.ReplaceAllString(text, ""), -1)) }
		return len(now) != len(old) && said(now) <= said(old)
	}
	return false
}
