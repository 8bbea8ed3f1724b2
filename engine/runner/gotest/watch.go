package gotest

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"autocoder/engine/runner"
)

// A drill also watches whether a target comes again to the check at which it failed
// before, and whether the code under test recovers from a check that panics. For
// that the test files are compiled from copies with calls on the same lines.

// check is a check that failed before. sure means that no honest repair keeps its
// test from coming to it.
type check struct {
	test string
	line int
	sure bool
	at   token.Pos
}

// watchChecks finds the checks that failed before in the test files, and returns
// the files' texts with the calls that note them.
func watchChecks(d *runner.Drill) (checks []check, files map[string]string) {
	files = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Texts)) {
		w := watching{d: d, set: token.NewFileSet(), text: d.Texts[name], inserts: map[token.Pos]string{}}
		var err error
		if w.file, err = goparser.ParseFile(w.set, "", w.text, goparser.SkipObjectResolution); err != nil {
			continue // the build says so
		}
		if w.testing = w.testingName(); w.testing == "" || !strings.HasSuffix(name, "_test.go") {
			continue
		}
		found := w.checks(name)
		w.insertAll(len(checks), found)
		checks = append(checks, found...)
		files[name] = w.written(len(checks)-len(found), found)
	}
	return checks, files
}

// watching is one test file.
type watching struct {
	d       *runner.Drill
	set     *token.FileSet
	file    *ast.File
	text    string
	testing string
	inserts map[token.Pos]string
}

// testingName is what the file calls the package testing; "" when it can't name it.
func (w *watching) testingName() string {
	for _, spec := range w.file.Imports {
		switch {
		case spec.Path.Value != `"testing"`:
		case spec.Name == nil:
			return "testing"
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			return spec.Name.Name
		}
	}
	return ""
}

func (w *watching) checks(name string) []check {
	var found []check
	for _, id := range slices.Sorted(maps.Keys(w.d.Failed)) {
		place := w.d.Failed[id]
		_, test, ok := SplitID(id)
		if place.File != name || !ok {
			continue
		}
		if at, sure := w.anchor(w.around(place.Line)); at != token.NoPos {
			found = append(found, check{test: test, line: place.Line, sure: sure, at: at})
		}
	}
	return found
}

// insertAll notes the calls before checks, numbered from first, and before panics.
func (w *watching) insertAll(first int, found []check) {
	for i, c := range found {
		w.inserts[c.at] += fmt.Sprintf("%s.%sCome(%d);", w.testing, w.d.Token, first+i)
	}
	if strings.Contains(w.text, "recover()") {
		return // the tests catch their own
	}
	ast.Inspect(w.file, func(n ast.Node) bool {
		// One that always panics is no check: the test wants to see what becomes of it.
		if branch, ok := n.(*ast.IfStmt); ok {
			for _, s := range branch.Body.List {
				if isCall(s, "panic") {
					w.inserts[s.Pos()] += fmt.Sprintf("%s.%sPanics();", w.testing, w.d.Token)
				}
			}
		}
		return true
	})
}

// written is the text with the calls in it.
func (w *watching) written(first int, found []check) string {
	var b bytes.Buffer
	last := 0
	for _, pos := range slices.SortedFunc(maps.Keys(w.inserts), func(a, b token.Pos) int { return cmp.Compare(a, b) }) {
		at := w.set.Position(pos).Offset
		b.WriteString(w.text[last:at] + w.inserts[pos])
		last = at
	}
	b.WriteString(w.text[last:])
	numbers := make([]string, len(found))
	for i := range found {
		numbers[i] = fmt.Sprint(first + i)
	}
	fmt.Fprintf(&b, "\nvar _ = %s.%sHere(%s)\n", w.testing, w.d.Token, strings.Join(numbers, ", "))
	return b.String()
}

// around are the nodes that a line lies in, the outermost first.
func (w *watching) around(line int) []ast.Node {
	var stack []ast.Node
	ast.Inspect(w.file, func(n ast.Node) bool {
		if n == nil || w.set.Position(n.Pos()).Line > line || w.set.Position(n.End()).Line < line {
			return false
		}
		// Of several on one line the last is taken with what is in it.
		for len(stack) > 0 && !(stack[len(stack)-1].Pos() <= n.Pos() && n.End() <= stack[len(stack)-1].End()) {
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return stack
}

// statements are those of a list in which others can be inserted.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	default:
		return nil
	}
}

// anchor is the statement before which a check is noted: that at the line, or what
// decides whether it is come to where it does nothing but fail.
func (w *watching) anchor(stack []ast.Node) (token.Pos, bool) {
	at := w.listed(stack, len(stack))
	if at < 0 {
		return token.NoPos, false
	}
	if failsOnly(stack[at]) {
		outer := w.listed(stack, at)
		if outer < 0 || slices.ContainsFunc(stack[outer:at], isFuncLit) {
			return token.NoPos, false
		}
		switch stack[outer].(type) {
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			at = outer
		default:
			return token.NoPos, false
		}
	}
	return stack[at].Pos(), w.sure(stack[:at])
}

// listed is the index of the innermost node before end that stands in a list of
// statements, or -1.
func (w *watching) listed(stack []ast.Node, end int) int {
	for i := end - 1; i > 0; i-- {
		if s, ok := stack[i].(ast.Stmt); ok && slices.Contains(statements(stack[i-1]), s) {
			return i
		}
	}
	return -1
}

// sure reports whether a statement below the nodes is come to in every run of its
// test, as far as the test itself decides.
func (w *watching) sure(above []ast.Node) bool {
	for i, n := range above {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return false
		case *ast.ForStmt:
			if bound, ok := n.Cond.(*ast.BinaryExpr); !ok || !w.own(bound.Y) {
				return false
			}
		case *ast.RangeStmt:
			if !w.own(n.X) {
				return false
			}
		case *ast.FuncLit:
			if !w.handedOver(above[i-1], n) {
				return false
			}
		}
	}
	return true
}

// own reports whether an expression is what the test file itself has written down.
func (w *watching) own(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CompositeLit, *ast.BasicLit:
		return true
	case *ast.Ident:
		value := ast.Expr(nil)
		ast.Inspect(w.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok && id.Name == x.Name && len(n.Rhs) == len(n.Lhs) {
						value = n.Rhs[i]
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if id.Name == x.Name && len(n.Values) == len(n.Names) {
						value = n.Values[i]
					}
				}
			}
			return true
		})
		_, literal := value.(*ast.CompositeLit)
		return literal
	default:
		return false
	}
}

// handedOver reports whether a function is called by what it is handed to: a
// subtest, or code of the project. What the standard library does with one depends
// on what it has to do it with.
func (w *watching) handedOver(parent ast.Node, f *ast.FuncLit) bool {
	call, ok := parent.(*ast.CallExpr)
	if !ok {
		return false
	}
	if call.Fun == ast.Expr(f) {
		return true
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		_, plain := call.Fun.(*ast.Ident)
		return plain
	}
	base, ok := selector.X.(*ast.Ident)
	return !ok || !slices.ContainsFunc(w.file.Imports, func(spec *ast.ImportSpec) bool {
		p := strings.Trim(spec.Path.Value, `"`)
		first, _, _ := strings.Cut(p, "/")
		return !strings.Contains(first, ".") && p[strings.LastIndexByte(p, '/')+1:] == base.Name
	})
}

func isFuncLit(n ast.Node) bool {
	_, ok := n.(*ast.FuncLit)
	return ok
}

// failsOnly reports whether a statement does nothing but fail.
func failsOnly(n ast.Node) bool {
	s, ok := n.(ast.Stmt)
	return ok && isCall(s, "panic", "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow")
}

// isCall reports whether a statement is a call of a function or method with one of
// the names.
func isCall(s ast.Stmt, names ...string) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return slices.Contains(names, f.Name)
	case *ast.SelectorExpr:
		return slices.Contains(names, f.Sel.Name)
	default:
		return false
	}
}
