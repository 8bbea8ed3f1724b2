package scan

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"autocoder/engine/verify/scan/syntax"
)

// origins finds constants that are made from failing tests' inputs or answers: their
// digits, their letters in another order, several of them in one text, or a part of
// an answer that is put in the place of another.
func (x *special) origins() {
	kept, digitsOf, lettersOf := 0, map[string]bool{}, map[string]bool{}
	for _, text := range x.cases.textInputs() {
		const long = 6
		if number := strings.Map(onlyDigits, text); len(number) >= long {
			digitsOf[syntax.NumberConst(0, number).Value.String()] = true
		}
		if len(text) >= long {
			lettersOf[sorted(text)] = true
		}
	}
	x.each(x.root, x.top, func(n *syntax.Node, s *scope) {
		key := n.Value.String()
		switch {
		case n.Kind == syntax.Assign && n.Kids[0].Kind == syntax.Index:
			_, ok := x.literal(n.Kids[0].Kids[1], s)
			if answer, also := x.literal(n.Kids[len(n.Kids)-1], s); ok && also && x.fresh(answer) && x.cases.expected[answer] && !trivial(answer) {
				if kept++; kept == 2 {
					x.tell(n.Line, "it keeps answers that failing tests expect, such as %s", answer)
				}
			}
		case n.Kind == syntax.Call:
			x.putInPlace(n, s)
		case n.Kind == syntax.Index:
			x.sparse(n, s)
		case n.Kind != syntax.Const || !x.fresh(key):
		case n.Value.Kind == syntax.Number && digitsOf[key]:
			x.tell(n.Line, "it has %s, the digits of a failing test's input", key)
		case n.Value.Kind == syntax.Text:
			if text := n.Value.Text; lettersOf[sorted(text)] && !x.cases.inputs[key] {
				x.tell(n.Line, "it has the letters of a failing test's input in another order: %s", key)
			}
			x.severalInputs(n)
		}
	})
}

func onlyDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return r
	}
	return -1
}

func sorted(text string) string {
	letters := []rune(text)
	slices.Sort(letters)
	return string(letters)
}

// severalInputs looks at a text that has several whole inputs which are no names.
func (x *special) severalInputs(n *syntax.Node) {
	whole := 0
	for _, input := range x.cases.textInputs() {
		const short = 4
		if len(input) >= short && !identifier.MatchString(input) && input != n.Value.Text && strings.Contains(n.Value.Text, input) {
			whole++
		}
	}
	if whole > 1 {
		x.tell(n.Line, "it has several inputs of failing tests in one text")
	}
}

// putInPlace looks at a replacement by a part of what a failing test expects.
func (x *special) putInPlace(n *syntax.Node, s *scope) {
	switch n.Kids[0].Name {
	case "replace", "replaceAll", "sub", "Replace", "ReplaceAll", "NewReplacer":
	default:
		return
	}
	for _, a := range n.Kids[1:] {
		const long = 8
		text, ok := x.unit.text(a, s)
		if !ok || len(text) < long || len(tokens(text)) < 2 || !x.fresh(syntax.TextConst(0, text).Value.String()) {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(x.cases.expected)) {
			if strings.HasPrefix(key, `"`) && strings.Contains(unquoted(key), text) {
				x.tell(n.Line, "it puts a part of what a failing test expects in the place of something: %q", text)
				return
			}
		}
	}
}

// sparse looks at a list that is asked by a place, with answers here and there and
// nothing between them.
func (x *special) sparse(n *syntax.Node, s *scope) {
	if n.Kids[0].Kind != syntax.List {
		return
	}
	empty, known := 0, 0
	for _, kid := range n.Kids[0].Kids {
		switch key, ok := x.literal(kid, s); {
		case kid.Kind == syntax.Spread:
		case !ok || trivial(key):
			empty++
		case x.fresh(key) && x.cases.expected[key]:
			known++
		}
	}
	if known > 1 && empty >= known {
		x.tell(n.Line, "it has what failing tests expect at the places of a list")
	}
}
