package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"autocoder/engine/textedit"
)

// alias is the name of the woven-in package in the files it is woven into.
const alias = "autocoderrt"

// weaver collects what is put into a file. Everything stays on its line, so that
// the lines of a traceback are those of the file.
type weaver struct {
	// offset gives a position's offset.
	offset func(token.Pos) int
	edits  []textedit.Edit
}

func (w *weaver) insert(at token.Pos, text string) { w.insertAt(w.offset(at), text) }

func (w *weaver) insertAt(at int, text string) {
	w.edits = append(w.edits, textedit.Edit{Start: at, End: at, New: text})
}

func (w *weaver) replace(n ast.Node, text string) {
	w.edits = append(w.edits, textedit.Edit{Start: w.offset(n.Pos()), End: w.offset(n.End()), New: text})
}

// apply returns the content with everything put in.
func (w *weaver) apply(content []byte) ([]byte, error) {
	slices.SortStableFunc(w.edits, func(a, b textedit.Edit) int { return a.Start - b.Start })
	return textedit.ApplyEdits(content, w.edits)
}

// importRuntime adds the import of the runtime, and others, on the line of the
// package clause.
func (w *weaver) importRuntime(f *ast.File, runtime string, others []string) {
	text := fmt.Sprintf("; import %s %q", alias, runtime)
	for _, p := range others {
		text += fmt.Sprintf("; import %q", p)
	}
	w.insert(f.Name.End(), text)
}

// ticks burn fuel where code can go round: at the start of each loop's and each
// function's body.
func (w *weaver) ticks(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		case *ast.FuncDecl:
			body = n.Body
		case *ast.LabeledStmt:
			// A goto can go round too.
			w.insert(n.Pos(), alias+".Tick(); ")
		}
		if body != nil {
			w.insert(body.Lbrace+1, " "+alias+".Tick(); ")
		}
		return true
	})
}

// span is the lines of a statement that run when it runs, in its file.
type span struct {
	path       string
	start, end int
}

// counter numbers the statements that are counted.
type counter struct{ spans []span }

func (c *counter) next(s span) int {
	c.spans = append(c.spans, s)
	return len(c.spans) - 1
}

// counts weaves counting into the statements of a file.
func (w *weaver) counts(f *file, c *counter) {
	lines := f.pkg.fset.File(f.syntax.FileStart)
	add := func(start, end token.Pos) int {
		return c.next(span{f.path, lines.Line(start), lines.Line(end)})
	}
	list := func(stmts []ast.Stmt) {
		for _, s := range stmts {
			start, end := header(s)
			w.insert(s.Pos(), fmt.Sprintf("%s.H(%d); ", alias, add(start, end)))
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if !clauses(n) {
				list(n.List)
			}
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		case *ast.IfStmt:
			if e, ok := n.Else.(*ast.IfStmt); ok && isBool(f.pkg.info.TypeOf(e.Cond)) {
				w.insert(e.Cond.Pos(), fmt.Sprintf("%s.C(%d) && (", alias, add(e.Pos(), e.Body.Lbrace)))
				w.insert(e.Cond.End(), ")")
			}
		case *ast.FuncDecl:
			if n.Body != nil {
				w.insert(n.Body.Lbrace+1, fmt.Sprintf(" %s.H(%d); ", alias, add(n.Pos(), n.Body.Lbrace)))
			}
		}
		return true
	})
}

// isBool reports whether a condition can be joined to another; one of a named type
// can't.
func isBool(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

func clauses(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[0].(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	default:
		return false
	}
}

// header is the part of a statement that runs first: all of a simple one, and
// what stands before the block of a compound one. The cases of a switch belong to
// it.
func header(s ast.Stmt) (start, end token.Pos) {
	switch s := s.(type) {
	case *ast.IfStmt:
		return s.Pos(), s.Body.Lbrace
	case *ast.ForStmt:
		return s.Pos(), s.Body.Lbrace
	case *ast.RangeStmt:
		return s.Pos(), s.Body.Lbrace
	case *ast.SwitchStmt:
		return s.Pos(), s.Body.Lbrace
	case *ast.TypeSwitchStmt:
		return s.Pos(), s.Body.Lbrace
	case *ast.SelectStmt:
		return s.Pos(), s.Body.Lbrace
	case *ast.LabeledStmt:
		return header(s.Stmt)
	case *ast.BlockStmt:
		return s.Pos(), s.Lbrace
	default:
		end := s.End()
		ast.Inspect(s, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncLit); ok {
				end = min(end, fn.Body.Lbrace)
				return false
			}
			return true
		})
		return s.Pos(), end
	}
}
