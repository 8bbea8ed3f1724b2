package mutate

import (
	"maps"
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// misspelt are the templates for names and texts that are not what they should be by
// little, where something else tells what they should be.
func misspelt() []Template {
	return []Template{
		{"misnamed", "puts another name wherever the function has one that means nothing", "Limit → LIMIT", .7, []node.Kind{node.Name}, false, misnamed},
		{"text wanted", "says what the test wants to read in the place of what it read", "'no such fle' → 'no such file'", .4, []node.Kind{node.String, node.Other}, false, textWanted},
	}
}

// unheardOf reports whether nothing that can be seen from here has the name at the site.
func (g *site) unheardOf() bool {
	if !g.Dialect.Truthy || g.Dialect.Reserved[g.n.Name] || g.Stored(g.n) || g.defined[g.n.Name] {
		return false
	}
	visible := g.Visible(g.n)
	return len(visible) > 0 && !slices.ContainsFunc(visible, func(s node.Symbol) bool { return s.Name == g.n.Name })
}

// misnamed puts a name that the file has in the place of one that means nothing, wherever
// the function has it.
func misnamed(g *site) {
	if !g.unheardOf() {
		return
	}
	var all []*node.Node
	node.Walk(g.fn, func(n *node.Node) bool {
		if n.Kind == node.Name && n.Name == g.n.Name && !g.Stored(n) {
			all = append(all, n)
		}
		return true
	})
	others := g.writtenLike(g.n.Name)
	for k, v := range g.vars(g.n) {
		if g.unread[v.name] {
			others = append(others, weighed{atom(v.name), .1})
		} else if k < maxVariables {
			others = append(others, weighed{atom(v.name), .5 + .02*float64(k)})
		}
	}
	for _, other := range others {
		var edits []textedit.Edit
		for _, n := range all {
			edits = append(edits, textedit.Edit{Start: n.Start, End: n.End, New: other.s})
		}
		g.emitAll(edits, other.cost, because(g.n.Name, other.s))
	}
}

// writtenLike are the names of the file that are written almost as name is.
func (f *file) writtenLike(name string) []weighed {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	var out []weighed
	for _, w := range slices.Sorted(maps.Keys(f.words)) {
		d := distance(plain(w), plain(name))
		switch {
		case w == name || f.Dialect.Reserved[w]:
		case d == 0:
			out = append(out, weighed{atom(w), 0})
		case d == 1 && len(name) > 2, d == 2 && len(name) > 5:
			out = append(out, weighed{atom(w), .1 * float64(d)})
		case kin(w, name):
			out = append(out, weighed{atom(w), .3})
		}
	}
	return out
}

// Differing is a text that a test wants, and what it got.
type Differing struct{ Want, Got string }

// leastContext is how much of a text must be known again around what differs in it.
const leastContext = 4

// textWanted puts into a text what the test wants where what it got differs by a part of
// that text.
func textWanted(g *site) {
	lit := g.Text(g.n)
	_, from, to, ok := inside(lit)
	if !ok || g.docstring(g.n) {
		return
	}
	text, at := lit[from:to], g.n.Start+from
	for _, d := range g.differing {
		if start, end, ok := d.within(text); ok {
			whole := text[:start] + d.want() + text[end:]
			g.emit(at+start, at+end, d.want(), 0, because(text, whole))
		}
	}
}

// spans are the part that differs: where it begins in both texts, and where it ends in
// each of them.
func (d Differing) spans() (start, wantEnd, gotEnd int) {
	wantEnd, gotEnd = len(d.Want), len(d.Got)
	for start < min(wantEnd, gotEnd) && d.Want[start] == d.Got[start] {
		start++
	}
	for wantEnd > start && gotEnd > start && d.Want[wantEnd-1] == d.Got[gotEnd-1] {
		wantEnd, gotEnd = wantEnd-1, gotEnd-1
	}
	return start, wantEnd, gotEnd
}

// want is what should be in the place of what differs.
func (d Differing) want() string {
	start, end, _ := d.spans()
	return d.Want[start:end]
}

// within finds the part that differs in a text of the program, by what stands around it
// in what the test got.
func (d Differing) within(text string) (start, end int, ok bool) {
	from, _, to := d.spans()
	part, before, behind := d.Got[from:to], d.Got[:from], d.Got[to:]
	best := 0
	for at := 0; at+len(part) <= len(text); at++ {
		if text[at:at+len(part)] != part {
			continue
		}
		left, right := text[:at], text[at+len(part):]
		known := len(part)
		for k := 0; k < min(len(left), len(before)) && left[len(left)-1-k] == before[len(before)-1-k]; k++ {
			known++
		}
		for k := 0; k < min(len(right), len(behind)) && right[k] == behind[k]; k++ {
			known++
		}
		if known > best && (known >= leastContext || known == len(text) && known > 0) {
			best, start, end, ok = known, at, at+len(part), true
		}
	}
	return start, end, ok
}
