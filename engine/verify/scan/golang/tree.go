package golang

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// stmt returns the nodes of a statement: what runs before it (the init of an if)
// comes first.
func (r reader) stmt(s ast.Stmt) []*syntax.Node {
	switch s := s.(type) {
	case nil:
		return nil
	case *ast.ExprStmt:
		return []*syntax.Node{r.node(syntax.ExprStmt, s, r.expr(s.X))}
	case *ast.AssignStmt:
		return r.assign(s, s.Tok.String(), r.exprs(s.Lhs), r.exprs(s.Rhs))
	case *ast.IncDecStmt:
		return []*syntax.Node{r.named(syntax.Assign, s.Tok.String(), s, r.expr(s.X), r.node(syntax.Other, s))}
	case *ast.DeclStmt:
		return r.decl(s.Decl)
	case *ast.ReturnStmt:
		values := r.exprs(s.Results)
		if len(values) > 1 {
			values = []*syntax.Node{r.node(syntax.Tuple, s, values...)}
		}
		return []*syntax.Node{r.node(syntax.Return, s, values...)}
	case *ast.DeferStmt:
		return []*syntax.Node{r.named(syntax.ExprStmt, "defer", s, r.expr(s.Call))}
	case *ast.GoStmt:
		return []*syntax.Node{r.named(syntax.ExprStmt, "go", s, r.expr(s.Call))}
	case *ast.BlockStmt:
		return []*syntax.Node{r.block(s)}
	case *ast.LabeledStmt:
		return r.stmt(s.Stmt)
	case *ast.SendStmt:
		return []*syntax.Node{r.node(syntax.Other, s, r.expr(s.Chan), r.expr(s.Value))}
	default:
		return r.branching(s)
	}
}

func (r reader) branching(s ast.Stmt) []*syntax.Node {
	switch s := s.(type) {
	case *ast.IfStmt:
		n := r.node(syntax.If, s, r.expr(s.Cond), r.block(s.Body))
		if s.Else != nil {
			n.Kids = append(n.Kids, r.node(syntax.Block, s.Else, r.stmt(s.Else)...))
		}
		return append(r.stmt(s.Init), n)
	case *ast.ForStmt:
		cond := r.expr(s.Cond)
		if cond == nil {
			cond = syntax.BoolConst(r.line(s), true)
		}
		body := r.block(s.Body)
		body.Kids = append(body.Kids, r.stmt(s.Post)...)
		return append(r.stmt(s.Init), r.node(syntax.While, s, cond, body))
	case *ast.RangeStmt:
		target := r.node(syntax.Tuple, s, r.expr(s.Key), r.expr(s.Value))
		return []*syntax.Node{r.node(syntax.For, s, target, r.expr(s.X), r.block(s.Body))}
	case *ast.SwitchStmt:
		subject := r.expr(s.Tag)
		if subject == nil {
			subject = syntax.BoolConst(r.line(s), true)
		}
		return append(r.stmt(s.Init), r.node(syntax.Switch, s, append([]*syntax.Node{subject}, r.stmts(s.Body.List)...)...))
	case *ast.TypeSwitchStmt:
		n := r.node(syntax.Switch, s, r.node(syntax.Other, s, r.stmt(s.Assign)...))
		n.Kids = append(n.Kids, r.stmts(s.Body.List)...)
		return append(r.stmt(s.Init), n)
	case *ast.SelectStmt:
		return []*syntax.Node{r.node(syntax.Other, s, r.stmts(s.Body.List)...)}
	case *ast.CaseClause:
		kids := append(r.exprs(s.List), r.node(syntax.Block, s, r.stmts(s.Body)...))
		return []*syntax.Node{r.node(syntax.Case, s, kids...)}
	case *ast.CommClause:
		kids := append(r.stmt(s.Comm), r.node(syntax.Block, s, r.stmts(s.Body)...))
		return []*syntax.Node{r.node(syntax.Other, s, kids...)}
	default:
		return nil // break, continue, goto, empty
	}
}

func (r reader) exprs(list []ast.Expr) []*syntax.Node {
	var out []*syntax.Node
	for _, e := range list {
		out = append(out, r.expr(e))
	}
	return out
}

// expr returns the node of an expression or type; nil for none.
func (r reader) expr(e ast.Expr) *syntax.Node {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.Ident:
		switch e.Name {
		case "true", "false":
			return syntax.BoolConst(r.line(e), e.Name == "true")
		case "nil":
			return syntax.NullConst(r.line(e))
		}
		return r.named(syntax.Ident, e.Name, e)
	case *ast.BasicLit:
		return r.literal(e)
	case *ast.ParenExpr:
		return r.expr(e.X)
	case *ast.SelectorExpr:
		return r.named(syntax.Attr, e.Sel.Name, e.Sel, r.expr(e.X))
	case *ast.IndexExpr:
		return r.node(syntax.Index, e, r.expr(e.X), r.expr(e.Index))
	case *ast.SliceExpr:
		return r.node(syntax.Slice, e, r.expr(e.X), r.expr(e.Low), r.expr(e.High), r.expr(e.Max))
	case *ast.CallExpr:
		return r.node(syntax.Call, e, append([]*syntax.Node{r.expr(e.Fun)}, r.exprs(e.Args)...)...)
	case *ast.FuncLit:
		return r.function(syntax.Lambda, e, e.Type, e.Body)
	case *ast.CompositeLit:
		return r.composite(e)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return r.node(syntax.Not, e, r.expr(e.X))
		}
		return r.named(syntax.Unary, e.Op.String(), e, r.expr(e.X))
	case *ast.StarExpr:
		return r.named(syntax.Unary, "*", e, r.expr(e.X))
	case *ast.BinaryExpr:
		return r.binary(e)
	default:
		return r.typeOrOther(e)
	}
}

// typeOrOther keeps what is used below an expression. Names of fields, methods and
// parameters in a type are no uses.
func (r reader) typeOrOther(e ast.Expr) *syntax.Node {
	n := r.node(syntax.Other, e)
	top := true
	ast.Inspect(e, func(below ast.Node) bool {
		if top {
			top = false
			return true
		}
		if field, ok := below.(*ast.Field); ok {
			if t := r.expr(field.Type); t != nil {
				n.Kids = append(n.Kids, t)
			}
			if field.Tag != nil && strings.Contains(field.Tag.Value, `:"-"`) && len(field.Names) > 0 {
				left := r.named(syntax.Directive, "tag", field)
				left.Path = field.Names[0].Name
				n.Kids = append(n.Kids, left)
			}
			return false
		}
		if x, ok := below.(ast.Expr); ok {
			n.Kids = append(n.Kids, r.expr(x))
			return false
		}
		return true
	})
	return n
}

func (r reader) binary(e *ast.BinaryExpr) *syntax.Node {
	kind, name := syntax.Binary, e.Op.String()
	switch e.Op {
	case token.LAND, token.LOR:
		kind, name = syntax.Logical, map[token.Token]string{token.LAND: "and", token.LOR: "or"}[e.Op]
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		kind = syntax.Compare
	}
	return r.named(kind, name, e, r.expr(e.X), r.expr(e.Y))
}

// composite is a Dict when its elements have keys, else a List.
func (r reader) composite(e *ast.CompositeLit) *syntax.Node {
	n := r.node(syntax.List, e)
	for _, x := range e.Elts {
		pair, ok := x.(*ast.KeyValueExpr)
		if !ok {
			n.Kids = append(n.Kids, r.expr(x))
			continue
		}
		n.Kind = syntax.Dict
		n.Kids = append(n.Kids, r.node(syntax.Pair, pair, r.expr(pair.Key), r.expr(pair.Value)))
	}
	if e.Type == nil {
		return n
	}
	return r.named(n.Kind, "", e, append(n.Kids, r.node(syntax.Spread, e, r.expr(e.Type)))...)
}

func (r reader) literal(e *ast.BasicLit) *syntax.Node {
	switch e.Kind {
	case token.STRING:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return syntax.TextConst(r.line(e), text)
		}
	case token.CHAR:
		if c, _, _, err := strconv.UnquoteChar(e.Value[1:], '\''); err == nil {
			return syntax.NumberConst(r.line(e), strconv.Itoa(int(c)))
		}
	case token.INT, token.FLOAT:
		return syntax.NumberConst(r.line(e), e.Value)
	}
	return r.node(syntax.Other, e)
}
