package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// state is what the tests leave behind in variables of packages. Candidates run one
// after the other in one process, so these get their first value back between
// two of them.
type state struct {
	// kept are the variables by file.
	kept map[*file][]string
	// lasting means that something else stays behind: then each candidate needs a
	// process of its own.
	lasting bool
	// random means that the tests do something else each time, whatever ran before.
	random bool
}

// findState looks for variables of packages that covered functions may change.
func (s *session) findState() state {
	st := state{kept: map[*file][]string{}}
	covered := map[string]map[int]bool{}
	for _, r := range s.traced.rows {
		for path, lines := range r.Lines {
			if covered[path] == nil {
				covered[path] = map[int]bool{}
			}
			for _, l := range lines {
				covered[path][l] = true
			}
		}
	}
	for _, path := range s.own {
		src := s.sources[path]
		changed := map[types.Object]bool{}
		for _, f := range src.files {
			for _, d := range f.syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && fn.Body != nil && covered[f.path][src.fset.Position(fn.Pos()).Line] {
					src.writes(fn.Body, changed)
				}
			}
		}
		for _, f := range src.files {
			f.keep(changed, &st)
		}
	}
	return st
}

// ranEarly reports whether a function ran before the tests did.
func (s *session) ranEarly(f *file, fn *ast.FuncDecl) bool {
	start, end := f.pkg.fset.Position(fn.Pos()).Line, f.pkg.fset.Position(fn.End()).Line
	for _, l := range s.traced.early[f.path] {
		if start <= l && l <= end {
			return true
		}
	}
	return false
}

// writes adds the package's variables that a node changes, or lets others change.
func (s *source) writes(n ast.Node, to map[types.Object]bool) {
	note := func(x ast.Expr) {
		if o := s.variable(x); o != nil {
			to[o] = true
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				note(x)
			}
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				note(n.Key)
				note(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X)
			}
		case *ast.SendStmt:
			note(n.Chan)
		case *ast.CallExpr:
			s.callWrites(n, note)
		}
		return true
	})
}

// callWrites notes what a call may change: what it deletes from, what a method
// with a pointer gets.
func (s *source) callWrites(n *ast.CallExpr, note func(ast.Expr)) {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		if (fun.Name == "delete" || fun.Name == "clear" || fun.Name == "copy") && len(n.Args) > 0 {
			note(n.Args[0])
		}
	case *ast.SelectorExpr:
		sel := s.info.Selections[fun]
		if sel == nil || sel.Kind() != types.MethodVal {
			return
		}
		sig, ok := sel.Obj().Type().(*types.Signature)
		if !ok || sig.Recv() == nil {
			return
		}
		if _, pointer := sig.Recv().Type().(*types.Pointer); pointer && !strings.HasPrefix(sel.Recv().String(), "*regexp.") {
			note(fun.X)
		}
	}
}

// variable is the package's variable at the root of x.
func (s *source) variable(x ast.Expr) types.Object {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.Ident:
			o, ok := s.info.Uses[y].(*types.Var)
			if ok && s.types != nil && o.Parent() == s.types.Scope() {
				return o
			}
			return nil
		default:
			return nil
		}
	}
}

// keep notes the variables of a file that are changed.
func (f *file) keep(changed map[types.Object]bool, st *state) {
	for _, d := range f.syntax.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for _, id := range v.Names {
				if changed[f.pkg.info.Defs[id]] {
					st.kept[f] = append(st.kept[f], id.Name)
				}
			}
		}
	}
}
