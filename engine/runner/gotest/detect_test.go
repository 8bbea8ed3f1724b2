package gotest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
)

func treeOf(text string) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tree string
		want []runner.Unit
	}{
		"no module":              {tree: "-- a_test.go --\npackage a\n"},
		"a module without tests": {tree: "-- go.mod --\nmodule m\n-- a.go --\npackage a\n"},
		"modules in a module, and what is no package of it": {
			tree: `
-- go.mod --
module ex.com/m // a comment
-- a_test.go --
package a
-- sub/b_test.go --
package b
-- sub/inner/go.mod --
module "ex.com/inner"
-- sub/inner/c_test.go --
package c
-- vendor/x/x_test.go --
package x
-- testdata/x_test.go --
package x
-- node_modules/x/x_test.go --
package x
-- .hidden/x_test.go --
package x
-- _old/deep/x_test.go --
package x
-- none/x.go --
package x
`,
			want: []runner.Unit{
				{Root: ".", Why: "go.mod", Parts: []string{"ex.com/m", "ex.com/m/sub"}, Env: []string{"GOWORK=off"}},
				{Root: "sub/inner", Why: "sub/inner/go.mod", Parts: []string{"ex.com/inner"}, Env: []string{"GOWORK=off"}},
			},
		},
		"a workspace, and a module that it does not use": {
			tree: `
-- go.work --
go 1.21

use (
	./a
	b
)
-- a/go.mod --
module a
-- a/a_test.go --
package a
-- b/go.mod --
module b
-- b/b_test.go --
package b
-- c/go.mod --
module c
-- c/c_test.go --
package c
`,
			want: []runner.Unit{
				{Root: "a", Why: "a/go.mod and go.work", Parts: []string{"a"}},
				{Root: "b", Why: "b/go.mod and go.work", Parts: []string{"b"}},
				{Root: "c", Why: "c/go.mod", Parts: []string{"c"}, Env: []string{"GOWORK=off"}},
			},
		},
		"tests of other systems don't count": {
			tree: `
-- go.mod --
module m
-- a/a_plan9_test.go --
package a
-- b/b_test.go --
//go:build integration

package b
-- c/c_test.go --
//go:build !integration

package c
`,
			want: []runner.Unit{{Root: ".", Why: "go.mod", Parts: []string{"m/c"}, Env: []string{"GOWORK=off"}}},
		},
		"a go.mod and a go.work that can't be read": {
			tree: "-- go.work --\nuse (\n-- go.mod --\nmodule\n-- a_test.go --\npackage a\n",
			want: []runner.Unit{{Root: ".", Why: "go.mod", Parts: []string{"."}, Env: []string{"GOWORK=off"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := detect(treeOf(test.tree))
			if err != nil {
				t.Fatal(err)
			}
			for i := range test.want {
				test.want[i].Name, test.want[i].Runner = test.want[i].Root, Name
				test.want[i].Command = []string{"go", "test", "./..."}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSplitID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string][2]string{
		"ex/p.TestA":                     {"ex/p", "TestA"},
		"github.com/a/b.v2.TestA/x":      {"github.com/a/b.v2", "TestA/x"},
		"m.TestA/b.TestC":                {"m", "TestA/b.TestC"},
		"m.Test":                         {"m", "Test"},
		"m.TestÄpfel/x y":                {"m", "TestÄpfel/x y"},
		"m.FuzzX/seed#0":                 {"m", "FuzzX/seed#0"},
		"ex.com/examples.Testing.TestIt": {"ex.com/examples.Testing", "TestIt"},
		"m.ExampleT_Do":                  {"m", "ExampleT_Do"},
		"ex/p":                           {},
		"m.Testify":                      {},
		"":                               {},
	} {
		pkg, test, ok := SplitID(id)
		if got := [2]string{pkg, test}; got != want || ok != (want != [2]string{}) {
			t.Errorf("SplitID(%q) = %q %v, want %q", id, got, ok, want)
		}
	}
}
