// Package javascript reads JavaScript, TypeScript and JSX for the scan. Types
// are left out: they do nothing.
package javascript

import (
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"

	tsgo "github.com/microsoft/typescript-go/shim"
)

// Parse returns the tree of a file, also beside an error that says what is wrong
// with the source. The parser promises nothing for every text: if it panics, that
// is an error too, without a tree.
func Parse(name string, content []byte) (root *syntax.Node, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			root, err = nil, fmt.Errorf("parse %s: %v", name, problem)
		}
	}()
	t := tsgo.Parse(name, content)
	if len(t.Errors) > 0 {
		e := t.Errors[0]
		err = fmt.Errorf("parse %s:%d: %s", name, t.Line(e.Start), e.Text)
	}
	r := reader{t}
	return whole(r.node(syntax.File, t.Root, r.stmts(t.Root.Statements())...)), err
}

// whole takes out of a tree what is missing in it, such as the holes of a list.
func whole(n *syntax.Node) *syntax.Node {
	n.Kids = slices.DeleteFunc(n.Kids, func(kid *syntax.Node) bool { return kid == nil })
	for _, kid := range n.Kids {
		whole(kid)
	}
	return n
}

type reader struct{ tree *tsgo.Tree }

func (r reader) line(n *tsgo.Node) int { return r.tree.Line(r.tree.Start(n)) }

func (r reader) node(kind syntax.Kind, n *tsgo.Node, kids ...*syntax.Node) *syntax.Node {
	out := &syntax.Node{Kind: kind, Line: r.line(n)}
	for _, kid := range kids {
		if kid != nil {
			out.Kids = append(out.Kids, kid)
		}
	}
	return out
}

func (r reader) named(kind syntax.Kind, name string, n *tsgo.Node, kids ...*syntax.Node) *syntax.Node {
	out := r.node(kind, n, kids...)
	out.Name = name
	return out
}

func (r reader) stmts(list []*tsgo.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, s := range list {
		out = append(out, r.stmt(s)...)
	}
	return out
}

// block is a statement as a Block, nil for none.
func (r reader) block(n *tsgo.Node) *syntax.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == tsgo.KindBlock:
		return r.node(syntax.Block, n, r.stmts(n.Statements())...)
	default:
		return r.node(syntax.Block, n, r.stmt(n)...)
	}
}

func (r reader) one(kind syntax.Kind, n *tsgo.Node, kids ...*syntax.Node) []*syntax.Node {
	return []*syntax.Node{r.node(kind, n, kids...)}
}

func (r reader) stmt(n *tsgo.Node) []*syntax.Node {
	if strings.HasPrefix(strings.TrimPrefix(r.tree.Text(n), "export "), "declare ") {
		return nil // it says that a name is there, and makes none
	}
	switch n.Kind {
	case tsgo.KindEnumDeclaration:
		return []*syntax.Node{r.enum(n)}
	case tsgo.KindImportDeclaration, tsgo.KindImportEqualsDeclaration, tsgo.KindExportDeclaration:
		return r.imports(n)
	case tsgo.KindInterfaceDeclaration, tsgo.KindTypeAliasDeclaration, tsgo.KindEmptyStatement, tsgo.KindEndOfFile:
		return nil
	case tsgo.KindExpressionStatement, tsgo.KindExportAssignment:
		return r.one(syntax.ExprStmt, n, r.expr(n.Expression()))
	case tsgo.KindVariableStatement:
		return r.declarations(n.AsVariableStatement().DeclarationList)
	case tsgo.KindVariableDeclarationList:
		return r.declarations(n)
	case tsgo.KindFunctionDeclaration:
		return []*syntax.Node{r.function(syntax.Func, n)}
	case tsgo.KindClassDeclaration:
		return []*syntax.Node{r.class(n)}
	case tsgo.KindReturnStatement:
		return r.one(syntax.Return, n, r.expr(n.Expression()))
	case tsgo.KindThrowStatement:
		return r.one(syntax.Raise, n, r.expr(n.Expression()))
	case tsgo.KindBlock:
		return []*syntax.Node{r.block(n)}
	case tsgo.KindLabeledStatement:
		return r.stmt(n.Statement())
	case tsgo.KindModuleDeclaration, tsgo.KindModuleBlock:
		return r.one(syntax.Other, n, r.below(n)...)
	default:
		return r.branching(n)
	}
}

func (r reader) branching(n *tsgo.Node) []*syntax.Node {
	switch n.Kind {
	case tsgo.KindIfStatement:
		s := n.AsIfStatement()
		return r.one(syntax.If, n, r.expr(s.Expression), r.block(s.ThenStatement), r.block(s.ElseStatement))
	case tsgo.KindForStatement:
		s := n.AsForStatement()
		cond := r.expr(s.Condition)
		if cond == nil {
			cond = syntax.BoolConst(r.line(n), true)
		}
		body := r.block(s.Statement)
		if s.Incrementor != nil {
			body.Kids = append(body.Kids, r.expr(s.Incrementor))
		}
		return append(r.initializer(s.Initializer), r.node(syntax.While, n, cond, body))
	case tsgo.KindForInStatement, tsgo.KindForOfStatement:
		s := n.AsForInOrOfStatement()
		target := r.node(syntax.Tuple, n, r.initializer(s.Initializer)...)
		return r.one(syntax.For, n, target, r.expr(s.Expression), r.block(s.Statement))
	case tsgo.KindWhileStatement, tsgo.KindDoStatement:
		return r.one(syntax.While, n, r.expr(n.Expression()), r.block(n.Statement()))
	case tsgo.KindTryStatement:
		return r.one(syntax.Try, n, r.try(n)...)
	case tsgo.KindSwitchStatement:
		return r.one(syntax.Switch, n, r.switches(n)...)
	case tsgo.KindWithStatement:
		return r.one(syntax.With, n, r.expr(n.Expression()), r.block(n.Statement()))
	default:
		return r.below(n)
	}
}

func (r reader) initializer(n *tsgo.Node) []*syntax.Node {
	if n == nil {
		return nil
	}
	if n.Kind == tsgo.KindVariableDeclarationList {
		return r.declarations(n)
	}
	return []*syntax.Node{r.expr(n)}
}

func (r reader) try(n *tsgo.Node) []*syntax.Node {
	s := n.AsTryStatement()
	kids := []*syntax.Node{r.block(s.TryBlock)}
	if s.CatchClause != nil {
		c := s.CatchClause.AsCatchClause()
		h := r.node(syntax.Handler, s.CatchClause, r.block(c.Block))
		if c.VariableDeclaration != nil && c.VariableDeclaration.Name().Kind == tsgo.KindIdentifier {
			h.Name = c.VariableDeclaration.Name().Text()
		}
		kids = append(kids, h)
	}
	if s.FinallyBlock != nil {
		kids = append(kids, r.node(syntax.Finally, s.FinallyBlock, r.stmts(s.FinallyBlock.Statements())...))
	}
	return kids
}

func (r reader) switches(n *tsgo.Node) []*syntax.Node {
	s := n.AsSwitchStatement()
	kids := []*syntax.Node{r.expr(s.Expression)}
	for _, c := range s.CaseBlock.AsCaseBlock().Clauses.Nodes {
		clause := c.AsCaseOrDefaultClause()
		body := r.node(syntax.Block, c, r.stmts(clause.Statements.Nodes)...)
		kids = append(kids, r.node(syntax.Case, c, r.expr(clause.Expression), body))
	}
	return kids
}

// below reads the children of a node as whatever they are.
func (r reader) below(n *tsgo.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, c := range tsgo.Children(n) {
		if c.Kind >= tsgo.KindBlock && c.Kind <= tsgo.KindExportAssignment || c.Kind == tsgo.KindVariableStatement {
			out = append(out, r.stmt(c)...)
		} else if e := r.expr(c); e != nil {
			out = append(out, e)
		}
	}
	return out
}
