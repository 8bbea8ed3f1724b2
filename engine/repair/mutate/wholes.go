package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// wholes are the templates that change several places with one cause.
func wholes() []Template {
	return []Template{
		{"literal everywhere", "changes a literal wherever the function has it", "'a' … 'a' → 'b' … 'b'", 1.4, []node.Kind{node.Function}, false, literalEverywhere},
		{"literals swapped", "swaps two literals throughout the function", "True … False → False … True", 1.2, []node.Kind{node.Function}, false, literalsSwapped},
		{"case of literals", "changes the case of all letters in a condition", "'a' <= c <= 'z' → 'A' <= c <= 'Z'", 1.4, []node.Kind{node.Logical, node.Other, node.Compare}, false, caseOfLiterals},
		{"the same the other way", "does again with two variables swapped what a statement does", "for x in a: if x not in b … → …; for x in b: if x not in a …", 1.6, []node.Kind{node.For, node.While, node.If}, false, otherWay},
		{"variable everywhere", "puts another variable wherever a statement has one", "x[i] + i → x[j] + j", 1.5, []node.Kind{node.Assign, node.Return, node.ExprStmt}, false, variableEverywhere},
	}
}

// literals are the literals of the function below n, by text.
func (g *site) literals() (texts []string, at map[string][]*node.Node) {
	at = map[string][]*node.Node{}
	node.Walk(node.Body(g.n), func(n *node.Node) bool {
		switch n.Kind {
		case node.Number, node.String, node.Bool:
			if !g.docstring(n) {
				texts = append(texts, g.Text(n))
				at[g.Text(n)] = append(at[g.Text(n)], n)
			}
		default: // Not a literal.
		}
		return true
	})
	return distinct(texts), at
}

func edits(nodes []*node.Node, text string) []textedit.Edit {
	var out []textedit.Edit
	for _, n := range nodes {
		out = append(out, textedit.Edit{Start: n.Start, End: n.End, New: text})
	}
	return out
}

func literalEverywhere(g *site) {
	texts, at := g.literals()
	for _, t := range texts {
		if len(at[t]) < 2 {
			continue
		}
		kind := at[t][0].Kind
		var others []string
		switch kind {
		case node.Number:
			others = append(neighbours(t), append([]string{"0", "1"}, g.numbers[:min(len(g.numbers), 8)]...)...)
		case node.String:
			others = append(others, g.strs[:min(len(g.strs), 8)]...)
			for _, s := range []string{"", " "} {
				others = append(others, g.Dialect.Quote(s, t))
			}
		case node.Bool:
			others = []string{g.Dialect.True, g.Dialect.False}
		default: // literals returns no other kind.
		}
		for k, o := range distinct(others) {
			if o != t {
				g.emitAll(edits(at[t], o), .03*float64(k), because(t, o)+" everywhere in "+quote(g.n.Name))
			}
		}
	}
}

func literalsSwapped(g *site) {
	texts, at := g.literals()
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			if at[a][0].Kind != at[b][0].Kind || len(texts) > 12 {
				continue
			}
			cost := .1
			if at[a][0].Kind == node.Bool {
				cost = 0
			}
			g.emitAll(append(edits(at[a], b), edits(at[b], a)...), cost, quote(a)+" and "+quote(b)+" should be swapped everywhere in "+quote(g.n.Name))
		}
	}
}

// otherWay repeats a whole loop or if behind it with two of its variables swapped:
// what holds one way often must hold the other way too.
func otherWay(g *site) {
	l, alone := g.lineOf(g.n)
	text := g.Text(g.n)
	if _, _, ok := g.listed(g.n); !ok || !alone || !g.shiftable(g.n) {
		return
	}
	used := identifiers(text)
	vars := slices.DeleteFunc(g.vars(g.n), func(v variable) bool { return used[v.name] == 0 })
	tried := 0
	for i, a := range vars {
		for _, b := range vars[i+1:] {
			if !agree(a.class, b.class) || a.typ != b.typ || tried == maxVariables {
				continue
			}
			swapped := rename(rename(rename(text, a.name, between), b.name, a.name), between, b.name)
			if rest := strings.TrimSpace(string(g.Content[l.end:])); swapped == text || strings.HasPrefix(rest, swapped) {
				continue
			}
			g.after(l, swapped, .05*float64(tried), "the same is missing with "+quote(a.name)+" and "+quote(b.name)+" swapped after "+quote(text))
			tried++
		}
	}
}

func variableEverywhere(g *site) {
	at := map[string][]*node.Node{}
	var order []string
	node.Walk(g.n, func(n *node.Node) bool {
		if n.Kind == node.Name && !g.callee(n) {
			order = append(order, n.Name)
			at[n.Name] = append(at[n.Name], n)
		}
		return n.Kind != node.Block && n.Kind != node.Lambda
	})
	for _, name := range distinct(order) {
		if len(at[name]) < 2 {
			continue
		}
		first := at[name][0]
		for _, v := range g.vars(g.n) {
			// Its type may differ: all that it stands for changes with it.
			if v.name != name && g.has(name) && agree(v.class, g.classOf(first)) {
				g.emitAll(edits(at[name], v.name), 0, because(name, v.name)+" throughout "+quote(g.Text(g.n)))
			}
		}
	}
}

// has reports whether a name is a variable at the site.
func (g *site) has(name string) bool {
	for _, v := range g.vars(g.n) {
		if v.name == name {
			return true
		}
	}
	return false
}

// caseOfLiterals flips every literal of letters below a condition, when there are
// several.
func caseOfLiterals(g *site) {
	if p := g.Parent(g.n); p == nil || p.Kind == node.Logical || g.n.Kind == node.Other && g.n.Op == "" {
		return
	}
	for _, to := range []func(string) string{strings.ToUpper, strings.ToLower} {
		var out []textedit.Edit
		node.Walk(g.n, func(n *node.Node) bool {
			if v, ok := g.Dialect.Unquote(g.Text(n)); n.Kind == node.String && ok && to(v) != v {
				out = append(out, textedit.Edit{Start: n.Start, End: n.End, New: g.Dialect.Quote(to(v), g.Text(n))})
			}
			return true
		})
		if len(out) > 1 {
			g.emitAll(out, 0, "the letters in "+quote(g.Text(g.n))+" should have the other case")
		}
	}
}
