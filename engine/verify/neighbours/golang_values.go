package neighbours

import (
	"slices"
	"strconv"
	"strings"
)

// goNode is a value of a Go program that is written down, as golang/values.txt does.
type goNode struct {
	Kind  string   `json:"kind"`
	Type  string   `json:"type,omitempty"`
	Text  string   `json:"text,omitempty"`
	Bits  int      `json:"bits,omitempty"`
	Names []string `json:"names,omitempty"`
	Parts []goNode `json:"parts,omitempty"`
}

// text is the value as people write it.
func (n goNode) text() string {
	switch n.Kind {
	case "nil":
		return "nil"
	case "zero":
		return "{}"
	case "ptr":
		return "&" + n.Parts[0].text()
	case "interface":
		return n.Parts[0].text()
	case "slice", "array":
		parts := make([]string, len(n.Parts))
		for i, p := range n.Parts {
			parts[i] = p.text()
		}
		return n.Type + "{" + strings.Join(parts, ", ") + "}"
	case "map":
		var parts []string
		for i := 0; i+1 < len(n.Parts); i += 2 {
			parts = append(parts, n.Parts[i].text()+": "+n.Parts[i+1].text())
		}
		return n.Type + "{" + strings.Join(parts, ", ") + "}"
	case "struct":
		var parts []string
		for i, p := range n.Parts {
			if p.Kind != "zero" {
				parts = append(parts, n.Names[i]+": "+p.text())
			}
		}
		return n.Type + "{" + strings.Join(parts, ", ") + "}"
	case "string":
		if s, err := strconv.Unquote(n.Text); err == nil {
			return strconv.Quote(s)
		}
		return n.Text
	case "time":
		return strconv.Quote(n.Text)
	default:
		return n.Text
	}
}

// replaced is the value with another one at a path in it.
func (n goNode) replaced(path []int, by goNode) goNode {
	if len(path) == 0 {
		return by
	}
	n.Parts = slices.Clone(n.Parts)
	n.Parts[path[0]] = n.Parts[path[0]].replaced(path[1:], by)
	return n
}

// swapped is the value with every plain one that is old replaced.
func (n goNode) swapped(old, by goNode) goNode {
	if n.same(old) {
		return by
	}
	if len(n.Parts) > 0 {
		n.Parts = slices.Clone(n.Parts)
		for i, p := range n.Parts {
			n.Parts[i] = p.swapped(old, by)
		}
	}
	return n
}

func (n goNode) same(o goNode) bool {
	return n.plain() && n.Kind == o.Kind && n.Type == o.Type && n.Bits == o.Bits && n.Text == o.Text
}

func (n goNode) plain() bool {
	return n.Kind == "int" || n.Kind == "uint" || n.Kind == "float" || n.Kind == "string"
}

// number is where a value lies among those of its kind, nil where they have no order.
func (n goNode) number() *float64 {
	if n.Kind != "int" && n.Kind != "uint" && n.Kind != "float" {
		return nil
	}
	x, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		return nil
	}
	return &x
}

// edge says whether a value is one that code naturally treats by itself. So are those of
// a type of the project's own that is a number or a text: they are names of something.
func (n goNode) edge() bool {
	switch n.Kind {
	case "int", "uint":
		x := n.number()
		return n.Type != "" && n.Type != "time.Duration" || x == nil || *x >= -2 && *x <= 2 || *x >= 1<<31-1 || *x <= -(1<<31-1)
	case "float":
		x := n.number()
		return x == nil || *x != *x || *x-*x != 0 || *x == float64(int64(*x)) && *x >= -2 && *x <= 2
	case "string":
		s, err := strconv.Unquote(n.Text)
		return n.Type != "" || err != nil || len([]rune(strings.TrimSpace(s))) <= 1
	case "slice", "array":
		return len(n.Parts) <= 1
	case "map":
		return len(n.Parts) <= 2
	case "time":
		return false
	default:
		return true
	}
}

const (
	goContainer = 8 // parts of a value that are places of their own
	goDepth     = 3
)

// goPlace is a place in a call: an argument or something in it.
type goPlace struct {
	name string
	path []int
	node goNode
}

// places are those of a call whose arguments have names.
func (c goCall) places(names []string) []goPlace {
	var out []goPlace
	for i, a := range c.Args {
		name := "argument " + strconv.Itoa(i+1)
		if i < len(names) {
			name = names[i]
		}
		out = append(out, placesIn(a, name, []int{i}, 0)...)
	}
	return out
}

func placesIn(n goNode, name string, path []int, depth int) []goPlace {
	switch {
	case n.Kind == "nil" || n.Kind == "zero":
		return nil
	case (n.Kind == "ptr" || n.Kind == "interface") && depth < goDepth:
		return placesIn(n.Parts[0], name, append(slices.Clone(path), 0), depth)
	case n.Kind == "struct" && depth < goDepth && len(n.Parts) <= goContainer:
		var out []goPlace
		for i, p := range n.Parts {
			out = append(out, placesIn(p, name+"."+n.Names[i], append(slices.Clone(path), i), depth+1)...)
		}
		return out
	}
	return []goPlace{{name, path, n}}
}

// put is the call with another value at a path.
func (c goCall) put(path []int, by goNode) goCall {
	c.Args = slices.Clone(c.Args)
	c.Args[path[0]] = c.Args[path[0]].replaced(path[1:], by)
	return c
}

// twice are plain values that a call has in more than one place.
func (c goCall) twice() []goNode {
	var seen, out []goNode
	var visit func(n goNode)
	visit = func(n goNode) {
		if n.plain() {
			is := func(o goNode) bool { return o.same(n) }
			if slices.ContainsFunc(seen, is) && !slices.ContainsFunc(out, is) {
				out = append(out, n)
			}
			seen = append(seen, n)
		}
		for _, p := range n.Parts {
			visit(p)
		}
	}
	for _, a := range c.Args {
		visit(a)
	}
	return out
}

// values are the values of an input that may be others, by the names of their places.
func (f *goFunction) values(in *goInput) map[string]Value {
	out := map[string]Value{}
	for _, p := range in.places(f.names) {
		out[p.name] = Value{Text: p.node.text(), At: p.node.number(), Edge: p.node.edge()}
	}
	return out
}
