package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// finder looks for calls in the tests of a package.
type finder struct {
	src *source
	// under is the import path of the package under test.
	under string
	// tables are the rows of struct literals by their type's text.
	tables map[string][]row
	// bound are the rows of what has another value in each: parameters of the tests' own
	// functions in each call, and what a loop over a literal gives.
	bound map[types.Object][]row
	// lists are the literals that variables are declared with.
	lists map[types.Object]*ast.CompositeLit
	out   []input
}

// row is what stands for fields, of a struct of type typ, or for variables.
type row struct {
	typ       string
	fields    map[string]ast.Expr
	variables map[types.Object]ast.Expr
}

// inputs returns the calls in tests that have nothing but values as arguments:
// those written in the call, and those that a table gives.
func (t *testPackage) inputs(wanted func(name string) bool) []input {
	var out []input
	for _, src := range []*source{t.internal, t.external} {
		f := &finder{src: src, under: t.ImportPath, tables: map[string][]row{}, bound: map[types.Object][]row{}, lists: map[types.Object]*ast.CompositeLit{}}
		tests := slices.DeleteFunc(slices.Clone(src.files), func(f *file) bool { return !strings.HasSuffix(f.path, "_test.go") })
		for _, file := range tests {
			ast.Inspect(file.syntax, f.table)
			f.bind(file.syntax, tests)
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
	fields := map[string]ast.Expr{}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				fields[id.Name] = kv.Value
			}
		} else if i < s.NumFields() {
			fields[s.Field(i).Name()] = e
		}
	}
	f.tables[t.String()] = append(f.tables[t.String()], row{typ: t.String(), fields: fields})
	return true
}

// call takes a call of a function of the package under test.
func (f *finder) call(call *ast.CallExpr, wanted func(string) bool) {
	fn, ok := f.src.info.Uses[calleeOf(call)].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != f.under || call.Ellipsis.IsValid() || !wanted(fn.Name()) {
		return
	}
	sig, ok := fn.Type().(*types.Signature)
	if !ok || sig.Recv() != nil || sig.Results().Len() == 0 || len(call.Args) == 0 {
		return
	}
	for _, args := range f.expand(call.Args, mostSteps) {
		f.add(fn, args)
	}
}

// calleeOf is the name of the function or method that is called; nil when what is
// called has none.
func calleeOf(call *ast.CallExpr) *ast.Ident {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	default:
		return nil
	}
}

// mostSteps is how many times a value is followed to where it comes from, as from
// a helper's parameter to the table that the helper is called for.
const mostSteps = 3

// expand returns the arguments of a call for every row that gives them.
func (f *finder) expand(args []ast.Expr, steps int) [][]ast.Expr {
	for _, a := range args {
		rows := f.rowsOf(a)
		if len(rows) == 0 {
			continue
		}
		if steps == 0 {
			return nil
		}
		var out [][]ast.Expr
		for _, r := range rows {
			given := make([]ast.Expr, len(args))
			for k, a := range args {
				given[k] = f.given(r, a)
			}
			if out = append(out, f.expand(given, steps-1)...); len(out) > mostInputs {
				break
			}
		}
		return out
	}
	return [][]ast.Expr{args}
}

// rowsOf are the rows that an expression has its value from.
func (f *finder) rowsOf(x ast.Expr) []row {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if t := f.src.info.TypeOf(x.X); t != nil {
			return f.tables[t.String()]
		}
	case *ast.Ident:
		return f.bound[f.src.info.Uses[x]]
	case *ast.IndexExpr:
		return f.rowsOf(x.X)
	}
	return nil
}

// given is what an expression is in a row.
func (f *finder) given(r row, x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if t := f.src.info.TypeOf(x.X); t != nil && t.String() == r.typ && r.fields[x.Sel.Name] != nil {
			return r.fields[x.Sel.Name]
		}
	case *ast.Ident:
		if v := r.variables[f.src.info.Uses[x]]; v != nil {
			return v
		}
	case *ast.IndexExpr:
		list, ok := f.given(r, x.X).(*ast.CompositeLit)
		at, number := x.Index.(*ast.BasicLit)
		if !ok || !number {
			return x
		}
		if k, err := strconv.Atoi(at.Value); err == nil && k < len(list.Elts) {
			return list.Elts[k]
		}
	}
	return x
}

// bind notes what the parameters of the tests' own functions and the variables of
// loops over literals are.
func (f *finder) bind(syntax ast.Node, tests []*file) {
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 {
				f.declare(n.Lhs[0], n.Rhs[0])
			}
		case *ast.ValueSpec:
			if len(n.Names) == 1 && len(n.Values) == 1 {
				f.declare(n.Names[0], n.Values[0])
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && !n.Ellipsis.IsValid() {
				f.bindCall(n, declared(tests, f.src.info.Uses[id]))
			}
		case *ast.RangeStmt:
			if list := f.literal(n.X); list != nil {
				f.bindLoop(n, list)
			}
		}
		return true
	})
}

// declared is the declaration of a function of the tests.
func declared(tests []*file, fn types.Object) *ast.FuncDecl {
	if fn == nil {
		return nil
	}
	for _, t := range tests {
		for _, d := range t.syntax.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Name.Pos() == fn.Pos() {
				return decl
			}
		}
	}
	return nil
}

func (f *finder) bindCall(call *ast.CallExpr, decl *ast.FuncDecl) {
	if decl == nil {
		return
	}
	r := row{variables: map[types.Object]ast.Expr{}}
	k := 0
	for _, field := range decl.Type.Params.List {
		for _, name := range field.Names {
			if k < len(call.Args) {
				r.variables[f.src.info.Defs[name]] = call.Args[k]
			}
			k++
		}
		if len(field.Names) == 0 {
			k++
		}
	}
	f.have(r)
}

func (f *finder) bindLoop(loop *ast.RangeStmt, list *ast.CompositeLit) {
	for _, e := range list.Elts {
		r := row{variables: map[types.Object]ast.Expr{}}
		value := e
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			value = kv.Value
			if id, ok := loop.Key.(*ast.Ident); ok && f.src.info.Defs[id] != nil {
				r.variables[f.src.info.Defs[id]] = kv.Key
			}
		}
		if id, ok := loop.Value.(*ast.Ident); ok && f.src.info.Defs[id] != nil {
			r.variables[f.src.info.Defs[id]] = value
		}
		f.have(r)
	}
}

// have takes a row of variables.
func (f *finder) have(r row) {
	for v := range r.variables {
		f.bound[v] = append(f.bound[v], r)
	}
}

// literal is the list that a loop goes over, as it stands there or in a variable
// that is declared with it.
func (f *finder) literal(x ast.Expr) *ast.CompositeLit {
	switch x := x.(type) {
	case *ast.CompositeLit:
		return x
	case *ast.Ident:
		return f.lists[f.src.info.Uses[x]]
	default:
		return nil
	}
}

// declare notes the list that a variable is declared with.
func (f *finder) declare(name ast.Expr, value ast.Expr) {
	id, isName := name.(*ast.Ident)
	list, isList := value.(*ast.CompositeLit)
	if isName && isList && f.src.info.Defs[id] != nil {
		f.lists[f.src.info.Defs[id]] = list
	}
}

// add adds an input when every argument is a value.
func (f *finder) add(fn *types.Func, args []ast.Expr) {
	in := input{fn: fn}
	for _, a := range args {
		v, ok := f.value(a)
		if !ok {
			return
		}
		if lit, ok := a.(*ast.CompositeLit); ok && lit.Type == nil {
			text := f.typeText(lit)
			if !v.list {
				v.text = text + v.text
			} else {
				v.text = text
			}
		}
		in.args = append(in.args, v)
	}
	f.out = append(f.out, in)
}
