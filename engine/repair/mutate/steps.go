package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
)

// steps are the templates that add a step to a computation that goes on in a loop.
func steps() []Template {
	return []Template{
		{"step", "goes on with what an expression of the function gives", "n = n % d", 1.4, []node.Kind{node.Assign, node.ExprStmt, node.While, node.For, node.If, node.VarDecl}, false, step},
		{"missing separator", "puts something between the parts of a text", "if i > 0: s += ' '", 1.0, []node.Kind{node.Assign}, false, missingSeparator},
	}
}

// step assigns to a variable an expression that begins with it.
func step(g *site) {
	if g.Loop(g.n) == nil {
		return
	}
	for _, p := range g.spots() {
		for _, e := range g.exprs {
			if e.n.Kind != node.Binary && e.n.Kind != node.Call && e.n.Kind != node.Slice || len(e.s) > 30 {
				continue
			}
			used := identifiers(e.s)
			for _, v := range p.vars {
				if used[v.name] > 0 && agree(v.class, e.class) && g.Dialect.Assignable(e.typ, v.typ) {
					cost := .3
					if strings.HasPrefix(e.s, v.name) {
						cost = 0
					}
					p.put(v.name+" = "+e.s, cost)
				}
			}
		}
	}
}

// missingSeparator puts a text before what is added to a text in a loop, but for the first
// time.
func missingSeparator(g *site) {
	target := g.n.Children[0]
	if target.Kind != node.Name || g.Loop(g.n) == nil || !maybe(g.classOf(target), node.Text) || len(g.n.Children) != 2 {
		return
	}
	if text := g.Text(g.n); g.n.Op != "+=" && !strings.HasPrefix(text, target.Name+" = "+target.Name+" +") {
		return
	}
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); !ok || !alone {
		return
	}
	d := g.Dialect
	var conds []code
	for _, v := range g.vars(g.n) {
		if v.class == node.Int && len(conds) < 3 {
			conds = append(conds, g.binary(atom(v.name), ">", atom("0")))
		}
	}
	conds = append(conds, g.binary(atom(target.Name), "!=", atom(d.Quote("", `"`))))
	parts := append([]string{d.Quote(" ", "'"), d.Quote(",", "'"), d.Quote(", ", "'"), d.Quote("-", "'"), d.Quote("\n", `"`)}, g.strs[:min(len(g.strs), 6)]...)
	if d.Walrus != "" {
		for k := range parts[:5] {
			s, _ := d.Unquote(parts[k])
			parts[k] = d.Quote(s, `"`)
		}
	}
	for i, c := range conds {
		for k, s := range distinct(parts) {
			g.before(g.n, l, g.guard(l, c.s, target.Name+" += "+s), .1*float64(i)+.04*float64(k), quote(s)+" is missing between the parts of "+quote(target.Name))
		}
	}
}
