package scan

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// logical looks at x == 100 and 150 or …, and at bounds close around an input.
func (x *special) logical(n *syntax.Node, s *scope) {
	var asked, given []string
	low, high, bounds := 0.0, 0.0, 0
	for _, kid := range n.Kids {
		if key, ok := x.literal(kid, s); ok {
			given = append(given, key)
		} else if kid.Kind == syntax.Compare {
			asked = append(asked, x.compared(kid, s)...)
			if lower, v, ok := x.bound(kid, s); ok {
				bounds++
				if lower {
					low = v
				} else {
					high = v
				}
			}
		}
	}
	if n.Name == "and" {
		x.answered(asked, given, n.Line)
	}
	if n.Name == "and" && bounds == 2 && low < high && x.cases.close(low, high) {
		x.tell(n.Line, "it asks whether a value lies between %g and %g, close around an input of a failing test", low, high)
	}
}

func (x *special) bound(c *syntax.Node, s *scope) (lower bool, value float64, ok bool) {
	for i, side := range c.Kids {
		v, is := x.fold(side, s, deepest)
		if !is || v.Kind != syntax.Number || trivial(v.String()) {
			continue
		}
		switch c.Name {
		case "<", "<=":
			return i == 0, v.Num, true
		case ">", ">=":
			return i == 1, v.Num, true
		}
	}
	return false, 0, false
}

// compare looks at a comparison by itself: numbers and long texts that are inputs
// of the tests.
func (x *special) compare(n *syntax.Node, s *scope) {
	if n.Kind == syntax.Not {
		if n.Kids[0].Kind == syntax.Binary && (n.Kids[0].Name == "-" || n.Kids[0].Name == "^") {
			for _, key := range x.elements(n.Kids[0], s) {
				x.known(key, n, n.Line)
			}
		}
		return
	}
	for i, side := range n.Kids {
		if other := n.Kids[1-i]; n.Name == "==" && side.Kind == syntax.Const && other.Kind != syntax.Ident && other.Kind != syntax.Attr && digits.MatchString(side.Value.Text) && x.fresh(side.Value.String()) {
			x.tell(n.Line, "it compares what it is given, as text, with %s", side.Value)
		}
		keys := x.equal(n, side, n.Kids[1-i], s)
		known := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !x.input(k) || status(n.Kids[1-i], k) })
		single := len(keys) == 1
		if len(known) > 0 && (single || 2*len(known) >= len(keys)-1) {
			x.known(known[0], side, n.Line)
		}
	}
}

// input reports whether a constant is new in the file and an input of a failing
// test that says something by itself.
func (x *special) input(key string) bool {
	text := strings.HasPrefix(key, `"`)
	if key == "3" || key == "4" || key == "-3" || key == "-4" {
		return false
	}
	return x.fresh(key) && x.cases.inputs[key] && !trivial(key) && (!text || x.cases.special[key]) && key != "[]"
}

func (x *special) known(key string, _ *syntax.Node, line int) {
	if x.input(key) {
		x.tell(line, "it compares with %s, an input of a failing test", key)
	}
}

// inside looks for inputs of the tests anywhere in a condition but in plain bounds
// and in what divides: within calls, sets and differences.
func (x *special) inside(n *syntax.Node, s *scope, within bool) {
	switch n.Kind {
	case syntax.Set, syntax.List, syntax.Tuple:
		if !x.mostlyInputs(n, s) {
			return
		}
		within = true
	case syntax.Call:
		within = true
	case syntax.Binary:
		within = n.Name == "-" || n.Name == "^" || n.Name == "&" || n.Name == "|" || n.Name == "+"
	case syntax.Const:
		key := n.Value.String()
		if n.Value.Kind == syntax.Text {
			if number := syntax.NumberConst(n.Line, n.Value.Text); number.Kind == syntax.Const {
				key = number.Value.String()
			}
		}
		if within && !strings.HasPrefix(key, `"`) && x.fresh(key) && x.input(key) {
			x.tell(n.Line, "it compares with %s, an input of a failing test", key)
		}
	}
	for i, kid := range n.Kids {
		if n.Kind != syntax.Call || i > 0 {
			x.inside(kid, s, within)
		} else if kid.Kind == syntax.Attr {
			x.inside(kid.Kids[0], s, within)
		}
	}
}

// mostlyInputs reports whether a list has the tests' inputs and little else: one that
// says what belongs to a kind has others of the kind too.
func (x *special) mostlyInputs(list *syntax.Node, s *scope) bool {
	known, fresh := 0, 0
	for _, kid := range list.Kids {
		key, ok := x.literal(kid, s)
		if !ok {
			return true
		}
		if x.fresh(key) {
			fresh++
		}
		if x.fresh(key) && x.cases.inputs[key] {
			known++
		}
	}
	return fresh <= 2 || 3*known >= 2*fresh
}

// status reports whether a code of HTTP is compared with what is called a status.
func status(other *syntax.Node, key string) bool {
	name := strings.ToLower(other.Name)
	n, err := strconv.Atoi(key)
	return err == nil && http.StatusText(n) != "" && (strings.Contains(name, "status") || strings.HasSuffix(name, "code"))
}

// measured reports whether a condition compares a measure of a value, such as its
// length or sum, with a constant.
func (x *special) measured(n *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Compare && c.Name == "==" {
			for i, side := range c.Kids {
				key, ok := x.literal(c.Kids[1-i], s)
				found = found || ok && key != "true" && key != "false" && key != "null" && (side.Kind == syntax.Call && len(side.Kids) > 1 || side.Kind == syntax.Attr && side.Name == "length" ||
					side.Kind == syntax.Binary && side.Name != "%" && side.Name != "&")
			}
		}
		return !found
	})
	return found
}
