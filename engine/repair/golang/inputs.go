package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// mostInputs is how many inputs behaviours are compared on.
const mostInputs = 200

// input is a call with values of its own, as source in the package under test.
type input struct {
	fn   *types.Func
	args []value
}

// String is the call as people write it.
func (i input) String() string {
	args := make([]string, len(i.args))
	for k, a := range i.args {
		args[k] = a.String()
	}
	return i.fn.Name() + "(" + strings.Join(args, ", ") + ")"
}

// value is an argument: a literal, a list of values, or anything else that is
// written out.
type value struct {
	// kind is that of a literal; ILLEGAL for others.
	kind token.Token
	text string
	// list means that text is the type of a list and elems what is in it.
	list  bool
	elems []value
}

// String is the value as source.
func (v value) String() string {
	if !v.list {
		return v.text
	}
	parts := make([]string, len(v.elems))
	for i, e := range v.elems {
		parts[i] = e.String()
	}
	return v.text + "{" + strings.Join(parts, ", ") + "}"
}

// finder looks for calls in the tests of a package.
type finder struct {
	src *source
	// under is the import path of the package under test.
	under string
	// rows are the values of struct literals by their type's text and field.
	rows map[string][]map[string]ast.Expr
	out  []input
}

// inputs returns the calls in tests that have nothing but values as arguments:
// those written in the call, and those that a table gives.
func (t *testPackage) inputs(wanted func(name string) bool) []input {
	var out []input
	for _, src := range []*source{t.internal, t.external} {
		f := &finder{src: src, under: t.ImportPath, rows: map[string][]map[string]ast.Expr{}}
		tests := slices.DeleteFunc(slices.Clone(src.files), func(f *file) bool { return !strings.HasSuffix(f.path, "_test.go") })
		for _, file := range tests {
			ast.Inspect(file.syntax, f.table)
		}
		for _, file := range tests {
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					f.call(call, wanted)
				}
				return true
			})
		}
		out = append(out, f.out...)
	}
	return out
}

// table remembers the fields of a struct literal.
func (f *finder) table(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return true
	}
	t := f.src.info.TypeOf(lit)
	if t == nil {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	row := map[string]ast.Expr{}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				row[id.Name] = kv.Value
			}
		} else if i < s.NumFields() {
			row[s.Field(i).Name()] = e
		}
	}
	f.rows[t.String()] = append(f.rows[t.String()], row)
	return true
}

// call takes a call of a function of the package under test.
func (f *finder) call(call *ast.CallExpr, wanted func(string) bool) {
	var id *ast.Ident
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return
	}
	fn, ok := f.src.info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != f.under || call.Ellipsis.IsValid() || !wanted(fn.Name()) {
		return
	}
	sig, ok := fn.Type().(*types.Signature)
	if !ok || sig.Recv() != nil || sig.Results().Len() == 0 || len(call.Args) == 0 {
		return
	}
	if rows := f.rowsOf(call.Args); len(rows) > 0 {
		for _, row := range rows {
			f.add(fn, call.Args, row)
		}
		return
	}
	f.add(fn, call.Args, nil)
}

// rowsOf are the rows of the table from whose fields arguments come.
func (f *finder) rowsOf(args []ast.Expr) []map[string]ast.Expr {
	for _, a := range args {
		if s, ok := a.(*ast.SelectorExpr); ok {
			if t := f.src.info.TypeOf(s.X); t != nil && f.rows[t.String()] != nil {
				return f.rows[t.String()]
			}
		}
	}
	return nil
}

// add adds an input when every argument is a value.
func (f *finder) add(fn *types.Func, args []ast.Expr, row map[string]ast.Expr) {
	in := input{fn: fn}
	for _, a := range args {
		if s, ok := a.(*ast.SelectorExpr); ok && row != nil && row[s.Sel.Name] != nil {
			a = row[s.Sel.Name]
		}
		v, ok := f.value(a)
		if !ok {
			return
		}
		in.args = append(in.args, v)
	}
	f.out = append(f.out, in)
}

// value reads an expression that stands for itself.
func (f *finder) value(x ast.Expr) (value, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return value{kind: x.Kind, text: x.Value}, true
	case *ast.UnaryExpr:
		v, ok := f.value(x.X)
		if ok && x.Op == token.SUB && (v.kind == token.INT || v.kind == token.FLOAT) {
			v.text = "-" + v.text
			return v, true
		}
		return value{}, false
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return value{kind: token.IDENT, text: x.Name}, true
		}
		return value{text: x.Name}, x.Name == "nil"
	case *ast.CompositeLit:
		return f.composite(x)
	case *ast.ParenExpr:
		return f.value(x.X)
	default:
		return value{}, false
	}
}

func (f *finder) composite(x *ast.CompositeLit) (value, bool) {
	v := value{list: true}
	if x.Type != nil {
		t := f.src.info.TypeOf(x)
		if t == nil {
			return v, false
		}
		v.text = types.TypeString(t, func(p *types.Package) string {
			if p.Path() == f.under {
				return ""
			}
			return p.Name()
		})
	}
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			return f.keyed(x, v, kv)
		}
		elem, ok := f.value(e)
		if !ok {
			return v, false
		}
		v.elems = append(v.elems, elem)
	}
	return v, true
}

// keyed reads a literal with keys; it is taken as it is.
func (f *finder) keyed(x *ast.CompositeLit, v value, _ *ast.KeyValueExpr) (value, bool) {
	var parts []string
	for _, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return v, false
		}
		elem, ok := f.value(kv.Value)
		if !ok {
			return v, false
		}
		key := ""
		if id, ok := kv.Key.(*ast.Ident); ok {
			key = id.Name
		} else if k, ok := f.value(kv.Key); ok {
			key = k.String()
		} else {
			return v, false
		}
		parts = append(parts, key+": "+elem.String())
	}
	return value{text: v.text + "{" + strings.Join(parts, ", ") + "}"}, true
}

// vary returns inputs and what small changes make of them, at most mostInputs, a
// few of each in turn. Below zero it goes only where an input already is.
func vary(base []input) []input {
	seen := map[string]bool{}
	var out []input
	add := func(i input) {
		if s := i.String(); !seen[s] && len(out) < mostInputs {
			seen[s] = true
			out = append(out, i)
		}
	}
	for _, i := range base {
		add(i)
	}
	negative := slices.ContainsFunc(base, func(i input) bool { return strings.Contains(i.String(), "-") })
	var varied [][]input
	for _, i := range base {
		var list []input
		for k := range i.args {
			for _, v := range variants(i.args[k], negative) {
				args := slices.Clone(i.args)
				args[k] = v
				list = append(list, input{i.fn, args})
			}
		}
		varied = append(varied, list)
	}
	for round := 0; ; round++ {
		some := false
		for _, list := range varied {
			if round < len(list) {
				add(list[round])
				some = true
			}
		}
		if !some || len(out) == mostInputs {
			return out
		}
	}
}

// variants are values near one.
func variants(v value, negative bool) []value {
	with := func(texts ...string) []value {
		var out []value
		for _, t := range texts {
			if negative || !strings.HasPrefix(t, "-") {
				out = append(out, value{kind: v.kind, text: t})
			}
		}
		return out
	}
	switch {
	case v.list:
		return lists(v, negative)
	case v.kind == token.INT:
		n, err := strconv.ParseInt(v.text, 0, 64)
		if err != nil {
			return nil
		}
		var texts []string
		for _, m := range []int64{n + 1, n - 1, 0, 1, 2 * n, -n, n + 2, n / 2, n + 7} {
			texts = append(texts, strconv.FormatInt(m, 10))
		}
		return with(texts...)
	case v.kind == token.FLOAT:
		x, err := strconv.ParseFloat(v.text, 64)
		if err != nil {
			return nil
		}
		var texts []string
		for _, y := range []float64{x + 1, x - 0.5, 0, 2 * x, -x, x + 0.01} {
			texts = append(texts, strconv.FormatFloat(y, 'f', -1, 64))
		}
		return with(texts...)
	case v.kind == token.STRING:
		s, err := strconv.Unquote(v.text)
		if err != nil {
			return nil
		}
		var texts []string
		for _, t := range stringsNear(s) {
			texts = append(texts, strconv.Quote(t))
		}
		return with(texts...)
	case v.kind == token.IDENT:
		return with("true", "false")
	default:
		return nil
	}
}

func stringsNear(s string) []string {
	r := []rune(s)
	out := []string{"", s + s, strings.ToUpper(s), strings.ToLower(s), s + " " + s, s + "a"}
	if len(r) == 0 {
		return append(out, "b", "Ab 1")
	}
	back := slices.Clone(r)
	slices.Reverse(back)
	half := len(r) / 2
	return append(out, string(r[1:]), string(r[:len(r)-1]), string(back), string(r[:half]), string(r[half:]), string(r[0])+s, s+string(r[len(r)-1]))
}

// lists are lists near one: shorter, longer, turned round, and with other
// elements.
func lists(v value, negative bool) []value {
	n := len(v.elems)
	of := func(parts ...[]value) value { return value{text: v.text, list: true, elems: slices.Concat(parts...)} }
	out := []value{of()}
	if n == 0 {
		return nil
	}
	back := slices.Clone(v.elems)
	slices.Reverse(back)
	out = append(out, of(v.elems[1:]), of(v.elems[:n-1]), of(back), of(v.elems, v.elems[:1]), of(v.elems[:1]), of(v.elems, v.elems))
	for k := range min(n, 4) {
		for j, e := range variants(v.elems[k], negative) {
			if j < 4 {
				out = append(out, of(v.elems[:k], []value{e}, v.elems[k+1:]))
			}
		}
	}
	return out
}

// compiles reports whether a call is right in the package.
func (s *source) compiles(text string) bool {
	x, err := parser.ParseExprFrom(s.fset, "", text, parser.SkipObjectResolution)
	if err != nil || s.types == nil {
		return false
	}
	return types.CheckExpr(s.fset, s.types, token.NoPos, x, nil) == nil
}
