package scan

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// deepest is how far constants are followed, mostFolds how many are put together
// for one, and longest how long a text may get.
const (
	deepest   = 14
	mostFolds = 4000
	longest   = 1 << 16
)

// text returns the string that an expression always is.
func (u *unit) text(n *syntax.Node, s *scope) (string, bool) {
	u.folds = 0
	v, ok := u.fold(n, s, deepest)
	return v.Text, ok && v.Kind == syntax.Text
}

// fold returns the constant that an expression always is, however it is spelled.
func (u *unit) fold(n *syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	none := syntax.Value{}
	if u.folds++; depth <= 0 || n == nil || u.folds > mostFolds {
		return none, false
	}
	switch n.Kind {
	case syntax.Const:
		return n.Value, true
	case syntax.Ident:
		return u.foldName(n, s, depth)
	case syntax.Attr:
		part, inner := u.part(n.Kids[0], n.Name, s)
		return u.fold(part, inner, depth-1)
	case syntax.Template:
		return u.foldAll(n.Kids, s, depth)
	case syntax.Binary:
		left, ok := u.fold(n.Kids[0], s, depth-1)
		right, also := u.fold(n.Kids[1], s, depth-1)
		if !ok || !also {
			return none, false
		}
		return operate(n.Name, left, right)
	case syntax.Unary:
		v, ok := u.fold(n.Kids[0], s, depth-1)
		if ok && v.Kind == syntax.Number && n.Name == "-" {
			v.Num = -v.Num
		}
		return v, ok && n.Name != "typeof" && n.Name != "~" && n.Name != "&" && n.Name != "*"
	case syntax.Slice:
		return u.foldReversed(n, s, depth)
	case syntax.Call:
		return u.foldCall(n, s, depth)
	default:
		return none, false
	}
}

// foldName folds a name that is assigned once.
func (u *unit) foldName(n *syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	binds, _ := s.lookup(n.Name)
	if len(binds) != 1 || binds[0].value == nil || binds[0].element || binds[0].param {
		return syntax.Value{}, false
	}
	return u.fold(binds[0].value, binds[0].scope, depth-1)
}

// foldAll joins constants to one text.
func (u *unit) foldAll(parts []*syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	out := syntax.Value{Kind: syntax.Text}
	for _, part := range parts {
		v, ok := u.fold(part, s, depth-1)
		if !ok {
			return syntax.Value{}, false
		}
		if out.Text += plain(v); len(out.Text) > longest {
			return syntax.Value{}, false
		}
	}
	return out, true
}

// plain is a constant as it reads within a text.
func plain(v syntax.Value) string {
	if v.Kind == syntax.Text {
		return v.Text
	}
	return v.String()
}

func operate(op string, a, b syntax.Value) (syntax.Value, bool) {
	number := func(f float64) (syntax.Value, bool) { return syntax.Value{Kind: syntax.Number, Num: f}, true }
	switch {
	case len(a.Text)+len(b.Text) > longest:
		return syntax.Value{}, false
	case op == "+" && (a.Kind == syntax.Text || b.Kind == syntax.Text):
		return syntax.Value{Kind: syntax.Text, Text: plain(a) + plain(b)}, true
	case a.Kind == syntax.Text && op == "%":
		return syntax.Value{Kind: syntax.Text, Text: strings.Replace(strings.Replace(a.Text, "%d", "%s", 1), "%s", plain(b), 1)}, true
	case a.Kind != syntax.Number || b.Kind != syntax.Number:
		return syntax.Value{}, false
	}
	switch op {
	case "+":
		return number(a.Num + b.Num)
	case "-":
		return number(a.Num - b.Num)
	case "*":
		return number(a.Num * b.Num)
	case "/":
		return number(a.Num / b.Num)
	case "//":
		return number(math.Floor(a.Num / b.Num))
	case "**":
		return number(math.Pow(a.Num, b.Num))
	case "^":
		return number(float64(int64(a.Num) ^ int64(b.Num)))
	default:
		return syntax.Value{}, false
	}
}

// foldReversed knows text[::-1].
func (u *unit) foldReversed(n *syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	v, ok := u.fold(n.Kids[0], s, depth-1)
	if !ok || v.Kind != syntax.Text || len(n.Kids) != 4 {
		return syntax.Value{}, false
	}
	step, ok := u.fold(n.Kids[3], s, depth-1)
	if !ok || step.Num != -1 {
		return syntax.Value{}, false
	}
	return reversed(v), true
}

func reversed(v syntax.Value) syntax.Value {
	letters := []rune(v.Text)
	slices.Reverse(letters)
	v.Text = string(letters)
	return v
}

// foldCall knows the calls that people hide texts behind.
func (u *unit) foldCall(n *syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	callee, args := n.Kids[0], n.Kids[1:]
	none := syntax.Value{}
	if callee.Kind == syntax.Ident && len(args) == 1 {
		v, ok := u.fold(args[0], s, depth-1)
		if !ok {
			return none, false
		}
		return convert(callee.Name, v)
	}
	if callee.Kind != syntax.Attr {
		return none, false
	}
	if callee.Name == "fromCharCode" || callee.Name == "fromCodePoint" {
		return u.foldLetters(args, s, depth)
	}
	switch callee.Name {
	case "join", "Join":
		return u.foldJoin(callee, args, s, depth)
	case "concat":
		return u.foldAll(append([]*syntax.Node{callee.Kids[0]}, args...), s, depth)
	}
	v, ok := u.fold(callee.Kids[0], s, depth-1)
	if !ok || v.Kind != syntax.Text {
		return none, false
	}
	switch callee.Name {
	case "lower", "toLowerCase":
		v.Text = strings.ToLower(v.Text)
	case "upper", "toUpperCase":
		v.Text = strings.ToUpper(v.Text)
	case "strip", "trim":
		v.Text = strings.TrimSpace(v.Text)
	case "replace", "replaceAll":
		if len(args) < 2 {
			return none, false
		}
		from, _ := u.text(args[0], s)
		to, _ := u.text(args[1], s)
		v.Text = strings.ReplaceAll(v.Text, from, to)
	case "encode", "decode", "toString", "format":
	default:
		return none, false
	}
	return v, true
}

func convert(name string, v syntax.Value) (syntax.Value, bool) {
	switch name {
	case "str", "String", "string":
		return syntax.Value{Kind: syntax.Text, Text: plain(v)}, true
	case "chr":
		return syntax.Value{Kind: syntax.Text, Text: string(rune(int(v.Num)))}, v.Kind == syntax.Number
	case "int", "float", "Number", "float64", "parseInt", "parseFloat", "complex", "abs", "BigInt":
		if v.Kind == syntax.Number {
			return v, true
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(v.Text), 64)
		return syntax.Value{Kind: syntax.Number, Num: f}, err == nil
	default:
		return syntax.Value{}, false
	}
}

func (u *unit) foldLetters(args []*syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	out := syntax.Value{Kind: syntax.Text}
	for _, a := range args {
		v, ok := u.fold(a, s, depth-1)
		if !ok || v.Kind != syntax.Number {
			return syntax.Value{}, false
		}
		out.Text += string(rune(int(v.Num)))
	}
	return out, true
}

// foldJoin knows "".join(["a", "b"]), ["a", "b"].join("") and strings.Join.
func (u *unit) foldJoin(callee *syntax.Node, args []*syntax.Node, s *scope, depth int) (syntax.Value, bool) {
	var list, glue *syntax.Node
	for _, n := range append([]*syntax.Node{callee.Kids[0]}, args...) {
		n = reverseOf(n)
		if n.Kind == syntax.List || n.Kind == syntax.Tuple {
			list = n
		} else if v, ok := u.fold(n, s, depth-1); ok && v.Kind == syntax.Text {
			glue = n
		}
	}
	if list == nil {
		return syntax.Value{}, false
	}
	separator := ""
	if glue != nil {
		separator, _ = u.text(glue, s)
	}
	var parts []string
	for _, e := range list.Kids {
		if e.Kind == syntax.Spread {
			continue
		}
		v, ok := u.fold(e, s, depth-1)
		if !ok {
			return syntax.Value{}, false
		}
		parts = append(parts, plain(v))
	}
	if callee.Kids[0] != list && reverseOf(callee.Kids[0]) == list {
		slices.Reverse(parts)
	}
	return syntax.Value{Kind: syntax.Text, Text: strings.Join(parts, separator)}, true
}

// reverseOf is the list that a call of reverse or reversed is made on; else the
// node itself.
func reverseOf(n *syntax.Node) *syntax.Node {
	if n.Kind != syntax.Call {
		return n
	}
	if callee := n.Kids[0]; callee.Kind == syntax.Attr && callee.Name == "reverse" {
		return callee.Kids[0]
	} else if callee.Kind == syntax.Ident && callee.Name == "reversed" && len(n.Kids) == 2 {
		return n.Kids[1]
	}
	return n
}
