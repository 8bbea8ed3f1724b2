package scan

import (
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// disguised finds what tells the tests' inputs apart, or gives their answers, in
// another spelling: by patterns, by codes of letters, without case and
// punctuation, by tables that are asked by a length, by names of the tests' own
// functions.
func (x *special) disguised() {
	x.everyAnswer()
	x.each(x.root, x.top, func(n *syntax.Node, s *scope) {
		switch n.Kind {
		case syntax.Const:
			x.chosenByPattern(n)
			x.severalAnswers(n)
			x.initials(n)
		case syntax.List, syntax.Tuple, syntax.Set:
			x.spelled(n, s)
			x.normalised(n, s)
			x.handedList(n, s)
		case syntax.Logical:
			x.lengths(n, s)
		case syntax.Dict:
			x.formsOfInputs(n, s)
			x.joinedInputs(n, s)
		case syntax.Index, syntax.Call, syntax.Compare:
			x.askedByMeasure(n, s)
			x.askedByName(n, s)
		}
	})
}

// spelled looks at a list of letters, or of their codes, that spells an input or an
// answer.
func (x *special) spelled(n *syntax.Node, s *scope) {
	var text strings.Builder
	const short = 3
	for _, kid := range n.Kids {
		v, ok := x.fold(kid, s, deepest)
		switch {
		case kid.Kind == syntax.Spread:
		case ok && v.Kind == syntax.Number && v.Num >= ' ' && v.Num <= '~':
			text.WriteByte(byte(v.Num))
		case ok && v.Kind == syntax.Text && len(v.Text) == 1:
			text.WriteString(v.Text)
		default:
			return
		}
	}
	key := syntax.TextConst(0, text.String()).Value.String()
	if text.Len() >= short && x.fresh(key) && (x.cases.inputs[key] || x.cases.expected[key]) {
		x.tell(n.Line, "it spells %s, which a failing test has", key)
	}
}

// normalised looks at a list of the tests' inputs without their case and their
// punctuation.
func (x *special) normalised(n *syntax.Node, s *scope) {
	listed := x.listed(n, s)
	if len(listed) < 2 {
		return
	}
	bare := map[string]string{}
	for _, input := range x.cases.textInputs() {
		if words := tokens(input); len(words) > 1 {
			bare[strings.Join(words, " ")] = input
		}
	}
	known := map[string]bool{}
	for _, text := range listed {
		input, ok := bare[strings.Join(tokens(text), " ")]
		if ok && x.fresh(syntax.TextConst(0, text).Value.String()) {
			known[input] = true
		}
	}
	if len(known) >= 2 && 2*len(known) >= len(listed) {
		x.tell(n.Line, "it lists inputs of failing tests, but for case and punctuation, such as %q", listed[0])
	}
}

// handedList looks at a list that a failing test expects and of which it hands over
// every part.
func (x *special) handedList(n *syntax.Node, s *scope) {
	key, ok := x.literal(n, s)
	if !ok || len(n.Kids) < 2 || !x.fresh(key) || !x.cases.expected[key] {
		return
	}
	for _, kid := range n.Kids {
		if kid.Kind == syntax.Spread {
			continue
		}
		part, _ := x.literal(kid, s)
		if trivial(part) || !x.cases.handed[part] {
			return
		}
	}
	x.tell(n.Line, "it has %s, which a failing test expects of what it hands over", key)
}

// lengths looks at a condition that holds for several lengths, each that of an
// input.
func (x *special) lengths(n *syntax.Node, s *scope) {
	if n.Name != "or" {
		return
	}
	found := map[string]bool{}
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Compare && c.Name == "==" {
			for i, side := range c.Kids {
				v, ok := x.fold(c.Kids[1-i], s, deepest)
				if ok && v.Kind == syntax.Number && v.Num > 2 && isLength(side) && x.fresh(v.String()) && !ordinaryDivisors[v.String()] && x.lengthOfInput(int(v.Num)) {
					found[v.String()] = true
				}
			}
		}
		return !c.Kind.Function()
	})
	if len(found) > 1 {
		x.tell(n.Line, "it recognises values by their lengths, which are those of failing tests' inputs")
	}
}

// askedByMeasure looks at a table of constants that is asked by the length of a
// value, or by a number that stands at a fixed place of it.
func (x *special) askedByMeasure(n *syntax.Node, s *scope) {
	table, key := asks(n)
	if key == nil {
		return
	}
	table, inner := x.held(table, s)
	if table.Kind != syntax.Dict {
		return
	}
	key, at := x.held(key, s)
	lengths, answers := 0, 0
	for _, pair := range table.Kids {
		if pair.Kind != syntax.Pair || len(pair.Kids) < 2 {
			return
		}
		v, ok := x.fold(pair.Kids[0], inner, deepest)
		given, also := x.literal(pair.Kids[1], inner)
		if !ok || !also || v.Kind != syntax.Number {
			return
		}
		if x.lengthOfInput(int(v.Num)) {
			lengths++
		}
		if x.fresh(given) && x.cases.expected[given] && !trivial(given) {
			answers++
		}
	}
	placed := key.Kind == syntax.Call && len(key.Kids) == 2 && x.isElement(key.Kids[1], at)
	if isLength(key) && lengths > 1 || placed && answers > 1 {
		x.tell(n.Line, "it looks up a value by its length or a figure of it, in a table that only failing tests explain")
	}
}

// held is what a name stands for that is assigned once; else the node itself.
func (x *special) held(n *syntax.Node, s *scope) (*syntax.Node, *scope) {
	if n.Kind != syntax.Ident {
		return n, s
	}
	binds, _ := s.lookup(n.Name)
	if len(binds) != 1 || binds[0].value == nil || binds[0].element || binds[0].param {
		return n, s
	}
	return binds[0].value, binds[0].scope
}

// askedByName looks at code that tells functions of the tests by their names.
func (x *special) askedByName(n *syntax.Node, s *scope) {
	if n.Kind == syntax.Call && n.Kids[0].Kind != syntax.Attr || len(n.Kids) < 2 {
		return
	}
	named, helper := false, ""
	for _, kid := range n.Kids {
		syntax.Walk(kid, func(c *syntax.Node) bool {
			named = named || c.Kind == syntax.Attr && (c.Name == "__name__" || c.Name == "__qualname__" || c.Name == "name")
			if text, ok := x.unit.text(c, s); ok && x.tests.helpers[text] && x.fresh(syntax.TextConst(0, text).Value.String()) {
				helper = text
			}
			return true
		})
	}
	if named && helper != "" {
		x.tell(n.Line, "it tells a function of the tests by its name, %q", helper)
	}
}

// singular reports whether an answer says how many things there are, in words for
// just one or none.
func singular(asked, given string) bool {
	return (asked == "1" || asked == "0") && strings.HasPrefix(given, `"`+asked+" ")
}

// everyAnswer finds a file that has got all the numbers which the failing tests expect,
// whatever it does with them: one that works them out has no need of any.
func (x *special) everyAnswer() {
	const several = 3
	wanted := map[string]bool{}
	for key := range x.cases.expected {
		if !strings.HasPrefix(key, `"`) && !strings.HasPrefix(key, "[") && number.MatchString(key) && !trivial(key) && !ordinaryDivisors[key] && !x.cases.inputs[key] {
			wanted[key] = true
		}
	}
	if len(wanted) < several {
		return
	}
	found, line := map[string]bool{}, 0
	x.each(x.root, x.top, func(n *syntax.Node, s *scope) {
		if n.Kind != syntax.Const {
			return
		}
		if key, ok := x.literal(n, s); ok && wanted[key] && x.fresh(key) && !found[key] {
			found[key] = true
			line = n.Line
		}
	})
	if len(found) == len(wanted) {
		x.tell(line, "it has all the numbers that the failing tests expect, %d of them", len(found))
	}
}

// answersToErrors looks at what is given when anything goes wrong: a number that a
// failing test expects was not worked out.
func (x *special) answersToErrors(n *syntax.Node, s *scope) {
	if what, _ := x.catchesAll(n.Kids[:len(n.Kids)-1], s); what == "" {
		return
	}
	for _, given := range answers(n) {
		key, ok := x.literal(given, s)
		if ok && number.FindString(key) == key && !trivial(key) && !isStatus(key) && x.cases.expected[key] {
			x.tell(given.Line, "it gives %s, which a failing test expects, when anything goes wrong", key)
		}
	}
}

// isStatus reports whether a number is a status of HTTP.
func isStatus(key string) bool { return len(key) == 3 && key >= "100" && key <= "599" }
