package golang

import (
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"testing"

	"autocoder/engine/repair/node"
	"autocoder/engine/repair/repairtest"
)

// The templates make Go's typical repairs.
func TestTemplates(t *testing.T) {
	t.Parallel()
	std := importer.ForCompiler(token.NewFileSet(), "source", nil)
	parse := func(source []byte) (*node.Node, error) {
		fset, file, err := parseFile("p.go", source)
		if err != nil {
			return nil, err
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: std, Error: func(error) {}}
		pkg, _ := config.Check("p", fset, []*ast.File{file}, info) // the tree is made of what is known
		return tree(fset, file, pkg, info), nil
	}
	corpus, err := repairtest.Corpus("go")
	if err != nil {
		t.Fatal(err)
	}
	repairtest.Run(t, language{}.Dialect(), parse, append(repairtest.Go(), corpus...))
}
