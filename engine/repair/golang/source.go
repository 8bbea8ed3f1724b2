package golang

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"autocoder/engine/repair"
	"autocoder/engine/textedit"
)

// source is a package of the project with its syntax and types.
type source struct {
	*listed
	fset  *token.FileSet
	files []*file
	types *types.Package
	info  *types.Info
	conf  types.Config
	// loose means that the package as it is does not pass the check, so that the
	// check says nothing of a candidate.
	loose bool
	// frame is the package without bodies, in which single functions are checked, and
	// framed how many were.
	frame  *types.Package
	framed int
	// unordered means that it goes over a map, or waits for one of several channels:
	// what it does may differ from run to run.
	unordered bool
}

// file is a file of a source.
type file struct {
	pkg     *source
	path    string // relative to the workspace
	content []byte
	syntax  *ast.File
	// bare is the syntax with the bodies of functions left out.
	bare *ast.File
}

// read parses and checks the files of a package. names are those to read of its
// folder, root is where the workspace is.
func read(lib *library, p *listed, names []string, root string, reader textedit.Reader) (*source, error) {
	s := &source{listed: p, fset: token.NewFileSet()}
	for _, name := range names {
		full := filepath.Join(p.Dir, name)
		rel, ok := inside(root, full)
		if !ok {
			return nil, fmt.Errorf("read package %s: %s is outside the workspace", p.ImportPath, full)
		}
		content, err := contentOf(reader, rel, full)
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", p.ImportPath, err)
		}
		syntax, err := parser.ParseFile(s.fset, full, content, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", p.ImportPath, err)
		}
		f := &file{pkg: s, path: rel, content: content, syntax: syntax}
		f.bare = bare(syntax)
		s.files = append(s.files, f)
	}
	s.conf = types.Config{Importer: lib.importer(p), FakeImportC: true, Sizes: types.SizesFor("gc", "amd64")}
	if p.Module != nil && p.Module.GoVersion != "" {
		s.conf.GoVersion = "go" + p.Module.GoVersion
	}
	s.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := s.conf
	conf.Error = func(error) { s.loose = true }
	s.types, _ = conf.Check(p.ImportPath, s.fset, syntaxes(s.files), s.info)
	s.unordered = s.leavesOrderOpen()
	return s, nil
}

// leavesOrderOpen reports what unordered says.
func (s *source) leavesOrderOpen() bool {
	found := false
	for _, f := range s.files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectStmt:
				found = true
			case *ast.RangeStmt:
				if t := s.info.TypeOf(n.X); t != nil {
					_, isMap := t.Underlying().(*types.Map)
					found = found || isMap
				}
			}
			return !found
		})
	}
	return found
}

// contentOf reads a file of the current state, or one that the snapshot does not
// hold, as generated files may be, from disk.
func contentOf(reader textedit.Reader, rel, full string) ([]byte, error) {
	f, err := reader(rel)
	if err == nil && f.Kind == textedit.Regular {
		return f.Content, nil
	}
	return os.ReadFile(full)
}

func syntaxes(files []*file) []*ast.File {
	out := make([]*ast.File, len(files))
	for i, f := range files {
		out[i] = f.syntax
	}
	return out
}

// bare leaves out the bodies of functions. An endless loop stands for them, as it
// needs no return.
func bare(f *ast.File) *ast.File {
	out := *f
	out.Decls = slices.Clone(f.Decls)
	for i, d := range out.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			out.Decls[i] = hollow(fn)
		}
	}
	return &out
}

func hollow(fn *ast.FuncDecl) *ast.FuncDecl {
	copied := *fn
	copied.Body = &ast.BlockStmt{
		Lbrace: fn.Body.Lbrace, Rbrace: fn.Body.Rbrace,
		List: []ast.Stmt{&ast.ForStmt{For: fn.Body.Lbrace + 1, Body: &ast.BlockStmt{Lbrace: fn.Body.Lbrace + 1, Rbrace: fn.Body.Rbrace}}},
	}
	return &copied
}

func (f *file) offset(p token.Pos) int { return int(p - f.syntax.FileStart) }

// change is a candidate seen as what it does to its file.
type change struct {
	repair.Candidate
	file *file
	// content is the whole file with the edits.
	content []byte
	// fn is the function that all of the edits are in, but for imports; nil when
	// they are elsewhere. text is the function with the edits, and adds are the
	// import paths that the file doesn't have yet.
	fn   *ast.FuncDecl
	text string
	adds []string
	// variable is the package's variable whose first value all of the edits are in;
	// text is then that value.
	variable string
	// alone means that it can't share a program with others.
	alone bool
}

var errEdits = errors.New("the edits do not fit the file")

// see finds out what a candidate does to its file.
func (f *file) see(c repair.Candidate) (*change, error) {
	content, err := textedit.ApplyEdits(f.content, c.Edits)
	if err != nil {
		return nil, errors.Join(errEdits, err)
	}
	ch := &change{Candidate: c, file: f, content: content}
	top := f.importsEnd()
	var within []textedit.Edit
	imports := false
	for _, e := range c.Edits {
		switch {
		case e.End <= top:
			imports = true
		case ch.fn == nil:
			if ch.fn = f.functionAt(e.Start, e.End); ch.fn == nil {
				return ch, f.seeValue(ch)
			}
			within = append(within, e)
		case f.functionAt(e.Start, e.End) == ch.fn:
			within = append(within, e)
		default:
			ch.fn, ch.alone = nil, true
			return ch, nil
		}
	}
	if ch.fn == nil {
		ch.alone = true
		return ch, nil
	}
	start, end := f.offset(ch.fn.Pos()), f.offset(ch.fn.End())
	for i := range within {
		within[i].Start -= start
		within[i].End -= start
	}
	text, err := textedit.ApplyEdits(f.content[start:end], within)
	if err != nil {
		return nil, errors.Join(errEdits, err)
	}
	ch.text = string(text)
	if bound(ch.fn) {
		_, ok := newBody(string(f.content[start:end])).place(ch)
		ch.alone = !ok
	}
	if imports {
		if ch.adds, err = f.added(content); err != nil {
			return nil, err
		}
	}
	return ch, nil
}

// seeValue finds the variable of the package whose value a change is in. It must be
// right by itself: what it makes of the file is not looked at.
func (f *file) seeValue(ch *change) error {
	ch.alone = true
	var within []textedit.Edit
	top := f.importsEnd()
	for _, e := range ch.Edits {
		if e.End > top {
			within = append(within, e)
		}
	}
	name, value := f.valueAt(within[0].Start, within[len(within)-1].End)
	if value == nil {
		return nil
	}
	start, end := f.offset(value.Pos()), f.offset(value.End())
	for i := range within {
		within[i].Start -= start
		within[i].End -= start
	}
	text, err := textedit.ApplyEdits(f.content[start:end], within)
	if err != nil {
		return errors.Join(errEdits, err)
	}
	ch.text, ch.variable, ch.alone = string(text), name, false
	ch.adds, err = f.added(ch.content)
	return err
}

// valueAt returns the variable of the package whose first value holds a range, and
// that value.
func (f *file) valueAt(start, end int) (string, ast.Expr) {
	for _, d := range f.syntax.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || end < f.offset(g.Pos()) || f.offset(g.End()) < start {
			continue
		}
		for _, s := range g.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok || len(v.Names) != len(v.Values) {
				continue
			}
			for i, x := range v.Values {
				if f.offset(x.Pos()) <= start && end <= f.offset(x.End()) && v.Names[i].Name != "_" {
					return v.Names[i].Name, x
				}
			}
		}
	}
	return "", nil
}

// importsEnd is the offset after the last import.
func (f *file) importsEnd() int {
	end := f.offset(f.syntax.Name.End())
	for _, d := range f.syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = f.offset(g.End())
		}
	}
	return end
}

// functionAt returns the function whose body holds a range.
func (f *file) functionAt(start, end int) *ast.FuncDecl {
	for _, d := range f.syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Body != nil && f.offset(fn.Body.Lbrace) < start && end <= f.offset(fn.Body.Rbrace) {
			return fn
		}
	}
	return nil
}

// added returns the plain imports that content has and the file has not.
func (f *file) added(content []byte) ([]string, error) {
	after, err := parser.ParseFile(token.NewFileSet(), "", content, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, s := range f.syntax.Imports {
		have[s.Path.Value] = true
	}
	var out []string
	for _, s := range after.Imports {
		if s.Name == nil && !have[s.Path.Value] {
			p, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}
