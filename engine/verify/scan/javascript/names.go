package javascript

import (
	"strconv"
	"strings"

	"autocoder/engine/verify/scan/syntax"

	tsgo "github.com/microsoft/typescript-go/shim"
)

// module is a specifier as the scan compares it: without node's own prefix, and
// "Module" for the module of modules, not to be taken for the object that each
// file has.
func module(n *tsgo.Node) string {
	if n == nil || n.Kind != tsgo.KindStringLiteral && n.Kind != tsgo.KindNoSubstitutionTemplateLiteral {
		return ""
	}
	if p := strings.TrimPrefix(n.Text(), "node:"); p != "module" {
		return p
	}
	return "Module"
}

func (r reader) imported(n *tsgo.Node, name, path string) *syntax.Node {
	out := r.named(syntax.Import, name, n)
	out.Path = strings.TrimSuffix(path, ".default")
	return out
}

// imports reads import declarations of every form, and exports from elsewhere.
func (r reader) imports(n *tsgo.Node) []*syntax.Node {
	switch n.Kind {
	case tsgo.KindImportEqualsDeclaration:
		ref := n.AsImportEqualsDeclaration().ModuleReference
		if ref.Kind == tsgo.KindExternalModuleReference {
			return []*syntax.Node{r.imported(n, n.Name().Text(), module(ref.Expression()))}
		}
		return r.one(syntax.Assign, n, r.named(syntax.Ident, n.Name().Text(), n), r.expr(ref))
	case tsgo.KindExportDeclaration:
		if path := module(n.AsExportDeclaration().ModuleSpecifier); path != "" && !n.IsTypeOnly() {
			return []*syntax.Node{r.imported(n, "", path)}
		}
		return nil
	}
	path := module(n.ModuleSpecifier())
	if n.ImportClause() == nil {
		return []*syntax.Node{r.imported(n, "", path)}
	}
	clause := n.ImportClause().AsImportClause()
	if n.ImportClause().IsTypeOnly() {
		return nil
	}
	var out []*syntax.Node
	if clause.Name() != nil {
		out = append(out, r.imported(n, clause.Name().Text(), path))
	}
	if clause.NamedBindings == nil {
		return out
	}
	if clause.NamedBindings.Kind == tsgo.KindNamespaceImport {
		return append(out, r.imported(n, clause.NamedBindings.Name().Text(), path))
	}
	for _, s := range clause.NamedBindings.Elements() {
		if !s.IsTypeOnly() {
			out = append(out, r.imported(s, s.Name().Text(), path+"."+s.PropertyNameOrName().Text()))
		}
	}
	return out
}

// declarations are an Assign for each name that is declared.
func (r reader) declarations(list *tsgo.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, d := range list.AsVariableDeclarationList().Declarations.Nodes {
		value := r.expr(d.Initializer())
		if value == nil {
			value = r.node(syntax.Other, d)
		}
		out = append(out, r.bind(d.Name(), value)...)
	}
	return out
}

// bind assigns a value to a name, or its parts to the names of a pattern.
func (r reader) bind(target *tsgo.Node, value *syntax.Node) []*syntax.Node {
	if target == nil {
		return nil
	}
	if target.Kind != tsgo.KindObjectBindingPattern && target.Kind != tsgo.KindArrayBindingPattern {
		return []*syntax.Node{r.named(syntax.Assign, ":=", target, r.expr(target), value)}
	}
	var out []*syntax.Node
	for i, e := range target.Elements() {
		if e.Kind != tsgo.KindBindingElement || e.Name() == nil {
			continue
		}
		part, rest := value, e.AsBindingElement().DotDotDotToken != nil
		switch {
		case rest:
		case target.Kind == tsgo.KindObjectBindingPattern:
			part = r.member(e.PropertyNameOrName(), value)
		case value.Kind == syntax.List && i < len(value.Kids):
			part = value.Kids[i]
		case value.Kind == syntax.Ident:
			part = r.node(syntax.Index, e, value, syntax.NumberConst(r.line(e), strconv.Itoa(i)))
		}
		if other := r.expr(e.Initializer()); other != nil {
			part = r.named(syntax.Logical, "??", e, part, other)
		}
		out = append(out, r.bind(e.Name(), part)...)
	}
	return out
}

// member is a part of a value by the name that a pattern has for it.
func (r reader) member(name *tsgo.Node, value *syntax.Node) *syntax.Node {
	if key := r.key(name); key.Kind == syntax.Const && key.Value.Kind == syntax.Text {
		return r.named(syntax.Attr, key.Value.Text, name, value)
	}
	return r.node(syntax.Index, name, value, r.key(name))
}

// key is the name of a property as a constant, or what computes it.
func (r reader) key(n *tsgo.Node) *syntax.Node {
	switch n.Kind {
	case tsgo.KindIdentifier, tsgo.KindPrivateIdentifier, tsgo.KindStringLiteral, tsgo.KindNoSubstitutionTemplateLiteral:
		return syntax.TextConst(r.line(n), n.Text())
	case tsgo.KindComputedPropertyName:
		return r.expr(n.Expression())
	default:
		return r.expr(n)
	}
}

// params are a function's parameters; a pattern makes a Param of each of its
// names.
func (r reader) params(n *tsgo.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, p := range n.Parameters() {
		value := r.expr(p.Initializer())
		if p.Name().Kind == tsgo.KindIdentifier {
			out = append(out, r.named(syntax.Param, p.Name().Text(), p, value))
			continue
		}
		if value == nil {
			value = r.node(syntax.Other, p)
		}
		for _, a := range r.bind(p.Name(), value) {
			out = append(out, r.named(syntax.Param, a.Kids[0].Name, p, a.Kids[1]))
		}
	}
	return out
}

func (r reader) function(kind syntax.Kind, n *tsgo.Node) *syntax.Node {
	f := r.node(kind, n, r.params(n)...)
	if name := n.Name(); name != nil {
		if key := r.key(name); key.Kind == syntax.Const {
			f.Name = key.Value.Text
		} else {
			f.Name = dotted(key)
			f.Kids = append(f.Kids, r.node(syntax.Decorator, n, key))
		}
	}
	for _, d := range n.Decorators() {
		f.Kids = append(f.Kids, r.node(syntax.Decorator, d, r.expr(d.Expression())))
	}
	switch body := n.Body(); {
	case body == nil:
	case body.Kind == tsgo.KindBlock:
		f.Kids = append(f.Kids, r.block(body))
	default:
		f.Kids = append(f.Kids, r.node(syntax.Block, body, r.node(syntax.Return, body, r.expr(body))))
	}
	return f
}

// dotted is a name such as Symbol.toPrimitive in words; "" when it is computed
// otherwise.
func dotted(n *syntax.Node) string {
	if n.Kind == syntax.Ident {
		return n.Name
	}
	if n.Kind == syntax.Attr {
		if object := dotted(n.Kids[0]); object != "" {
			return object + "." + n.Name
		}
	}
	return ""
}

func (r reader) class(n *tsgo.Node) *syntax.Node {
	c := r.node(syntax.Class, n)
	if n.Name() != nil {
		c.Name = n.Name().Text()
	}
	for _, child := range tsgo.Children(n) {
		if child.Kind == tsgo.KindHeritageClause {
			for _, b := range r.below(child) {
				c.Kids = append(c.Kids, r.node(syntax.Base, child, b))
			}
		}
	}
	for _, d := range n.Decorators() {
		c.Kids = append(c.Kids, r.node(syntax.Decorator, d, r.expr(d.Expression())))
	}
	body := r.node(syntax.Block, n)
	for _, m := range n.Members() {
		body.Kids = append(body.Kids, r.memberOf(c.Name, m)...)
	}
	c.Kids = append(c.Kids, body)
	return c
}

func (r reader) memberOf(class string, m *tsgo.Node) []*syntax.Node {
	switch m.Kind {
	case tsgo.KindMethodDeclaration, tsgo.KindConstructor, tsgo.KindGetAccessor, tsgo.KindSetAccessor:
		f := r.function(syntax.Method, m)
		f.Path = class
		if m.Kind == tsgo.KindGetAccessor {
			f.Kids = append(f.Kids, r.named(syntax.Decorator, "get", m))
		}
		if m.Kind == tsgo.KindConstructor {
			f.Name = "constructor"
		}
		return []*syntax.Node{f}
	case tsgo.KindPropertyDeclaration:
		value := r.expr(m.Initializer())
		if value == nil {
			return nil
		}
		return r.one(syntax.Assign, m, r.member(m.Name(), r.named(syntax.Ident, "this", m)), value)
	case tsgo.KindClassStaticBlockDeclaration:
		return r.below(m)
	default:
		return nil
	}
}

// enum is an assignment of an object with the members.
func (r reader) enum(n *tsgo.Node) *syntax.Node {
	members := r.node(syntax.Dict, n)
	for i, m := range n.Members() {
		value := r.expr(m.Initializer())
		if value == nil {
			value = syntax.NumberConst(r.line(m), strconv.Itoa(i))
		}
		members.Kids = append(members.Kids, r.node(syntax.Pair, m, r.key(m.Name()), value))
	}
	return r.named(syntax.Assign, ":=", n, r.named(syntax.Ident, n.Name().Text(), n), members)
}
