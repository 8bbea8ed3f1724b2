package javascript

import (
	"strings"

	"autocoder/engine/verify/scan/syntax"

	tsgo "github.com/microsoft/typescript-go/shim"
)

// expr returns the node of an expression; nil for none, and for a type.
func (r reader) expr(n *tsgo.Node) *syntax.Node {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case tsgo.KindIdentifier, tsgo.KindPrivateIdentifier:
		if n.Text() == "undefined" {
			return syntax.NullConst(r.line(n))
		}
		return r.named(syntax.Ident, n.Text(), n)
	case tsgo.KindThisKeyword:
		return r.named(syntax.Ident, "this", n)
	case tsgo.KindImportKeyword:
		return r.named(syntax.Ident, "import", n)
	case tsgo.KindParenthesizedExpression, tsgo.KindAsExpression, tsgo.KindSatisfiesExpression,
		tsgo.KindNonNullExpression, tsgo.KindTypeAssertionExpression, tsgo.KindExpressionWithTypeArguments:
		return r.expr(n.Expression())
	case tsgo.KindPropertyAccessExpression:
		return r.named(syntax.Attr, n.Name().Text(), n.Name(), r.expr(n.Expression()))
	case tsgo.KindElementAccessExpression:
		return r.node(syntax.Index, n, r.expr(n.Expression()), r.expr(n.AsElementAccessExpression().ArgumentExpression))
	case tsgo.KindCallExpression:
		return r.node(syntax.Call, n, append([]*syntax.Node{r.expr(n.Expression())}, r.exprs(n.Arguments())...)...)
	case tsgo.KindNewExpression:
		return r.named(syntax.Call, "new", n, append([]*syntax.Node{r.expr(n.Expression())}, r.exprs(n.Arguments())...)...)
	case tsgo.KindFunctionExpression, tsgo.KindArrowFunction:
		return r.function(syntax.Lambda, n)
	case tsgo.KindClassExpression:
		return r.class(n)
	case tsgo.KindBinaryExpression:
		return r.binary(n)
	case tsgo.KindConditionalExpression:
		c := n.AsConditionalExpression()
		return r.node(syntax.Cond, n, r.expr(c.Condition), r.expr(c.WhenTrue), r.expr(c.WhenFalse))
	default:
		return r.otherExpr(n)
	}
}

func (r reader) exprs(list []*tsgo.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, n := range list {
		if e := r.expr(n); e != nil {
			out = append(out, e)
		}
	}
	return out
}

func (r reader) otherExpr(n *tsgo.Node) *syntax.Node {
	switch n.Kind {
	case tsgo.KindArrayLiteralExpression:
		return r.node(syntax.List, n, r.exprs(n.Elements())...)
	case tsgo.KindObjectLiteralExpression:
		return r.node(syntax.Dict, n, r.properties(n)...)
	case tsgo.KindSpreadElement, tsgo.KindSpreadAssignment:
		return r.node(syntax.Spread, n, r.expr(n.Expression()))
	case tsgo.KindAwaitExpression:
		return r.node(syntax.Await, n, r.expr(n.Expression()))
	case tsgo.KindYieldExpression:
		return r.node(syntax.Yield, n, r.expr(n.Expression()))
	case tsgo.KindDeleteExpression:
		return r.node(syntax.Delete, n, r.expr(n.Expression()))
	case tsgo.KindTypeOfExpression:
		return r.named(syntax.Unary, "typeof", n, r.expr(n.Expression()))
	case tsgo.KindPrefixUnaryExpression:
		return r.prefix(n)
	case tsgo.KindPostfixUnaryExpression:
		return r.named(syntax.Assign, "++", n, r.expr(n.AsPostfixUnaryExpression().Operand), r.node(syntax.Other, n))
	case tsgo.KindMetaProperty:
		return r.named(syntax.Ident, strings.ReplaceAll(r.tree.Text(n), " ", ""), n)
	case tsgo.KindTaggedTemplateExpression:
		return r.node(syntax.Call, n, r.below(n)...)
	default:
		return r.constant(n)
	}
}

func (r reader) prefix(n *tsgo.Node) *syntax.Node {
	u := n.AsPrefixUnaryExpression()
	operand := r.expr(u.Operand)
	switch u.Operator {
	case tsgo.KindExclamationToken:
		return r.node(syntax.Not, n, operand)
	case tsgo.KindPlusPlusToken, tsgo.KindMinusMinusToken:
		return r.named(syntax.Assign, "++", n, operand, r.node(syntax.Other, n))
	case tsgo.KindMinusToken:
		return r.named(syntax.Unary, "-", n, operand)
	default:
		return r.named(syntax.Unary, "+", n, operand)
	}
}

func (r reader) constant(n *tsgo.Node) *syntax.Node {
	switch n.Kind {
	case tsgo.KindStringLiteral, tsgo.KindNoSubstitutionTemplateLiteral, tsgo.KindJsxText:
		return syntax.TextConst(r.line(n), n.Text())
	case tsgo.KindRegularExpressionLiteral:
		return syntax.TextConst(r.line(n), n.Text())
	case tsgo.KindNumericLiteral, tsgo.KindBigIntLiteral:
		return syntax.NumberConst(r.line(n), n.Text())
	case tsgo.KindTrueKeyword, tsgo.KindFalseKeyword:
		return syntax.BoolConst(r.line(n), n.Kind == tsgo.KindTrueKeyword)
	case tsgo.KindNullKeyword:
		return syntax.NullConst(r.line(n))
	case tsgo.KindTemplateExpression:
		return r.template(n)
	}
	if isType(n.Kind) {
		return nil
	}
	return r.node(syntax.Other, n, r.below(n)...)
}

func isType(k tsgo.Kind) bool {
	return k >= tsgo.KindTypePredicate && k <= tsgo.KindImportType || k == tsgo.KindTypeParameter || k == tsgo.KindIndexedAccessType
}

func (r reader) template(n *tsgo.Node) *syntax.Node {
	t := n.AsTemplateExpression()
	out := r.node(syntax.Template, n, syntax.TextConst(r.line(n), t.Head.Text()))
	for _, span := range t.TemplateSpans.Nodes {
		s := span.AsTemplateSpan()
		out.Kids = append(out.Kids, r.expr(s.Expression), syntax.TextConst(r.line(span), s.Literal.Text()))
	}
	return out
}

func (r reader) properties(n *tsgo.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, p := range n.Properties() {
		switch p.Kind {
		case tsgo.KindPropertyAssignment:
			out = append(out, r.node(syntax.Pair, p, r.key(p.Name()), r.expr(p.Initializer())))
		case tsgo.KindShorthandPropertyAssignment:
			out = append(out, r.node(syntax.Pair, p, r.key(p.Name()), r.expr(p.Name())))
		case tsgo.KindSpreadAssignment:
			out = append(out, r.node(syntax.Spread, p, r.expr(p.Expression())))
		default:
			out = append(out, r.node(syntax.Pair, p, r.key(p.Name()), r.function(syntax.Method, p)))
		}
	}
	return out
}

var logical = map[tsgo.Kind]string{
	tsgo.KindAmpersandAmpersandToken: "and", tsgo.KindBarBarToken: "or", tsgo.KindQuestionQuestionToken: "??",
}

func (r reader) binary(n *tsgo.Node) *syntax.Node {
	b := n.AsBinaryExpression()
	op := b.OperatorToken.Kind
	text := r.tree.Text(b.OperatorToken)
	left, right := r.expr(b.Left), r.expr(b.Right)
	switch {
	case logical[op] != "":
		return r.named(syntax.Logical, logical[op], n, left, right)
	case op == tsgo.KindEqualsToken && (b.Left.Kind == tsgo.KindObjectLiteralExpression || b.Left.Kind == tsgo.KindArrayLiteralExpression):
		return r.node(syntax.Other, n, append(r.unpack(b.Left, right), right)...)
	case strings.HasSuffix(text, "=") && !compares(text):
		return r.named(syntax.Assign, text, n, left, right)
	case compares(text) || text == "in" || text == "instanceof":
		return r.named(syntax.Compare, loose(text), n, left, right)
	case text == ",":
		return r.node(syntax.Other, n, left, right)
	default:
		return r.named(syntax.Binary, text, n, left, right)
	}
}

func compares(op string) bool {
	switch op {
	case "==", "===", "!=", "!==", "<", "<=", ">", ">=":
		return true
	default:
		return false
	}
}

// loose is the name of a comparison in the words that all languages share.
func loose(op string) string {
	switch op {
	case "===":
		return "=="
	case "!==":
		return "!="
	default:
		return op
	}
}

// unpack assigns the parts of a value to the targets of a pattern that is written
// as a literal.
func (r reader) unpack(pattern *tsgo.Node, value *syntax.Node) []*syntax.Node {
	var out []*syntax.Node
	if pattern.Kind == tsgo.KindArrayLiteralExpression {
		for _, e := range r.exprs(pattern.Elements()) {
			out = append(out, r.named(syntax.Assign, "=", pattern, e, r.node(syntax.Other, pattern)))
		}
		return out
	}
	for _, p := range pattern.Properties() {
		var target *tsgo.Node
		switch p.Kind {
		case tsgo.KindPropertyAssignment:
			target = p.Initializer()
		case tsgo.KindShorthandPropertyAssignment:
			target = p.Name()
		}
		if target != nil {
			out = append(out, r.named(syntax.Assign, "=", p, r.expr(target), r.member(p.Name(), value)))
		}
	}
	return out
}
