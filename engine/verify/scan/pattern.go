package scan

import (
	"cmp"
	"net/netip"
	"regexp"
	regular "regexp/syntax"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// mostBranches is how many texts of a pattern are looked at.
const mostBranches = 64

// branches are the texts between which a pattern chooses that has nothing but
// letters, of which some may be left out; nil for any other.
func branches(r *regular.Regexp) []string {
	switch r.Op {
	case regular.OpLiteral:
		return []string{string(r.Rune)}
	case regular.OpCharClass:
		return classed(r.Rune)
	case regular.OpEmptyMatch, regular.OpBeginLine, regular.OpEndLine, regular.OpBeginText, regular.OpEndText, regular.OpWordBoundary:
		return []string{""}
	case regular.OpCapture:
		return branches(r.Sub[0])
	case regular.OpQuest:
		if texts := branches(r.Sub[0]); texts != nil && len(texts) < mostBranches {
			return append(texts, "")
		}
		return nil
	case regular.OpAlternate:
		var all []string
		for _, sub := range r.Sub {
			texts := branches(sub)
			if texts == nil || len(all)+len(texts) > mostBranches {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	case regular.OpConcat:
		all := []string{""}
		for _, sub := range r.Sub {
			texts := branches(sub)
			if texts == nil || len(all)*len(texts) > mostBranches {
				return nil
			}
			var longer []string
			for _, head := range all {
				for _, tail := range texts {
					longer = append(longer, head+tail)
				}
			}
			all = longer
		}
		return all
	default:
		return nil
	}
}

// classed are the letters of a class of few.
func classed(ranges []rune) []string {
	const few = 4
	var all []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if all = append(all, string(c)); len(all) > few {
				return nil
			}
		}
	}
	return all
}

// delimited is a pattern as JavaScript writes it.
var delimited = regexp.MustCompile(`^/(.*)/[a-z]*$`)

// chosenByPattern looks at a pattern that chooses between the tests' inputs, or
// parts of them.
func (x *special) chosenByPattern(n *syntax.Node) {
	if n.Value.Kind != syntax.Text || !strings.ContainsAny(n.Value.Text, `|?[\`) || !x.fresh(n.Value.String()) || len(n.Value.Text) > longest {
		return
	}
	pattern := n.Value.Text
	if m := delimited.FindStringSubmatch(pattern); m != nil {
		pattern = m[1]
	}
	tree, err := regular.Parse(strings.ReplaceAll(pattern, `\Z`, `\z`), regular.Perl)
	if err != nil {
		return
	}
	if part := x.figuresOfInput(tree); part != "" {
		x.tell(n.Line, "its pattern has the figures %q of an input of failing tests", part)
		return
	}
	texts := slices.DeleteFunc(branches(tree), func(text string) bool { return text == "" })
	if input := x.puzzledOut(tree, texts); input != "" {
		x.tell(n.Line, "its pattern puts together inputs of failing tests, such as %q", input)
		return
	}
	if loose(tree) {
		return
	}
	whole, known := map[string]bool{}, 0
	for _, text := range texts {
		for _, input := range x.cases.textInputs() {
			part := 3*len(text) >= len(input) && strings.Contains(input, text) || len(input) > 2 && strings.Contains(text, input)
			if len(text) > 1 && part && !whole[input] {
				whole[input] = true
				known++
				break
			}
		}
	}
	names := !slices.ContainsFunc(texts, func(text string) bool { return !identifier.MatchString(text) })
	if known >= 2 && (known == len(texts) || 2*known >= len(texts) && !names) {
		x.tell(n.Line, "its pattern chooses between inputs of failing tests, such as %q", texts[0])
	}
}

// puzzledOut is one of several whole inputs that a pattern matches which is made of
// parts to choose from: hardly any rule has parts of which more than half of the texts
// are inputs of failing tests, or a third where they have figures. It is "" for a plain
// list.
func (x *special) puzzledOut(pattern *regular.Regexp, texts []string) string {
	choices := 0
	for _, part := range parted(pattern) {
		if len(branches(part)) > 1 {
			choices++
		}
	}
	found := map[string]bool{}
	example, enough := "", (len(texts)+2)/3
	for _, text := range texts {
		key := syntax.TextConst(0, text).Value.String()
		if len(text) > 1 && x.cases.inputs[key] && !x.cases.expected[key] && !found[text] {
			found[text], example = true, cmp.Or(example, text)
			if !digit.MatchString(text) {
				enough = len(texts)/2 + 1
			}
		}
	}
	if choices < 2 || len(found) < 2 || len(found) < enough {
		return ""
	}
	return example
}

// figures is a text of at least three figures and what stands between them.
var figures = regexp.MustCompile(`^\W*(\d\W*){3,}$`)

// ownAddress reports whether figures are an address that means the machine itself or its
// own network, for which there are rules.
func ownAddress(text string) bool {
	a, err := netip.ParseAddr(strings.Trim(text, "/: "))
	return err == nil && (a.IsLoopback() || a.IsUnspecified() || a.IsPrivate())
}

// figuresOfInput is the part of a pattern that is the larger part of an input of the failing
// tests, in figures: no rule asks for those. It is "" for none.
func (x *special) figuresOfInput(r *regular.Regexp) string {
	if r.Op == regular.OpLiteral && figures.MatchString(string(r.Rune)) && !ownAddress(string(r.Rune)) {
		for _, input := range x.cases.textInputs() {
			if part := string(r.Rune); len(part) < len(input) && 3*len(part) >= 2*len(input) && strings.Contains(input, part) {
				return part
			}
		}
	}
	for _, sub := range r.Sub {
		if part := x.figuresOfInput(sub); part != "" {
			return part
		}
	}
	return ""
}

// loose reports whether a pattern leaves something open that is no choice between
// texts: a letter of several, something that may be left out.
func loose(r *regular.Regexp) bool {
	return r.Op == regular.OpQuest || r.Op == regular.OpCharClass && len(classed(r.Rune)) > 1 || slices.ContainsFunc(r.Sub, loose)
}

// parted are the parts that a pattern has one after the other.
func parted(r *regular.Regexp) []*regular.Regexp {
	switch r.Op {
	case regular.OpCapture:
		return parted(r.Sub[0])
	case regular.OpConcat:
		var all []*regular.Regexp
		for _, sub := range r.Sub {
			all = append(all, parted(sub)...)
		}
		return all
	default:
		return []*regular.Regexp{r}
	}
}
