package golang

import (
	"go/ast"
	"go/token"
	"go/types"

	"autocoder/engine/repair/node"
)

// side is one side of an assignment: nothing, an expression, or a Tuple.
func (b *builder) side(list []ast.Expr) *node.Node {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return b.expr(list[0])
	default:
		return b.at(node.Tuple, list[0].Pos(), list[len(list)-1].End(), b.exprs(list)...)
	}
}

func (b *builder) exprs(list []ast.Expr) []*node.Node {
	out := make([]*node.Node, 0, len(list))
	for _, x := range list {
		out = append(out, b.expr(x))
	}
	return out
}

// expr returns the node of an expression with its type. Parentheses are no node.
func (b *builder) expr(x ast.Expr) *node.Node {
	if p, ok := x.(*ast.ParenExpr); ok {
		return b.expr(p.X)
	}
	if tv, ok := b.info.Types[x]; ok && tv.IsType() {
		return b.typeExpr(x)
	}
	n := b.bare(x)
	if n.Kind.Expression() || n.Kind == node.Other {
		n.Type = b.typeOf(x)
	}
	return n
}

// typeExpr is the name of a type. As the callee of a conversion a simple one is
// a Name, so that it can be swapped as functions are.
func (b *builder) typeExpr(x ast.Expr) *node.Node { return b.of(node.Other, x) }

func (b *builder) typeOf(x ast.Expr) string {
	t := b.info.TypeOf(x)
	if t == nil {
		return ""
	}
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() == 0 {
		return ""
	}
	return b.typeName(t)
}

func (b *builder) bare(x ast.Expr) *node.Node {
	switch x := x.(type) {
	case *ast.Ident:
		return b.ident(x)
	case *ast.BasicLit:
		if x.Kind == token.STRING || x.Kind == token.CHAR {
			return b.of(node.String, x)
		}
		return b.of(node.Number, x)
	case *ast.BinaryExpr:
		return b.operator(b.of(binaryKind(x.Op), x, b.expr(x.X), b.expr(x.Y)), x.Op, x.OpPos)
	case *ast.UnaryExpr:
		return b.unary(x)
	case *ast.CallExpr:
		return b.call(x)
	case *ast.IndexExpr:
		if tv, ok := b.info.Types[x.Index]; ok && tv.IsType() {
			return b.of(node.Other, x)
		}
		return b.of(node.Index, x, b.expr(x.X), b.expr(x.Index))
	case *ast.SliceExpr:
		return b.slice(x)
	case *ast.SelectorExpr:
		return b.selector(x)
	case *ast.CompositeLit:
		return b.composite(x)
	case *ast.FuncLit:
		return b.lambda(x)
	case *ast.StarExpr:
		return b.of(node.Other, x, b.expr(x.X))
	case *ast.TypeAssertExpr:
		return b.of(node.Other, x, b.expr(x.X))
	case *ast.KeyValueExpr:
		return b.of(node.Other, x, b.expr(x.Value))
	default:
		return b.of(node.Other, x)
	}
}

func (b *builder) ident(x *ast.Ident) *node.Node {
	switch x.Name {
	case "true", "false":
		return b.of(node.Bool, x)
	case "nil":
		return b.of(node.Nil, x)
	case "_":
		return b.of(node.Other, x)
	}
	if _, ok := b.info.Uses[x].(*types.PkgName); ok {
		return b.of(node.Other, x)
	}
	n := b.of(node.Name, x)
	n.Name = x.Name
	return n
}

func binaryKind(op token.Token) node.Kind {
	switch op {
	case token.LAND, token.LOR:
		return node.Logical
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return node.Compare
	default:
		return node.Binary
	}
}

func (b *builder) unary(x *ast.UnaryExpr) *node.Node {
	switch x.Op {
	case token.SUB, token.ADD, token.NOT, token.XOR:
		return b.operator(b.of(node.Unary, x, b.expr(x.X)), x.Op, x.OpPos)
	default:
		return b.of(node.Other, x, b.expr(x.X))
	}
}

func (b *builder) call(x *ast.CallExpr) *node.Node {
	n := b.of(node.Call, x, b.callee(x.Fun))
	for i, arg := range x.Args {
		if x.Ellipsis.IsValid() && i == len(x.Args)-1 {
			n.Children = append(n.Children, b.at(node.Other, arg.Pos(), x.Ellipsis+3, b.expr(arg)))
			continue
		}
		n.Children = append(n.Children, b.expr(arg))
	}
	return n
}

// callee is what is called; a conversion's simple type is a Name.
func (b *builder) callee(x ast.Expr) *node.Node {
	if id, ok := x.(*ast.Ident); ok {
		n := b.of(node.Name, id)
		n.Name, n.Type = id.Name, b.typeOf(x)
		return n
	}
	return b.expr(x)
}

func (b *builder) slice(x *ast.SliceExpr) *node.Node {
	part := func(e ast.Expr, pos token.Pos) *node.Node {
		if e == nil {
			return b.empty(pos)
		}
		return b.expr(e)
	}
	low := part(x.Low, x.Lbrack+1)
	return b.of(node.Slice, x, b.expr(x.X), low, part(x.High, x.Rbrack), part(x.Max, x.Rbrack))
}

func (b *builder) selector(x *ast.SelectorExpr) *node.Node {
	n := b.of(node.Attribute, x, b.expr(x.X))
	n.Name = x.Sel.Name
	if b.info.Selections[x] != nil {
		b.members(b.info.TypeOf(x.X))
	}
	return n
}

func (b *builder) composite(x *ast.CompositeLit) *node.Node {
	kind := node.Other
	if t := b.info.TypeOf(x); t != nil {
		switch t.Underlying().(type) {
		case *types.Slice, *types.Array:
			kind = node.List
		case *types.Map:
			kind = node.Dict
		}
	} else if a, ok := x.Type.(*ast.ArrayType); ok && a != nil {
		kind = node.List
	}
	n := b.of(kind, x)
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && kind == node.Dict {
			n.Children = append(n.Children, b.expr(kv.Key), b.expr(kv.Value))
			continue
		}
		n.Children = append(n.Children, b.expr(e))
	}
	return n
}

func (b *builder) lambda(x *ast.FuncLit) *node.Node {
	b.push()
	defer b.pop()
	n := b.of(node.Lambda, x, b.params(x.Type.Params)...)
	b.results(x.Type)
	n.Scope = b.visible()
	n.Children = append(n.Children, b.block(x.Body))
	return n
}
