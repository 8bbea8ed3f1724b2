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
	b := &builder{file: fset.File(file.FileStart), pkg: pkg, info: info, named: &node.Types{Under: map[string]string{}, Members: map[string][]node.Symbol{}}}
	root := b.at(node.File, file.FileStart, file.FileEnd)
	root.Types = b.named
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
	// named is what was noted of the types that were spelled.
	named *node.Types
	// scopes are the names declared so far, the innermost last. shown are the lists
	// of all that is visible in each, nil where it must be made anew.
	scopes, shown [][]node.Symbol
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

// Scopes.

func (b *builder) push() {
	if top := len(b.shown) - 1; top >= 0 {
		// Nothing is declared yet: what is visible around it is what is visible.
		b.shown = append(b.shown, b.shown[top])
	} else {
		b.shown = append(b.shown, nil)
	}
	b.scopes = append(b.scopes, nil)
}

func (b *builder) pop() {
	top := len(b.scopes) - 1
	b.scopes, b.shown = b.scopes[:top], b.shown[:top]
}

func (b *builder) declare(id *ast.Ident) {
	if id == nil || id.Name == "_" {
		return
	}
	s := node.Symbol{Name: id.Name, Local: true}
	if obj := b.info.Defs[id]; obj != nil {
		s.Type = b.typeName(obj.Type())
		b.members(obj.Type())
		_, s.Callable = obj.Type().Underlying().(*types.Signature)
	}
	top := len(b.scopes) - 1
	b.scopes[top], b.shown[top] = append(b.scopes[top], s), nil
}

// mostNames is up to how many names of a package are visible everywhere in it. In
// a larger one it is those that the file declares or mentions itself.
const mostNames = 300

// declareTop declares what the whole package has, or the file where the package
// is not known. Files of tests are no part of either.
func (b *builder) declareTop(file *ast.File) {
	b.push()
	if b.pkg != nil {
		names := b.pkg.Scope().Names()
		if len(names) > mostNames {
			near := mentioned(file)
			names = slices.DeleteFunc(names, func(n string) bool { return !near[n] })
		}
		for _, name := range names {
			if obj := b.pkg.Scope().Lookup(name); !isType(obj) && name != "main" {
				b.top(name, b.typeName(obj.Type()), isFunc(obj))
			}
		}
		return
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "main" && d.Name.Name != "init" {
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

// mentioned are the identifiers of a file.
func mentioned(file *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out[id.Name] = true
		}
		return true
	})
	return out
}

func isType(obj types.Object) bool { _, ok := obj.(*types.TypeName); return ok }

func isFunc(obj types.Object) bool { _, ok := obj.(*types.Func); return ok }

func (b *builder) top(name, typ string, callable bool) {
	if name != "_" {
		b.scopes[0] = append(b.scopes[0], node.Symbol{Name: name, Type: typ, Callable: callable})
	}
}

// visible returns the names that can be used here; of two of one name the inner.
func (b *builder) visible() []node.Symbol {
	top := len(b.shown) - 1
	if b.shown[top] == nil {
		seen := map[string]bool{}
		all := []node.Symbol{}
		for _, scope := range slices.Backward(b.scopes) {
			for _, s := range slices.Backward(scope) {
				if !seen[s.Name] {
					seen[s.Name] = true
					all = append(all, s)
				}
			}
		}
		b.shown[top] = all
	}
	return b.shown[top]
}
