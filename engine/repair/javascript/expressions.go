package javascript

import (
	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/repair/node"
)

// expression builds an expression; nil for none. Parentheses are no node.
func (b *builder) expression(e *tsgo.Node) *node.Node {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case tsgo.KindParenthesizedExpression:
		return b.expression(e.Expression())
	case tsgo.KindIdentifier:
		return b.identifier(e)
	case tsgo.KindThisKeyword, tsgo.KindSuperKeyword:
		n := b.of(node.Name, e)
		n.Name = b.tree.Text(e)
		return n
	case tsgo.KindNumericLiteral:
		return b.of(node.Number, e)
	case tsgo.KindStringLiteral, tsgo.KindNoSubstitutionTemplateLiteral:
		return b.of(node.String, e)
	case tsgo.KindTrueKeyword, tsgo.KindFalseKeyword:
		return b.of(node.Bool, e)
	case tsgo.KindNullKeyword:
		return b.of(node.Nil, e)
	case tsgo.KindBinaryExpression:
		return b.binary(e)
	case tsgo.KindPrefixUnaryExpression:
		return b.unary(e)
	case tsgo.KindCallExpression, tsgo.KindNewExpression:
		return b.call(e)
	case tsgo.KindPropertyAccessExpression:
		n := b.of(node.Attribute, e, b.expression(e.Expression()))
		n.Name = nameOf(e.Name())
		return n
	case tsgo.KindElementAccessExpression:
		return b.of(node.Index, e, b.expression(e.Expression()), b.expression(e.AsElementAccessExpression().ArgumentExpression))
	case tsgo.KindConditionalExpression:
		c := e.AsConditionalExpression()
		return b.of(node.Cond, e, b.expression(c.Condition), b.expression(c.WhenTrue), b.expression(c.WhenFalse))
	case tsgo.KindArrowFunction, tsgo.KindFunctionExpression:
		return b.lambda(e)
	case tsgo.KindArrayLiteralExpression:
		return b.of(node.List, e, b.expressions(e.Elements())...)
	case tsgo.KindObjectLiteralExpression:
		return b.of(node.Dict, e, b.below(e)...)
	default:
		return b.other(e)
	}
}

func (b *builder) expressions(list []*tsgo.Node) []*node.Node {
	var out []*node.Node
	for _, e := range list {
		out = append(out, b.expression(e))
	}
	return out
}

func (b *builder) identifier(e *tsgo.Node) *node.Node {
	if e.Text() == "undefined" {
		return b.of(node.Nil, e)
	}
	n := b.of(node.Name, e)
	n.Name = e.Text()
	return n
}

func (b *builder) binary(e *tsgo.Node) *node.Node {
	bin := e.AsBinaryExpression()
	kind := node.Binary
	switch bin.OperatorToken.Kind {
	case tsgo.KindLessThanToken, tsgo.KindLessThanEqualsToken, tsgo.KindGreaterThanToken, tsgo.KindGreaterThanEqualsToken,
		tsgo.KindEqualsEqualsToken, tsgo.KindEqualsEqualsEqualsToken, tsgo.KindExclamationEqualsToken, tsgo.KindExclamationEqualsEqualsToken,
		tsgo.KindInKeyword, tsgo.KindInstanceOfKeyword:
		kind = node.Compare
	case tsgo.KindAmpersandAmpersandToken, tsgo.KindBarBarToken, tsgo.KindQuestionQuestionToken:
		kind = node.Logical
	case tsgo.KindPlusToken, tsgo.KindMinusToken, tsgo.KindAsteriskToken, tsgo.KindSlashToken, tsgo.KindPercentToken, tsgo.KindAsteriskAsteriskToken,
		tsgo.KindAmpersandToken, tsgo.KindBarToken, tsgo.KindCaretToken, tsgo.KindLessThanLessThanToken, tsgo.KindGreaterThanGreaterThanToken,
		tsgo.KindGreaterThanGreaterThanGreaterThanToken:
	default:
		return b.of(node.Other, e, b.expression(bin.Left), b.expression(bin.Right))
	}
	return b.operator(b.of(kind, e, b.expression(bin.Left), b.expression(bin.Right)), bin.OperatorToken)
}

func (b *builder) unary(e *tsgo.Node) *node.Node {
	u := e.AsPrefixUnaryExpression()
	op := ""
	switch u.Operator {
	case tsgo.KindMinusToken:
		op = "-"
	case tsgo.KindPlusToken:
		op = "+"
	case tsgo.KindExclamationToken:
		op = "!"
	case tsgo.KindTildeToken:
		op = "~"
	default:
		return b.of(node.Other, e, b.expression(u.Operand))
	}
	n := b.of(node.Unary, e, b.expression(u.Operand))
	n.Op, n.OpStart = op, n.Start
	n.OpEnd = n.OpStart + 1
	return n
}

// call builds a call. What is made by new is one of a callee that no template
// looks into, as a conversion is.
func (b *builder) call(e *tsgo.Node) *node.Node {
	callee := b.expression(e.Expression())
	if e.Kind == tsgo.KindNewExpression {
		if e.ArgumentList() == nil {
			return b.of(node.Other, e)
		}
		callee = b.at(node.Other, b.tree.Start(e), e.Expression().End())
	} else if e.Expression().Kind == tsgo.KindImportKeyword {
		return b.of(node.Other, e)
	}
	return b.of(node.Call, e, append(one(callee), b.expressions(e.Arguments())...)...)
}

func (b *builder) lambda(e *tsgo.Node) *node.Node {
	n := b.of(node.Lambda, e)
	b.open(nil)
	defer b.close()
	names := b.parameters(n, e)
	body := e.Body()
	if body == nil {
		return b.of(node.Other, e)
	}
	if body.Kind == tsgo.KindBlock {
		n.Children = append(n.Children, b.block(body, names))
	} else {
		n.Scope = b.visible()
		n.Children = append(n.Children, b.expression(body))
	}
	return n
}

// property builds the value of a property of an object.
func (b *builder) property(c *tsgo.Node) []*node.Node {
	init := c.Initializer()
	if init == nil {
		return nil
	}
	if blockFunction(init) {
		return one(b.function(c, init, nameOf(c.Name())))
	}
	var out []*node.Node
	if name := c.Name(); name.Kind == tsgo.KindComputedPropertyName {
		out = one(b.expression(name.Expression()))
	}
	return append(out, b.expression(init))
}
