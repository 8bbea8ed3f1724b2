package javascript

import (
	"fmt"

	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/repair/node"
)

// parse makes the tree of a source. A source with errors has one too, as far as
// it could be read: what redeclares a name is such a source and may be what is to
// be repaired.
func parse(name string, content []byte) (*node.Node, error) {
	if !tsgo.Known(name) {
		return nil, fmt.Errorf("%q is no source of JavaScript or TypeScript", name)
	}
	tree := tsgo.Parse(name, content)
	b := &builder{tree: tree, lines: linesOf(content)}
	root := b.at(node.File, 0, len(content))
	b.open(symbolsOf(tree.Root.Statements(), false))
	root.Scope = b.visible()
	root.Children = b.statements(tree.Root.Statements())
	return root, nil
}

// linesOf are the offsets at which lines begin.
func linesOf(content []byte) []int {
	starts := []int{0}
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// builder turns the parser's nodes into those that templates know.
type builder struct {
	tree  *tsgo.Tree
	lines []int
	// scopes are the names declared so far, the innermost last.
	scopes [][]node.Symbol
}

func (b *builder) line(offset int) int {
	low, high := 0, len(b.lines)
	for low+1 < high {
		if middle := (low + high) / 2; b.lines[middle] <= offset {
			low = middle
		} else {
			high = middle
		}
	}
	return low + 1
}

func (b *builder) at(kind node.Kind, start, end int, children ...*node.Node) *node.Node {
	n := &node.Node{Kind: kind, Start: start, End: end, Line: b.line(start), EndLine: b.line(end)}
	for _, c := range children {
		if c != nil {
			n.Children = append(n.Children, c)
		}
	}
	return n
}

func (b *builder) of(kind node.Kind, n *tsgo.Node, children ...*node.Node) *node.Node {
	return b.at(kind, b.tree.Start(n), n.End(), children...)
}

func (b *builder) empty(at int) *node.Node { return b.at(node.Empty, at, at) }

// operator gives n the operator that a token is.
func (b *builder) operator(n *node.Node, token *tsgo.Node) *node.Node {
	n.OpStart, n.OpEnd = b.tree.Start(token), token.End()
	n.Op = b.tree.Text(token)
	return n
}

func (b *builder) open(symbols []node.Symbol) { b.scopes = append(b.scopes, symbols) }
func (b *builder) close()                     { b.scopes = b.scopes[:len(b.scopes)-1] }

// visible are the names of all open scopes, the nearest first, each once.
func (b *builder) visible() []node.Symbol {
	seen := map[string]bool{}
	out := []node.Symbol{}
	for i := len(b.scopes) - 1; i >= 0; i-- {
		for _, s := range b.scopes[i] {
			if !seen[s.Name] {
				seen[s.Name] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// other is a node that templates don't look into but for the expressions below.
func (b *builder) other(n *tsgo.Node) *node.Node {
	return b.of(node.Other, n, b.below(n)...)
}

// below are the expressions and functions below a node that is itself of no
// interest.
func (b *builder) below(n *tsgo.Node) []*node.Node {
	var out []*node.Node
	for _, c := range tsgo.Children(n) {
		out = append(out, b.inside(c)...)
	}
	return out
}

func (b *builder) inside(c *tsgo.Node) []*node.Node {
	switch {
	case typeLike(c.Kind), c.Kind == tsgo.KindDecorator:
		return nil
	case c.Kind == tsgo.KindPropertyAssignment:
		return b.property(c)
	case c.Kind == tsgo.KindShorthandPropertyAssignment, c.Kind == tsgo.KindIdentifier && !isExpression(c):
		return nil
	case c.Kind == tsgo.KindMethodDeclaration, c.Kind == tsgo.KindGetAccessor, c.Kind == tsgo.KindSetAccessor, c.Kind == tsgo.KindConstructor:
		return one(b.function(c, c, nameOf(c.Name())))
	case c.Kind == tsgo.KindPropertyDeclaration:
		return one(b.member(c))
	case c.Kind == tsgo.KindBlock:
		return one(b.block(c, nil))
	case expressionKind(c.Kind):
		return one(b.expression(c))
	default:
		return b.below(c)
	}
}

func one(n *node.Node) []*node.Node {
	if n == nil {
		return nil
	}
	return []*node.Node{n}
}

// isExpression reports whether an identifier stands for a value, and not for the
// name of a property, attribute or type.
func isExpression(n *tsgo.Node) bool {
	p := n.Parent
	if p == nil {
		return false
	}
	switch p.Kind {
	case tsgo.KindJsxAttribute, tsgo.KindJsxOpeningElement, tsgo.KindJsxClosingElement, tsgo.KindJsxSelfClosingElement,
		tsgo.KindMetaProperty, tsgo.KindQualifiedName, tsgo.KindBindingElement, tsgo.KindJsxNamespacedName:
		return false
	default:
		return true
	}
}

// typeLike reports whether nodes of the kind exist for the type checker alone.
func typeLike(k tsgo.Kind) bool {
	return k >= tsgo.KindTypePredicate && k <= tsgo.KindImportType || k == tsgo.KindTypeParameter || k == tsgo.KindHeritageClause
}

// expressionKind reports whether nodes of the kind are expressions.
func expressionKind(k tsgo.Kind) bool {
	switch k {
	case tsgo.KindIdentifier, tsgo.KindNumericLiteral, tsgo.KindBigIntLiteral, tsgo.KindStringLiteral, tsgo.KindRegularExpressionLiteral,
		tsgo.KindNoSubstitutionTemplateLiteral, tsgo.KindTrueKeyword, tsgo.KindFalseKeyword, tsgo.KindNullKeyword, tsgo.KindThisKeyword,
		tsgo.KindSuperKeyword, tsgo.KindJsxElement, tsgo.KindJsxSelfClosingElement, tsgo.KindJsxFragment:
		return true
	default:
		return k >= tsgo.KindArrayLiteralExpression && k <= tsgo.KindSatisfiesExpression
	}
}

func nameOf(n *tsgo.Node) string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case tsgo.KindIdentifier, tsgo.KindPrivateIdentifier, tsgo.KindStringLiteral:
		return n.Text()
	default:
		return ""
	}
}

// typeOf is an annotation as written.
func (b *builder) typeOf(n *tsgo.Node) string {
	if n == nil {
		return ""
	}
	return b.tree.Text(n)
}
