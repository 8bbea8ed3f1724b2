package scan

import (
	"math"
	"regexp"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// shaped reports whether a condition knows a value by its length and a letter of
// it, or by several letters: what hardly any rule asks for, and a list of inputs
// does.
func (x *special) shaped(n *syntax.Node, s *scope) bool {
	letters, figures, lengths := 0, 0, map[string]bool{}
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind != syntax.Compare || c.Name != "==" && c.Name != "in" {
			return !c.Kind.Function()
		}
		for i, side := range c.Kids {
			v, ok := x.fold(c.Kids[1-i], s, deepest)
			switch {
			case !ok:
			case isLength(side) && v.Kind == syntax.Number && v.Num > 2:
				lengths[v.String()] = true
			case x.isElement(side, s) && isLetter(v):
				letters++
			case x.isElement(side, s) && isFigure(v):
				figures++
			}
		}
		return true
	})
	return len(lengths) > 0 && letters > 0 || len(lengths) > 1 && figures > 0 || letters > 1
}

// display are methods by which objects are shown.
var display = words("Format String GoString MarshalJSON MarshalText Error __str__ __repr__ __format__ toString toJSON Symbol.toPrimitive nodejs.util.inspect.custom")

// shownAnswer looks at a method that shows an object for the text that a failing
// test expects, whole.
func (x *special) shownAnswer(f *syntax.Node, s *scope) {
	if !display[f.Name] || f.Body() == nil {
		return
	}
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		key, ok := x.literal(n, s)
		if ok && strings.HasPrefix(key, `"`) && x.fresh(key) && x.cases.expected[key] && !x.cases.handed[key] && !trivial(key) && digit.MatchString(key) {
			x.tell(n.Line, "it shows %s, which a failing test expects, whatever it is", key)
		}
		return true
	})
}

// digit is a figure.
var digit = regexp.MustCompile(`[0-9]`)

// calculated reports whether a condition compares what is calculated from elements
// of a value with a number that is nobody's.
func (x *special) calculated(n *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Compare && c.Name == "==" {
			for i, side := range c.Kids {
				v, ok := x.fold(c.Kids[1-i], s, deepest)
				odd := ok && v.Kind == syntax.Number && v.Num > 12 && math.Mod(v.Num, 10) != 0
				found = found || odd && x.fresh(v.String()) && x.sumOfElements(side, s, deepest)
			}
		}
		return !found && !c.Kind.Function()
	})
	return found
}

// sumOfElements reports whether an expression adds or multiplies elements of a
// value, or letters of it.
func (x *special) sumOfElements(n *syntax.Node, s *scope, depth int) bool {
	if depth == 0 {
		return false
	}
	if n.Kind == syntax.Ident {
		binds, _ := s.lookup(n.Name)
		return len(binds) == 1 && binds[0].value != nil && x.sumOfElements(binds[0].value, binds[0].scope, depth-1)
	}
	if n.Kind == syntax.Binary && n.Name == "%" {
		return x.sumOfElements(n.Kids[0], s, depth-1)
	}
	if n.Kind == syntax.Call {
		return sums[n.Kids[0].Name] && codesLetters(n)
	}
	if n.Kind != syntax.Binary || n.Name != "+" && n.Name != "*" && n.Name != "-" && n.Name != "^" {
		return false
	}
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || x.isElement(c, s) || c.Kind == syntax.Index && n.Name != "-" || isLength(c) && n.Name != "-" || c.Kind == syntax.Call && (c.Kids[0].Name == "charCodeAt" || c.Kids[0].Name == "ord")
		return !found
	})
	return found
}

// sums are functions that make one number of many.
var sums = words("sum reduce fsum")

// codesLetters reports whether an expression asks for the codes of letters.
func codesLetters(n *syntax.Node) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || c.Kind == syntax.Call && (c.Kids[0].Name == "charCodeAt" || c.Kids[0].Name == "codePointAt" || c.Kids[0].Name == "ord") || c.Kind == syntax.Ident && c.Name == "ord"
		return !found
	})
	return found
}

func isLength(n *syntax.Node) bool {
	return n.Kind == syntax.Attr && (n.Name == "length" || n.Name == "size") ||
		n.Kind == syntax.Call && len(n.Kids) == 2 && n.Kids[0].Kind == syntax.Ident && n.Kids[0].Name == "len" || n.Kind == syntax.Call && strings.HasSuffix(n.Kids[0].Name, "RuneCountInString")
}

// isElement reports whether an expression is an element at a fixed place.
func (x *special) isElement(n *syntax.Node, s *scope) bool {
	var at *syntax.Node
	switch {
	case n.Kind == syntax.Index:
		at = n.Kids[1]
	case n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Attr && len(n.Kids) == 2:
		switch n.Kids[0].Name {
		case "charCodeAt", "charAt", "at", "codePointAt":
			at = n.Kids[1]
		}
	case n.Kind == syntax.Call && len(n.Kids) == 2 && n.Kids[0].Name == "ord":
		return x.isElement(n.Kids[1], s)
	}
	v, ok := x.fold(at, s, deepest)
	return ok && v.Kind == syntax.Number
}

// isLetter reports whether a constant is a letter, or the number of one.
func isLetter(v syntax.Value) bool {
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	return v.Kind == syntax.Text && len(v.Text) == 1 && letter(rune(v.Text[0])) || v.Kind == syntax.Number && letter(rune(v.Num))
}

// isFigure reports whether a constant is a figure as text, or the number of one.
func isFigure(v syntax.Value) bool {
	return v.Kind == syntax.Text && len(v.Text) == 1 && digit.MatchString(v.Text) || v.Kind == syntax.Number && v.Num >= '0' && v.Num <= '9'
}

// placed reports whether a condition asks what stands at a fixed place of a list.
func (x *special) placed(n *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Compare {
			for _, side := range c.Kids {
				for side.Kind == syntax.Attr {
					side = side.Kids[0]
				}
				found = found || x.isElement(side, s)
			}
		}
		return !found && !c.Kind.Function()
	})
	return found
}

// raisesForTests looks at a branch that raises, for one value, an error with the words
// that a failing test itself has made.
func (x *special) raisesForTests(asked []string, branch *syntax.Node, s *scope) {
	if len(asked) == 0 {
		return
	}
	syntax.Walk(branch, func(n *syntax.Node) bool {
		if n.Kind == syntax.Raise {
			for _, key := range x.elements(n, s) {
				if strings.HasPrefix(key, `"`) && x.fresh(key) && x.tests.raised[unquoted(key)] && !trivial(key) {
					x.tell(n.Line, "it raises %s for %s, as a failing test itself does", key, asked[0])
				}
			}
		}
		return !n.Kind.Function()
	})
}

// fragments looks at texts of which each is a part of another input of the failing
// tests, of two words or more.
func (x *special) fragments(texts []string, line int) {
	whole := map[string]bool{}
	parts := 0
	for _, text := range texts {
		if len(tokens(text)) < 2 {
			continue
		}
		for key := range x.cases.inputs {
			input := unquoted(key)
			if strings.HasPrefix(key, `"`) && input != text && strings.Contains(input, text) && 3*len(text) >= len(input) && x.fresh(syntax.TextConst(0, text).Value.String()) {
				parts++
				whole[key] = true
				break
			}
		}
	}
	if len(whole) >= 2 && 2*parts >= len(texts) {
		x.tell(line, "it lists parts of failing tests' inputs, such as %s", texts[0])
	}
}

// listed are the texts of a list.
func (x *special) listed(n *syntax.Node, s *scope) []string {
	var out []string
	for _, kid := range n.Kids {
		if text, ok := x.unit.text(kid, s); ok {
			out = append(out, text)
		}
	}
	return out
}

// alternatives are the texts between which a pattern chooses.
func alternatives(pattern string) []string {
	if !strings.Contains(pattern, "|") {
		return nil
	}
	return strings.FieldsFunc(strings.ReplaceAll(pattern, `\`, ""), func(r rune) bool { return strings.ContainsRune("|()^$*+?[]", r) })
}

// handedChoice looks at a choice between two things that the failing tests hand
// over: only they know when which is meant.
func (x *special) handedChoice(n *syntax.Node, s *scope) {
	if n.Kind != syntax.Cond || len(n.Kids) != 3 || len(x.compared(n.Kids[0], s)) > 0 {
		return
	}
	var keys []string
	for _, kid := range n.Kids[1:] {
		key, ok := x.literal(kid, s)
		if !ok || !strings.HasPrefix(key, `"`) || trivial(key) || !x.fresh(key) || !x.cases.handed[key] {
			return
		}
		keys = append(keys, key)
	}
	if keys[0] != keys[1] {
		x.tell(n.Line, "it gives %s or %s, which a failing test hands over", keys[0], keys[1])
	}
}
