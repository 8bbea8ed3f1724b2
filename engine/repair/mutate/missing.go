package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// Missing are the names that the errors of the failing tests say are not there: those that
// nothing has, and those that no attribute of an object has.
type Missing struct{ Names, Attributes []string }

// whatIsMissing are the templates for what an error says is missing.
func whatIsMissing() []Template {
	return []Template{
		{"missing import", "imports what is used and not imported", "re.sub(…) → import re; re.sub(…)", .3, []node.Kind{node.Name}, false, missingImport},
		{"missing attribute", "gives each object an attribute that its methods ask for", "self.size = size", .5, []node.Kind{node.Function}, false, missingAttribute},
		{"missing definition", "gives a name its value as another function does", "n = len(xs)", .4, stmtKinds, false, missingDefinition},
	}
}

func missingImport(g *site) {
	if g.Dialect.Import == nil || !slices.Contains(g.missing.Names, g.n.Name) || !g.unheardOf() {
		return
	}
	if p := g.Parent(g.n); p == nil || p.Kind != node.Attribute && !g.callee(g.n) {
		return
	}
	e := g.Dialect.Import(g.Content, g.n.Name)
	g.emit(e.Start, e.End, e.New, 0, quote(strings.TrimSpace(e.New))+" is missing")
}

// missingAttribute sets an attribute where objects are made: to what is given of its name,
// else to what stands for nothing yet.
func missingAttribute(g *site) {
	if g.Dialect.Constructor == "" || g.n.Name != g.Dialect.Constructor || len(g.missing.Attributes) == 0 {
		return
	}
	class, body, names := g.classOfMethod(g.n), node.Body(g.n), parameters(g.n)
	if class == nil || body == nil || len(names) == 0 || len(body.Children) == 0 {
		return
	}
	first, last := body.Children[0], body.Children[len(body.Children)-1]
	for _, a := range g.missing.Attributes {
		if identifiers(g.Text(class))[a] == 0 {
			continue // it is asked for elsewhere
		}
		put := func(value string, cost float64) {
			text := names[0] + "." + a + " = " + value
			why := quote(text) + " is missing in " + quote(class.Name+"."+g.n.Name)
			if l, alone := g.lineOf(last); alone && !ends(last) {
				g.after(l, text, cost, why)
			}
			if l, alone := g.lineOf(first); alone && !g.docstringStmt(first) {
				g.before(first, l, text, cost+.05, why)
			} else if alone {
				g.after(l, text, cost+.05, why)
			}
		}
		for _, name := range names[1:] {
			if strings.Trim(name, "_") == strings.Trim(a, "_") {
				put(name, 0)
			}
		}
		put(g.Dialect.Nil, .1)
		for k, value := range slices.Concat([]string{g.Dialect.False, g.Dialect.True}, g.Dialect.Empties) {
			if value != g.Dialect.Nil {
				put(value, .2+.05*float64(k))
			}
		}
	}
}

// missingDefinition gives a name that an error says is not there the value that other
// functions give it, before a statement that asks for it.
func missingDefinition(g *site) {
	_, _, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if len(g.missing.Names) == 0 || !ok || !alone {
		return
	}
	asked := identifiers(g.Text(g.n))
	for _, name := range g.missing.Names {
		if asked[name] == 0 || g.params[name] {
			continue
		}
		for k, text := range g.definitions(name) {
			g.before(g.n, l, text, .05*float64(k), quote(text)+" is missing before "+quote(g.Text(g.n)))
		}
	}
}

// definitions are the assignments of a name in other functions of the file, those that
// stand near first, of which all that they name has a meaning here too.
func (g *site) definitions(name string) []string {
	var all []*node.Node
	node.Walk(g.Root, func(n *node.Node) bool {
		if n.Kind == node.Assign && n.Op == "=" && len(n.Children) == 2 && g.Text(n.Children[0]) == name && g.Function(n) != nil && g.Function(n) != g.fn {
			all = append(all, n)
		}
		return true
	})
	far := func(n *node.Node) int { return max(n.Start-g.n.Start, g.n.Start-n.Start) }
	slices.SortStableFunc(all, func(a, b *node.Node) int { return far(a) - far(b) })
	here := map[string]bool{}
	for _, v := range g.vars(g.n) {
		here[v.name] = true
	}
	var out []string
	for _, st := range all {
		there := g.in(st)
		known := !slices.ContainsFunc(mentioned(st.Children[1]), func(w string) bool { return there.defined[w] && !here[w] && !g.params[w] })
		if text := g.Text(st); known && len(text) <= maxAdopted && !strings.Contains(text, "\n") {
			out = append(out, text)
		}
	}
	out = distinct(out)
	return out[:min(len(out), maxNeighbours)]
}
