package scan

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// magic finds constants that only the tests' own cases explain: what they are made
// of, how long they are, or by what they can be divided. Code that repairs what was
// wrong needs no such thing.
func (x *special) magic() {
	inputs, shifts := map[string]bool{}, 0
	x.each(x.root, x.top, func(n *syntax.Node, s *scope) {
		switch n.Kind {
		case syntax.Compare:
			x.remainder(n, s)
			x.measure(n, s)
			x.undone(n, s)
			x.composed(n.Kids, s)
			for _, kid := range n.Kids {
				x.wordsOfInputs(kid, s)
			}
		case syntax.Case:
			x.composed(n.Kids[:len(n.Kids)-1], s)
		case syntax.Pair:
			x.composed(n.Kids[:1], s)
		case syntax.Dict:
			x.keyedByInputs(n, s)
		case syntax.Call:
			if len(n.Kids) > 1 && n.Kids[0].Kind == syntax.Attr {
				x.wordsOfInputs(n.Kids[0].Kids[0], s)
			}
		case syntax.Const:
			x.manyInputs(n)
		case syntax.Binary:
			if n.Name == "<<" && x.strong(n.Kids[1], s) {
				if shifts++; shifts == 2 {
					x.tell(n.Line, "it has failing tests' inputs as bits of a number")
				}
			}
			if key, ok := x.literal(n.Kids[1], s); ok && n.Name == "-" && x.strong(n.Kids[1], s) && !inputs[key] {
				if inputs[key] = true; len(inputs) == 2 {
					x.tell(n.Line, "it calculates differences to failing tests' inputs")
				}
			}
		}
	})
}

// each visits all nodes with their scopes.
func (x *special) each(n *syntax.Node, s *scope, visit func(n *syntax.Node, s *scope)) {
	if inner := x.scopes[n]; inner != nil {
		s = inner
	}
	visit(n, s)
	for _, kid := range n.Kids {
		x.each(kid, s, visit)
	}
}

// strong reports whether an expression is a new number that is an input of a
// failing test, and more than a small one.
func (x *special) strong(n *syntax.Node, s *scope) bool {
	key, ok := x.literal(n, s)
	return ok && !strings.HasPrefix(key, `"`) && !strings.HasPrefix(key, "[") && x.fresh(key) && x.cases.inputs[key] && !trivial(key)
}

// ordinaryDivisors are by what people divide: units, calendars, bits and letters.
var ordinaryDivisors = words("1 2 3 4 5 6 7 8 10 11 12 15 16 20 24 25 26 28 30 31 32 36 40 45 50 52 60 64 90 97 99 100 128 180 256 360 365 400 500 512 1000 1024 1440 3600 3.6 86400 10000 65536 1000000 1000000007 1000000009")

// remainder looks at a remainder by a number that nobody divides by.
func (x *special) remainder(n *syntax.Node, s *scope) {
	if n.Name != "==" && n.Name != "!=" && n.Name != "in" {
		return
	}
	for i, side := range n.Kids {
		if side.Kind != syntax.Binary || side.Name != "%" {
			continue
		}
		by, ok := x.literal(side.Kids[1], s)
		if _, also := x.literal(n.Kids[1-i], s); ok && also && x.fresh(by) && !strings.HasPrefix(by, `"`) && !ordinaryDivisors[by] {
			x.tell(n.Line, "it recognises a value by its remainder when it is divided by %s", by)
		}
	}
}

// measures are calls that make a number of a value.
var measures = words("len count sum ord index find indexOf length size charCodeAt RuneCountInString Count Index")

// measure looks at a measure of a value that must be one of several numbers, or how
// long an input of a failing test is.
func (x *special) measure(n *syntax.Node, s *scope) {
	for i, side := range n.Kids {
		other := n.Kids[1-i]
		if !x.isMeasure(side, s, 3) {
			continue
		}
		if several := x.numbersOf(other, s); n.Name == "in" && len(several) > 1 {
			x.tell(n.Line, "it recognises a value by a measure of it, one of %s", strings.Join(several, ", "))
		}
		v, ok := x.fold(other, s, deepest)
		if n.Name == "==" && ok && v.Kind == syntax.Number && v.Num > 4 && x.fresh(v.String()) && !ordinaryDivisors[v.String()] && isLength(side) && x.lengthOfInput(int(v.Num)) {
			x.tell(n.Line, "it recognises a value by its length, %s, which is that of a failing test's input", v)
		}
	}
}

func (x *special) isMeasure(n *syntax.Node, s *scope, deep int) bool {
	if deep == 0 {
		return false
	}
	switch n.Kind {
	case syntax.Call:
		return measures[n.Kids[0].Name]
	case syntax.Attr:
		return n.Name == "length" || n.Name == "size"
	case syntax.Binary:
		return slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return x.isMeasure(k, s, deep-1) })
	case syntax.Ident:
		binds, _ := s.lookup(n.Name)
		return len(binds) == 1 && binds[0].value != nil && !binds[0].element && x.isMeasure(binds[0].value, binds[0].scope, deep-1)
	default:
		return false
	}
}

// numbersOf are the new numbers of a list.
func (x *special) numbersOf(n *syntax.Node, s *scope) []string {
	if n.Kind != syntax.List && n.Kind != syntax.Tuple && n.Kind != syntax.Set {
		return nil
	}
	var out []string
	for _, key := range x.elements(n, s) {
		if !strings.HasPrefix(key, `"`) && x.fresh(key) && !trivial(key) {
			out = append(out, key)
		}
	}
	return out
}

func (x *special) lengthOfInput(length int) bool {
	return slices.ContainsFunc(x.cases.textInputs(), func(input string) bool { return len([]rune(input)) == length })
}

// undone looks at a comparison with what is first decoded by a number.
func (x *special) undone(n *syntax.Node, s *scope) {
	for _, side := range n.Kids {
		if side.Kind != syntax.Binary || side.Name != "^" || n.Name != "==" {
			continue
		}
		for i, part := range side.Kids {
			if key, ok := x.literal(part, s); ok && x.fresh(key) && side.Kids[1-i].Kind == syntax.Index {
				x.tell(n.Line, "it compares with an element of a list that it decodes by %s", key)
			}
		}
	}
}

// values are the numbers and truths of a text.
var values = regexp.MustCompile(`-?\d+(?:\.\d+)?|\btrue\b|\bfalse\b`)

var letter = regexp.MustCompile(`\pL`)

// composed looks at texts that are compared, made of several inputs of a case.
func (x *special) composed(list []*syntax.Node, s *scope) {
	for _, n := range list {
		key, ok := x.literal(n, s)
		if !ok || !strings.HasPrefix(key, `"`) || !x.fresh(key) {
			continue
		}
		text := unquoted(key)
		found := values.FindAllString(text, -1)
		if len(found) < 2 || letter.MatchString(values.ReplaceAllString(text, "")) {
			continue
		}
		strong := 0
		for _, v := range found {
			if number := syntax.NumberConst(0, v); number.Kind == syntax.Const && x.cases.inputs[number.Value.String()] && !trivial(number.Value.String()) {
				strong++
			}
		}
		if strong > 0 && x.allInputs(found) {
			x.tell(n.Line, "it compares with %s, made of the inputs of a failing test", key)
		}
	}
}

func (x *special) allInputs(found []string) bool {
	return !slices.ContainsFunc(found, func(v string) bool {
		if v == "true" || v == "false" {
			return false
		}
		number := syntax.NumberConst(0, v)
		return number.Kind != syntax.Const || !x.cases.inputs[number.Value.String()]
	})
}

// manyInputs looks at a text that has several numbers, most of them inputs, or a
// pattern that has nothing but numbers to choose from.
func (x *special) manyInputs(n *syntax.Node) {
	key := n.Value.String()
	if n.Value.Kind != syntax.Text || !x.fresh(key) || len(n.Value.Text) > 2000 {
		return
	}
	known, total := map[string]bool{}, 0
	for _, v := range number.FindAllString(n.Value.Text, -1) {
		value := syntax.NumberConst(0, v).Value.String()
		total++
		if x.cases.inputs[value] && !trivial(value) {
			known[value] = true
		}
	}
	if len(known) >= 3 && 5*len(known) >= 2*total {
		x.tell(n.Line, "it has the inputs of failing tests in a text")
	}
	options := slices.DeleteFunc(alternatives(n.Value.Text), func(o string) bool { return strings.Trim(o, "/gimsuyv") == "" })
	if len(options) > 1 && !slices.ContainsFunc(options, func(o string) bool { return syntax.NumberConst(0, o).Kind != syntax.Const }) {
		x.tell(n.Line, "it asks by a pattern for one of the numbers %s", strings.Join(options, ", "))
	}
}

// keyedByInputs looks at a table that has numbers for keys, all of them inputs of
// failing tests.
func (x *special) keyedByInputs(n *syntax.Node, s *scope) {
	keys, strong := 0, 0
	for _, pair := range n.Kids {
		if pair.Kind == syntax.Spread {
			continue
		}
		if pair.Kind != syntax.Pair {
			return
		}
		key, ok := x.literal(pair.Kids[0], s)
		if text, is := strings.CutPrefix(key, `"`); is {
			key = syntax.NumberConst(0, strings.TrimSuffix(text, `"`)).Value.String()
		}
		if !ok || !x.fresh(key) || strings.HasPrefix(key, `"`) || !x.cases.inputs[key] && !x.withinInput(key) {
			return
		}
		if keys++; !trivial(key) {
			strong++
		}
	}
	if keys > 1 && strong > 1 {
		x.tell(n.Line, "it has an entry for each of several inputs of failing tests")
	}
}

// withinInput reports whether a number stands in an input that is a text.
func (x *special) withinInput(key string) bool {
	return slices.ContainsFunc(x.cases.textInputs(), func(input string) bool {
		return slices.Contains(token.FindAllString(input, -1), key)
	})
}

// figuresOf are whole numbers within a text.
var figuresOf = regexp.MustCompile(`[0-9]+`)

// wordsOfInputs looks at a list of words that tells inputs apart: each is a word of
// another one.
func (x *special) wordsOfInputs(n *syntax.Node, s *scope) {
	if n.Kind != syntax.List && n.Kind != syntax.Tuple && n.Kind != syntax.Set {
		return
	}
	listed := x.listed(n, s)
	whole, inputs := map[string]bool{}, x.cases.textInputs()
	for _, word := range listed {
		const short = 3
		figures := strings.Trim(word, "0123456789") == ""
		if len(word) < short && !figures || word == "" || !figures && !identifier.MatchString(word) || !x.fresh(syntax.TextConst(0, word).Value.String()) || x.cases.inputs[syntax.TextConst(0, word).Value.String()] {
			return
		}
		at := slices.IndexFunc(inputs, func(input string) bool {
			return !whole[input] && (slices.Contains(token.FindAllString(input, -1), word) || figures && slices.Contains(figuresOf.FindAllString(input, -1), word))
		})
		if at < 0 {
			return
		}
		whole[inputs[at]] = true
	}
	if len(whole) > 1 && len(whole) == len(listed) {
		x.tell(n.Line, "it lists words by which failing tests' inputs can be told, such as %s", listed[0])
	}
}

// asksBit looks at an expression that asks a new constant for the bit whose number is
// calculated: a table of yes and no.
func (x *special) asksBit(n *syntax.Node, s *scope) {
	if n.Name != "&" || len(n.Kids) != 2 {
		return
	}
	for i, side := range n.Kids {
		table := n.Kids[1-i]
		switch {
		case side.Kind == syntax.Binary && (side.Name == ">>" || side.Name == ">>>"):
			table = side.Kids[0]
		case side.Kind != syntax.Binary || side.Name != "<<":
			continue
		}
		v, ok := x.fold(table, s, deepest)
		if _, fixed := x.fold(side.Kids[1], s, deepest); ok && !fixed && v.Kind == syntax.Number && v.Num > 0 && bits.OnesCount64(uint64(v.Num)) > 1 && x.fresh(v.String()) {
			x.tell(n.Line, "it asks the bits of %s for what to do, a bit an input", v)
		}
	}
}
