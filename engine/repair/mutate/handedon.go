package mutate

import (
	"maps"
	"slices"
	"strings"

	"autocoder/engine/repair/node"
)

// parametersHandedOn are the templates for what a function is given, or its object has,
// and should give to a function with a parameter of that name.
func parametersHandedOn() []Template {
	return []Template{
		{"argument of its name", "gives a parameter what has its name", "f(a, {}) → f(a, strict, {})", .9, []node.Kind{node.Call}, false, argumentOfItsName},
	}
}

// signature is what a function of the file takes: by place, and by name only. switches are
// the parameters that are true or false unless given, with the other of the two.
type signature struct {
	places, names []string
	switches      []weighed
}

// argumentOfItsName gives to a call what is named as a parameter of the function that is
// called: beside the other arguments, or in the place of one.
func argumentOfItsName(g *site) {
	args, keywords, ok := g.arguments()
	if g.Dialect.Named == nil || !ok || g.conversion() {
		return
	}
	given := map[string]*node.Node{}
	for _, k := range keywords {
		given[k.Name] = k
	}
	known := g.signatures(g.n.Children[0])
	for _, sig := range known {
		for k, name := range sig.places {
			for _, value := range g.ofName(name) {
				g.atPlace(k, name, value, args, given, len(args) < len(sig.places))
			}
		}
		for _, name := range sig.names {
			for _, value := range g.ofName(name) {
				g.byName(name, value, .05, given)
			}
		}
		for _, w := range sig.switches {
			name, value, _ := strings.Cut(w.s, "=")
			if k := slices.Index(sig.places, name); given[name] == nil && (k < 0 || k >= len(args)) {
				g.byName(name, weighed{atom(value), w.cost}, .05, given)
			}
		}
	}
	if len(known) > 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(g.params)) {
		if len(args)+len(keywords) > 0 && name != g.Dialect.Receiver && identifiers(g.Text(g.n))[name] == 0 {
			g.byName(name, weighed{atom(name), .5}, .05, given)
		}
	}
	for _, k := range g.namedElsewhere() {
		g.byName(k.Name, weighed{g.of(k.Children[0]), .4}, 0, given)
	}
}

// atPlace gives a value to the parameter at a place.
func (g *site) atPlace(k int, name string, value weighed, args []*node.Node, given map[string]*node.Node, room bool) {
	if given[name] != nil {
		g.byName(name, value, 0, given)
		return
	}
	if slices.ContainsFunc(args, func(a *node.Node) bool { return g.Text(a) == value.s }) {
		return
	}
	switch {
	case k < len(args):
		start, end := g.Outer(args[k])
		if room {
			g.emit(start, start, value.s+", ", value.cost+.1, quote(value.s)+" is missing in "+quote(g.Text(g.n)))
		}
		g.emit(start, end, value.s, value.cost+.2, because(g.Text(args[k]), value.s)+" in "+quote(g.Text(g.n)))
		return
	case k == len(args) && len(given) == 0:
		at, comma := g.behindArguments()
		g.emit(at, at, comma+value.s, value.cost, quote(value.s)+" is missing in "+quote(g.Text(g.n)))
	}
	g.byName(name, value, .05, given)
}

// byName gives a value to a parameter by its name, or another one than it is given.
func (g *site) byName(name string, value weighed, extra float64, given map[string]*node.Node) {
	if old := given[name]; old != nil {
		if v := old.Children[0]; g.Text(v) != value.s {
			g.emit(v.Start, v.End, value.s, value.cost+.2+extra, because(g.Text(old), g.Dialect.Named(name, value.s)))
		}
		return
	}
	at, comma := g.behindArguments()
	text := g.Dialect.Named(name, value.s)
	g.emit(at, at, comma+text, value.cost+extra, quote(text)+" is missing in "+quote(g.Text(g.n)))
}

// behindArguments is where another argument is added, and what is between it and the one
// before.
func (g *site) behindArguments() (at int, comma string) {
	if len(g.n.Children) == 1 {
		return g.n.End - 1, ""
	}
	_, at = g.Outer(g.n.Children[len(g.n.Children)-1])
	return at, ", "
}

// ofName are what has a name: a variable, and what the object has.
func (g *site) ofName(name string) []weighed {
	var out []weighed
	if slices.ContainsFunc(g.vars(g.n), func(v variable) bool { return v.name == name }) {
		out = append(out, weighed{atom(name), 0})
	}
	if self := g.self(); self != "" {
		for _, a := range []string{name, "_" + name} {
			if slices.Contains(g.perReceiver[self], a) && !slices.Contains(g.methods, a) {
				out = append(out, weighed{atom(self + "." + a), .2})
			}
		}
	}
	return out
}

// signatures are those of the functions of the file that a callee may be.
func (g *site) signatures(callee *node.Node) []signature {
	var out []signature
	for _, f := range g.written[callee.Name] {
		if class := g.classOfMethod(f); callee.Kind == node.Name && class == nil || callee.Kind == node.Attribute && class != nil {
			out = append(out, g.signature(f, class != nil))
		}
	}
	if callee.Kind == node.Name && g.Dialect.Constructor != "" {
		for _, f := range g.written[g.Dialect.Constructor] {
			if class := g.classOfMethod(f); class != nil && class.Name == callee.Name {
				out = append(out, g.signature(f, true))
			}
		}
	}
	return out
}

// classOfMethod is the class in whose body a function stands, nil for other functions.
func (g *site) classOfMethod(n *node.Node) *node.Node {
	if n.Kind != node.Function || !g.ofClass(n) {
		return nil
	}
	p := g.Parent(n)
	if p.Kind == node.Block {
		p = g.Parent(p)
	}
	return p
}

// signature reads the parameters of a function. What gathers several arguments has none of
// its own, and what stands behind it is given by name.
func (g *site) signature(f *node.Node, method bool) signature {
	var s signature
	named := false
	end := f.Start
	for _, c := range f.Children {
		if c.Kind != node.Param {
			continue
		}
		between := strings.TrimSpace(g.Between(end, c.Start))
		end = c.End
		gathers := strings.HasSuffix(between, "*")
		named = named || gathers || strings.Contains(between, "*,")
		switch {
		case gathers:
		case method && len(s.places)+len(s.names) == 0 && c.Name == g.Dialect.Receiver, c.Name == "cls":
		case named:
			s.names = append(s.names, c.Name)
		default:
			s.places = append(s.places, c.Name)
		}
		if len(c.Children) > 0 {
			switch value := c.Children[len(c.Children)-1]; g.Text(value) {
			case g.Dialect.True:
				s.switches = append(s.switches, weighed{atom(c.Name + "=" + g.Dialect.False), .3})
			case g.Dialect.False:
				s.switches = append(s.switches, weighed{atom(c.Name + "=" + g.Dialect.True), .3})
			}
		}
	}
	return s
}

// namedElsewhere are the keyword arguments that other calls of the same function have, where
// what they give has a meaning here too.
func (g *site) namedElsewhere() []*node.Node {
	var out []*node.Node
	for _, n := range g.callsOf[g.Text(g.n.Children[0])] {
		if n == g.n {
			continue
		}
		there := g.in(n)
		for _, k := range n.Children[1:] {
			if k.Kind != node.Keyword || k.Name == "" || len(g.Text(k)) > 48 {
				continue
			}
			known := !slices.ContainsFunc(mentioned(k), func(name string) bool { return there.defined[name] && !g.defined[name] })
			if known && !slices.ContainsFunc(out, func(o *node.Node) bool { return g.Text(o) == g.Text(k) }) {
				out = append(out, k)
			}
		}
	}
	return out
}
