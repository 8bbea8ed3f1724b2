package mutate

import (
	"strings"

	"autocoder/engine/repair/node"
)

// infer guesses what the variables of a function hold where the language does
// not say, from how they are assigned and used. Evidence that disagrees makes a
// variable unknown, which prunes nothing.
func (g *function) infer(fn *node.Node) {
	mixed := map[string]bool{}
	for range 2 { // The second round knows the variables of the first.
		node.Walk(fn, func(n *node.Node) bool {
			for name, class := range g.evidence(n) {
				old := g.class[name]
				switch {
				case class == node.Unknown || mixed[name]:
				case old == node.Unknown || old == class:
					g.class[name] = class
				case number(old) && number(class):
					g.class[name] = node.Float
				default:
					mixed[name] = true
					delete(g.class, name)
				}
			}
			return true
		})
	}
}

// evidence is what one node says about names.
func (g *function) evidence(n *node.Node) map[string]node.Class {
	name := func(k int) string {
		if k < len(n.Children) && n.Children[k].Kind == node.Name {
			return n.Children[k].Name
		}
		return ""
	}
	out := map[string]node.Class{}
	switch n.Kind {
	case node.Param:
		out[n.Name] = g.classOfType(n.Type)
		if len(n.Children) == 1 && n.Children[0].Kind != node.Nil && out[n.Name] == node.Unknown {
			out[n.Name] = g.classOf(n.Children[0])
		}
	case node.Assign, node.VarDecl:
		last := n.Children[len(n.Children)-1]
		if name(0) != "" && last.Kind != node.Nil && n.Op != "++" && n.Op != "--" {
			out[name(0)] = g.classOf(last)
		}
	case node.For:
		if k := node.Iterable(n); n.Op == "in" && k == 1 && name(0) != "" {
			out[name(0)] = g.elementOf(n.Children[k])
		}
	case node.Index:
		if k := n.Children[1]; name(0) != "" && k.Kind == node.Number {
			out[name(0)] = node.Unknown
		}
	case node.Call:
		g.evidenceOfCall(n, out)
	default: // Other nodes say nothing about a name.
	}
	return out
}

// evidenceOfCall reads x.append(…) and range(x).
func (g *function) evidenceOfCall(n *node.Node, out map[string]node.Class) {
	callee := n.Children[0]
	if callee.Kind == node.Name && callee.Name == "range" {
		for _, a := range n.Children[1:] {
			if a.Kind == node.Name {
				out[a.Name] = node.Int
			}
		}
	}
	if callee.Kind != node.Attribute || callee.Children[0].Kind != node.Name || g.packaged(callee) {
		return
	}
	if class := g.Dialect.Receivers[callee.Name]; class != node.Unknown {
		out[callee.Children[0].Name] = class
	}
	if g.Dialect.Receivers != nil {
		return
	}
	switch callee.Name {
	case "append", "extend", "sort", "popleft", "appendleft", "reverse":
		out[callee.Children[0].Name] = node.Sequence
	case "lower", "upper", "strip", "split", "startswith", "endswith", "isdigit", "isalpha", "swapcase", "splitlines":
		out[callee.Children[0].Name] = node.Text
	case "keys", "values", "items", "setdefault":
		out[callee.Children[0].Name] = node.Mapping
	case "add", "discard":
		out[callee.Children[0].Name] = node.Set
	}
}

// classOf says what an expression holds, as far as its type or form tells.
func (g *function) classOf(n *node.Node) node.Class {
	if n.Type != "" {
		if c := g.classOfType(n.Type); c != node.Unknown {
			return c
		}
	}
	switch n.Kind {
	case node.Number:
		if strings.ContainsAny(g.Text(n), ".eE") && !strings.HasPrefix(g.Text(n), "0x") {
			return node.Float
		}
		return node.Int
	case node.String:
		return node.Text
	case node.Bool, node.Compare:
		return node.Truth
	case node.Logical:
		if a, b := g.classOf(n.Children[0]), g.classOf(n.Children[1]); a == b {
			return a
		}
	case node.List:
		return node.Sequence
	case node.Dict:
		return node.Mapping
	case node.Comp:
		switch g.Content[n.Start] {
		case '[':
			return node.Sequence
		case '{':
			return node.Unknown
		}
	case node.Name:
		return g.class[n.Name]
	case node.Unary:
		if n.Op == strings.TrimSpace(g.Dialect.Not) {
			return node.Truth
		}
		return g.classOf(n.Children[0])
	case node.Binary:
		return g.classOfBinary(n)
	case node.Slice:
		return g.classOf(n.Children[0])
	case node.Index:
		if g.classOf(n.Children[0]) == node.Text {
			return node.Text
		}
	case node.Cond:
		if a, b := g.classOf(n.Children[1]), g.classOf(n.Children[2]); a == b {
			return a
		}
	case node.Call:
		return g.classOfCall(n)
	case node.Attribute:
		return g.Dialect.Results[n.Name]
	default: // The form does not tell.
	}
	return node.Unknown
}

func (g *function) classOfBinary(n *node.Node) node.Class {
	a, b := g.classOf(n.Children[0]), g.classOf(n.Children[1])
	switch {
	case a == node.Float || b == node.Float:
		return node.Float
	case a == node.Text || b == node.Text && n.Op == "+":
		return node.Text
	case a == node.Sequence || b == node.Sequence:
		return node.Sequence
	case n.Op == "/" && g.Dialect.Divide != g.Dialect.IntDivide:
		return node.Float
	case a == node.Int && b == node.Int:
		return node.Int
	case n.Op == "-" && (a == node.Int || b == node.Int), n.Op == "//", n.Op == "%" && a != node.Unknown:
		return node.Int
	default:
		return node.Unknown
	}
}

func (g *function) classOfCall(n *node.Node) node.Class {
	callee := n.Children[0]
	if callee.Kind != node.Name && callee.Kind != node.Attribute {
		return node.Unknown
	}
	if g.Dialect.Results != nil {
		return g.Dialect.Results[callee.Name]
	}
	switch callee.Name {
	case "len", "int", "ord", "count", "index", "find", "rfind":
		return node.Int
	case "float":
		return node.Float
	case "str", "chr", "repr", "join", "lower", "upper", "strip", "replace", "format", "swapcase":
		return node.Text
	case "list", "sorted", "split", "range", "reversed", "splitlines", "deque":
		return node.Sequence
	case "dict", "defaultdict", "Counter":
		return node.Mapping
	case "set", "frozenset":
		return node.Set
	case "isinstance", "any", "all", "bool", "startswith", "endswith", "isdigit", "isalpha":
		return node.Truth
	case "abs", "max", "min", "sum":
		if len(n.Children) > 2 || callee.Name == "abs" {
			if c := g.classOf(n.Children[1]); number(c) {
				return c
			}
		}
	}
	return node.Unknown
}

// elementOf says what iterating an expression gives.
func (g *function) elementOf(n *node.Node) node.Class {
	if e := g.elem(n.Type); e != "" {
		return g.classOfType(e)
	}
	if n.Kind == node.Call && n.Children[0].Kind == node.Name && n.Children[0].Name == "range" {
		return node.Int
	}
	if g.classOf(n) == node.Text {
		return node.Text
	}
	return node.Unknown
}
