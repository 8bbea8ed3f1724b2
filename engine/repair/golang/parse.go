package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"autocoder/engine/repair/node"
)

// tree parses a file and returns its tree. info is what the type checker knows
// of the file that fset and file describe; nil when nothing is known.
func tree(fset *token.FileSet, file *ast.File, pkg *types.Package, info *types.Info) *node.Node {
	if info == nil {
		info = &types.Info{}
	}
	b := &builder{file: fset.File(file.FileStart), pkg: pkg, info: info}
	root := b.at(node.File, file.FileStart, file.FileEnd)
	b.declareTop(file)
	root.Scope = b.visible()
	for _, d := range file.Decls {
		root.Children = append(root.Children, b.decl(d)...)
	}
	return root
}

// parseFile parses a file by itself.
func parseFile(name string, content []byte) (*token.FileSet, *ast.File, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, content, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, nil, fmt.Errorf("parse %s: %w", name, err)
	}
	return fset, file, nil
}

// builder turns go/ast into nodes.
type builder struct {
	file *token.File
	pkg  *types.Package
	info *types.Info
	// scopes are the names declared so far, the innermost last. shown is the list
	// of all of them, nil when it must be made anew.
	scopes [][]node.Symbol
	shown  []node.Symbol
}

func (b *builder) at(kind node.Kind, start, end token.Pos, children ...*node.Node) *node.Node {
	return &node.Node{
		Kind: kind, Start: b.file.Offset(start), End: b.file.Offset(end),
		Line: b.file.Line(start), EndLine: b.file.Line(end), Children: slices.DeleteFunc(children, isNil),
	}
}

func isNil(n *node.Node) bool { return n == nil }

func (b *builder) of(kind node.Kind, n ast.Node, children ...*node.Node) *node.Node {
	return b.at(kind, n.Pos(), n.End(), children...)
}

func (b *builder) empty(pos token.Pos) *node.Node { return b.at(node.Empty, pos, pos) }

func (b *builder) operator(n *node.Node, op token.Token, pos token.Pos) *node.Node {
	n.Op, n.OpStart = op.String(), b.file.Offset(pos)
	n.OpEnd = n.OpStart + len(n.Op)
	return n
}

// typeName is a type in Go's words, with names of the own package bare.
func (b *builder) typeName(t types.Type) string {
	if t == nil || t == types.Typ[types.Invalid] {
		return ""
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == b.pkg {
			return ""
		}
		return p.Name()
	})
}

// Scopes.

func (b *builder) push() { b.scopes, b.shown = append(b.scopes, nil), nil }

func (b *builder) pop() { b.scopes, b.shown = b.scopes[:len(b.scopes)-1], nil }

func (b *builder) declare(id *ast.Ident) {
	if id == nil || id.Name == "_" {
		return
	}
	s := node.Symbol{Name: id.Name, Local: true}
	if obj := b.info.Defs[id]; obj != nil {
		s.Type = b.typeName(obj.Type())
		_, s.Callable = obj.Type().Underlying().(*types.Signature)
	}
	top := len(b.scopes) - 1
	b.scopes[top], b.shown = append(b.scopes[top], s), nil
}

// declareTop declares what the whole package has, or the file where the package
// is not known.
func (b *builder) declareTop(file *ast.File) {
	b.push()
	if b.pkg != nil {
		for _, name := range b.pkg.Scope().Names() {
			if obj := b.pkg.Scope().Lookup(name); !isType(obj) && !b.inTest(obj) {
				b.top(name, b.typeName(obj.Type()), isFunc(obj))
			}
		}
		return
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				b.top(d.Name.Name, "", true)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						b.top(id.Name, "", false)
					}
				}
			}
		}
	}
}

// inTest reports whether an object is declared outside the files that were
// checked for repair; names of test files are not to be borrowed.
func (b *builder) inTest(obj types.Object) bool { return obj.Name() == "main" || obj.Name() == "init" }

func isType(obj types.Object) bool { _, ok := obj.(*types.TypeName); return ok }

func isFunc(obj types.Object) bool { _, ok := obj.(*types.Func); return ok }

func (b *builder) top(name, typ string, callable bool) {
	b.scopes[0] = append(b.scopes[0], node.Symbol{Name: name, Type: typ, Callable: callable})
}

// visible returns the names that can be used here; of two of one name the inner.
func (b *builder) visible() []node.Symbol {
	if b.shown == nil {
		seen := map[string]bool{}
		b.shown = []node.Symbol{}
		for _, scope := range slices.Backward(b.scopes) {
			for _, s := range slices.Backward(scope) {
				if !seen[s.Name] {
					seen[s.Name] = true
					b.shown = append(b.shown, s)
				}
			}
		}
	}
	return b.shown
}
