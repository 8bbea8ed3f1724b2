package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/textedit"
)

// sceneWeaver weaves choices and looks into a file of tests.
type sceneWeaver struct {
	weaver
	stage *stage
	file  *file
	// function is the test function, or "" outside of any.
	function string
	// skip are the nodes that stay as they are with all that is in them, and fixed those
	// that stay by themselves.
	skip, fixed map[ast.Node]bool
	// first comes before everything else at its place, and last behind it.
	first, last []textedit.Edit
}

// all returns the file with everything woven in.
func (w *sceneWeaver) all() ([]byte, error) {
	tail := ""
	for _, d := range w.file.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				w.function = d.Name.Name
				if d.Recv != nil || !isTest(w.function) {
					w.function = ""
				}
				w.catch(d.Type, d.Body)
				w.walk(d.Body)
			}
		case *ast.GenDecl:
			tail += w.tables(d)
		}
	}
	w.importRuntime(w.file.syntax, w.stage.runtimePath(), nil)
	w.insertAt(len(w.file.content), useRuntime+tail)
	w.edits = slices.Concat(w.first, w.edits, w.last)
	content, err := w.apply(w.file.content)
	if err != nil {
		return nil, err
	}
	return append([]byte("//go:build go1.21\n\n"), unbuilt(content)...), nil
}

// unbuilt leaves out the condition under which a file is built.
func unbuilt(content []byte) []byte {
	var out []byte
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "//go:build ") || strings.HasPrefix(line, "// +build ") {
			continue
		}
		out = append(out, line...)
	}
	return out
}

// largestTable is the size of a variable's value that is made anew for each scene.
const largestTable = 20_000

// tables sets the variables of a declaration anew for each scene.
func (w *sceneWeaver) tables(d *ast.GenDecl) string {
	if d.Tok != token.VAR {
		return ""
	}
	tail := ""
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 || v.Names[0].Name == "_" || v.Values[0].End()-v.Values[0].Pos() > largestTable {
			continue
		}
		if _, list := v.Values[0].(*ast.CompositeLit); !list {
			continue
		}
		w.function = ""
		inner := &sceneWeaver{weaver: weaver{offset: func(p token.Pos) int { return int(p - v.Values[0].Pos()) }}, stage: w.stage, file: w.file, skip: w.skip, fixed: w.fixed}
		inner.walk(v.Values[0])
		inner.edits = slices.Concat(inner.first, inner.edits, inner.last)
		text, err := inner.apply([]byte(w.text(v.Values[0])))
		if err != nil || len(inner.edits) == 0 {
			continue
		}
		tail += fmt.Sprintf("\nfunc init() { %s.Table(func() { %s = %s }) }\n", alias, v.Names[0].Name, text)
	}
	return tail
}

// catch has a function that has the test end well, whatever happens in it.
func (w *sceneWeaver) catch(t *ast.FuncType, body *ast.BlockStmt) {
	marks := &testWeaver{file: w.file}
	if name := marks.testParam(t); name != "" && t.Results == nil && !marks.redefined(name, body) {
		w.first = append(w.first, textedit.Edit{Start: w.offset(body.Lbrace + 1), End: w.offset(body.Lbrace + 1), New: fmt.Sprintf(" defer %s.Caught(%s); ", alias, name)})
	}
}

func (w *sceneWeaver) text(n ast.Node) string {
	return string(w.file.content[w.file.offset(n.Pos()):w.file.offset(n.End())])
}

// walk weaves into a node and what is in it.
func (w *sceneWeaver) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || w.skip[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			w.catch(n.Type, n.Body)
		case *ast.DeferStmt:
			w.fixed[n.Call] = true
		case *ast.GoStmt:
			w.fixed[n.Call] = true
		case *ast.ArrayType:
			return false
		case *ast.ForStmt:
			if n.Cond != nil {
				w.skip[n.Cond] = true // each round would be looked at
			}
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.CompositeLit:
			w.keys(n)
		case *ast.CaseClause:
			for _, x := range n.List {
				w.skip[x] = true
			}
		case *ast.BinaryExpr:
			w.operands(n)
		case *ast.AssignStmt:
			w.several(n)
		case *ast.CallExpr:
			w.call(n)
		case *ast.BasicLit:
			w.literal(n)
		case *ast.Ident:
			if n.Name == "true" || n.Name == "false" {
				w.choose(n, n.Name, []string{strconv.FormatBool(n.Name == "false")})
			}
		}
		return true
	})
}

// wanted are names of fields that say what a test wants: another value of one is
// another test of the same.
var wanted = []string{"want", "exp", "result", "err", "out", "desc", "msg"}

// keys leaves alone what a literal's keys are, and the values of fields that say
// what is wanted.
func (w *sceneWeaver) keys(lit *ast.CompositeLit) {
	t := w.file.pkg.info.TypeOf(lit)
	if t == nil {
		return
	}
	s, _ := t.Underlying().(*types.Struct)
	_, isMap := t.Underlying().(*types.Map)
	for k, e := range lit.Elts {
		field := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if !isMap {
				w.skip[kv.Key] = true
			}
			if id, ok := kv.Key.(*ast.Ident); ok {
				field = id.Name
			}
			e = kv.Value
		} else if s != nil && k < s.NumFields() {
			field = s.Field(k).Name()
		}
		if s != nil && slices.ContainsFunc(wanted, func(x string) bool { return strings.HasPrefix(strings.ToLower(field), x) }) {
			w.skip[e] = true
		}
	}
}

// operands looks at what is compared; a literal there says what is wanted.
func (w *sceneWeaver) operands(b *ast.BinaryExpr) {
	switch b.Op {
	case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
	case token.SHL, token.SHR:
		w.skip[b] = true
		return
	default:
		return
	}
	for _, x := range []ast.Expr{b.X, b.Y} {
		if _, literal := x.(*ast.BasicLit); literal {
			w.skip[x] = true
			continue
		}
		w.look(x)
	}
}

// look notes the value of an expression.
func (w *sceneWeaver) look(x ast.Expr) {
	tv, ok := w.file.pkg.info.Types[x]
	if !ok || !tv.IsValue() || tv.Value != nil || w.fixed[x] || tv.IsNil() {
		return
	}
	switch t := tv.Type.(type) {
	case *types.Tuple:
		return
	case *types.Basic:
		if t.Info()&types.IsUntyped != 0 {
			return
		}
	}
	if p, ok := x.(*ast.ParenExpr); ok {
		w.look(p.X)
		return
	}
	w.fixed[x] = true
	w.insert(x.Pos(), fmt.Sprintf("%s.See(%d, ", alias, w.note(w.text(x))))
	w.insert(x.End(), ")")
}

func (w *sceneWeaver) note(text string) int {
	w.stage.looks = append(w.stage.looks, text)
	return len(w.stage.looks) - 1
}

// several notes what a call gives that gives several values.
func (w *sceneWeaver) several(a *ast.AssignStmt) {
	if len(a.Rhs) != 1 || len(a.Lhs) < 2 {
		return
	}
	call, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok || !w.own(call) {
		return
	}
	var names []string
	for _, x := range a.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok {
			return
		}
		if id.Name != "_" {
			names = append(names, id.Name)
		}
	}
	if at := w.offset(a.End()); w.statement(a) && len(names) > 0 {
		text := fmt.Sprintf("; %s.Saw(%d, %s)", alias, w.note(w.text(call)), strings.Join(names, ", "))
		w.last = append(w.last, textedit.Edit{Start: at, End: at, New: text})
	}
}

// statement reports whether an assignment is one of a block, and not the head of an if.
func (w *sceneWeaver) statement(a *ast.AssignStmt) bool {
	rest := strings.TrimLeft(string(w.file.content[w.file.offset(a.End()):]), " \t")
	return strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "\r")
}

// own reports whether a call is one of a function of the module.
func (w *sceneWeaver) own(call *ast.CallExpr) bool {
	fn, ok := w.file.pkg.info.Uses[calleeOf(call)].(*types.Func)
	return ok && fn.Pkg() != nil && (fn.Pkg().Path() == w.stage.tests.ImportPath || w.stage.sources[fn.Pkg().Path()] != nil)
}

// call notes what a call of the code under test gives, and what an assertion gets.
func (w *sceneWeaver) call(call *ast.CallExpr) {
	marks := &testWeaver{file: w.file}
	info := w.file.pkg.info
	sel, isMethod := call.Fun.(*ast.SelectorExpr)
	if isMethod {
		if t := info.TypeOf(sel.X); t != nil && strings.Contains(t.String(), "testing.") {
			w.report(call, sel)
			return
		}
	}
	if w.own(call) && !strings.HasSuffix(w.stage.fileOf(call, info), "_test.go") {
		w.look(call)
		return
	}
	asserts := marks.helped(call) || isMethod && (sel.Sel.Name == "DeepEqual" || sel.Sel.Name == "Equal" || sel.Sel.Name == "Diff") || marks.reports(call) != nothing
	if !asserts {
		return
	}
	for k, a := range call.Args {
		if _, literal := a.(*ast.BasicLit); literal {
			w.skip[a] = true
			continue
		}
		if t := info.TypeOf(a); t == nil || !carries(t) || call.Ellipsis.IsValid() && k == len(call.Args)-1 {
			continue
		}
		if id, ok := a.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false" || id.Name == "nil") {
			w.skip[a] = true
			continue
		}
		if _, function := a.(*ast.FuncLit); !function {
			w.look(a)
		}
	}
}

// fileOf is the file of what a call calls.
func (st *stage) fileOf(call *ast.CallExpr, info *types.Info) string {
	o := info.Uses[calleeOf(call)]
	if o == nil || !o.Pos().IsValid() {
		return ""
	}
	for _, src := range []*source{st.tests.internal, st.tests.external} {
		if f := src.fset.File(o.Pos()); f != nil && o.Pkg() == src.types {
			return f.Name()
		}
	}
	return ""
}

// report has a test go on where it would end, and leaves alone what it says.
func (w *sceneWeaver) report(call *ast.CallExpr, sel *ast.SelectorExpr) {
	on := map[string]string{"Fatal": "Error", "Fatalf": "Errorf", "FailNow": "Fail"}
	if to := on[sel.Sel.Name]; to != "" {
		w.replace(sel.Sel, to)
	}
	for _, a := range call.Args {
		if _, function := a.(*ast.FuncLit); !function {
			w.skip[a] = true
		}
	}
}
