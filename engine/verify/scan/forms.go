package scan

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// severalAnswers looks at a text that has several whole answers which are no names.
func (x *special) severalAnswers(n *syntax.Node) {
	text := n.Value.Text
	if n.Value.Kind != syntax.Text || !x.fresh(n.Value.String()) || len(text) > longest {
		return
	}
	known, long := 0, 0
	for _, key := range slices.Sorted(maps.Keys(x.cases.expected)) {
		const short = 3
		answer := unquoted(key)
		if !strings.HasPrefix(key, `"`) || len(answer) < short || identifier.MatchString(answer) || answer == text || !letter.MatchString(answer) || !wholeWord(text, answer) || !x.cases.derived(key) && !x.cases.counted(key) {
			continue
		}
		if known++; len(tokens(answer)) > 1 {
			long++
		}
	}
	if long > 1 || known > 2 {
		x.tell(n.Line, "it has several answers that failing tests expect in one text")
	}
}

// counted reports whether an answer begins with a number that goes in with it.
func (c *cases) counted(answer string) bool {
	figures := figuresOf.FindString(answer)
	return strings.HasPrefix(answer, `"`+figures) && figures != "" && c.together[[2]string{answer, figures}] && c.inputs[figures]
}

// wholeWord reports whether a text stands in another between spaces or marks.
func wholeWord(text, word string) bool {
	before, behind, ok := strings.Cut(text, word)
	return ok && !wordEnd.MatchString(before) && !wordStart.MatchString(behind)
}

var (
	wordEnd   = regexp.MustCompile(`[\pL\d]$`)
	wordStart = regexp.MustCompile(`^[\pL\d]`)
)

// initials looks at a text of the first letters of an input of which a failing test
// expects just these.
func (x *special) initials(n *syntax.Node) {
	key := n.Value.String()
	if n.Value.Kind != syntax.Text || len(n.Value.Text) < 2 || !x.fresh(key) || !x.cases.expected[key] {
		return
	}
	for _, input := range x.cases.textInputs() {
		first := ""
		for _, word := range tokens(input) {
			first += word[:1]
		}
		if strings.EqualFold(first, n.Value.Text) && x.cases.together[[2]string{key, syntax.TextConst(0, input).Value.String()}] {
			x.tell(n.Line, "it has %s, the first letters of a failing test's input", key)
			return
		}
	}
}

// formsOfInputs looks at a table of words that failing tests hand over, with what each
// becomes.
func (x *special) formsOfInputs(n *syntax.Node, s *scope) {
	known := 0
	for _, pair := range n.Kids {
		if pair.Kind != syntax.Pair || len(pair.Kids) < 2 {
			continue
		}
		word, ok := x.unit.text(pair.Kids[0], s)
		if !ok && pair.Kids[0].Kind == syntax.Ident {
			word = pair.Kids[0].Name
		}
		form, also := x.unit.text(pair.Kids[1], s)
		const stem = 3
		if also && len(word) >= stem && strings.HasPrefix(form, word[:stem]) && x.cases.handed[syntax.TextConst(0, word).Value.String()] && x.withinAnswer(form) {
			known++
		}
	}
	if known > 1 && 2*known >= len(n.Kids) {
		x.tell(n.Line, "it lists words that failing tests hand over, each with what becomes of it")
	}
}

// withinAnswer reports whether a new text stands in an answer.
func (x *special) withinAnswer(text string) bool {
	if !x.fresh(syntax.TextConst(0, text).Value.String()) {
		return false
	}
	for key := range x.cases.expected {
		if strings.HasPrefix(key, `"`) && wholeWord(unquoted(key), text) {
			return true
		}
	}
	return false
}

// joinedInputs looks at a table whose keys are each made of two inputs of a case.
func (x *special) joinedInputs(n *syntax.Node, s *scope) {
	joined := 0
	for _, pair := range n.Kids {
		if pair.Kind != syntax.Pair {
			continue
		}
		key, ok := x.unit.text(pair.Kids[0], s)
		if !ok && pair.Kids[0].Kind == syntax.Ident {
			key = pair.Kids[0].Name
		}
		_, constant := x.literal(pair.Kids[len(pair.Kids)-1], s)
		if !constant || !x.fresh(syntax.TextConst(0, key).Value.String()) {
			continue
		}
		if slices.ContainsFunc(x.cases.textInputs(), func(input string) bool { return len(input) > 1 && x.joins(key, input) }) {
			joined++
		}
	}
	if joined > 1 && 2*joined >= len(n.Kids) {
		x.tell(n.Line, "its keys are made of the inputs of failing tests, each of two")
	}
}

// joins reports whether a text is an input and another of the same case.
func (x *special) joins(text, input string) bool {
	rest, ok := strings.CutPrefix(text, input)
	if !ok {
		rest, ok = strings.CutSuffix(text, input)
	}
	rest = strings.Trim(rest, " _-:|/,.")
	if !ok || rest == "" {
		return false
	}
	own := syntax.TextConst(0, input).Value.String()
	others := []string{syntax.TextConst(0, rest).Value.String()}
	if number := syntax.NumberConst(0, rest); number.Kind == syntax.Const {
		others = append(others, number.Value.String())
	}
	return slices.ContainsFunc(others, func(other string) bool { return x.cases.together[[2]string{own, other}] && x.cases.inputs[other] })
}
