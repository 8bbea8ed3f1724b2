package mutate

import (
	"iter"
	"strings"

	"autocoder/engine/repair/node"
)

// vars returns the variables that n may use, the nearest first: those in scope
// that have been assigned by then.
func (g *function) vars(n *node.Node) []variable { return g.varsBy(n, n.Start) }

// varsBy is vars for code at another offset, as behind n.
func (g *function) varsBy(n *node.Node, offset int) []variable {
	owner := n
	for owner != nil && owner.Scope == nil {
		owner = g.Parent(owner)
	}
	if owner == nil {
		owner = g.fn
	}
	all, ok := g.scope[owner]
	if !ok {
		all = g.variables(owner)
		g.scope[owner] = all
	}
	out := make([]variable, 0, len(all))
	for _, v := range all {
		if at, ok := g.since[v.name]; !ok || at <= offset {
			out = append(out, v)
		}
	}
	return out
}

// variables are the names of a scope that hold values. Those from outside the
// function are many and rarely meant.
func (g *function) variables(owner *node.Node) []variable {
	symbols := owner.Scope
	if symbols == nil {
		symbols = g.assigned()
	}
	vs := []variable{}
	for _, s := range symbols {
		if s.Callable || s.Name == "_" || strings.HasPrefix(s.Name, "__") || !s.Local && len(vs) >= 12 {
			continue
		}
		v := variable{name: s.Name, typ: s.Type, class: g.classOfType(s.Type)}
		if v.class == node.Unknown {
			v.class = g.class[s.Name]
		}
		vs = append(vs, v)
	}
	return vs
}

// mark notes from where on the variables that a statement assigns have a value.
func (g *function) mark(name *node.Node) {
	st := g.Statement(name)
	if st == nil || g.Function(name) != g.fn && g.fn.Kind == node.Function || g.params[name.Name] {
		return
	}
	at := st.End
	if b := node.Body(st); b != nil {
		at = b.Start
	}
	if old, ok := g.since[name.Name]; !ok || at < old {
		g.since[name.Name] = at
	}
}

// assigned finds the names of a function whose parser gave no scope.
func (g *function) assigned() []node.Symbol {
	var out []node.Symbol
	seen := map[string]bool{}
	add := func(name, typ string) {
		if name != "" && !seen[name] {
			seen[name] = true
			out = append(out, node.Symbol{Name: name, Type: typ, Local: true})
		}
	}
	node.Walk(g.fn, func(n *node.Node) bool {
		if n.Kind == node.Param || n.Kind == node.Name && g.Stored(n) {
			add(n.Name, n.Type)
		}
		return true
	})
	return out
}

// fit returns the variables that may hold a value of that class and type.
func (g *function) fit(n *node.Node, class node.Class, typ string) []variable {
	var out []variable
	for _, v := range g.vars(n) {
		if agree(v.class, class) && g.Dialect.Assignable(v.typ, typ) {
			out = append(out, v)
		}
	}
	return out
}

// agree reports whether a value of one class may stand for one of the other.
func agree(a, b node.Class) bool {
	if a == node.Unknown || b == node.Unknown || a == b || a == node.Pointer || b == node.Pointer {
		return true
	}
	number := func(c node.Class) bool { return c == node.Int || c == node.Float }
	return number(a) && number(b)
}

func number(c node.Class) bool      { return c == node.Int || c == node.Float }
func maybe(c, want node.Class) bool { return c == node.Unknown || c == want }

// identifiers counts the words of a piece of code.
func identifiers(s string) map[string]int {
	m := map[string]int{}
	for _, w := range words(s) {
		m[w]++
	}
	return m
}

// words are the words of a piece of code, each with where it begins.
func words(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := 0; i < len(s); {
			if !wordStart(s[i]) {
				i++
				continue
			}
			j := i + 1
			for j < len(s) && (wordStart(s[j]) || s[j] >= '0' && s[j] <= '9') {
				j++
			}
			if !yield(i, s[i:j]) {
				return
			}
			i = j
		}
	}
}

func wordStart(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// distinct drops repetitions and keeps the order.
func distinct(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
