package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// literal gives a literal others.
func (w *sceneWeaver) literal(lit *ast.BasicLit) {
	v := value{kind: lit.Kind, text: lit.Value}
	var others []string
	if lit.Kind == token.CHAR {
		r, _, _, err := strconv.UnquoteChar(strings.Trim(lit.Value, "'"), '\'')
		if err != nil {
			return
		}
		others = []string{strconv.QuoteRune(r + 1), "'a'", "' '"}
	}
	for _, o := range variants(v, false) {
		others = append(others, o.text)
	}
	if old := w.stage.recent[lit.Kind]; old != lit.Value && old != "" {
		others = slices.Insert(others, min(len(others), 1), old)
	}
	w.stage.recent[lit.Kind] = lit.Value
	w.choose(lit, lit.Value, others)
}

// choose puts a choice in the place of a value.
func (w *sceneWeaver) choose(x ast.Expr, text string, others []string) {
	typ := w.typeName(w.file.pkg.info.TypeOf(x))
	if typ == "" || len(others) == 0 || len(w.stage.places) == mostPlaces {
		return
	}
	if b, ok := w.file.pkg.info.TypeOf(x).Underlying().(*types.Basic); ok && (b.Kind() == types.Int8 || b.Kind() == types.Uint8) {
		others = slices.DeleteFunc(others, func(o string) bool { return len(o) > 2 && o[0] != '\'' || o[0] == '\'' && len(o) != 3 })
	}
	others = others[:min(len(others), mostChoices)]
	k := len(w.stage.places)
	w.stage.places = append(w.stage.places, place{text: text, others: others, file: w.file.path, line: w.file.pkg.fset.Position(x.Pos()).Line})
	w.stage.of[w.function] = append(w.stage.of[w.function], k)
	w.replace(x, fmt.Sprintf("%s.Vary[%s](%d, %s, %s)", alias, typ, k, text, strings.Join(others, ", ")))
}

// typeName is a type as the file writes it, "" where that is not plain.
func (w *sceneWeaver) typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	if b, ok := t.(*types.Basic); ok {
		if b.Info()&types.IsUntyped != 0 {
			return types.Default(b).String()
		}
		return b.Name()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs() != nil {
		return ""
	}
	if _, basic := named.Underlying().(*types.Basic); !basic || named.Obj().Parent() == nil {
		return ""
	}
	pkg := named.Obj().Pkg()
	if pkg == nil || pkg == w.file.pkg.types {
		return named.Obj().Name()
	}
	for _, s := range w.file.syntax.Imports {
		if p, err := strconv.Unquote(s.Path.Value); err == nil && p == pkg.Path() {
			if s.Name == nil {
				return pkg.Name() + "." + named.Obj().Name()
			}
			if s.Name.Name != "." && s.Name.Name != "_" {
				return s.Name.Name + "." + named.Obj().Name()
			}
		}
	}
	return ""
}
