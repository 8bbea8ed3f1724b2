package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// exactly are the templates about what languages with plain types compute in another
// way than it looks: bytes for characters, whole numbers for fractions, one list for two.
func exactly() []Template {
	return []Template{
		{"characters", "counts characters and not bytes", "len(s) → utf8.RuneCountInString(s)", 1.0, []node.Kind{node.Call, node.Slice}, false, characters},
		{"exact quotient", "divides with fractions", "float64(a / b) → float64(a) / float64(b)", .7, []node.Kind{node.Call, node.Binary}, false, exactQuotient},
		{"any case", "compares texts without their case", "a == b → strings.EqualFold(a, b)", 1.2, []node.Kind{node.Compare}, false, anyCase},
		{"copy", "makes a copy of a list", "xs → append([]int(nil), xs...)", 1.4, []node.Kind{node.Name, node.Attribute, node.Slice}, false, copied},
		{"verb", "formats a value in another way", "'%v' → '%w'", .9, []node.Kind{node.String}, false, verb},
	}
}

func characters(g *site) {
	if !g.spelled() {
		return
	}
	object := g.n.Children[0]
	if g.n.Kind == node.Slice {
		if text := g.Text(g.n); g.classOf(object) == node.Text {
			g.replace(g.n, atom("string([]rune("+g.Text(object)+")"+text[object.End-g.n.Start:]+")"), .3)
		}
		return
	}
	if len(g.n.Children) != 2 {
		return
	}
	switch value := g.n.Children[1]; {
	case object.Name == "len" && g.classOf(value) == node.Text:
		g.replace(g.n, atom("utf8.RuneCountInString("+g.Text(value)+")"), 0)
	case g.Text(object) == "[]byte" && g.classOf(value) == node.Text:
		g.replace(g.n, atom("[]rune("+g.Text(value)+")"), .1)
	}
}

func exactQuotient(g *site) {
	if !g.spelled() {
		return
	}
	if g.n.Kind == node.Binary {
		// a / b * c drops a fraction that a * c / b keeps.
		left := g.n.Children[0]
		if g.n.Op == "*" && left.Kind == node.Binary && left.Op == "/" && g.classOf(g.n) == node.Int {
			a, b := g.of(left.Children[0]), g.of(left.Children[1])
			g.replace(g.n, g.binary(g.binary(a, "*", g.of(g.n.Children[1])), "/", b), .3)
		}
		return
	}
	if len(g.n.Children) != 2 || g.n.Children[0].Name != "float64" && g.n.Children[0].Name != "float32" {
		return
	}
	value, to := g.n.Children[1], g.n.Children[0].Name
	if value.Kind == node.Binary && (value.Op == "/" || value.Op == "*") && g.classOf(value) == node.Int {
		l, r := g.Text(value.Children[0]), g.Text(value.Children[1])
		g.replace(g.n, g.binary(atom(to+"("+l+")"), value.Op, atom(to+"("+r+")")), 0)
	}
}

func anyCase(g *site) {
	a, b := g.n.Children[0], g.n.Children[1]
	if !g.spelled() || g.classOf(a) != node.Text || g.classOf(b) != node.Text || a.Kind == node.String && b.Kind == node.String {
		return
	}
	for _, side := range []*node.Node{a, b} {
		if s, ok := g.Dialect.Unquote(g.Text(side)); side.Kind == node.String && ok && strings.ToLower(s) == strings.ToUpper(s) {
			return // it has no letters
		}
	}
	same := atom("strings.EqualFold(" + g.Text(a) + ", " + g.Text(b) + ")")
	switch g.n.Op {
	case "==":
		g.replace(g.n, same, 0)
	case "!=":
		g.replace(g.n, g.not(same), 0)
	}
}

// copied copies what is handed on where both sides would share it.
func copied(g *site) {
	if p := g.Parent(g.n); !g.spelled() || g.n.Kind == node.Name && !g.isVariable() || !g.received() && p.Kind != node.Other {
		return
	}
	if typ := g.n.Type; strings.HasPrefix(typ, "[]") {
		g.replace(g.n, atom("append("+typ+"(nil), "+g.Text(g.n)+"...)"), 0)
	}
}

// verbs are ways to format a value, and mostVerbs the number of those in a text that are
// changed.
var verbs = []string{"v", "s", "d", "q", "w", "+v", "x", "X", "#v", "T", "t", "c", "f", "g", "02d", "2d", "%"}

const mostVerbs = 4

// verb puts another one in a format.
func verb(g *site) {
	lit := g.Text(g.n)
	p := g.Parent(g.n)
	if !g.spelled() || p.Kind != node.Call || !strings.Contains(lit, "%") {
		return
	}
	seen := 0
	for k := 1; k < len(lit)-1 && seen < mostVerbs; k++ {
		if lit[k] != '%' {
			continue
		}
		end := k + 1
		for end < len(lit)-1 && strings.IndexByte("+-# 0123456789.*", lit[end]) >= 0 {
			end++
		}
		if end >= len(lit)-1 {
			return
		}
		if lit[end] == '%' {
			k = end
			continue
		}
		old := lit[k+1 : end+1]
		seen++
		for i, v := range slices.Concat(precise(old), verbs) {
			if v != old {
				g.emit(g.n.Start+k+1, g.n.Start+end+1, v, .03*float64(i), because("%"+old, "%"+v)+" in "+quote(lit))
			}
		}
		k = end
	}
}

// precise are the neighbours of a verb that has a number of digits.
func precise(verb string) []string {
	at := strings.IndexByte(verb, '.')
	if at < 0 {
		if strings.HasSuffix(verb, "f") || strings.HasSuffix(verb, "g") {
			return []string{".1f", ".2f", ".3f"}
		}
		return nil
	}
	var out []string
	for _, digits := range []string{"0", "1", "2", "3", "4"} {
		out = append(out, verb[:at]+"."+digits+verb[len(verb)-1:])
	}
	return out
}
