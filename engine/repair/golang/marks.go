package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"autocoder/engine/textedit"
)

// mark is a statement of a test after which a row of the spectrum ends.
type mark struct {
	file string
	line int
	// asserts means that the statement can fail the test by itself.
	asserts bool
	// needs are the marks of the statements before it whose effect it looks at.
	needs []int
	// inner is the last mark in its own blocks, which all come behind it.
	inner int
}

// testWeaver weaves marks into the functions of tests.
type testWeaver struct {
	weaver
	file  *file
	marks *[]mark
	// done are the functions that are marked.
	done map[*ast.BlockStmt]bool
	// front comes before everything else at its place.
	front []textedit.Edit
}

func (w *testWeaver) insertFirst(at token.Pos, text string) {
	w.front = append(w.front, textedit.Edit{Start: w.offset(at), End: w.offset(at), New: text})
}

// tests weaves marks after the statements of functions that have a *testing.T,
// and notes where failures are reported.
func (w *testWeaver) tests() {
	// What closes an assertion comes before the mark at the same place.
	ast.Inspect(w.file.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok {
			w.assertion(s)
		}
		return true
	})
	ast.Inspect(w.file.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				w.function(n.Type, n.Body, nil)
			}
		case *ast.FuncLit:
			w.function(n.Type, n.Body, nil)
		}
		return true
	})
	w.edits = append(w.front, w.edits...)
}

// function marks the statements of a function that belongs to a test. before are
// those of the function around it.
func (w *testWeaver) function(t *ast.FuncType, body *ast.BlockStmt, before []marked) {
	name := w.testParam(t)
	if name == "" || t.Results != nil || w.redefined(name, body) || w.done[body] {
		return
	}
	w.done[body] = true
	w.insertFirst(body.Lbrace+1, fmt.Sprintf(" defer %s.Leave(%s); ", alias, name))
	w.block(name, body.List, before)
}

// testParam is the name of the only parameter of type *testing.T of a function
// that has nothing but it; helpers with more are part of the statement that
// calls them.
func (w *testWeaver) testParam(t *ast.FuncType) string {
	if t.Params == nil || len(t.Params.List) != 1 || len(t.Params.List[0].Names) != 1 {
		return ""
	}
	if typ := w.file.pkg.info.TypeOf(t.Params.List[0].Type); typ == nil || typ.String() != "*testing.T" {
		return ""
	}
	if name := t.Params.List[0].Names[0].Name; name != "_" {
		return name
	}
	return ""
}

// redefined reports whether a body gives the name another meaning.
func (w *testWeaver) redefined(name string, body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == name && w.file.pkg.info.Defs[id] != nil {
			found = true
		}
		return !found
	})
	return found
}

// block marks statements, and those of the loops and blocks among them. before
// are the statements around them that ran before, with their marks.
func (w *testWeaver) block(name string, list []ast.Stmt, before []marked) {
	lines := w.file.pkg.fset.File(w.file.syntax.FileStart)
	for _, s := range list {
		switch s.(type) {
		case *ast.BranchStmt, *ast.ReturnStmt, *ast.DeferStmt, *ast.DeclStmt:
			continue
		}
		k := len(*w.marks)
		*w.marks = append(*w.marks, mark{w.file.path, lines.Line(s.Pos()), w.asserts(s), needs(w.file.pkg.info, s, before), k})
		before = append(before[:len(before):len(before)], marked{s, k})
		w.insertFirst(s.Pos(), fmt.Sprintf("%s.At(%s, %d); ", alias, name, k))
		switch s := s.(type) {
		case *ast.ForStmt:
			w.block(name, s.Body.List, before)
		case *ast.RangeStmt:
			w.block(name, s.Body.List, before)
		case *ast.BlockStmt:
			w.block(name, s.List, before)
		}
		(*w.marks)[k].inner = len(*w.marks) - 1
		ast.Inspect(s, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncLit); ok {
				w.function(fn.Type, fn.Body, before)
			}
			return true
		})
		for _, b := range leaving(s) {
			w.insertFirst(b.Pos(), fmt.Sprintf("%s.Mark(%s, %d); ", alias, name, k))
		}
		w.insert(s.End(), fmt.Sprintf("; %s.Mark(%s, %d)", alias, name, k))
	}
}

// leaving are the branches by which control leaves a statement that has no marks in it
// before its end, as where a failure was reported and a loop goes on with the next case.
func leaving(s ast.Stmt) []*ast.BranchStmt {
	var out []*ast.BranchStmt
	var walk func(n ast.Node, loops, breaks int)
	walk = func(n ast.Node, loops, breaks int) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				if m != n {
					walk(m, loops+1, breaks+1)
					return false
				}
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n {
					walk(m, loops, breaks+1)
					return false
				}
			case *ast.BranchStmt:
				if m.Label != nil || m.Tok == token.CONTINUE && loops == 0 || m.Tok == token.BREAK && breaks == 0 {
					out = append(out, m)
				}
			}
			return true
		})
	}
	switch s.(type) {
	case *ast.IfStmt:
		walk(s, 0, 0)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		walk(s, 0, 1)
	}
	return out
}

// asserts reports whether a statement can report a failure by itself, and not by
// a subtest in it.
func (w *testWeaver) asserts(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return w.testParam(n.Type) == ""
		case *ast.CallExpr:
			found = found || w.reports(n) != nothing || w.helped(n)
		}
		return !found
	})
	return found
}

// helped reports whether a call gives the test to a helper.
func (w *testWeaver) helped(call *ast.CallExpr) bool {
	for _, a := range call.Args {
		if t := w.file.pkg.info.TypeOf(a); t != nil && (t.String() == "*testing.T" || t.String() == "testing.TB") {
			return true
		}
	}
	return false
}

type marked struct {
	stmt ast.Stmt
	k    int
}

// needs are the marks of the earlier statements on which one depends, by the
// variables that it uses.
func needs(info *types.Info, s ast.Stmt, before []marked) []int {
	wanted := map[types.Object]bool{}
	mention(info, s, wanted)
	var out []int
	for _, b := range slices.Backward(before) {
		if b.stmt.Pos() <= s.Pos() && s.End() <= b.stmt.End() {
			// The loop around it: what it goes over is wanted too.
			if r, ok := b.stmt.(*ast.RangeStmt); ok {
				mention(info, r.X, wanted)
			}
			continue
		}
		if !affects(info, b.stmt, wanted) {
			continue
		}
		out = append(out, b.k)
		a, ok := b.stmt.(*ast.AssignStmt)
		if !ok {
			mention(info, b.stmt, wanted)
			continue
		}
		for _, x := range a.Lhs {
			if id, ok := x.(*ast.Ident); ok && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
				delete(wanted, objectOf(info, id))
			} else {
				mention(info, x, wanted)
			}
		}
		for _, x := range a.Rhs {
			mention(info, x, wanted)
		}
	}
	return out
}

func objectOf(info *types.Info, id *ast.Ident) types.Object {
	if o := info.Defs[id]; o != nil {
		return o
	}
	return info.Uses[id]
}

// mention adds the local variables of a node that can carry an effect from one
// statement to another.
func mention(info *types.Info, n ast.Node, to map[types.Object]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := info.Uses[id].(*types.Var); ok && !v.IsField() && carries(v.Type()) {
				to[v] = true
			}
		}
		return true
	})
}

// carries reports whether a variable of a type belongs to what is tested; the
// test itself and the objects of assertion libraries do not.
func carries(t types.Type) bool {
	text := t.String()
	return !strings.Contains(text, "testing.") && !strings.Contains(text, "testify") && !strings.Contains(text, "/assert.") && !strings.Contains(text, "/require.")
}

// affects reports whether a statement gives a value to one of the variables, or
// may change what one refers to.
func affects(info *types.Info, s ast.Stmt, wanted map[types.Object]bool) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return !found
		}
		o := objectOf(info, id)
		if !wanted[o] {
			return true
		}
		if info.Defs[id] != nil || assigned(s, id) || shared(o.Type()) {
			found = true
		}
		return !found
	})
	return found
}

// assigned reports whether id is on the left side of an assignment in s, or its
// address is taken.
func assigned(s ast.Stmt, id *ast.Ident) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if x.Pos() <= id.Pos() && id.End() <= x.End() {
					found = true
				}
			}
		case *ast.IncDecStmt:
			found = found || n.X.Pos() <= id.Pos() && id.End() <= n.X.End()
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && n.X.Pos() <= id.Pos() && id.End() <= n.X.End()
		}
		return !found
	})
	return found
}

// shared reports whether a copy of a value refers to the same things.
func shared(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Interface, *types.Signature:
		return true
	case *types.Slice:
		return true
	case *types.Struct:
		// Methods with a pointer receiver change it in place.
		return u.NumFields() > 0
	default:
		return false
	}
}

// report is how a call reports a failure.
type report uint8

const (
	nothing report = iota
	// byResult is an assertion that returns whether it holds.
	byResult
	// byCall is a call such as t.Errorf.
	byCall
)

// reports says how a call in a test reports a failure.
func (w *testWeaver) reports(call *ast.CallExpr) report {
	info := w.file.pkg.info
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nothing
	}
	of := info.TypeOf(sel.X)
	switch sel.Sel.Name {
	case "Error", "Errorf", "Fail", "Fatal", "Fatalf", "FailNow":
		if of != nil && strings.Contains(of.String(), "testing.") {
			return byCall
		}
	case "Run":
		return nothing
	}
	if b, ok := info.TypeOf(call).(*types.Basic); ok && b.Kind() == types.Bool && (w.helped(call) || of != nil && !carries(of)) {
		return byResult
	}
	return nothing
}

// assertion notes what a statement reports of a failure.
func (w *testWeaver) assertion(s *ast.ExprStmt) {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return
	}
	switch w.reports(call) {
	case byResult:
		w.insert(s.Pos(), alias+".Note(")
		w.insert(s.End(), ")")
	case byCall:
		w.insert(s.Pos(), alias+".Fails(); ")
	case nothing:
	}
}
