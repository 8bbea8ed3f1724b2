package mutate

import (
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// script are the templates about what only languages with braces, optional values
// and promises have; where a dialect has no terminator of statements they make
// nothing.
func script() []Template {
	return []Template{
		{"optional", "asks only where there is something to ask", "a.b → a?.b", 1.3, []node.Kind{node.Attribute, node.Index}, false, optional},
		{"otherwise", "gives a value where there is none", "a[k] → a[k] ?? 0", 1.4, valueKinds, false, otherwise},
		{"nullish", "takes other values for none", "a || b → a ?? b", .6, []node.Kind{node.Logical}, false, nullish},
		{"loop kind", "goes over the values, or over the keys", "for (k in xs) → for (k of xs)", .7, []node.Kind{node.For}, false, loopKind},
		{"declared constant", "declares what changes", "const n → let n", 1.0, []node.Kind{node.VarDecl}, false, declaredConstant},
		{"whole quotient", "drops the fraction of a quotient", "a / b → Math.floor(a / b)", .8, []node.Kind{node.Binary}, false, wholeQuotient},
		{"body if", "does it on a condition only", "for (…) a; → for (…) if (c) a;", 1.7, []node.Kind{node.Assign, node.ExprStmt, node.Return}, false, bodyIf},
		{"if loop", "repeats what is done once, or does it once", "if (c) → while (c)", 1.5, []node.Kind{node.If, node.While}, false, ifLoop},
		{"lambda body", "gives something else for each element", "x => x → x => f(x)", 1.5, []node.Kind{node.Lambda}, false, lambdaBody},
		{"character code", "puts the code of another character", "code < 100 → code < 91", .9, []node.Kind{node.Number}, false, characterCode},
		{"member test", "tests whether a list has the value", "a === b → b.includes(a)", 1.6, []node.Kind{node.Compare, node.Call}, false, memberTest},
		{"letter case", "gives each letter the other case", "s.toLowerCase() → s === s.toUpperCase() ? s.toLowerCase() : s.toUpperCase()", 1.2, []node.Kind{node.Call}, false, letterCase},
		{"loop bounds", "counts from or to another bound", "i < n → i <= n", 1.0, []node.Kind{node.For}, false, loopBounds},
	}
}

// scripted reports whether the language is one that these templates know.
func (f *file) scripted() bool { return f.Dialect.End != "" }

func optional(g *site) {
	if !g.scripted() || g.Stored(g.n) || g.packaged(g.n) || g.Text(g.n.Children[0]) == "this" {
		return
	}
	at := g.n.Children[0].End
	if _, e := g.Outer(g.n.Children[0]); e > at {
		at = e
	}
	if g.Content[at-1] == '!' {
		at-- // a promise that there is something, which goes
	}
	switch rest := g.Between(at, g.n.End); {
	case strings.HasPrefix(rest, "!."):
		g.emit(at, at+1, "?", 0, because(g.Text(g.n), g.Between(g.n.Start, at)+"?"+rest[1:]))
	case strings.HasPrefix(rest, "."):
		g.emit(at, at, "?", 0, because(g.Text(g.n), g.Text(g.n.Children[0])+"?"+rest))
	case strings.HasPrefix(rest, "["):
		g.emit(at, at, "?.", .2, because(g.Text(g.n), g.Text(g.n.Children[0])+"?."+rest))
	}
}

func otherwise(g *site) {
	if !g.scripted() || !g.whole() || g.condition() {
		return
	}
	cost := .5
	switch g.n.Kind {
	case node.Index, node.Attribute, node.Call:
		cost = 0
	case node.Name:
	default:
		return
	}
	class := g.classOf(g.n)
	for k, z := range []struct {
		text  string
		class node.Class
	}{{"0", node.Int}, {"''", node.Text}, {"[]", node.Sequence}, {"null", node.Pointer}, {"{}", node.Mapping}, {"false", node.Truth}, {"1", node.Int}} {
		if agree(z.class, class) {
			g.replace(g.n, g.binary(g.of(g.n), "??", atom(z.text)), cost+.05*float64(k))
		}
	}
	for k, v := range g.fit(g.n, class, g.n.Type) {
		if k < maxVariables && v.name != g.Text(g.n) {
			g.replace(g.n, g.binary(g.of(g.n), "??", atom(v.name)), cost+.5)
		}
	}
}

func nullish(g *site) {
	switch {
	case !g.scripted():
	case g.n.Op == "||" && !g.boolish(g.n.Children[0]) && !g.tested(g.n):
		g.swapOp(g.n, "??", 0)
	case g.n.Op == "??":
		g.swapOp(g.n, "||", 0)
	}
}

func loopKind(g *site) {
	if !g.scripted() || g.n.Op != "in" || g.n.OpEnd <= g.n.OpStart {
		return
	}
	word := g.Between(g.n.OpStart, g.n.OpEnd)
	other := "of"
	if word == "of" {
		other = "in"
	}
	why := because(word, other) + " in " + quote(g.Text(g.n))
	g.emit(g.n.OpStart, g.n.OpEnd, other, 0, why)
	if word == "in" {
		return
	}
	if target, over := g.n.Children[0], g.n.Children[node.Iterable(g.n)]; target.Kind == node.Name && g.classOf(over) != node.Text {
		text := "Object.keys(" + g.Text(over) + ")"
		g.emit(over.Start, over.End, text, .6, because(g.Text(over), text))
	}
}

func declaredConstant(g *site) {
	if g.scripted() && strings.HasPrefix(g.Text(g.n), "const ") {
		g.emit(g.n.Start, g.n.Start+len("const"), "let", 0, because("const", "let")+" in "+quote(g.Text(g.n)))
	}
}

func wholeQuotient(g *site) {
	if !g.scripted() || g.n.Op != "/" {
		return
	}
	if p := g.Parent(g.n); p != nil && p.Kind == node.Call && strings.HasPrefix(g.Text(p.Children[0]), "Math.") {
		return
	}
	for k, f := range []string{"Math.floor", "Math.trunc", "Math.ceil", "Math.round"} {
		g.replace(g.n, atom(f+"("+g.Text(g.n)+")"), .15*float64(k))
	}
}

// bodyIf puts a condition before the one statement of a loop or if that has no
// braces.
func bodyIf(g *site) {
	block := g.Parent(g.n)
	if !g.scripted() || block == nil || block.Kind != node.Block || !g.braceless(block) {
		return
	}
	for _, a := range g.atomsAt(g.n) {
		g.emit(g.n.Start, g.n.Start, "if ("+a.s+") ", a.cost-.1, quote(g.Text(g.n))+" should be done only "+quote("if "+a.s))
	}
}

func ifLoop(g *site) {
	text := g.Text(g.n)
	switch {
	case !g.scripted():
	case g.n.Kind == node.If && len(g.n.Children) == 2 && strings.HasPrefix(text, "if"):
		g.emit(g.n.Start, g.n.Start+len("if"), "while", 0, because("if", "while")+" in "+quote(text))
	case g.n.Kind == node.While && strings.HasPrefix(text, "while"):
		g.emit(g.n.Start, g.n.Start+len("while"), "if", 0, because("while", "if")+" in "+quote(text))
	}
}

// lambdaBody changes what a function literal without statements gives: to a
// condition, where it is one of a filter.
func lambdaBody(g *site) {
	if !g.scripted() || len(g.n.Children) < 2 {
		return
	}
	body := g.n.Children[len(g.n.Children)-1]
	if !body.Kind.Expression() || body.Kind == node.Dict {
		return
	}
	p := g.Parent(g.n)
	if p == nil || p.Kind != node.Call || p.Children[0].Kind != node.Attribute {
		return
	}
	switch p.Children[0].Name {
	case "filter", "some", "every", "find", "findIndex":
	default:
		return
	}
	start, end := g.Outer(body)
	param := g.n.Children[0]
	v := expression{code: atom(param.Name)}
	add := func(c code, cost float64) {
		g.emit(start, end, c.at(1), cost, because(g.Text(body), c.s))
		if body.Kind != node.Logical {
			both := g.binary(g.of(body), "&&", c)
			g.emit(start, end, both.s, cost+.2, because(g.Text(body), both.s))
			either := g.binary(g.of(body), "||", c)
			g.emit(start, end, either.s, cost+.3, because(g.Text(body), either.s))
		}
	}
	if param.Kind != node.Param || param.Name == "" {
		return
	}
	g.testsOf(v, add)
	for _, h := range g.holders(body) {
		if h.s != v.s {
			g.comparisons(v, h, add)
		}
	}
}

func characterCode(g *site) {
	value, err := strconv.Atoi(g.Text(g.n))
	if err != nil || value < ' ' || value > '~' || !slices.ContainsFunc(coding, func(w string) bool { return g.words[w] > 0 }) {
		return
	}
	for k, c := range "09AZaz 19" {
		for j, near := range []int{0, 1, -1} {
			if code := int(c) + near; code != value {
				g.replace(g.n, atom(strconv.Itoa(code)), .02*float64(k)+.1*float64(j))
			}
		}
	}
}

// coding are the names of what makes numbers of characters, or the other way round.
var coding = []string{"charCodeAt", "codePointAt", "fromCharCode", "fromCodePoint", "ord", "chr"}

// memberTest writes the tests for membership that dialects without an operator
// spell as calls.
func memberTest(g *site) {
	if !g.scripted() || g.Dialect.Compare["in"] != nil {
		return
	}
	if g.n.Kind == node.Call {
		if !g.boolish(g.n) || g.callee(g.n) {
			return
		}
		if p := g.Parent(g.n); p == nil || p.Kind == node.ExprStmt {
			return
		}
	}
	held := g.holders(g.n)
	for _, a := range held[:min(len(held), 9)] {
		for _, b := range held[:min(len(held), 9)] {
			if a.s == b.s || !sized(b.class, true) || b.class == node.Mapping {
				continue
			}
			has := b.s + ".includes(" + a.s + ")"
			if b.class == node.Set {
				has = b.s + ".has(" + a.s + ")"
			}
			g.replace(g.n, atom(has), .3)
			g.replace(g.n, g.not(atom(has)), .35)
		}
	}
}

// loopBounds moves both ends of a counting loop: from one and up to the bound, or
// down to nought.
func loopBounds(g *site) {
	n := g.n
	if !g.scripted() || n.Op != ";" || len(n.Children) < 4 {
		return
	}
	init, cond := n.Children[0], n.Children[1]
	if init.Kind != node.VarDecl && init.Kind != node.Assign || cond.Kind != node.Compare || len(init.Children) != 2 {
		return
	}
	from, op := init.Children[1], cond.Op
	if from.Kind != node.Number {
		return
	}
	for k, start := range []string{"1", "0", "2"} {
		for j, other := range g.Dialect.Compare[op][:min(len(g.Dialect.Compare[op]), 1)] {
			if start == g.Text(from) {
				continue
			}
			g.emitAll([]textedit.Edit{{Start: from.Start, End: from.End, New: start}, {Start: cond.OpStart, End: cond.OpEnd, New: other}},
				.1*float64(k+j), "the loop should go from "+quote(start)+" and test "+quote(other)+" in "+quote(g.Text(n)))
		}
	}
}

// letterCase turns small letters into capitals and capitals into small letters, for
// which the language has no method.
func letterCase(g *site) {
	callee := g.n.Children[0]
	if !g.scripted() || callee.Kind != node.Attribute || len(g.n.Children) != 1 || callee.Name != "toLowerCase" && callee.Name != "toUpperCase" || g.Dialect.Conditional == nil {
		return
	}
	x := g.of(callee.Children[0]).at(atomic)
	g.replace(g.n, code{g.Dialect.Conditional(x+" === "+x+".toUpperCase()", x+".toLowerCase()", x+".toUpperCase()"), 0}, 0)
}
