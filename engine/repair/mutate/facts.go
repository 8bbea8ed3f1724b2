package mutate

import (
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/repair/node"
)

// file is what templates know of a file.
type file struct {
	*node.Info
	// numbers, strs are the literals of the file, functions the names that its own
	// functions have, attrs and methods the names used after a dot.
	numbers, strs []string
	functions     []string
	// wrappers are what a value may be given to: the first functions of the file, and the
	// names that it calls with one value.
	wrappers []string
	// keys are the texts under which the file puts something.
	keys           []string
	attrs, methods []string
	// perReceiver has the names used after a dot by the text before it.
	perReceiver map[string][]string
	// callsOf has the calls by the text of what they call, written the functions by name.
	callsOf, written map[string][]*node.Node
	words            map[string]int
	// bare are the names that are values by themselves somewhere, and not only asked for
	// something.
	bare map[string]bool
	// near are the strings that the tests mention, and asserted the names that the failing
	// tests do.
	near     []string
	asserted map[string]int
	// declared has the names that bodies of classes give to what their objects have.
	declared    map[string]bool
	errors      []Error
	differing   []Differing
	missing     Missing
	perFunction map[*node.Node]*function
	everything  *function
}

// function is what templates know of the function they are in; for code outside
// any function it is about the whole file.
type function struct {
	*file
	fn *node.Node
	// exprs are the distinct expressions of the function, in source order.
	exprs []expression
	// unary are the callees of calls with one argument.
	unary []string
	// returns are the distinct values it returns.
	returns []string
	// short are its texts of few characters.
	short []string
	// stmts are its simple statements of one line.
	stmts  []*node.Node
	words  map[string]int
	params map[string]bool
	// exits are its return statements.
	exits []*node.Node
	// unread are the variables that it assigns and does not read, set how often it
	// assigns one.
	unread map[string]bool
	set    map[string]int
	// loops are the loops and comprehensions that give a name its value, where nothing
	// else does.
	loops map[string][]*node.Node
	// defined are the names that the function itself gives a meaning: parameters, what
	// it assigns, its own.
	defined map[string]bool
	// since is the offset from which on a variable of the function has a value.
	since map[string]int
	class map[string]node.Class
	types map[string]string
	// told are the numbers that the comment before the function speaks of.
	told []string

	// beside are its neighbours, once they were asked for.
	beside []*node.Node
	atoms  map[*node.Node][]weighed
	scope  map[*node.Node][]variable
}

// expression is an expression that the function has.
type expression struct {
	code
	n     *node.Node
	class node.Class
	typ   string
}

// variable is a name that holds a value.
type variable struct {
	name  string
	typ   string
	class node.Class
}

// weighed is a piece of code and what it adds to an edit's cost.
type weighed struct {
	code
	cost float64
}

func newFile(info *node.Info, o Options) *file {
	f := &file{
		Info: info, near: o.Near, asserted: identifiers(o.Asserted), declared: map[string]bool{}, errors: o.Errors, differing: o.Differing, missing: o.Missing, words: identifiers(string(info.Content)), perFunction: map[*node.Node]*function{},
		perReceiver: map[string][]string{}, callsOf: map[string][]*node.Node{}, written: map[string][]*node.Node{}, bare: map[string]bool{},
	}
	var fields, methods []string
	node.Walk(info.Root, func(n *node.Node) bool {
		switch n.Kind {
		case node.Assign, node.VarDecl:
			if f.ofClass(n) {
				fields = append(fields, info.Text(n.Children[0]))
			}
		case node.Call:
			callee := n.Children[0]
			f.callsOf[info.Text(callee)] = append(f.callsOf[info.Text(callee)], n)
			if len(n.Children) == 2 && callee.Kind == node.Name && !info.Dialect.Reserved[callee.Name] {
				f.wrappers = append(f.wrappers, callee.Name)
			}
		case node.Name:
			if p := info.Parent(n); p == nil || p.Kind != node.Attribute {
				f.bare[n.Name] = true
			}
		case node.Number:
			f.numbers = append(f.numbers, info.Text(n))
		case node.String:
			if !f.docstring(n) && n.End-n.Start < 16 {
				f.strs = append(f.strs, info.Text(n))
				if p := info.Parent(n); p != nil && p.Kind == node.Index && info.Place(n) == 1 && info.Stored(p) {
					f.keys = append(f.keys, info.Text(n))
				}
			}
		case node.Function:
			f.written[n.Name] = append(f.written[n.Name], n)
			if p := info.Parent(n); p == nil || p.Kind == node.File {
				f.functions = append(f.functions, n.Name)
			} else if f.ofClass(n) {
				methods = append(methods, n.Name)
			}
		case node.Attribute:
			object := info.Text(n.Children[0])
			if p := info.Parent(n); p.Kind == node.Call && info.Place(n) == 0 {
				f.methods = append(f.methods, n.Name)
			} else {
				f.attrs = append(f.attrs, n.Name)
			}
			f.perReceiver[object] = append(f.perReceiver[object], n.Name)
		default: // Other kinds hold nothing that is shared by the file.
		}
		return true
	})
	f.numbers, f.strs, f.functions = distinct(f.numbers), distinct(f.strs), distinct(f.functions)
	f.keys = distinct(f.keys)
	f.wrappers = distinct(slices.Concat(f.functions[:min(len(f.functions), 20)], f.wrappers))
	f.attrs, f.methods = distinct(f.attrs), distinct(f.methods)
	f.attrs = slices.DeleteFunc(f.attrs, func(a string) bool { return slices.Contains(f.methods, a) })
	f.attrs, f.methods = f.declare(fields, f.attrs, f.methods), f.declare(methods, f.methods, f.attrs)
	return f
}

// declare adds the names that bodies of classes declare to those of their kind that
// the file asks objects for. others are those of the other kind: how a name is asked for
// tells more than how it is declared.
func (f *file) declare(names, kind, others []string) []string {
	for _, name := range distinct(names) {
		if strings.HasPrefix(name, "__") || len(identifiers(name)) != 1 || slices.Contains(others, name) {
			continue
		}
		f.declared[name] = true
		if !slices.Contains(kind, name) {
			kind = append(kind, name)
		}
	}
	return kind
}

// ofClass reports whether a statement declares what a class has.
func (f *file) ofClass(n *node.Node) bool {
	p := f.Parent(n)
	if p != nil && p.Kind == node.Block {
		p = f.Parent(p)
	}
	return p != nil && p.Kind == node.OtherStmt && p.Name != ""
}

// docstring reports whether a string is a statement by itself.
func (f *file) docstring(n *node.Node) bool {
	p := f.Parent(n)
	return p != nil && p.Kind == node.ExprStmt
}

// in returns the facts of the function that n is in.
func (f *file) in(n *node.Node) *function {
	fn := f.Function(n)
	if fn == nil {
		if f.everything == nil {
			f.everything = f.study(f.Root)
		}
		return f.everything
	}
	if f.perFunction[fn] == nil {
		f.perFunction[fn] = f.study(fn)
	}
	return f.perFunction[fn]
}

func (f *file) study(fn *node.Node) *function {
	g := &function{
		file: f, fn: fn, words: identifiers(f.Text(fn)), params: map[string]bool{}, defined: map[string]bool{fn.Name: fn.Name != ""}, since: map[string]int{},
		class: map[string]node.Class{}, types: map[string]string{},
		atoms: map[*node.Node][]weighed{}, scope: map[*node.Node][]variable{},
	}
	for p := fn; p != nil; p = f.Function(p) {
		for _, c := range p.Children {
			if c.Kind == node.Param {
				g.params[c.Name], g.defined[c.Name] = true, true
			}
		}
	}
	// A function in a function sees what the outer one's variables are.
	outermost := fn
	for p := f.Function(fn); p != nil; p = f.Function(p) {
		outermost = p
	}
	g.infer(outermost)
	seen := map[string]bool{}
	node.Walk(fn, func(n *node.Node) bool {
		g.collect(n, seen)
		return true
	})
	g.countUses()
	g.loops = g.looped()
	g.returns, g.unary, g.short = distinct(g.returns), distinct(g.unary), distinct(g.short)
	g.told = slices.DeleteFunc(f.numbersTold(fn), func(n string) bool { return slices.Contains(f.numbers, n) })
	return g
}

// looped finds the loops of the names that only loops give a value.
func (g *function) looped() map[string][]*node.Node {
	out := map[string][]*node.Node{}
	node.Walk(g.fn, func(n *node.Node) bool {
		if n.Kind != node.Name || !g.Stored(n) {
			return true
		}
		loop := n
		for loop != nil && loop.Kind != node.For && !loop.Kind.Statement() {
			loop = g.Parent(loop)
		}
		switch {
		case loop == nil:
		case loop.Kind != node.For:
			out[n.Name] = append(out[n.Name], g.fn)
		case g.Parent(loop).Kind == node.Comp:
			out[n.Name] = append(out[n.Name], g.Parent(loop))
		default:
			out[n.Name] = append(out[n.Name], loop)
		}
		return true
	})
	for name := range g.params {
		delete(out, name)
	}
	return out
}

// countUses finds out how often the function assigns each name, and which of the
// variables that it assigns it never asks for.
func (g *function) countUses() {
	g.set, g.unread = map[string]int{}, map[string]bool{}
	if g.fn.Kind != node.Function {
		return
	}
	read := map[string]bool{}
	node.Walk(g.fn, func(n *node.Node) bool {
		switch {
		case n.Kind != node.Name:
		case g.Stored(n):
			g.set[n.Name]++
			if st := g.Statement(n); st != nil && (st.Kind == node.Assign || st.Kind == node.VarDecl) && n.Name != "_" {
				g.unread[n.Name] = true // one that a loop gives is often not needed
			}
		default:
			read[n.Name] = true
		}
		return true
	})
	for name := range read {
		delete(g.unread, name)
	}
}

// mostTold is how many numbers of a comment are ingredients.
const mostTold = 6

// numbersTold are the whole numbers in the comment that stands before a function, or
// that it begins with.
func (f *file) numbersTold(fn *node.Node) []string {
	if fn.Kind != node.Function {
		return nil
	}
	text := ""
	for start := f.LineStart(fn.Start); start > 0 && f.Dialect.Comment != ""; {
		above := f.LineStart(start - 1)
		line := strings.TrimSpace(f.Between(above, start))
		if !strings.HasPrefix(line, f.Dialect.Comment) {
			break
		}
		text, start = line+" "+text, above
	}
	if body := node.Body(fn); body != nil && len(body.Children) > 0 && body.Children[0].Kind == node.ExprStmt && body.Children[0].Children[0].Kind == node.String {
		text += f.Text(body.Children[0])
	}
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !wordRune(r) && r != '.' }) {
		if n, err := strconv.ParseInt(strings.TrimRight(w, "."), 10, 64); err == nil && n > 2 && len(w) < 8 {
			out = append(out, strconv.FormatInt(n, 10))
		}
	}
	out = distinct(out)
	return out[:min(len(out), mostTold)]
}

func wordRune(r rune) bool {
	return r < 0x80 && (wordStart(byte(r)) || r >= '0' && r <= '9') || r >= 0x80
}

// collect notes what n offers to templates.
func (g *function) collect(n *node.Node, seen map[string]bool) {
	if n.Kind == node.Name && g.Stored(n) {
		g.defined[n.Name] = true
		g.mark(n)
	}
	text := g.Text(n)
	short := len(text) <= 48 && !strings.Contains(text, "\n")
	switch n.Kind {
	case node.Return:
		if g.Function(n) == g.fn {
			g.exits = append(g.exits, n)
		}
		if len(n.Children) == 1 && short {
			g.returns = append(g.returns, g.Text(n.Children[0]))
		}
	case node.String:
		if v, ok := g.Dialect.Unquote(text); ok && v != "" && len(v) <= longestTakenOff {
			g.short = append(g.short, text)
		}
	case node.Call:
		if len(n.Children) == 2 && (n.Children[0].Kind == node.Name || n.Children[0].Kind == node.Attribute && g.packaged(n.Children[0])) {
			g.unary = append(g.unary, g.Text(n.Children[0]))
		}
	case node.Assign, node.ExprStmt:
		if len(text) <= 80 && !strings.Contains(text, "\n") && (n.Kind == node.Assign || n.Children[0].Kind == node.Call) {
			g.stmts = append(g.stmts, n)
		}
	default: // Only what is named above is an ingredient by itself.
	}
	if !n.Kind.Expression() || n.Kind == node.Keyword || g.Stored(n) || !short || seen[text] {
		return
	}
	if n.Kind == node.String && g.docstring(n) || g.callee(n) {
		return
	}
	seen[text] = true
	g.exprs = append(g.exprs, expression{code: g.of(n), n: n, class: g.classOf(n), typ: n.Type})
}

// callee reports whether n is what is called, not a value.
func (f *file) callee(n *node.Node) bool {
	p := f.Parent(n)
	return p != nil && p.Kind == node.Call && f.Place(n) == 0
}

// packaged reports whether an attribute is that of a package or module and not
// of a value: its object is a name that is no variable.
func (f *file) packaged(n *node.Node) bool {
	if len(n.Children) == 0 {
		return false
	}
	object := f.Text(n.Children[0])
	if n.Children[0].Kind == node.Other {
		return len(identifiers(object)) == 1 && !strings.ContainsAny(object, " ()[]{}*&.\"'`")
	}
	if n.Children[0].Kind != node.Name || object == f.Dialect.Receiver {
		return false
	}
	for _, s := range f.Visible(n) {
		if s.Name == n.Children[0].Name {
			return false
		}
	}
	return true
}
