package golang

import (
	"go/ast"
	"go/token"
	"go/types"

	"autocoder/engine/repair/node"
)

func (b *builder) decl(d ast.Decl) []*node.Node {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []*node.Node{b.function(d)}
	case *ast.GenDecl:
		return b.genDecl(d, false)
	default:
		return nil
	}
}

// genDecl returns the declarations with values of a var or const.
func (b *builder) genDecl(d *ast.GenDecl, local bool) []*node.Node {
	var out []*node.Node
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if len(v.Values) > 0 {
			out = append(out, b.valueSpec(d, v))
		}
		if local {
			for _, id := range v.Names {
				b.declare(id)
			}
		}
	}
	return out
}

func (b *builder) valueSpec(d *ast.GenDecl, v *ast.ValueSpec) *node.Node {
	if d.Tok != token.VAR {
		return b.of(node.Other, v, b.exprs(v.Values)...)
	}
	targets := make([]ast.Expr, len(v.Names))
	for i, id := range v.Names {
		targets[i] = id
	}
	n := b.of(node.VarDecl, v, b.side(targets), b.side(v.Values))
	n.Op = "="
	return n
}

func (b *builder) function(d *ast.FuncDecl) *node.Node {
	b.push()
	defer b.pop()
	n := b.of(node.Function, d)
	n.Name = d.Name.Name
	if d.Recv != nil {
		n.Children = append(n.Children, b.params(d.Recv)...)
	}
	n.Children = append(n.Children, b.params(d.Type.Params)...)
	n.Type = b.results(d.Type)
	n.Scope = b.visible()
	if d.Body != nil {
		n.Children = append(n.Children, b.block(d.Body))
	}
	return n
}

func (b *builder) params(list *ast.FieldList) []*node.Node {
	var out []*node.Node
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			p := b.of(node.Param, id)
			p.Name = id.Name
			if obj := b.info.Defs[id]; obj != nil {
				p.Type = b.typeName(obj.Type())
			}
			b.declare(id)
			out = append(out, p)
		}
	}
	return out
}

// results declares named results and returns the type of what is returned.
func (b *builder) results(t *ast.FuncType) string {
	if t.Results.NumFields() == 0 {
		return ""
	}
	var list []types.Type
	for _, f := range t.Results.List {
		typ := b.info.TypeOf(f.Type)
		for _, id := range f.Names {
			b.declare(id)
		}
		for range max(1, len(f.Names)) {
			list = append(list, typ)
		}
	}
	if len(list) == 1 {
		return b.typeName(list[0])
	}
	out := "("
	for i, typ := range list {
		if i > 0 {
			out += ", "
		}
		out += b.typeName(typ)
	}
	return out + ")"
}

func (b *builder) block(s *ast.BlockStmt) *node.Node {
	b.push()
	defer b.pop()
	n := b.of(node.Block, s)
	n.Children = b.stmts(s.List)
	return n
}

// clause is the statements of a case, a Block without braces.
func (b *builder) clause(list []ast.Stmt) *node.Node {
	if len(list) == 0 {
		return nil
	}
	b.push()
	defer b.pop()
	return b.at(node.Block, list[0].Pos(), list[len(list)-1].End(), b.stmts(list)...)
}

// stmts returns statements, each with what is visible there.
func (b *builder) stmts(list []ast.Stmt) []*node.Node {
	var out []*node.Node
	for _, s := range list {
		scope := b.visible()
		n := b.stmt(s)
		if n == nil {
			continue
		}
		if n.Scope == nil {
			n.Scope = scope
		}
		out = append(out, n)
	}
	return out
}

func (b *builder) stmt(s ast.Stmt) *node.Node {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if isPanic(s.X) {
			return b.of(node.Raise, s, b.expr(s.X))
		}
		return b.of(node.ExprStmt, s, b.expr(s.X))
	case *ast.AssignStmt:
		return b.assign(s)
	case *ast.IncDecStmt:
		n := b.of(node.Assign, s, b.expr(s.X), b.empty(s.TokPos+2))
		return b.operator(n, s.Tok, s.TokPos)
	case *ast.DeclStmt:
		return b.declStmt(s)
	case *ast.ReturnStmt:
		return b.of(node.Return, s, b.side(s.Results))
	case *ast.BlockStmt:
		return b.of(node.OtherStmt, s, b.block(s))
	case *ast.BranchStmt:
		return b.branch(s)
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
		return b.control(s)
	case *ast.EmptyStmt:
		return nil
	default:
		return b.otherStmt(s)
	}
}

func isPanic(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

func (b *builder) assign(s *ast.AssignStmt) *node.Node {
	value := b.side(s.Rhs)
	n := b.of(node.Assign, s, b.side(s.Lhs), value)
	if s.Tok == token.DEFINE {
		for _, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok && b.isNew(id) {
				b.declare(id)
			}
		}
	}
	return b.operator(n, s.Tok, s.TokPos)
}

// isNew reports whether := declares the name; without type information each
// name is taken for new.
func (b *builder) isNew(id *ast.Ident) bool {
	return b.info.Defs == nil || b.info.Defs[id] != nil
}

func (b *builder) declStmt(s *ast.DeclStmt) *node.Node {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	specs := b.genDecl(d, true)
	if len(specs) == 1 && specs[0].Kind == node.VarDecl && len(d.Specs) == 1 {
		specs[0].Start, specs[0].Line = b.file.Offset(s.Pos()), b.file.Line(s.Pos())
		return specs[0]
	}
	return b.of(node.OtherStmt, s, specs...)
}

func (b *builder) branch(s *ast.BranchStmt) *node.Node {
	switch {
	case s.Label == nil && s.Tok == token.BREAK:
		return b.of(node.Break, s)
	case s.Label == nil && s.Tok == token.CONTINUE:
		return b.of(node.Continue, s)
	default:
		return b.of(node.OtherStmt, s)
	}
}

// control is an if or a loop, with a scope of its own around it.
func (b *builder) control(s ast.Stmt) *node.Node {
	b.push()
	defer b.pop()
	switch s := s.(type) {
	case *ast.IfStmt:
		return b.withInit(s)
	case *ast.ForStmt:
		return b.forStmt(s)
	case *ast.RangeStmt:
		return b.rangeStmt(s)
	default:
		return nil
	}
}

// withInit is an if with what stands before its condition, for which an If has no
// place among its children: then the If begins at the condition, and a statement
// around it holds both.
func (b *builder) withInit(s *ast.IfStmt) *node.Node {
	if s.Init == nil {
		return b.ifStmt(s)
	}
	init := b.stmt(s.Init)
	n := b.ifStmt(s)
	n.Start, n.Line = b.file.Offset(s.Cond.Pos()), b.file.Line(s.Cond.Pos())
	return b.of(node.OtherStmt, s, init, n)
}

func (b *builder) ifStmt(s *ast.IfStmt) *node.Node {
	n := b.of(node.If, s, b.expr(s.Cond))
	n.Scope = b.visible()
	n.Children = append(n.Children, b.block(s.Body))
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		n.Children = append(n.Children, b.block(e))
	case *ast.IfStmt:
		b.push()
		if e.Init != nil {
			b.stmt(e.Init) // for what it declares
		}
		n.Children = append(n.Children, b.ifStmt(e))
		b.pop()
	}
	return n
}

func (b *builder) forStmt(s *ast.ForStmt) *node.Node {
	if s.Init == nil && s.Post == nil && s.Cond != nil {
		return b.of(node.While, s, b.expr(s.Cond), b.block(s.Body))
	}
	before := s.Body.Lbrace
	init, cond, step := b.empty(s.For+3), b.empty(s.For+3), b.empty(before)
	if s.Init != nil {
		init = b.stmt(s.Init)
		cond = b.empty(s.Init.End())
	}
	scope := b.visible()
	if s.Cond != nil {
		cond = b.expr(s.Cond)
	}
	if s.Post != nil {
		step = b.stmt(s.Post)
	}
	n := b.of(node.For, s, init, cond, step, b.block(s.Body))
	n.Op, n.Scope = ";", scope
	return n
}

func (b *builder) rangeStmt(s *ast.RangeStmt) *node.Node {
	iterable := b.expr(s.X)
	var targets []ast.Expr
	for _, x := range []ast.Expr{s.Key, s.Value} {
		if x != nil {
			targets = append(targets, x)
		}
	}
	target := b.side(targets)
	if s.Tok == token.DEFINE {
		for _, x := range targets {
			if id, ok := x.(*ast.Ident); ok {
				b.declare(id)
			}
		}
	}
	n := b.of(node.For, s, target, iterable, b.block(s.Body))
	n.Op = "in"
	return n
}

// otherStmt is a statement that templates know only by what lies in it.
func (b *builder) otherStmt(s ast.Stmt) *node.Node {
	switch s := s.(type) {
	case *ast.DeferStmt:
		return b.of(node.OtherStmt, s, b.expr(s.Call))
	case *ast.GoStmt:
		return b.of(node.OtherStmt, s, b.expr(s.Call))
	case *ast.SendStmt:
		return b.of(node.OtherStmt, s, b.expr(s.Chan), b.expr(s.Value))
	case *ast.LabeledStmt:
		if e, ok := s.Stmt.(*ast.EmptyStmt); ok && e.Implicit {
			return b.at(node.OtherStmt, s.Pos(), s.Colon+1)
		}
		return b.of(node.OtherStmt, s, b.stmt(s.Stmt))
	case *ast.SwitchStmt:
		b.push()
		defer b.pop()
		n := b.of(node.OtherStmt, s, b.optional(s.Init))
		if s.Tag != nil {
			n.Children = append(n.Children, b.expr(s.Tag))
		}
		n.Children = append(n.Children, b.clauses(s.Body)...)
		return n
	case *ast.TypeSwitchStmt:
		b.push()
		defer b.pop()
		n := b.of(node.OtherStmt, s, b.optional(s.Init))
		if a, ok := s.Assign.(*ast.AssignStmt); ok {
			if id, ok := a.Lhs[0].(*ast.Ident); ok {
				b.declare(id)
			}
		}
		n.Children = append(n.Children, b.clauses(s.Body)...)
		return n
	case *ast.SelectStmt:
		return b.of(node.OtherStmt, s, b.clauses(s.Body)...)
	default:
		return b.of(node.OtherStmt, s)
	}
}

func (b *builder) optional(s ast.Stmt) *node.Node {
	if s == nil {
		return nil
	}
	return b.stmt(s)
}

func (b *builder) clauses(body *ast.BlockStmt) []*node.Node {
	var out []*node.Node
	for _, s := range body.List {
		b.push()
		switch c := s.(type) {
		case *ast.CaseClause:
			out = append(out, b.of(node.Other, c, append(b.exprs(c.List), b.clause(c.Body))...))
		case *ast.CommClause:
			out = append(out, b.of(node.Other, c, b.optional(c.Comm), b.clause(c.Body)))
		}
		b.pop()
	}
	return out
}
