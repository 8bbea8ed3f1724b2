package mutate

import (
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// insertions are the templates that add a statement.
func insertions() []Template {
	return []Template{
		{"missing statement", "adds an assignment, update or call", "visited.add(node)", 1.7, stmtKinds, false, missingStatement},
		{"missing state", "sets a state that is asked for and never set", "state[n] = 2", 1.1, stmtKinds, false, missingState},
		{"as its neighbour", "does what a function beside it does", "self.log('get')", 1.4, stmtKinds, false, asNeighbour},
		{"missing return", "returns at the end of the function", "return result", 1.2, stmtKinds, false, missingReturn},
		{"missing exit", "leaves the function or loop at the end of a block", "if found: n += 1 → …; break", 1.9, stmtKinds, false, missingExit},
		{"late exit", "leaves a loop behind its last statement on a condition", "for …: x = f(y) → for …: x = f(y); if x: break", 1.8, stmtKinds, false, lateExit},
		{"missing guard", "leaves early on a condition", "if not items: return 0", 2.1, stmtKinds, false, missingGuard},
		{"missing if", "does it on a condition only", "if x: a", 2.0, stmtKinds, false, missingIf},
	}
}

// spot is a place for a new statement: before g.n, or behind it.
type spot struct {
	*site
	line
	behind bool
	vars   []variable
}

// spots are the places at g.n: before it, and behind it when it is the last of its
// block.
func (g *site) spots() []spot {
	l, alone := g.lineOf(g.n)
	block, at, ok := g.listed(g.n)
	if !ok || !alone || g.docstringStmt(g.n) {
		return nil
	}
	take := func(offset int) []variable {
		vars := g.varsBy(g.n, offset)
		return vars[:min(len(vars), maxVariables)]
	}
	out := []spot{{g, l, false, take(g.n.Start)}}
	if at == len(block.Children)-1 && !ends(g.n) {
		out = append(out, spot{g, l, true, take(g.n.End)})
	}
	return out
}

// put emits a statement at the spot, unless it stands there already.
func (p spot) put(text string, cost float64) {
	n := p.n
	if to, value, ok := strings.Cut(text, " = "); text == p.Text(n) || ok && to == value {
		return
	}
	if p.behind {
		p.after(p.line, text, cost, quote(text)+" is missing after "+quote(p.Text(n)))
		return
	}
	if block, at, _ := p.listed(n); at == 0 || p.Text(block.Children[at-1]) != text {
		p.before(n, p.line, text, cost, quote(text)+" is missing before "+quote(p.Text(n)))
	}
}

func missingStatement(g *site) {
	for _, p := range g.spots() {
		p.copies()
		for _, v := range p.vars {
			p.updates(v)
			for _, w := range p.vars {
				if v.name != w.name {
					p.updatesBy(v, w)
				}
			}
			for k, e := range p.places() {
				if k < maxPlaces && number(v.class) && number(e.class) && p.Dialect.Assignable(e.typ, v.typ) {
					for i, op := range []string{"+", "-", "%", "*"} {
						p.put(v.name+" "+op+"= "+e.s, .6+.2*float64(i))
					}
				}
			}
		}
	}
}

// copies emits the statements that the function already has, as they are and
// with one variable replaced.
func (p spot) copies() {
	for _, st := range p.stmts {
		text := p.Text(st)
		if st.Op == ":=" {
			if len(st.Children) != 2 || st.Children[0].Kind != node.Name {
				continue
			}
			text = strings.Replace(text, ":=", "=", 1)
		}
		if st == p.n || p.Parent(st).Kind != node.Block {
			continue
		}
		p.put(text, .1)
		seen := map[string]bool{}
		node.Walk(st, func(n *node.Node) bool {
			if n.Kind != node.Name || seen[n.Name] || p.callee(n) {
				return true
			}
			seen[n.Name] = true
			if !p.has(n.Name) {
				return true
			}
			for _, v := range p.vars {
				if v.name != n.Name && agree(v.class, p.classOf(n)) && p.Dialect.Assignable(v.typ, n.Type) {
					p.put(rename(text, n.Name, v.name), .7)
				}
			}
			return true
		})
	}
}

// empties emits what makes a value begin anew.
func (p spot) empties(v variable) {
	const cost = .6
	members, _ := p.members(v.typ)
	for _, name := range []string{"Reset", "Clear", "clear"} {
		if slices.ContainsFunc(members, func(m node.Symbol) bool { return m.Callable && m.Name == name }) {
			p.put(v.name+"."+name+"()", cost)
		}
	}
	if p.Dialect.Truthy && len(members) == 0 && (v.class == node.Mapping || v.class == node.Sequence) {
		if p.Dialect.End == "" || v.class == node.Mapping {
			p.put(v.name+".clear()", cost)
		} else {
			p.put(v.name+".length = 0", cost)
		}
	}
}

func (p spot) has(name string) bool {
	for _, v := range p.vars {
		if v.name == name {
			return true
		}
	}
	return false
}

// rename puts another identifier in the place of every occurrence of one.
func rename(text, from, to string) string {
	var b strings.Builder
	end := 0
	for at, w := range words(text) {
		if w == from {
			b.WriteString(text[end:at] + to)
			end = at + len(w)
		}
	}
	return b.String() + text[end:]
}

// updates emits statements that change one variable.
func (p spot) updates(v variable) {
	p.empties(v)
	d := p.Dialect
	loose := v.class == node.Unknown && d.Truthy
	if number(v.class) || loose {
		p.put(d.Increment(v.name, 1), .2)
		p.put(d.Increment(v.name, -1), .4)
		p.put(v.name+" = 0", .7)
		p.put(v.name+" = 1", .9)
		p.put(v.name+" = "+p.minus(atom(v.name)).s, 1.2)
		p.put(v.name+" "+d.IntDivide+"= 2", 1.3)
		p.put(v.name+" *= 2", 1.4)
	}
	if v.class == node.Truth || loose {
		toggle := 1.2
		if v.class == node.Truth && p.set[v.name] == 1 && !p.params[v.name] && p.Loop(p.n) != nil {
			toggle = .2 // a flag that nothing changes
		}
		p.put(v.name+" = "+p.not(atom(v.name)).s, toggle)
		p.put(v.name+" = "+d.True, .8)
		p.put(v.name+" = "+d.False, .8)
	}
	if v.class == node.Sequence || loose {
		if d.Truthy {
			p.put(v.name+".sort()", .9)
			if d.Reserved["sorted"] {
				p.put(v.name+" = sorted("+v.name+")", 1.2)
			}
			p.put(v.name+".pop()", 1.0)
			if d.Last("x") != "-1" {
				cost := 1.0
				if slices.Contains(p.perReceiver[v.name], "push") {
					cost = .3 // what is put in at one end is taken out at the other
				}
				p.put(v.name+".shift()", cost)
			}
			p.put(v.name+" = []", .8)
		} else {
			if sorts := map[string]string{"int": "sort.Ints", "string": "sort.Strings", "float64": "sort.Float64s"}[p.elem(v.typ)]; sorts != "" {
				p.put(sorts+"("+v.name+")", .3)
			}
			p.put(v.name+" = nil", .9)
		}
		p.put(v.name+" = "+d.Slice(v.name, "1", "", ""), 1.3)
		if d.Last("x") == "-1" {
			p.put(v.name+" = "+d.Slice(v.name, "", "", "-1"), 1.2)
		} else if d.Truthy {
			p.put(v.name+".reverse()", 1.2)
		}
	}
	if v.class == node.Text {
		for _, w := range d.Wraps {
			if w.To == node.Text && len(w.Of) == 1 && w.Of[0] == node.Text {
				call := w.Call + "(" + v.name + ")"
				if strings.HasPrefix(w.Call, ".") {
					call = v.name + w.Call + "()"
				}
				p.put(v.name+" = "+call, .8)
			}
		}
		p.put(v.name+" = "+d.Quote("", `"`), .9)
	}
}

// updatesBy emits statements that change v by w.
func (p spot) updatesBy(v, w variable) {
	d := p.Dialect
	loose := v.class == node.Unknown && d.Truthy
	fits := agree(v.class, w.class) && d.Assignable(w.typ, v.typ)
	if p.unread[w.name] && number(w.class) && (v.class == node.Sequence || loose) {
		p.put(v.name+"[0] *= "+w.name, .1)
		p.put(v.name+"["+d.Last(v.name)+"] *= "+w.name, .2)
	}
	if fits {
		p.put(v.name+" = "+w.name, .4)
	}
	elem := p.elem(v.typ)
	if (v.class == node.Sequence || loose) && d.Assignable(w.typ, elem) && (d.Truthy || elem != "") {
		p.put(d.Append(v.name, w.name), .3)
	}
	if (v.class == node.Set || loose) && d.Truthy {
		p.put(d.Insert(v.name, w.name), .3)
	}
	if v.class == node.Mapping && d.Assignable(w.typ, p.key(v.typ)) && !d.Truthy {
		switch c := p.classOfType(elem); {
		case number(c):
			p.put(v.name+"["+w.name+"]++", .3)
		case c == node.Truth:
			p.put(d.Insert(v.name, w.name), .4)
		}
		p.put("delete("+v.name+", "+w.name+")", .8)
	}
	if v.class == node.Mapping && d.Truthy || loose {
		p.put(v.name+"["+w.name+"] = "+d.True, 1.4)
	}
	if fits && (number(v.class) || v.class == node.Text || loose) {
		p.put(v.name+" += "+w.name, .6)
	}
	if fits && (number(v.class) || loose) {
		p.put(v.name+" -= "+w.name, .9)
		p.put(v.name+" *= "+w.name, 1.1)
		if v.class == node.Int || d.Truthy {
			p.put(v.name+" "+d.Arithmetic["/"][0]+"= "+w.name, 1.3)
			p.put(v.name+" %= "+w.name, 1.2)
		}
	}
}
