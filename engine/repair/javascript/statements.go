package javascript

import (
	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/repair/node"
)

// statements builds a list of statements; those that only types need are left
// out.
func (b *builder) statements(list []*tsgo.Node) []*node.Node {
	var out []*node.Node
	for _, st := range list {
		if n := b.statement(st); n != nil {
			out = append(out, n)
		}
	}
	return out
}

func (b *builder) statement(st *tsgo.Node) *node.Node {
	switch st.Kind {
	case tsgo.KindEmptyStatement, tsgo.KindInterfaceDeclaration, tsgo.KindTypeAliasDeclaration, tsgo.KindImportDeclaration, tsgo.KindExportDeclaration,
		tsgo.KindImportEqualsDeclaration, tsgo.KindDebuggerStatement, tsgo.KindEnumDeclaration:
		return nil
	case tsgo.KindBlock:
		return b.block(st, nil)
	case tsgo.KindVariableStatement:
		return b.variables(st)
	case tsgo.KindExpressionStatement:
		return b.expressionStatement(st)
	case tsgo.KindIfStatement:
		return b.ifStatement(st)
	case tsgo.KindForStatement, tsgo.KindForOfStatement, tsgo.KindForInStatement:
		return b.forStatement(st)
	case tsgo.KindWhileStatement:
		return b.of(node.While, st, b.expression(st.Expression()), b.body(st.Statement()))
	case tsgo.KindDoStatement:
		return b.of(node.OtherStmt, st, b.body(st.Statement()), b.expression(st.Expression()))
	case tsgo.KindReturnStatement:
		return b.of(node.Return, st, b.expression(st.Expression()))
	case tsgo.KindThrowStatement:
		return b.of(node.Raise, st, b.expression(st.Expression()))
	case tsgo.KindBreakStatement:
		return b.leave(node.Break, st)
	case tsgo.KindContinueStatement:
		return b.leave(node.Continue, st)
	case tsgo.KindTryStatement:
		return b.try(st)
	case tsgo.KindSwitchStatement:
		return b.switchStatement(st)
	case tsgo.KindLabeledStatement:
		return b.of(node.OtherStmt, st, b.statement(st.Statement()))
	case tsgo.KindFunctionDeclaration:
		return b.function(st, st, nameOf(st.Name()))
	case tsgo.KindClassDeclaration:
		class := b.of(node.OtherStmt, st, b.below(st)...)
		class.Name = nameOf(st.Name())
		return class
	default:
		return b.of(node.OtherStmt, st, b.below(st)...)
	}
}

func (b *builder) leave(kind node.Kind, st *tsgo.Node) *node.Node {
	if st.Label() != nil {
		kind = node.OtherStmt
	}
	return b.of(kind, st)
}

// block builds a block with braces, in which also names count as declared.
func (b *builder) block(n *tsgo.Node, names []node.Symbol) *node.Node {
	list := n.Statements()
	b.open(append(names, symbolsOf(list, true)...))
	out := b.of(node.Block, n)
	out.Scope = b.visible()
	out.Children = b.statements(list)
	b.close()
	return out
}

// body builds what a loop or if does: a block, or one statement without braces.
func (b *builder) body(st *tsgo.Node) *node.Node {
	if st.Kind == tsgo.KindBlock {
		return b.block(st, nil)
	}
	return b.of(node.Block, st, b.statement(st))
}

// variables builds a declaration: of one name with a value as such, or as its
// function; of several as one after the other.
func (b *builder) variables(st *tsgo.Node) *node.Node {
	list := st.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes
	if len(list) == 1 {
		d := list[0]
		init := d.Initializer()
		if init == nil {
			return b.of(node.OtherStmt, st)
		}
		if named(d.Name()) && blockFunction(init) {
			return b.function(st, init, nameOf(d.Name()))
		}
		return b.declaration(st, d)
	}
	out := b.of(node.OtherStmt, st)
	for _, d := range list {
		if d.Initializer() != nil {
			out.Children = append(out.Children, b.declaration(d, d))
		}
	}
	return out
}

func named(n *tsgo.Node) bool { return n != nil && n.Kind == tsgo.KindIdentifier }

// blockFunction reports whether n is a function with statements.
func blockFunction(n *tsgo.Node) bool {
	return (n.Kind == tsgo.KindArrowFunction || n.Kind == tsgo.KindFunctionExpression) && n.Body() != nil && n.Body().Kind == tsgo.KindBlock
}

// declaration builds one declared name with its value, spanning whole.
func (b *builder) declaration(whole, d *tsgo.Node) *node.Node {
	target := b.pattern(d.Name())
	if target.Kind == node.Name {
		target.Type = b.typeOf(d.Type())
	}
	n := b.of(node.VarDecl, whole, target, b.expression(d.Initializer()))
	return b.equals(n, d.Initializer())
}

// equals finds the sign before a value, which is no node.
func (b *builder) equals(n *node.Node, value *tsgo.Node) *node.Node {
	text := b.text()
	for at := value.Pos() - 1; at >= n.Start; at-- {
		if text[at] == '=' {
			n.Op, n.OpStart, n.OpEnd = "=", at, at+1
			break
		}
	}
	return n
}

func (b *builder) text() string { return b.tree.Root.AsSourceFile().Text() }

// pattern builds what a declaration binds.
func (b *builder) pattern(n *tsgo.Node) *node.Node {
	switch n.Kind {
	case tsgo.KindIdentifier:
		return b.expression(n)
	case tsgo.KindArrayBindingPattern:
		out := b.of(node.List, n)
		for _, e := range n.Elements() {
			if e.Kind != tsgo.KindBindingElement || e.AsBindingElement().DotDotDotToken != nil || e.Initializer() != nil || !named(e.Name()) {
				return b.of(node.Other, n)
			}
			out.Children = append(out.Children, b.expression(e.Name()))
		}
		return out
	default:
		return b.of(node.Other, n)
	}
}

// member builds a property of a class.
func (b *builder) member(c *tsgo.Node) *node.Node {
	init := c.Initializer()
	if init == nil {
		return nil
	}
	if blockFunction(init) {
		return b.function(c, init, nameOf(c.Name()))
	}
	return b.equals(b.of(node.VarDecl, c, b.of(node.Other, c.Name()), b.expression(init)), init)
}

func (b *builder) expressionStatement(st *tsgo.Node) *node.Node {
	e := st.Expression()
	for e.Kind == tsgo.KindParenthesizedExpression {
		e = e.Expression()
	}
	switch e.Kind {
	case tsgo.KindBinaryExpression:
		bin := e.AsBinaryExpression()
		if !assigns(bin.OperatorToken.Kind) || st.Expression() != e {
			break
		}
		if bin.OperatorToken.Kind == tsgo.KindEqualsToken && blockFunction(bin.Right) {
			return b.function(st, bin.Right, lastName(bin.Left))
		}
		return b.operator(b.of(node.Assign, st, b.expression(bin.Left), b.expression(bin.Right)), bin.OperatorToken)
	case tsgo.KindPostfixUnaryExpression, tsgo.KindPrefixUnaryExpression:
		if n := b.increment(st, e); n != nil {
			return n
		}
	default: // Any other expression.
	}
	return b.of(node.ExprStmt, st, b.expression(st.Expression()))
}

func lastName(n *tsgo.Node) string {
	if n.Kind == tsgo.KindPropertyAccessExpression {
		return nameOf(n.Name())
	}
	return nameOf(n)
}

// increment builds i++ and its like as the assignments that they are.
func (b *builder) increment(st, e *tsgo.Node) *node.Node {
	var operand *tsgo.Node
	var op tsgo.Kind
	after := e.Kind == tsgo.KindPostfixUnaryExpression
	if after {
		operand, op = e.AsPostfixUnaryExpression().Operand, e.AsPostfixUnaryExpression().Operator
	} else {
		operand, op = e.AsPrefixUnaryExpression().Operand, e.AsPrefixUnaryExpression().Operator
	}
	text := "++"
	switch op {
	case tsgo.KindPlusPlusToken:
	case tsgo.KindMinusMinusToken:
		text = "--"
	default:
		return nil
	}
	n := b.of(node.Assign, st, b.expression(operand), b.empty(e.End()))
	n.Op, n.OpEnd = text, e.End()
	n.OpStart = n.OpEnd - len(text)
	if !after {
		n.OpStart = b.tree.Start(e)
		n.OpEnd = n.OpStart + len(text)
	}
	return n
}

func assigns(k tsgo.Kind) bool {
	return k >= tsgo.KindEqualsToken && k <= tsgo.KindCaretEqualsToken
}

func (b *builder) ifStatement(st *tsgo.Node) *node.Node {
	s := st.AsIfStatement()
	n := b.of(node.If, st, b.expression(s.Expression), b.body(s.ThenStatement))
	switch {
	case s.ElseStatement == nil:
	case s.ElseStatement.Kind == tsgo.KindIfStatement:
		n.Children = append(n.Children, b.ifStatement(s.ElseStatement))
	default:
		n.Children = append(n.Children, b.body(s.ElseStatement))
	}
	return n
}

func (b *builder) forStatement(st *tsgo.Node) *node.Node {
	if st.Kind == tsgo.KindForStatement {
		return b.counting(st)
	}
	s := st.AsForInOrOfStatement()
	var names []node.Symbol
	target := b.of(node.Other, s.Initializer)
	if s.Initializer.Kind == tsgo.KindVariableDeclarationList {
		d := s.Initializer.AsVariableDeclarationList().Declarations.Nodes[0]
		names, target = symbolsOfPattern(d.Name(), "", true), b.pattern(d.Name())
	} else if named(s.Initializer) {
		target = b.expression(s.Initializer)
	}
	b.open(names)
	defer b.close()
	n := b.of(node.For, st, target, b.expression(s.Expression), b.body(s.Statement))
	n.Op, n.Scope = "in", b.visible()
	// The keyword stands between target and iterable: "of" or "in".
	text := b.text()
	for at := target.End; at < s.Expression.End(); at++ {
		if word := text[at : at+2]; word == "of" || word == "in" {
			n.OpStart, n.OpEnd = at, at+2
			break
		}
	}
	return n
}

// counting builds for (init; condition; step).
func (b *builder) counting(st *tsgo.Node) *node.Node {
	s := st.AsForStatement()
	var names []node.Symbol
	list := s.Initializer != nil && s.Initializer.Kind == tsgo.KindVariableDeclarationList
	if list {
		for _, d := range s.Initializer.AsVariableDeclarationList().Declarations.Nodes {
			names = append(names, symbolsOfDeclaration(d, true)...)
		}
	}
	b.open(names)
	defer b.close()
	at := b.tree.Start(st)
	part := func(n *tsgo.Node, make func(*tsgo.Node) *node.Node) *node.Node {
		if n == nil {
			return b.empty(at)
		}
		out := make(n)
		at = out.End
		return out
	}
	init := part(s.Initializer, func(n *tsgo.Node) *node.Node {
		if !list {
			return b.simple(n)
		}
		all := n.AsVariableDeclarationList().Declarations.Nodes
		if len(all) == 1 && all[0].Initializer() != nil {
			return b.declaration(n, all[0])
		}
		out := b.of(node.OtherStmt, n)
		for _, d := range all {
			if d.Initializer() != nil {
				out.Children = append(out.Children, b.declaration(d, d))
			}
		}
		return out
	})
	n := b.of(node.For, st, init, part(s.Condition, b.expression), part(s.Incrementor, b.simple), b.body(s.Statement))
	n.Op, n.Scope = ";", b.visible()
	return n
}

// simple builds an expression that stands as a statement without its semicolon.
func (b *builder) simple(e *tsgo.Node) *node.Node {
	switch e.Kind {
	case tsgo.KindBinaryExpression:
		bin := e.AsBinaryExpression()
		if assigns(bin.OperatorToken.Kind) {
			return b.operator(b.of(node.Assign, e, b.expression(bin.Left), b.expression(bin.Right)), bin.OperatorToken)
		}
	case tsgo.KindPostfixUnaryExpression, tsgo.KindPrefixUnaryExpression:
		if n := b.increment(e, e); n != nil {
			return n
		}
	default: // Any other expression.
	}
	return b.of(node.ExprStmt, e, b.expression(e))
}

func (b *builder) try(st *tsgo.Node) *node.Node {
	s := st.AsTryStatement()
	n := b.of(node.Try, st, b.block(s.TryBlock, nil))
	if s.CatchClause != nil {
		var names []node.Symbol
		if v := s.CatchClause.AsCatchClause().VariableDeclaration; v != nil {
			names = symbolsOfPattern(v.Name(), "", true)
		}
		n.Children = append(n.Children, b.block(s.CatchClause.AsCatchClause().Block, names))
	}
	if s.FinallyBlock != nil {
		n.Children = append(n.Children, b.block(s.FinallyBlock, nil))
	}
	return n
}

func (b *builder) switchStatement(st *tsgo.Node) *node.Node {
	s := st.AsSwitchStatement()
	n := b.of(node.OtherStmt, st, b.expression(s.Expression))
	clauses := s.CaseBlock.AsCaseBlock().Clauses.Nodes
	var all []*tsgo.Node
	for _, c := range clauses {
		all = append(all, c.AsCaseOrDefaultClause().Statements.Nodes...)
	}
	b.open(symbolsOf(all, true))
	defer b.close()
	for _, c := range clauses {
		clause := b.of(node.Other, c)
		if e := c.AsCaseOrDefaultClause().Expression; e != nil {
			clause.Children = append(clause.Children, b.expression(e))
		}
		if list := b.statements(c.AsCaseOrDefaultClause().Statements.Nodes); len(list) > 0 {
			body := b.at(node.Block, list[0].Start, list[len(list)-1].End, list...)
			body.Scope = b.visible()
			clause.Children = append(clause.Children, body)
		}
		n.Children = append(n.Children, clause)
	}
	return n
}

// function builds a function with statements; whole is what it spans.
func (b *builder) function(whole, fn *tsgo.Node, name string) *node.Node {
	body := fn.Body()
	if body == nil {
		return nil // a declaration for the type checker
	}
	n := b.of(node.Function, whole)
	n.Name = name
	if t := fn.Type(); t != nil {
		n.Type = b.typeOf(t)
	}
	b.open(nil)
	defer b.close()
	names := b.parameters(n, fn)
	n.Scope = b.visible()
	n.Children = append(n.Children, b.block(body, names))
	return n
}

// parameters adds a function's parameters to it and returns their names.
func (b *builder) parameters(n *node.Node, fn *tsgo.Node) []node.Symbol {
	var names []node.Symbol
	for _, p := range fn.Parameters() {
		typ := b.typeOf(p.Type())
		if p.AsParameterDeclaration().DotDotDotToken != nil && typ == "" {
			typ = "Array"
		}
		param := b.of(node.Param, p)
		param.Name, param.Type = nameOf(p.Name()), typ
		if init := p.Initializer(); init != nil {
			param.Children = one(b.expression(init))
		}
		names = append(names, symbolsOfPattern(p.Name(), typ, true)...)
		n.Children = append(n.Children, param)
	}
	b.scopes[len(b.scopes)-1] = names
	return names
}
