package mutate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/repair/node"
)

// continued are the templates that go on with what the code around begins: a row
// of terms, a loop that leaves out one element, a comparison of each of three, an
// if for one of two variables.
func continued() []Template {
	return []Template{
		{"next term", "goes on with a row of terms", "f(n - 1) + f(n - 2) → … + f(n - 3)", 1.1, []node.Kind{node.Binary, node.Logical}, false, nextTerm},
		{"each in turn", "compares each of three in turn", "a == b + c → … or b == a + c or c == b + a", 1.0, []node.Kind{node.Compare, node.Logical}, false, eachInTurn},
		{"last round", "does for the element that a loop leaves out what it does for the others", "for x in xs[:-1]: f(x) → …; f(xs[-1])", 1.3, []node.Kind{node.For}, false, lastRound},
		{"best so far", "compares with the best so far", "m = max(xs) → m = max(m, x)", 1.0, []node.Kind{node.Assign}, false, bestSoFar},
		{"sort by look up", "sorts by what is found under a value", "sorted(xs) → sorted(xs, key=d.get)", 1.3, []node.Kind{node.Call}, false, sortByLookUp},
		{"one more case", "asks for one more in a row of cases", "c == 'a' or c == 'b' → … or c == 'c'", 1.3, []node.Kind{node.Logical}, false, oneMoreCase},
		{"fill up", "fills a text up to a length that nobody reads", "s → s.ljust(width)", 1.2, valueKinds, false, fillUp},
		{"text taken off", "takes a text of the function off the ends of a text, or out of it", "s → s.strip('-')", 1.4, valueKinds, false, takenOff},
		{"operations swapped", "does two operations in the other order", "a - b / c → a / c - b", 1.4, []node.Kind{node.Binary}, false, operationsSwapped},
		{"the same for another", "does with another variable what a statement does", "if a: f(a) → …; if b: f(b)", 1.5, []node.Kind{node.If, node.For, node.While, node.Assign, node.ExprStmt}, false, sameForAnother},
	}
}

// chain are the terms of a row of one operator, if g.n is the whole of it.
func (g *site) chain() []*node.Node {
	if p := g.Parent(g.n); p != nil && p.Kind == g.n.Kind && p.Op == g.n.Op && g.Place(g.n) == 0 && g.outerIsItself(g.n) {
		return nil
	}
	var terms []*node.Node
	n := g.n
	for n.Kind == g.n.Kind && n.Op == g.n.Op && len(n.Children) == 2 {
		terms = append(terms, n.Children[1])
		n = n.Children[0]
	}
	terms = append(terms, n)
	slices.Reverse(terms)
	return terms
}

var wholeNumber = regexp.MustCompile(`\b\d+\b`)

// nextTerm adds the term that follows from the last two, which must differ in one
// number.
func nextTerm(g *site) {
	terms := g.chain()
	if len(terms) < 2 {
		return
	}
	a, b := g.Text(terms[len(terms)-2]), g.Text(terms[len(terms)-1])
	if next, ok := following(a, b); ok {
		g.replace(g.n, g.binary(g.of(g.n), g.n.Op, atom(next)), 0)
	}
}

// following is what comes after a and b when they differ in one whole number.
func following(a, b string) (string, bool) {
	if wholeNumber.ReplaceAllString(a, "#") != wholeNumber.ReplaceAllString(b, "#") {
		return "", false
	}
	from, to := wholeNumber.FindAllString(a, -1), wholeNumber.FindAllStringIndex(b, -1)
	next := ""
	for k, span := range to {
		text := b[span[0]:span[1]]
		if text == from[k] {
			continue
		}
		x, errX := strconv.Atoi(from[k])
		y, errY := strconv.Atoi(text)
		if errX != nil || errY != nil || next != "" || 2*y-x < 0 {
			return "", false
		}
		next = b[:span[0]] + strconv.Itoa(2*y-x) + b[span[1]:]
	}
	return next, next != ""
}

// eachInTurn adds to a comparison of one variable with two others those that have
// each of the others in its place.
func eachInTurn(g *site) {
	if g.n.Kind == node.Logical && g.n.Op != g.Dialect.Or {
		return
	}
	terms := []*node.Node{g.n}
	if g.n.Kind == node.Logical {
		terms = g.chain()
		if terms == nil {
			return
		}
	} else if p := g.Parent(g.n); p != nil && p.Kind == node.Logical {
		return
	}
	names, alone := []string(nil), map[string]bool{}
	for _, t := range terms {
		if t.Kind != node.Compare || t.Op != terms[0].Op {
			return
		}
		left, right := g.variablesOf(t.Children[0]), g.variablesOf(t.Children[1])
		all := distinct(append(slices.Clone(left), right...))
		slices.Sort(all)
		if len(all) != 3 || names != nil && !slices.Equal(names, all) {
			return
		}
		names = all
		switch {
		case len(left) == 1 && !slices.Contains(right, left[0]):
			alone[left[0]] = true
		case len(right) == 1 && !slices.Contains(left, right[0]):
			alone[right[0]] = true
		default:
			return
		}
	}
	if len(alone) != len(terms) || len(terms) == 3 {
		return
	}
	first := g.Text(terms[0])
	one := slices.IndexFunc(names, func(n string) bool { return alone[n] })
	out := g.of(g.n)
	for _, n := range names {
		if !alone[n] {
			turned := swapped(first, names[one], n)
			out = g.binary(out, g.Dialect.Or, code{turned, g.level(terms[0])})
		}
	}
	if out.s != g.Text(g.n) {
		g.replaceWhy(g.n, out, 0, "each of "+strings.Join(names, ", ")+" should be compared in "+quote(g.Text(g.n)))
	}
}

// variablesOf are the distinct variables in an expression.
func (g *site) variablesOf(n *node.Node) []string {
	var out []string
	node.Walk(n, func(n *node.Node) bool {
		if n.Kind == node.Name && !g.callee(n) && g.has(n.Name) {
			out = append(out, n.Name)
		}
		return true
	})
	return distinct(out)
}

// swapped is code with two identifiers in one another's place.
func swapped(text, a, b string) string {
	return rename(rename(rename(text, a, between), b, a), between, b)
}

// mostCases bounds how many values are tried as one more case.
const mostCases = 60

// oneMoreCase adds to a row of comparisons of one value with literals one with a
// literal or character code that the tests speak of.
func oneMoreCase(g *site) {
	terms := g.chain()
	if len(terms) < 3 {
		return
	}
	var have []string
	var literals []*node.Node
	value := ""
	for _, t := range terms {
		if t.Kind != node.Compare || t.Op != terms[0].Op || t.Children[1].Kind != terms[0].Children[1].Kind || value != "" && g.Text(t.Children[0]) != value {
			return
		}
		value = g.Text(t.Children[0])
		have, literals = append(have, g.Text(t.Children[1])), append(literals, t.Children[1])
	}
	last := terms[len(terms)-1].Children[1]
	var more []string
	switch last.Kind {
	case node.String:
		more = g.alternatives(last, literals)
	case node.Number:
		for _, c := range g.spoken() {
			more = append(more, strconv.Itoa(int(c)))
		}
	default:
		return
	}
	for k, m := range more[:min(len(more), mostCases)] {
		if !slices.Contains(have, m) {
			g.replace(g.n, g.binary(g.of(g.n), g.n.Op, g.binary(atom(value), terms[0].Op, atom(m))), .01*float64(k))
		}
	}
}

// spoken are the distinct letters, digits and signs in the strings that the
// tests mention, the commonest first.
func (f *file) spoken() []rune {
	count := map[rune]int{}
	var out []rune
	for _, s := range f.near {
		for _, c := range s {
			if count[c] == 0 {
				out = append(out, c)
			}
			count[c]++
		}
	}
	slices.SortStableFunc(out, func(a, b rune) int { return count[b] - count[a] })
	return out
}

// sortByLookUp sorts by what a mapping that the function has says of each element.
func sortByLookUp(g *site) {
	callee := g.n.Children[0]
	if callee.Name != "sort" && callee.Name != "sorted" && callee.Name != "min" && callee.Name != "max" {
		return
	}
	python := g.Dialect.SortKeys != nil
	if !python && (!g.Dialect.Truthy || callee.Kind != node.Attribute || callee.Name != "sort" || len(g.n.Children) != 1) {
		return
	}
	for _, a := range g.n.Children[1:] {
		if a.Kind == node.Keyword && a.Name == "key" {
			return
		}
	}
	for k, v := range g.vars(g.n) {
		if v.class != node.Mapping {
			continue
		}
		text := "key=" + v.name + ".get"
		if !python {
			text = "(a, b) => " + v.name + "[a] - " + v.name + "[b]"
		} else if len(g.n.Children) > 1 {
			text = ", " + text
		}
		g.emit(g.n.End-1, g.n.End-1, text, .05*float64(k), quote(g.Text(g.n))+" should go by "+quote(v.name))
	}
}

// operationsSwapped does first what is done last: a - b/c becomes a/c - b.
func operationsSwapped(g *site) {
	l, r := g.n.Children[0], g.n.Children[1]
	if r.Kind == node.Binary && r.Op != g.n.Op && g.outerIsItself(r) {
		first := g.binary(g.of(l), r.Op, g.of(r.Children[1]))
		g.replace(g.n, g.binary(first, g.n.Op, g.of(r.Children[0])), 0)
	}
	if l.Kind == node.Binary && l.Op != g.n.Op && g.outerIsItself(l) {
		first := g.binary(g.of(l.Children[0]), g.n.Op, g.of(r))
		g.replace(g.n, g.binary(first, l.Op, g.of(l.Children[1])), .2)
	}
}

// sameForAnother repeats a statement behind itself for another variable of its
// kind. Names that are alike are mostly treated alike.
func sameForAnother(g *site) {
	l, alone := g.lineOf(g.n)
	block, at, ok := g.listed(g.n)
	if !ok || !alone || !g.shiftable(g.n) || ends(g.n) || g.docstringStmt(g.n) {
		return
	}
	text := g.Text(g.n)
	next := ""
	if at+1 < len(block.Children) {
		next = g.Text(block.Children[at+1])
	}
	used := identifiers(text)
	simple := g.n.Kind == node.Assign || g.n.Kind == node.ExprStmt
	tried := 0
	vars := g.varsBy(g.n, g.n.End)
	for _, a := range vars {
		for _, b := range vars {
			if used[a.name] == 0 || used[b.name] > 0 || !agree(a.class, b.class) || a.typ != b.typ || tried >= maxVariables {
				continue
			}
			similar := alikeNames(a.name, b.name)
			other := rename(text, a.name, b.name)
			if simple && (!similar || used[a.name] < 2) || next == other {
				continue
			}
			cost := .05 * float64(tried)
			if !similar {
				cost += .4
			}
			tried++
			g.after(l, other, cost, "the same is missing for "+quote(b.name)+" after "+quote(text))
		}
	}
}

// alikeNames reports whether two names differ in one part only, as temp_a and
// temp_b do, x1 and x2, or a and b.
func alikeNames(a, b string) bool {
	n := min(len(a), len(b))
	if n == 1 {
		return len(a) == len(b)
	}
	start := 0
	for start < n && a[start] == b[start] {
		start++
	}
	end := 0
	for end < n-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return 2*(start+end) >= max(len(a), len(b))
}
