package javascript

import (
	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/repair/node"
)

// symbolsOf are the names that a list of statements declares for itself. What is
// imported as a whole is left out: it is no value to compute with.
func symbolsOf(statements []*tsgo.Node, local bool) []node.Symbol {
	var out []node.Symbol
	for _, st := range statements {
		switch st.Kind {
		case tsgo.KindVariableStatement:
			for _, d := range st.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes {
				out = append(out, symbolsOfDeclaration(d, local)...)
			}
		case tsgo.KindFunctionDeclaration, tsgo.KindClassDeclaration, tsgo.KindEnumDeclaration:
			if name := nameOf(st.Name()); name != "" {
				out = append(out, node.Symbol{Name: name, Callable: true, Local: local})
			}
		case tsgo.KindImportDeclaration:
			out = append(out, imported(st)...)
		default: // Nothing else declares a name in its own list.
		}
	}
	return out
}

func symbolsOfDeclaration(d *tsgo.Node, local bool) []node.Symbol {
	init := d.Initializer()
	if init != nil && required(init) {
		if d.Name().Kind == tsgo.KindIdentifier {
			return nil
		}
		names := symbolsOfPattern(d.Name(), "", local)
		for k := range names {
			names[k].Callable = true
		}
		return names
	}
	typ := ""
	if d.Type() != nil {
		typ = textOf(d.Type())
	}
	out := symbolsOfPattern(d.Name(), typ, local)
	if init != nil && len(out) == 1 && (init.Kind == tsgo.KindArrowFunction || init.Kind == tsgo.KindFunctionExpression || init.Kind == tsgo.KindClassExpression) {
		out[0].Callable = true
	}
	return out
}

// symbolsOfPattern are the names that the left side of a declaration binds.
func symbolsOfPattern(n *tsgo.Node, typ string, local bool) []node.Symbol {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case tsgo.KindIdentifier:
		return []node.Symbol{{Name: n.Text(), Type: typ, Local: local}}
	case tsgo.KindObjectBindingPattern, tsgo.KindArrayBindingPattern:
		var out []node.Symbol
		for _, e := range n.Elements() {
			if e.Kind == tsgo.KindBindingElement {
				out = append(out, symbolsOfPattern(e.Name(), "", local)...)
			}
		}
		return out
	default:
		return nil
	}
}

// required reports whether an initializer loads a module.
func required(n *tsgo.Node) bool {
	for n.Kind == tsgo.KindPropertyAccessExpression || n.Kind == tsgo.KindAwaitExpression {
		n = n.Expression()
	}
	if n.Kind != tsgo.KindCallExpression {
		return false
	}
	callee := n.Expression()
	return callee.Kind == tsgo.KindImportKeyword || callee.Kind == tsgo.KindIdentifier && callee.Text() == "require"
}

func imported(st *tsgo.Node) []node.Symbol {
	var out []node.Symbol
	clause := st.ImportClause()
	if clause == nil {
		return nil
	}
	if bindings := clause.AsImportClause().NamedBindings; bindings != nil && bindings.Kind == tsgo.KindNamedImports {
		for _, e := range bindings.Elements() {
			out = append(out, node.Symbol{Name: nameOf(e.Name()), Callable: true})
		}
	}
	return out
}

// textOf is the source of a type, whose tree is at hand by its file only.
func textOf(n *tsgo.Node) string {
	file := n
	for file.Parent != nil {
		file = file.Parent
	}
	text := file.AsSourceFile().Text()
	start := n.Pos()
	for start < n.End() && (text[start] == ' ' || text[start] == '\n' || text[start] == '\t' || text[start] == '\r') {
		start++
	}
	return text[start:n.End()]
}
