package neighbours

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/textedit"
)

// goAlias is what is laid over the sources is called in them, and the folder of it.
const goAlias = "autocodernear"

// goSource is one file of the code under test.
type goSource struct {
	// place is its path in the unit.
	place string
	text  []byte
	set   *token.FileSet
	file  *ast.File
}

// parseGo parses a file; nil when it can't be.
func parseGo(place string, text []byte) *goSource {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, place, text, parser.SkipObjectResolution)
	if err != nil || file.FileStart == token.NoPos {
		return nil
	}
	return &goSource{place, text, set, file}
}

func (s *goSource) offset(p token.Pos) int { return int(p - s.file.FileStart) }

// id is the name of a function that no other of the unit has, "" for one that can't be
// called by itself.
func (s *goSource) id(fn *ast.FuncDecl) string {
	name := fn.Name.Name
	if fn.Body == nil || fn.Type.TypeParams != nil || name == "_" || fn.Recv == nil && (name == "init" || name == "main") {
		return ""
	}
	if fn.Recv != nil {
		receiver := fn.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		id, ok := receiver.(*ast.Ident)
		if !ok {
			return "" // it has types as parameters
		}
		name = id.Name + "." + name
	}
	return path.Dir(s.place) + "#" + name
}

// functions calls each for the functions that can be called.
func (s *goSource) functions(each func(id string, fn *ast.FuncDecl)) {
	for _, d := range s.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			if id := s.id(fn); id != "" {
				each(id, fn)
			}
		}
	}
}

// body is the text of a function.
func (s *goSource) body(fn *ast.FuncDecl) string {
	return string(s.text[s.offset(fn.Pos()):s.offset(fn.End())])
}

// woven is the file with what makes its functions and types known and, if it is wished,
// notes their calls.
func (s *goSource) woven(module string, note bool) ([]byte, error) {
	var edits []textedit.Edit
	insert := func(at token.Pos, text string) {
		edits = append(edits, textedit.Edit{Start: s.offset(at), End: s.offset(at), New: text})
	}
	insert(s.file.Name.End(), fmt.Sprintf("; import %s %q", goAlias, module+"/"+goAlias))
	var tail strings.Builder
	fmt.Fprintf(&tail, "\nvar _ = %s.On\n", goAlias)
	s.functions(func(id string, fn *ast.FuncDecl) {
		fmt.Fprintf(&tail, "var _ = %s.Func(%q, %s)\n", goAlias, id, expression(fn))
		if note {
			args := s.named(fn, func(at token.Pos, end token.Pos, text string) {
				edits = append(edits, textedit.Edit{Start: s.offset(at), End: s.offset(end), New: text})
			})
			insert(fn.Body.Lbrace+1, fmt.Sprintf(" if %[1]s.On { %[1]s.Enter(%[2]s) }; ", goAlias, strings.Join(append([]string{strconv.Quote(id)}, args...), ", ")))
		}
	})
	edits = append(edits, s.ways()...)
	slices.SortStableFunc(edits, func(a, b textedit.Edit) int { return cmp.Compare(a.Start, b.Start) })
	for _, d := range s.file.Decls {
		types, ok := d.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			t := spec.(*ast.TypeSpec)
			if _, open := t.Type.(*ast.InterfaceType); !open && t.TypeParams == nil && t.Name.Name != "_" && !t.Assign.IsValid() {
				fmt.Fprintf(&tail, "var _ = %s.Type((*%s)(nil))\n", goAlias, t.Name.Name)
			}
		}
	}
	edits = append(edits, textedit.Edit{Start: len(s.text), End: len(s.text), New: tail.String()})
	return textedit.ApplyEdits(s.text, edits)
}

// ways notes which blocks run.
func (s *goSource) ways() []textedit.Edit {
	var edits []textedit.Edit
	base := fnv.New32a()
	base.Write([]byte(s.place))
	n := int(base.Sum32() >> 1)
	note := func(at token.Pos) {
		n++
		edits = append(edits, textedit.Edit{Start: s.offset(at), End: s.offset(at), New: fmt.Sprintf(" %s.Way(%d); ", goAlias, n)})
	}
	ast.Inspect(s.file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SwitchStmt:
			s.clauses(node.Body, note)
		case *ast.TypeSwitchStmt:
			s.clauses(node.Body, note)
		case *ast.IfStmt:
			note(node.Body.Lbrace + 1)
			if other, ok := node.Else.(*ast.BlockStmt); ok {
				note(other.Lbrace + 1)
			}
		case *ast.ForStmt:
			note(node.Body.Lbrace + 1)
		case *ast.RangeStmt:
			note(node.Body.Lbrace + 1)
		}
		return true
	})
	return edits
}

func (s *goSource) clauses(body *ast.BlockStmt, note func(token.Pos)) {
	for _, c := range body.List {
		if clause, ok := c.(*ast.CaseClause); ok {
			note(clause.Colon + 1)
		}
	}
}

// expression is a function as a value, a method with its receiver as the first argument.
func expression(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		return "(*" + star.X.(*ast.Ident).Name + ")." + fn.Name.Name
	}
	return receiver.(*ast.Ident).Name + "." + fn.Name.Name
}

// named are the names of a function's receiver and parameters. Those that have none
// are given one.
func (s *goSource) named(fn *ast.FuncDecl, replace func(at, end token.Pos, text string)) []string {
	var out []string
	fields := fn.Type.Params.List
	if fn.Recv != nil {
		fields = append([]*ast.Field{fn.Recv.List[0]}, fields...)
	}
	for _, field := range fields {
		if len(field.Names) == 0 {
			name := goAlias + strconv.Itoa(len(out))
			replace(field.Type.Pos(), field.Type.Pos(), name+" ")
			out = append(out, name)
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = goAlias + strconv.Itoa(len(out))
				replace(id.Pos(), id.End(), name)
			}
			out = append(out, name)
		}
	}
	return out
}
