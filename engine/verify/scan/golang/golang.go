// Package golang reads Go source for the scan.
package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// Parse returns the tree of a file.
func Parse(name string, content []byte) (*syntax.Node, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, content, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	r := reader{file: fset.File(file.FileStart)}
	root := r.named(syntax.File, file.Name.Name, file)
	for _, group := range file.Comments {
		for _, c := range group.List {
			if d := r.directive(c); d != nil {
				root.Kids = append(root.Kids, d)
			}
		}
	}
	for _, spec := range file.Imports {
		root.Kids = append(root.Kids, r.imported(spec))
	}
	for _, d := range file.Decls {
		root.Kids = append(root.Kids, r.decl(d)...)
	}
	return root, nil
}

type reader struct{ file *token.File }

func (r reader) line(n ast.Node) int { return r.file.Line(n.Pos()) }

func (r reader) node(kind syntax.Kind, n ast.Node, kids ...*syntax.Node) *syntax.Node {
	out := &syntax.Node{Kind: kind, Line: r.line(n)}
	for _, kid := range kids {
		if kid != nil {
			out.Kids = append(out.Kids, kid)
		}
	}
	return out
}

func (r reader) named(kind syntax.Kind, name string, n ast.Node, kids ...*syntax.Node) *syntax.Node {
	out := r.node(kind, n, kids...)
	out.Name = name
	return out
}

// directive is a comment that the tool chain obeys: //go:linkname, //go:embed,
// //go:build, // +build and cgo's own.
func (r reader) directive(c *ast.Comment) *syntax.Node {
	text, ok := strings.CutPrefix(c.Text, "//go:")
	if !ok {
		if text, ok = strings.CutPrefix(c.Text, "// +"); !ok || !strings.HasPrefix(text, "build ") {
			if text, ok = strings.CutPrefix(c.Text, "//export "); !ok {
				return nil
			}
			text = "export " + text
		}
	}
	name, rest, _ := strings.Cut(text, " ")
	d := r.named(syntax.Directive, name, c)
	d.Path = strings.TrimSpace(rest)
	return d
}

func (r reader) imported(spec *ast.ImportSpec) *syntax.Node {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		p = spec.Path.Value
	}
	n := r.named(syntax.Import, path.Base(p), spec)
	n.Path = p
	if base := path.Base(p); len(base) > 1 && base[0] == 'v' && base[1] >= '0' && base[1] <= '9' {
		n.Name = path.Base(path.Dir(p)) // math/rand/v2 is called rand
	}
	switch {
	case spec.Name == nil:
	case spec.Name.Name == ".":
		n.Name = "*"
	default:
		n.Name = spec.Name.Name
	}
	return n
}

func (r reader) decl(d ast.Decl) []*syntax.Node {
	switch d := d.(type) {
	case *ast.FuncDecl:
		f := r.function(syntax.Func, d, d.Type, d.Body)
		f.Name = d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			f.Kind, f.Path = syntax.Method, receiver(d.Recv.List[0].Type)
			f.Kids = append(r.params(d.Recv), f.Kids...)
		}
		return []*syntax.Node{f}
	case *ast.GenDecl:
		return r.specs(d)
	default:
		return nil
	}
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	default:
		return ""
	}
}

func (r reader) specs(d *ast.GenDecl) []*syntax.Node {
	var out []*syntax.Node
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			var targets []*syntax.Node
			for _, id := range s.Names {
				targets = append(targets, r.expr(id))
			}
			out = append(out, r.assign(s, ":=", targets, r.exprs(s.Values))...)
			if s.Type != nil {
				out = append(out, r.expr(s.Type))
			}
		case *ast.TypeSpec:
			out = append(out, r.named(syntax.Class, s.Name.Name, s, r.expr(s.Type)))
		}
	}
	return out
}

// assign is one Assign for each pair of target and value, or one for all where a
// call gives several.
func (r reader) assign(n ast.Node, op string, targets, values []*syntax.Node) []*syntax.Node {
	if len(values) == len(targets) {
		var out []*syntax.Node
		for i, target := range targets {
			out = append(out, r.named(syntax.Assign, op, n, target, values[i]))
		}
		return out
	}
	if len(values) == 0 {
		for _, target := range targets {
			values = append(values, r.named(syntax.Assign, op, n, target, r.node(syntax.Other, n)))
		}
		return values
	}
	return []*syntax.Node{r.named(syntax.Assign, op, n, append(targets, values...)...)}
}

func (r reader) function(kind syntax.Kind, n ast.Node, t *ast.FuncType, body *ast.BlockStmt) *syntax.Node {
	f := r.node(kind, n, r.params(t.Params)...)
	if t.Results != nil {
		for _, field := range t.Results.List {
			for _, id := range field.Names {
				f.Kids = append(f.Kids, r.named(syntax.Assign, "=", id, r.expr(id), r.node(syntax.Other, id)))
			}
			f.Kids = append(f.Kids, r.expr(field.Type))
		}
	}
	if body != nil {
		f.Kids = append(f.Kids, r.block(body))
	}
	return f
}

func (r reader) params(list *ast.FieldList) []*syntax.Node {
	var out []*syntax.Node
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			out = append(out, r.named(syntax.Param, id.Name, id))
		}
		out = append(out, r.expr(field.Type))
	}
	return out
}

func (r reader) block(b *ast.BlockStmt) *syntax.Node {
	if b == nil {
		return nil
	}
	return r.node(syntax.Block, b, r.stmts(b.List)...)
}

func (r reader) stmts(list []ast.Stmt) []*syntax.Node {
	var out []*syntax.Node
	for _, s := range list {
		out = append(out, r.stmt(s)...)
	}
	return out
}
