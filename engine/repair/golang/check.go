package golang

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// check says why a candidate does not compile.
func (c *change) check() error {
	if c.file.pkg.loose {
		_, err := parser.ParseFile(token.NewFileSet(), "", c.content, parser.SkipObjectResolution)
		return err
	}
	switch {
	case c.fn != nil:
		return c.checkFunction()
	case c.variable != "":
		return c.checkValue()
	default:
		return c.checkFile()
	}
}

// checkValue checks that a variable takes the value, in the package without bodies.
func (c *change) checkValue() error {
	var b bytes.Buffer
	b.WriteString("package p\n")
	for _, p := range c.adds {
		fmt.Fprintf(&b, "import %q\n", p)
	}
	fmt.Fprintf(&b, "func _() { %s = %s }\n", c.variable, c.text)
	fset := c.file.pkg.fset
	parsed, err := parser.ParseFile(fset, "", b.Bytes(), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	defer fset.RemoveFile(fset.File(parsed.FileStart))
	return c.checkIn(parsed.Decls[:len(c.adds)], parsed.Decls[len(c.adds)])
}

// checkIn checks a function that no other one calls, in the package without bodies.
func (c *change) checkIn(imports []ast.Decl, fn ast.Decl) error {
	own := *c.file.bare
	own.Decls = slices.Clone(imports)
	for _, d := range c.file.bare.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			own.Decls = append(own.Decls, d)
		}
	}
	own.Decls = append(own.Decls, fn)
	return c.file.pkg.extend(&own)
}

// checkFunction checks the one function in the package without other bodies.
func (c *change) checkFunction() error {
	var b bytes.Buffer
	b.WriteString("package p\n")
	for _, p := range c.adds {
		fmt.Fprintf(&b, "import %q\n", p)
	}
	b.WriteString(c.text)
	fset := c.file.pkg.fset
	parsed, err := parser.ParseFile(fset, "", b.Bytes(), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	defer fset.RemoveFile(fset.File(parsed.FileStart))
	if len(parsed.Decls) != len(c.adds)+1 {
		return errors.New("the function is no longer one")
	}
	fn, ok := parsed.Decls[len(c.adds)].(*ast.FuncDecl)
	if !ok || fn.Body == nil {
		return errors.New("the function is no longer one")
	}
	if redundant(fn) && !redundant(c.fn) {
		return errors.New("go vet refuses a condition that says the same twice")
	}
	if free := detached(fn); free != nil {
		return c.checkIn(parsed.Decls[:len(c.adds)], free)
	}
	own := *c.file.bare
	own.Decls = slices.Clone(parsed.Decls[:len(c.adds)])
	for i, d := range c.file.bare.Decls {
		if c.file.syntax.Decls[i] == ast.Decl(c.fn) {
			d = fn
		}
		own.Decls = append(own.Decls, d)
	}
	return c.file.pkg.verify(c.file, &own, true)
}

// detached is a function without a name of its own, its receiver the first parameter;
// nil for a method of a generic type.
func detached(fn *ast.FuncDecl) *ast.FuncDecl {
	out := *fn
	out.Name = &ast.Ident{NamePos: fn.Name.NamePos, Name: "_"}
	if fn.Recv == nil {
		return &out
	}
	if len(fn.Recv.List) != 1 {
		return nil
	}
	receiver := *fn.Recv.List[0]
	under := receiver.Type
	if star, ok := ast.Unparen(under).(*ast.StarExpr); ok {
		under = star.X
	}
	if _, plain := ast.Unparen(under).(*ast.Ident); !plain {
		return nil
	}
	if len(receiver.Names) == 0 {
		receiver.Names = []*ast.Ident{{NamePos: receiver.Pos(), Name: "_"}}
	}
	kind := *fn.Type
	list := *kind.Params
	list.List = []*ast.Field{&receiver}
	for _, p := range kind.Params.List {
		if len(p.Names) == 0 {
			named := *p
			named.Names = []*ast.Ident{{NamePos: p.Pos(), Name: "_"}}
			p = &named
		}
		list.List = append(list.List, p)
	}
	kind.Params = &list
	out.Type, out.Recv = &kind, nil
	return &out
}

// redundant reports whether a function has a condition that go test, by vet, takes
// for a mistake: a && a, or x != 1 || x != 2.
func redundant(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || b.Op != token.LAND && b.Op != token.LOR {
			return !found
		}
		seen := map[string]bool{}
		compared := map[string]bool{}
		for _, x := range operands(b, b.Op) {
			text := types.ExprString(x)
			if strings.Contains(text, "(") {
				continue // a call may have an effect
			}
			found = found || seen[text]
			seen[text] = true
			if c, ok := x.(*ast.BinaryExpr); ok && (b.Op == token.LOR && c.Op == token.NEQ || b.Op == token.LAND && c.Op == token.EQL) {
				if _, constant := c.Y.(*ast.BasicLit); constant {
					left := types.ExprString(c.X)
					found = found || compared[left]
					compared[left] = true
				}
			}
		}
		return !found
	})
	return found
}

// operands are those of a chain of one operator.
func operands(x ast.Expr, op token.Token) []ast.Expr {
	switch y := x.(type) {
	case *ast.ParenExpr:
		return operands(y.X, op)
	case *ast.BinaryExpr:
		if y.Op == op {
			return append(operands(y.X, op), operands(y.Y, op)...)
		}
	}
	return []ast.Expr{x}
}

// checkFile checks the whole package with the file changed.
func (c *change) checkFile() error {
	fset := c.file.pkg.fset
	parsed, err := parser.ParseFile(fset, "", c.content, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	defer fset.RemoveFile(fset.File(parsed.FileStart))
	return c.file.pkg.verify(c.file, parsed, false)
}

// mostFramed is how many functions are checked in one frame: it keeps something of each.
const mostFramed = 1000

// extend checks a file more, in the package without bodies. That takes as long as the
// file is, where checking the whole package anew takes as long as all of it is.
func (s *source) extend(syntax *ast.File) error {
	if s.frame == nil || s.framed == mostFramed {
		s.framed = 0
		if err := s.guarded(true, func(conf types.Config) {
			s.frame, _ = conf.Check(s.ImportPath, s.fset, bareOf(s.files), nil)
		}); err != nil {
			s.frame = nil
			return err
		}
	}
	s.framed++
	return s.guarded(true, func(conf types.Config) {
		types.NewChecker(&conf, s.fset, s.frame, nil).Files([]*ast.File{syntax})
	})
}

func bareOf(files []*file) []*ast.File {
	out := make([]*ast.File, len(files))
	for i, f := range files {
		out[i] = f.bare
	}
	return out
}

// verify checks the package with another syntax for one file; with bare, the
// other files have no bodies.
func (s *source) verify(f *file, syntax *ast.File, bare bool) error {
	files := syntaxes(s.files)
	if bare {
		files = bareOf(s.files)
	}
	files[slices.Index(s.files, f)] = syntax
	return s.guarded(bare, func(conf types.Config) { conf.Check(s.ImportPath, s.fset, files, nil) })
}

// guarded runs a check until its first error. With bare, where bodies are missing, an
// import that is not used says nothing.
func (s *source) guarded(bare bool, check func(types.Config)) (err error) {
	conf := s.conf
	conf.Error = func(e error) {
		if bare && strings.Contains(e.Error(), "imported") && strings.HasSuffix(e.Error(), "and not used") {
			return
		}
		panic(stopped{e})
	}
	defer func() {
		if r := recover(); r != nil {
			stop, ok := r.(stopped)
			if !ok {
				stop.error = fmt.Errorf("the type checker gave up: %v", r)
			}
			err = stop.error
		}
	}()
	check(conf)
	return nil
}

// stopped ends a check at its first error.
type stopped struct{ error }
