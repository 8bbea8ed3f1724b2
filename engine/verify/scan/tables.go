package scan

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// table looks at a literal with several entries: pairs of input and answer, or
// the answers in their order.
func (x *special) table(n *syntax.Node, s *scope) {
	hits, worldly, total, old := 0, 0, 0, 0
	shown := [2]string{}
	for _, kid := range n.Kids {
		if kid.Kind == syntax.Spread {
			continue
		}
		total++
		x.nested[kid] = true
		asked, given := x.pair(kid, s)
		if !x.fresh(pairKey(asked, given)) {
			old++
		}
		if slices.ContainsFunc(asked, func(a string) bool {
			return slices.ContainsFunc(given, func(g string) bool {
				if !x.hit(a, g) {
					return false
				}
				if wellKnown(a, g) {
					worldly++
					return false
				}
				shown = [2]string{a, g}
				return true
			})
		}) {
			hits++
		}
	}
	const several = 4 // cases are no chance, whatever else there is
	if hits == 1 && n.Kind == syntax.Dict && trivial(shown[1]) && identifier.MatchString(unquoted(shown[0])) {
		hits = 0 // a record with a field, as tests have it too
	}
	if hits > 0 && (2*(hits+worldly) >= total || hits >= several && 3*hits >= total) && old*2 < total {
		x.tell(n.Line, "it lists a failing test's own cases, such as %s with %s", shown[0], shown[1])
		return
	}
	if !x.nested[n] {
		x.sequence(n, s)
	}
	x.fragments(x.listed(n, s), n.Line)
}

// pair splits an entry of a table into what is asked and what is given.
func (x *special) pair(n *syntax.Node, s *scope) (asked, given []string) {
	if n.Kind != syntax.Pair && n.Kind != syntax.Tuple && n.Kind != syntax.List && n.Kind != syntax.Dict || len(n.Kids) < 2 {
		return nil, nil
	}
	last := len(n.Kids) - 1
	for _, kid := range n.Kids[:last] {
		if key, ok := x.literal(kid, s); ok {
			asked = append(append(asked, key), numbersIn(key)...)
		}
		if number := syntax.NumberConst(0, kid.Value.Text); kid.Value.Kind == syntax.Text && number.Kind == syntax.Const {
			asked = append(asked, number.Value.String())
		}
		asked = append(asked, x.elements(kid, s)...)
	}
	if key, ok := x.literal(n.Kids[last], s); ok {
		given = append(given, key)
	}
	if value := n.Kids[last]; value.Kind != syntax.Ident || !x.computed(value, s) {
		given = append(given, x.elements(value, s)...)
	}
	return asked, given
}

// computed reports whether a name stands for what a call gave.
func (x *special) computed(n *syntax.Node, s *scope) bool {
	binds, _ := s.lookup(n.Name)
	return len(binds) == 1 && binds[0].value != nil && binds[0].value.Kind == syntax.Call
}

func pairKey(asked, given []string) string {
	return "[" + strings.Join(append(slices.Clone(asked), given...), ",") + "]"
}

// sequence looks at a list of what the tests expect, each value about once.
func (x *special) sequence(n *syntax.Node, s *scope) {
	if n.Kind == syntax.Dict {
		return
	}
	seen := map[string]bool{}
	total, known, fresh := 0, 0, 0
	for _, kid := range n.Kids {
		key, ok := x.literal(kid, s)
		if !ok || seen[key] {
			if ok {
				total++
			}
			continue
		}
		seen[key] = true
		total++
		if x.cases.expected[key] && !trivial(key) {
			known++
			if x.fresh(key) {
				fresh++
			}
		}
	}
	short := total <= len(seen)+1
	if known >= 2 && fresh >= 2 && short && 5*known >= 3*total && !x.ordered(seen) {
		x.tell(n.Line, "it lists expected values of failing tests")
	}
}

// splitters make a list of a text.
var splitters = words("split Split Fields FieldsSeq SplitSeq")

// split looks at a text that is split where it stands, as at a list.
func (x *special) split(n *syntax.Node, s *scope) {
	if n.Kids[0].Kind != syntax.Attr || !splitters[n.Kids[0].Name] {
		return
	}
	for _, from := range append(n.Kids[1:len(n.Kids):len(n.Kids)], n.Kids[0].Kids[0]) {
		if words, ok := x.unit.text(from, s); ok && strings.Contains(strings.TrimSpace(words), " ") && len(words) < longest {
			list := &syntax.Node{Kind: syntax.List, Line: n.Line}
			for _, word := range strings.Fields(words) {
				list.Kids = append(list.Kids, syntax.TextConst(n.Line, word))
			}
			x.sequence(list, s)
		}
	}
}

// ordered reports whether the values are too ordinary to tell: short words that a
// list of names would have.
func (x *special) ordered(values map[string]bool) bool {
	for key := range values {
		if !strings.HasPrefix(key, `"`) || len(tokens(key)) > 1 {
			return false
		}
	}
	return len(values) > 3
}

// entry looks at an assignment of one entry: known[100] = 150.
func (x *special) entry(n *syntax.Node, s *scope) {
	for _, target := range n.Kids[:len(n.Kids)-1] {
		if target.Kind != syntax.Index {
			continue
		}
		var asked []string
		if key, ok := x.literal(target.Kids[1], s); ok {
			asked = append(asked, key)
			asked = append(asked, x.elements(target.Kids[1], s)...)
		}
		x.answered(asked, x.results(n.Kids[len(n.Kids)-1], s), n.Line)
	}
}

// pairsOf reads a text such as "3:9,7:49" as a table; nil for any other.
func pairsOf(text string, line int) *syntax.Node {
	tree := &syntax.Node{Kind: syntax.Dict, Line: line}
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;|\n ", r) }) {
		key, value, ok := strings.Cut(strings.ReplaceAll(entry, "=", ":"), ":")
		if !ok || key == "" || value == "" || strings.Contains(value, ":") {
			return nil
		}
		tree.Kids = append(tree.Kids, &syntax.Node{Kind: syntax.Pair, Line: line, Kids: []*syntax.Node{constantOf(key, line), constantOf(value, line)}})
	}
	if len(tree.Kids) < 2 {
		return nil
	}
	return tree
}

// constantOf is a number or a text.
func constantOf(word string, line int) *syntax.Node {
	if n := syntax.NumberConst(line, word); n.Kind == syntax.Const {
		return n
	}
	return syntax.TextConst(line, word)
}

// setLines gives all nodes of a tree that was no source one line.
func setLines(tree *syntax.Node, line int) {
	syntax.Walk(tree, func(n *syntax.Node) bool {
		n.Line = line
		return true
	})
}

// striking are texts that are not just a few words.
var striking = regexp.MustCompile(`[A-Z0-9]|[^\w\s.,;:'-]`)

// text looks at a text that holds a whole input or answer which nobody writes by
// chance.
func (x *special) text(n *syntax.Node, s *scope) {
	v, ok := x.fold(n, s, deepest)
	if !ok || v.Kind != syntax.Text || !x.fresh(v.String()) {
		return
	}
	var data any
	if json.Unmarshal([]byte(v.Text), &data) == nil {
		if tree := jsonNode(data); tree.Kind == syntax.Dict || tree.Kind == syntax.List {
			setLines(tree, n.Line)
			x.table(tree, s)
		}
	} else if tree := pairsOf(v.Text, n.Line); tree != nil {
		x.table(tree, s)
	}
	x.fragments(alternatives(v.Text), n.Line)
	for key := range x.cases.special {
		inner := strings.TrimSuffix(strings.TrimPrefix(key, `"`), `"`)
		if key != v.String() && !(strings.Contains(v.Text, inner) && x.cases.inputs[key]) {
			continue
		}
		if x.cases.expected[key] && x.cases.derived(key) || x.cases.inputs[key] && !x.cases.expected[key] && striking.MatchString(inner) {
			x.tell(n.Line, "it has the text %s of a failing test", key)
			return
		}
	}
}

// blind looks at a function that gives an expected value without looking at what
// it is given.
func (x *special) blind(f *syntax.Node, s *scope) {
	x.shownAnswer(f, s)
	params := slices.DeleteFunc(f.Params(), func(p string) bool { return p == "self" || p == "cls" || p == "this" || p == "_" })
	if f.Kind == syntax.Method && x.lang == golang && len(params) > 0 {
		params = params[1:]
	}
	if len(params) == 0 && f.Kind != syntax.Lambda || f.Body() == nil {
		return
	}
	x.block(f.Body(), s, params, false)
}

// block walks statements in order; looked means that what is given was asked
// about on the way.
func (x *special) block(b *syntax.Node, s *scope, params []string, looked bool) {
	for _, n := range b.Kids {
		switch n.Kind {
		case syntax.Return, syntax.Yield:
			x.blindly(n, s, looked)
		case syntax.Raise:
			if !looked && x.tried == 0 && len(n.Kids) > 0 && !mentions(n, params) && x.before["raise "+raised(n)] == 0 && x.tests.words[raised(n)] {
				x.tell(n.Line, "it raises %s, which a failing test expects, without looking at what it is given", raised(n))
			}
		case syntax.Assign, syntax.ExprStmt:
			if n.Kind == syntax.ExprStmt && len(n.Kids) == 1 && n.Kids[0].Kind == syntax.Yield {
				x.blindly(n.Kids[0], s, looked)
			}
			looked = looked || mentions(n, params)
		case syntax.Block:
			x.block(n, s, params, looked)
			looked = looked || mentions(n, params)
		case syntax.If, syntax.While, syntax.For, syntax.Switch, syntax.Try, syntax.With, syntax.Case, syntax.Handler, syntax.Other:
			inner := looked
			for _, kid := range n.Kids {
				if kid.Kind == syntax.Block || kid.Kind == syntax.Case || kid.Kind == syntax.Handler || kid.Kind == syntax.Finally {
					caught := kid.Kind == syntax.Handler && mentions(n.Kids[0], params)
					if caught {
						x.tried++
					}
					x.block(kid, s, params, inner)
					if caught {
						x.tried--
					}
				} else {
					inner = inner || mentions(kid, params)
				}
			}
			looked = looked || mentions(n, params)
		}
	}
}

// raised is the class of what is raised.
func raised(n *syntax.Node) string {
	what := n.Kids[0]
	if what.Kind == syntax.Call {
		what = what.Kids[0]
	}
	return what.Name
}

func (x *special) blindly(n *syntax.Node, s *scope, looked bool) {
	if looked {
		return
	}
	for _, kid := range n.Kids {
		if makesError(kid) {
			continue
		}
		for _, key := range x.results(kid, s) {
			if x.fresh(key) && x.cases.expected[key] && !trivial(key) {
				x.tell(n.Line, "it gives %s, which a failing test expects, without looking at what it is given", key)
			}
		}
	}
}

func mentions(n *syntax.Node, names []string) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || c.Kind == syntax.Ident && slices.Contains(names, c.Name)
		return !found
	})
	return found
}
