package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// odd are methods that no ordinary class needs: what they change is what others
// see of it.
var odd = words(`__instancecheck__ __subclasscheck__ __getattribute__ __class__ __array_ufunc__ __array_function__ __prepare__
	Symbol.toPrimitive Symbol.hasInstance Symbol.species then asymmetricMatch $$typeof nodejs.util.inspect.custom __cmp__ __nonzero__ __getattr__ __mro_entries__`)

// comparing are methods that compare with another value.
var comparing = words("__eq__ __ne__ __lt__ __le__ __gt__ __ge__ equals Equal Is As Compare Cmp Less __contains__")

// asked are methods by which containers are asked: only what passes for a container
// of the language has them of it.
var asked = words("has get includes indexOf size every some")

// weak are methods that show what an object holds, as ordinary classes do.
var weak = words("__str__ __repr__ __iter__ __len__ __contains__ __getitem__ __next__ __reversed__ __format__ __hash__ toString toJSON Symbol.iterator Symbol.asyncIterator")

// writing are methods by which objects are written for other programs.
var writing = words("toJSON MarshalJSON MarshalText")

// calculates reports whether a method takes something from, or multiplies, a number that
// the object holds.
func calculates(f *syntax.Node) bool {
	if !f.Kind.Function() || f.Body() == nil {
		return false
	}
	own := append([]string{"this"}, f.Params()...)
	found := false
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.Binary && (n.Name == "-" || n.Name == "*" || n.Name == "%") {
			for _, side := range n.Kids {
				found = found || side.Kind == syntax.Attr && mentions(side, own)
			}
		}
		return !found
	})
	return found
}

// shows reports whether what a method gives comes from the object.
func shows(f *syntax.Node) bool {
	if !f.Kind.Function() {
		return false
	}
	own := []string{"this"}
	if params := f.Params(); len(params) > 0 {
		own = append(own, params[0])
	}
	given := answers(f)
	if len(given) == 0 {
		return has(f, syntax.Yield)
	}
	return !slices.ContainsFunc(given, func(n *syntax.Node) bool { return !mentions(n, own) })
}

// overload looks at a method that the language, or a test library, calls to
// compare or convert.
func (w *walker) overload(n *syntax.Node, s *scope, where string) {
	class := s.node
	if (n.Name == "__exit__" || n.Name == "__aexit__") && class.Kind == syntax.Class && w.lang == python && w.swallowing(n, s) {
		w.swallow(n.Name+" that says yes", n.Line, where, nil)
		return
	}
	if n.Kind == syntax.Method && class.Kind != syntax.Class && w.lang == golang {
		class = nil
	}
	if !w.lang.overloads[n.Name] || class != nil && class.Kind != syntax.Class {
		return
	}
	name := n.Path
	if class != nil {
		name = class.Name
	}
	w.judge(n.Name, name, class, n, where, s)
}

// flag notes options that leave something out of a comparison.
func (w *walker) flag(n *syntax.Node, where string) {
	off := n.Kids[0].Kind == syntax.Const && n.Kids[0].Value.Num == 0
	if w.lang == python && off && (n.Name == "compare" || n.Name == "eq" || n.Name == "cmp") {
		w.add(fact{cap: Overload, level: Warns, key: n.Name + " off", scope: where, line: n.Line, what: n.Name + " is turned off"})
	}
}

// members looks at the methods of an object that is written as a literal.
func (w *walker) members(n *syntax.Node, s *scope, where string) {
	if w.lang != javascript {
		return
	}
	for _, pair := range n.Kids {
		if pair.Kind != syntax.Pair {
			continue
		}
		name := dottedName(pair.Kids[0])
		if text, ok := w.text(pair.Kids[0], s); ok {
			name = text
		}
		if w.lang.overloads[name] && len(pair.Kids) > 1 && (pair.Kids[1].Kind.Function() || odd[name]) {
			w.judge(name, "", nil, pair.Kids[1], where, s)
		}
	}
}

func dottedName(n *syntax.Node) string {
	if n.Kind == syntax.Attr && n.Kids[0].Kind == syntax.Ident {
		return n.Kids[0].Name + "." + n.Name
	}
	return ""
}

// classMember looks at an overload that is assigned: in a class body, to self, or
// to a class or prototype.
func (w *walker) classMember(target, value *syntax.Node, s *scope, where string) {
	name := target.Name
	if target.Kind == syntax.Index {
		name = dottedName(target.Kids[1])
		if text, ok := w.text(target.Kids[1], s); ok {
			name = text
		}
	}
	if !w.lang.overloads[name] {
		return
	}
	class := s.node
	if class.Kind != syntax.Class {
		if target.Kind == syntax.Ident || !value.Kind.Function() && !strings.HasPrefix(name, "__") {
			return
		}
		class = nil
	}
	if name == "length" || name == "__hash__" && value.Kind == syntax.Const || value.Kind == syntax.Ident && w.lang.overloads[value.Name] && s.binds[value.Name] != nil {
		return // another name of a method is told of where that is
	}
	w.judge(name, "", class, value, where, s)
}

// judge notes an overload, unless it does what its name says on a class that was
// there before or that the failing test names.
func (w *walker) judge(method, className string, class, body *syntax.Node, where string, s *scope) {
	if asked[method] && (class == nil || !w.value(class, s)) {
		return
	}
	f := fact{cap: Overload, level: Warns, key: className + "." + method, scope: where, line: body.Line, what: strings.TrimPrefix(className+"."+method, ".")}
	switch {
	case writing[method] && calculates(body):
		f.what += ", which writes something else than the object holds"
	case (weak[method] || method == "Symbol.toPrimitive" && heeds(body)) && shows(body) && (class == nil || !w.value(class, s)):
		return
	case method == "Symbol.toStringTag" && class != nil && !w.value(class, s) && calledLike(body, className):
		return
	case method == "then" && handsOver(body), registers(method, body):
		return
	case odd[method]:
	case w.lang == golang:
		own := method == "Equal" && comparesConstant(body)
		if len(answers(body)) == 0 || comparing[method] && partByPart(body) || !constantAnswers(body) && !(comparing[method] && looseCompare(body)) && !own {
			return
		}
		if own {
			f.key += " constant"
		}
	case class != nil && w.value(class, s):
		f.what += ", of a class that passes for a value"
	case comparing[method] && (honestCompare(body) || partByPart(body)), !comparing[method] && !constantAnswers(body):
		f.asks, f.class = []string{className, method}, className
	default:
		f.key += " loosely"
		if found := answers(body); len(found) == 1 && found[0].Kind == syntax.Const {
			f.key += " " + found[0].Value.String()
		}
	}
	w.add(f)
}

// heeds reports whether a function looks at the first that it is given.
func heeds(f *syntax.Node) bool {
	params := f.Params()
	return f.Kind.Function() && len(params) > 0 && mentions(f.Body(), params[:1])
}

// calledLike reports whether a method gives nothing but the name of its class.
func calledLike(f *syntax.Node, class string) bool {
	given := answers(f)
	return len(given) > 0 && !slices.ContainsFunc(given, func(n *syntax.Node) bool { return n.Kind != syntax.Const || n.Value.Text != class })
}

// handsOver reports whether a method calls, or hands on, all that it is given to
// call.
func handsOver(f *syntax.Node) bool {
	if !f.Kind.Function() || len(f.Params()) == 0 {
		return false
	}
	return !slices.ContainsFunc(f.Params(), func(p string) bool {
		used := false
		syntax.Walk(f.Body(), func(n *syntax.Node) bool {
			used = used || n.Kind == syntax.Call && mentions(n, []string{p})
			return !used
		})
		return !used
	})
}

// value reports whether a class is a child of a built-in class of values.
func (w *walker) value(class *syntax.Node, s *scope) bool {
	for _, kid := range class.Kids {
		if kid.Kind != syntax.Base {
			continue
		}
		for _, p := range w.paths(kid.Kids[0], s) {
			if w.lang.values[p] || w.lang.values[lastName(p)] || strings.HasPrefix(p, "type") || kid.Name == "metaclass" {
				return true
			}
		}
		if kid.Name == "metaclass" {
			return true
		}
	}
	return false
}

// comparesConstant reports whether an answer of a comparison depends on a number or
// text of its own.
func comparesConstant(f *syntax.Node) bool {
	return slices.ContainsFunc(answers(f), func(n *syntax.Node) bool {
		found := false
		syntax.Walk(n, func(c *syntax.Node) bool {
			if c.Kind == syntax.Compare && (c.Name == "==" || c.Name == "!=") {
				for i, side := range c.Kids {
					own := side.Kind == syntax.Const && (side.Value.Kind == syntax.Number || side.Value.Kind == syntax.Text && side.Value.Text != "")
					found = found || own && c.Kids[1-i].Kind == syntax.Attr && mentions(c.Kids[1-i], f.Params())
				}
			}
			return !found && c.Kind != syntax.Call
		})
		return found
	})
}

// answers are the values that a function returns.
func answers(f *syntax.Node) []*syntax.Node {
	var out []*syntax.Node
	syntax.Walk(f, func(n *syntax.Node) bool {
		if n.Kind == syntax.Return && len(n.Kids) > 0 {
			out = append(out, n.Kids[0])
		}
		return n == f || !n.Kind.Function() && n.Kind != syntax.Class
	})
	return out
}

// constantAnswers reports whether a function gives nothing but constants, or is
// no function at all.
func constantAnswers(f *syntax.Node) bool {
	if !f.Kind.Function() {
		return true
	}
	return !slices.ContainsFunc(answers(f), func(n *syntax.Node) bool { return !constantNode(n) })
}

func constantNode(n *syntax.Node) bool {
	switch n.Kind {
	case syntax.Const:
		return true
	case syntax.Unary, syntax.Not, syntax.Tuple, syntax.List:
		return !slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return !constantNode(k) })
	case syntax.Ident:
		return n.Name == "Infinity" || n.Name == "NaN"
	case syntax.Call:
		return n.Kids[0].Kind == syntax.Ident && n.Kids[0].Name == "iter" && len(n.Kids) == 2 && constantNode(n.Kids[1])
	default:
		return false
	}
}

// honestCompare reports whether every answer of a comparison is made from both
// sides: what is compared is a part of the one with a part of the other, and all
// must agree.
func honestCompare(f *syntax.Node) bool {
	if !f.Kind.Function() {
		return false
	}
	params := sides(f)
	found := answers(f)
	if len(params) != 2 || len(found) == 0 {
		return false
	}
	both := false
	for _, n := range found {
		switch {
		case n.Kind == syntax.Ident && n.Name == "NotImplemented":
		case n.Kind == syntax.Const && n.Value.Kind == syntax.Bool && n.Value.Num == 0:
		case bothSides(n, params) && (f.Name == "__ne__" || !unlike(n)):
			both = true
		default:
			return false
		}
	}
	return both
}

// unlike reports whether a comparison says yes where two sides differ.
func unlike(n *syntax.Node) bool {
	return n.Kind == syntax.Compare && (n.Name == "!=" || n.Name == "is not" || n.Name == "not in")
}

// bothSides reports whether an expression holds only if parts of both sides
// agree.
func bothSides(n *syntax.Node, params []string) bool {
	mentions := func(n *syntax.Node, name string) bool {
		found := false
		syntax.Walk(n, func(c *syntax.Node) bool {
			found = found || c.Kind == syntax.Ident && c.Name == name
			return !found
		})
		return found
	}
	switch n.Kind {
	case syntax.Compare:
		a, b := n.Kids[0], n.Kids[1]
		return mentions(a, params[0]) && mentions(b, params[1]) || mentions(a, params[1]) && mentions(b, params[0])
	case syntax.Logical:
		return n.Name == "and" && slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return bothSides(k, params) })
	case syntax.Not:
		return bothSides(n.Kids[0], params) || mentions(n.Kids[0], params[0]) && mentions(n.Kids[0], params[1])
	case syntax.Call:
		return len(n.Kids) > 1 && mentions(n, params[0]) && mentions(n, params[1]) && !strings.Contains(n.Kids[0].Name, "close")
	default:
		return false
	}
}
