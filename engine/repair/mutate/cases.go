package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// mostValues is how many values are tried for a case.
const mostValues = 40

// caseValue adds a value of the same kind to the values of a case.
func caseValue(g *site) {
	if !g.spelled() || !strings.HasPrefix(g.Text(g.n), "case ") {
		return
	}
	values := slices.DeleteFunc(slices.Clone(g.n.Children), func(n *node.Node) bool { return n.Kind == node.Block })
	if len(values) == 0 || !values[len(values)-1].Kind.Expression() {
		return
	}
	last := values[len(values)-1]
	whole := g.Text(g.Parent(g.n))
	for k, v := range g.alternatives(last, values) {
		if k < mostValues && !strings.Contains(whole, v) {
			g.emit(last.End, last.End, ", "+v, .02*float64(k), quote(v)+" should be in "+quote("case "+g.Between(values[0].Start, last.End)))
		}
	}
}

// alternatives are values like one: texts and characters that the file or the tests
// have, and other names of the same package or object.
func (g *site) alternatives(like *node.Node, all []*node.Node) []string {
	var out []string
	lit := g.Text(like)
	switch like.Kind {
	case node.String:
		for _, s := range g.strs {
			if (s[0] == '\'') == (lit[0] == '\'') {
				out = append(out, s)
			}
		}
		if lit[0] == '\'' {
			return distinct(append(out, g.characters(all)...))
		}
		for _, s := range g.near {
			out = append(out, g.Dialect.Quote(s, lit))
		}
	case node.Number:
		out = append(neighbours(lit), g.numbers...)
	case node.Attribute:
		object := g.Text(like.Children[0])
		for _, name := range distinct(g.perReceiver[object]) {
			out = append(out, object+"."+name)
		}
	default: // Of others nothing is known to be like them.
	}
	return distinct(out)
}

// characters are those of the kinds that some literals are of.
func (g *site) characters(of []*node.Node) []string {
	var out []string
	for _, kind := range []string{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", "-_.,:;+*/!?#%&|^~=@$<>()[]{}\"`\\ \t\n\r"} {
		if !slices.ContainsFunc(of, func(n *node.Node) bool {
			s, ok := g.Dialect.Unquote(g.Text(n))
			return ok && n.Kind == node.String && s != "" && strings.Contains(kind, s)
		}) {
			continue
		}
		for _, r := range kind {
			out = append(out, g.Dialect.Quote(string(r), "'"))
		}
	}
	return out
}

func missingDefault(g *site) {
	text := g.Text(g.n)
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); !g.spelled() || !ok || !alone || !strings.HasPrefix(text, "switch ") || strings.Contains(text, "default:") {
		return
	}
	indent, _, closed := strings.Cut(g.Between(g.LineStart(g.n.End-1), g.n.End), "}")
	if !closed || strings.TrimSpace(indent) != "" {
		return
	}
	put := func(exit string, cost float64) {
		at := g.LineStart(g.n.End - 1)
		g.emit(at, at, l.indent+"default:"+l.newline+l.indent+g.Unit+exit+l.newline, cost, quote(exit)+" is missing where no case holds in "+quote(text))
	}
	if g.Loop(g.n) != nil {
		put("continue", .1)
	}
	for k, r := range g.resultsAt(g.n.End) {
		if k < 10 {
			put(strings.TrimSpace("return "+r), .03*float64(k))
		}
	}
}

// missingElse does where a condition does not hold what the function does elsewhere,
// or puts one variable into another.
func missingElse(g *site) {
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); !g.spelled() || !ok || !alone || len(g.n.Children) != 2 {
		return
	}
	body := g.n.Children[1]
	if len(body.Children) == 0 || ends(body.Children[len(body.Children)-1]) {
		return // what comes behind is the else
	}
	put := func(text string, cost float64) {
		g.emit(g.n.End, g.n.End, " else {"+l.newline+l.indent+g.Unit+text+l.newline+l.indent+"}", cost, quote(text)+" is missing in the else of "+quote(g.Text(g.n)))
	}
	for k, st := range g.stmts {
		if st.Op != g.Dialect.Walrus && k < 20 {
			put(g.Text(st), .1+.01*float64(k))
		}
	}
	vars := g.vars(g.n)
	for _, v := range vars[:min(len(vars), maxVariables)] {
		if number(v.class) {
			put(g.Dialect.Increment(v.name, 1), .3)
		}
		for _, w := range vars[:min(len(vars), maxVariables)] {
			if v.name != w.name && agree(v.class, w.class) && g.Dialect.Assignable(w.typ, v.typ) {
				put(v.name+" = "+w.name, .4)
			}
		}
	}
}
