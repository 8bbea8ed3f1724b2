package golang

import (
	"go/ast"
	"testing"
)

func TestRedundant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a && a": true, "a || b || a": true, "(a > 1) && (b || a > 1 && a > 1)": true, "x != 1 || x != 2": true, "x == 1 && x == 2": true,
		"a && b": false, "f() && f()": false, "x != 1 && x != 2": false, "a && (b || a)": false, "a == b && a == c": false,
	} {
		_, file, err := parseFile("p.go", []byte("package p\n\nfunc f() bool { return "+text+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := redundant(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
