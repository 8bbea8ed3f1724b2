package mutate

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// texts are the templates about what stands in strings.
func texts() []Template {
	return []Template{
		{"character", "changes a character of a text", "'%m' → '%M'", 1.3, []node.Kind{node.String}, false, character},
		{"pattern", "changes a part of a pattern", `'\d' → '\d+'`, 1.2, []node.Kind{node.String, node.Other}, false, pattern},
		{"pattern flags", "has a pattern match in another way", "/a/ → /a/g", .7, []node.Kind{node.Other}, false, patternFlags},
		{"opposite", "says the opposite in a text or name", "'asc' → 'desc'", .9, []node.Kind{node.String, node.Attribute, node.Name}, false, opposite},
		{"separator", "puts a text between two that are joined", "a + b → a + '.' + b", 1.6, []node.Kind{node.Binary}, false, separator},
		{"interpolation", "fills in a text, or in another form", "'{x}' → f'{x}'", .8, []node.Kind{node.String, node.Other}, false, interpolation},
		{"element add", "adds an element that the tests speak of", "('a', 'b') → ('a', 'b', 'c')", 1.3, []node.Kind{node.List, node.Tuple}, false, elementAdd},
	}
}

// set reports whether a text looks like a set of letters: none is there twice.
func set(text string) bool {
	seen := map[rune]bool{}
	for _, c := range text {
		if seen[c] {
			return false
		}
		seen[c] = true
	}
	return len(seen) >= 4
}

// inside returns the span of the text of a string literal within its quotes, and
// the prefix; ok is false for what is none.
func inside(lit string) (prefix string, start, end int, ok bool) {
	k := 0
	for k < len(lit) && wordStart(lit[k]) {
		k++
	}
	if k == len(lit) || k > 2 || lit[k] != '\'' && lit[k] != '"' && lit[k] != '`' {
		return "", 0, 0, false
	}
	size := 1
	if strings.HasPrefix(lit[k:], strings.Repeat(lit[k:k+1], 3)) {
		size = 3
	}
	if len(lit) < k+2*size {
		return "", 0, 0, false
	}
	return strings.ToLower(lit[:k]), k + size, len(lit) - size, true
}

// body is inside for the node of a literal: its text and where it begins.
func (g *site) body() (prefix, text string, at int, ok bool) {
	lit := g.Text(g.n)
	if g.docstring(g.n) {
		return "", "", 0, false
	}
	prefix, start, end, ok := inside(lit)
	if !ok || end-start > 60 || strings.Contains(lit[start:end], "\n") {
		return "", "", 0, false
	}
	return prefix, lit[start:end], g.n.Start + start, true
}

// dateLetters are what may follow % in a format of dates.
const dateLetters = "YmdHMSybBjIp"

func character(g *site) {
	prefix, text, at, ok := g.body()
	if !ok || len(text) < 2 || len(text) > 32 || strings.Contains(prefix, "f") {
		return
	}
	put := func(start, end int, s string, cost float64) {
		whole := text[:start] + s + text[end:]
		if set(text) && !set(whole) {
			return
		}
		// Letters of a text can be fitted to whatever a test wants.
		fitted := !strings.Contains(text, "%") && !slices.Contains(g.near, whole)
		g.out(Edit{
			Edits: []textedit.Edit{{Start: at + start, End: at + end, New: s}}, Cost: cost, Why: because(text, whole), Line: g.n.Line, Suspicious: fitted,
		})
	}
	var directives []int
	for k := range len(text) {
		c := text[k]
		if c >= 0x80 || c == '\\' || k > 0 && text[k-1] == '\\' {
			continue
		}
		after := k > 0 && text[k-1] == '%'
		if after {
			directives = append(directives, k)
		}
		if flipped := flipCase(rune(c)); flipped != rune(c) {
			cost := .3
			if after {
				cost = 0
			}
			put(k, k+1, string(flipped), cost)
		}
		if after && g.Dialect.Indented && (c == 's' || c == 'r') { // where %r shows a value as code
			put(k, k+1, string("rs"[strings.IndexByte("sr", c)]), .1)
		}
		if after && strings.IndexByte(dateLetters, c) >= 0 {
			for _, o := range dateLetters {
				put(k, k+1, string(o), .4)
			}
		}
		if len(text) > 2 && !after && c != '%' && (k+1 == len(text) || text[k+1] != c) {
			put(k, k+1, "", .8)
		}
		if k+1 < len(text) && text[k+1] != c && text[k+1] < 0x80 && text[k+1] != '\\' && !after && c != '%' {
			put(k, k+2, string([]byte{text[k+1], c}), .5)
		}
	}
	for i, a := range directives {
		for _, b := range directives[i+1:] {
			if text[a] != text[b] {
				put(a, b+1, string(text[b])+text[a+1:b]+string(text[a]), .1)
			}
		}
	}
	for _, s := range []string{"-", "_", "/", ".", ":", ",", " "} {
		for _, to := range []string{"-", "_", "/", ".", ":", ",", " "} {
			if s != to && strings.Count(text, s) > 1 {
				put(0, len(text), strings.ReplaceAll(text, s, to), .5)
			}
		}
	}
}

func flipCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// opposites are words that are mistaken for one another.
var opposites = pairsOf(
	"true false", "asc desc", "ascending descending", "left right", "start end", "start stop", "begin end", "min max", "first last", "on off", "yes no", "up down", "read write",
	"r w", "w a", "r rb", "w wb", "open close", "opened closed", "before after", "next prev", "next previous", "width height", "row col", "rows columns", "rows cols", "row column",
	"x y", "horizontal vertical", "enable disable", "enabled disabled", "src dst", "source target", "key value", "keys values", "get set", "add remove", "success failure",
	"ok error", "info debug", "warning error", "inner outer", "top bottom", "upper lower", "odd even", "old new", "parent child", "head tail", "front back", "low high", "lo hi",
	"lower higher", "minimum maximum", "name id", "index value", "major minor", "year month", "month day", "hour minute", "minute second", "request response", "local remote", "input output",
	"username password", "email name", "latitude longitude", "lat lon", "lat lng", "debit credit", "buy sell", "in out", "include exclude", "prefix suffix", "public private", "price quantity", "from to",
	"before after", "question answer", "sender receiver", "sender recipient", "user admin", "active inactive", "valid invalid", "visible hidden", "hits misses", "count total", "sum count",
)

func pairsOf(list ...string) map[string][]string {
	m := map[string][]string{}
	for _, p := range list {
		a, b, _ := strings.Cut(p, " ")
		if !slices.Contains(m[a], b) {
			m[a], m[b] = append(m[a], b), append(m[b], a)
		}
	}
	return m
}

// words of a name or text, with where each begins.
func wordsIn(s string) (words []string, at []int) {
	from := 0
	for k := 0; k <= len(s); k++ {
		end := k == len(s) || !unicode.IsLetter(rune(s[k]))
		if camel := !end && k > from && unicode.IsUpper(rune(s[k])) && unicode.IsLower(rune(s[k-1])); end || camel {
			if k > from {
				words, at = append(words, s[from:k]), append(at, from)
			}
			from = k
			if end {
				from = k + 1
			}
		}
	}
	return words, at
}

func opposite(g *site) {
	text, start := g.n.Name, g.n.End-len(g.n.Name)
	if g.n.Kind == node.String {
		_, body, at, ok := g.body()
		if !ok {
			return
		}
		text, start = body, at
	} else if g.Stored(g.n) || text == "" {
		return
	}
	words, at := wordsIn(text)
	if len(words) > 6 {
		return
	}
	known := func(name string) bool {
		if g.n.Kind == node.String {
			return true
		}
		return g.file.words[name] > 0 || g.n.Kind == node.Attribute && !slices.Contains(g.attrs, text) && !slices.Contains(g.methods, text)
	}
	for k, w := range words {
		for i, o := range opposites[strings.ToLower(w)] {
			if unicode.IsUpper(rune(w[0])) {
				o = strings.ToUpper(o[:1]) + o[1:]
			}
			if len(w) > 1 && strings.ToUpper(w) == w {
				o = strings.ToUpper(o)
			}
			if other := text[:at[k]] + o + text[at[k]+len(w):]; known(other) {
				g.emit(start+at[k], start+at[k]+len(w), o, .05*float64(i+k), because(text, other))
			}
		}
	}
}

func separator(g *site) {
	if g.n.Op != "+" {
		return
	}
	l, r := g.n.Children[0], g.n.Children[1]
	if c := g.classOf(g.n); c != node.Text && (c != node.Unknown || !g.Dialect.Truthy) {
		return
	}
	if l.Kind == node.String || r.Kind == node.String || l.Kind == node.Number || r.Kind == node.Number {
		return
	}
	like := `"`
	if len(g.strs) > 0 {
		like = g.strs[0]
	}
	for k, s := range []string{" ", ".", "-", "_", ", ", "/", ":", ",", "\n"} {
		g.replace(g.n, g.binary(g.binary(g.of(l), "+", atom(g.Dialect.Quote(s, like))), "+", g.of(r)), .05*float64(k))
	}
}

func interpolation(g *site) {
	d := g.Dialect
	if d.Interpolated == "" {
		return
	}
	prefix, text, at, ok := g.body()
	if !ok {
		return
	}
	if g.n.Kind == node.String && prefix == "" {
		for _, v := range g.Visible(g.n) {
			if strings.Contains(text, "{"+v.Name+"}") || strings.Contains(text, "{"+v.Name+":") || strings.Contains(text, "{"+v.Name+".") || strings.Contains(text, "{"+v.Name+"[") {
				g.emit(g.n.Start, g.n.Start, d.Interpolated, 0, quote(d.Interpolated)+" is missing before "+quote(g.Text(g.n)))
				return
			}
		}
		return
	}
	if prefix != d.Interpolated {
		return
	}
	for k := 0; k < len(text); k++ {
		end := strings.IndexByte(text[k:], '}')
		if text[k] != '{' || end < 0 || strings.HasPrefix(text[k:], "{{") {
			continue
		}
		field := text[k+1 : k+end]
		name, spec, has := strings.Cut(field, ":")
		put := func(s string, cost float64) {
			g.emit(at+k+1, at+k+end, s, cost, because("{"+field+"}", "{"+s+"}"))
		}
		if !has {
			for i, s := range d.Specs {
				put(name+s, .3+.05*float64(i))
			}
			put(name+"!r", .5)
		} else {
			put(name, .5)
			for i := range len(spec) {
				if n, err := strconv.Atoi(spec[i : i+1]); err == nil && spec[i] != '0' {
					put(name+":"+spec[:i]+strconv.Itoa(n+1)+spec[i+1:], .2)
					put(name+":"+spec[:i]+strconv.Itoa(n-1)+spec[i+1:], .2)
				}
			}
			for s, o := range map[string]string{"<": ">", ">": "<", "d": "f", "f": "d", "x": "X", "X": "x"} {
				if strings.Contains(spec, s) {
					put(name+":"+strings.Replace(spec, s, o, 1), .4)
				}
			}
		}
		k += end
	}
}

// elementAdd adds a text that the tests mention to a list of texts.
func elementAdd(g *site) {
	all := g.n.Children
	if len(all) == 0 || g.Stored(g.n) {
		return
	}
	last := all[len(all)-1]
	if last.Kind != node.String {
		return
	}
	tried := 0
	for _, s := range g.near {
		lit := g.Dialect.Quote(s, g.Text(last))
		if strings.ContainsAny(s, " \n") || strings.Contains(g.Text(g.n), lit) || tried == 20 {
			continue
		}
		tried++
		g.emit(last.End, last.End, ", "+lit, .02*float64(tried), quote(lit)+" is missing in "+quote(g.Text(g.n)))
	}
}
