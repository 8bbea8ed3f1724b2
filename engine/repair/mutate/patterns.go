package mutate

import (
	"slices"
	"strings"
	"unicode"

	"autocoder/engine/repair/node"
)

// patternCalls are functions whose first argument is a pattern.
var patternCalls = []string{"compile", "match", "search", "fullmatch", "sub", "subn", "findall", "finditer", "split", "MustCompile", "Compile", "MatchString"}

// isPattern reports whether the node is a regular expression by where it stands.
func (g *site) isPattern() bool {
	p := g.Parent(g.n)
	if p == nil || p.Kind != node.Call || g.Place(g.n) != 1 {
		return false
	}
	if callee := g.Text(p.Children[0]); callee == "RegExp" || callee == "new RegExp" {
		return true
	}
	if p.Children[0].Kind != node.Attribute {
		return false
	}
	object := g.Text(p.Children[0].Children[0])
	return (object == "re" || object == "regex" || object == "regexp") && slices.Contains(patternCalls, p.Children[0].Name)
}

// patternText is a regular expression, as a string or as a literal of its own, and
// where it begins; filled says that it has values filled in.
func (g *site) patternText() (text string, at int, filled, ok bool) {
	if end, ok := g.literalPattern(); ok {
		return g.Text(g.n)[1:end], g.n.Start + 1, false, true
	}
	if !g.isPattern() {
		return "", 0, false, false
	}
	prefix, text, at, ok := g.body()
	return text, at, strings.Contains(prefix, "f") || strings.Contains(text, "${"), ok
}

// literalPattern returns where the body of a literal like /a+/g ends.
func (g *site) literalPattern() (end int, ok bool) {
	text := g.Text(g.n)
	end = strings.LastIndexByte(text, '/')
	ok = g.n.Kind == node.Other && end > 0 && text[0] == '/' && end < 60 && strings.Trim(text[end+1:], "dgimsuvy") == ""
	return end, ok
}

// patternFlags adds or drops a flag of a pattern literal.
func patternFlags(g *site) {
	end, ok := g.literalPattern()
	if !ok {
		return
	}
	text := g.Text(g.n)
	body, flags := text[:end+1], text[end+1:]
	for k, flag := range []string{"g", "i", "m", "s", "u"} {
		other := strings.Replace(flags, flag, "", 1)
		if other == flags {
			other += flag
		}
		g.emit(g.n.Start+len(body), g.n.End, other, .1*float64(k), because(text, body+other))
	}
}

func pattern(g *site) {
	text, at, filled, ok := g.patternText()
	if !ok {
		return
	}
	put := func(start, end int, s string, cost float64) {
		g.emit(at+start, at+end, s, cost, because(text, text[:start]+s+text[end:]))
	}
	if strings.HasPrefix(text, "^") {
		put(0, 1, "", .3)
	} else {
		put(0, 0, "^", .2)
	}
	if strings.HasSuffix(text, "$") {
		put(len(text)-1, len(text), "", .3)
	} else if !strings.HasSuffix(text, `\`) {
		put(len(text), len(text), "$", .2)
	}
	if filled {
		return
	}
	for k := 0; k < len(text); {
		size := unit(text[k:])
		part, end := text[k:k+size], k+size
		if strings.ContainsAny(part[:1], "^$|(") || strings.ContainsAny(part[:1], "*+?") {
			k = end
			continue
		}
		q := quantifier(text[end:])
		for i, x := range []string{"+", "*", "?", "", "+?", "*?"} {
			cost := .05 * float64(i)
			if q > 0 && x == text[end:end+q]+"?" {
				cost = .1 // as few as will do, and not as many as there are
			}
			if x != text[end:end+q] {
				put(end, end+q, x, cost)
			}
		}
		if strings.HasPrefix(part, "[") && size > 2 {
			for i, x := range []string{"A-Z", "a-z", "0-9", "_", "-", ".", `\\s`} {
				if !strings.Contains(part, x) {
					put(end-1, end-1, strings.Replace(x, `\\`, `\`, 1), .3+.03*float64(i))
				}
			}
			for i, x := range g.signs(part) {
				put(end-1, end-1, x, .3+.03*float64(i))
			}
		}
		for i, x := range map[string][]string{`\d`: {`\w`, `[0-9a-f]`}, `\w`: {`\d`, `\S`, `[\w-]`, `[\w.]`, `.`}, `\s`: {`\S`, `\b`}, `\S`: {`\s`, `\w`, `.`}, `.`: {`\.`, `\w`}, `\.`: {`.`}, `\W`: {`\w`}, `\D`: {`\d`}, `\b`: {``}}[part] {
			put(k, end, x, .3+.05*float64(i))
		}
		k = end + q
	}
}

// signs are signs of the texts that the tests mention, as a class of a pattern that
// lacks them spells them.
func (g *site) signs(class string) []string {
	const most = 8
	var out []string
	for _, c := range g.spoken() {
		if len(out) == most || c > unicode.MaxASCII || !unicode.IsPunct(c) && !unicode.IsSymbol(c) || strings.ContainsRune(class[1:len(class)-1], c) {
			continue
		}
		s := string(c)
		if strings.Contains(`]\^-/`, s) {
			s = `\` + s
		}
		out = append(out, s)
	}
	return out
}

// unit is the length of the first part of a pattern: a class, an escape, a
// character.
func unit(s string) int {
	switch {
	case s[0] == '\\' && len(s) > 1:
		return 2
	case s[0] == '[':
		for k := 2; k < len(s); k++ {
			if s[k] == ']' && s[k-1] != '\\' {
				return k + 1
			}
		}
	}
	return 1
}

// quantifier is the length of what says how often the part before comes.
func quantifier(s string) int {
	n := 0
	switch {
	case s == "":
		return 0
	case s[0] == '*' || s[0] == '+' || s[0] == '?':
		n = 1
	case s[0] == '{':
		if n = strings.IndexByte(s, '}') + 1; n == 0 || strings.Trim(s[1:n-1], "0123456789,") != "" {
			return 0
		}
	default:
		return 0
	}
	if n < len(s) && s[n] == '?' {
		n++
	}
	return n
}
