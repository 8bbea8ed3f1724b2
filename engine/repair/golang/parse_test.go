package golang

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/repair/node"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/textedit"
)

// TestTreesOfTheStandardLibrary parses all of the standard library.
func TestTreesOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(goTool(t), "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(out)), "src")
	files := 0
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "cmd") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset, file, err := parseFile(path, content)
		if err != nil {
			return err
		}
		files++
		verify(t, path, content, tree(fset, file, nil, nil))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 {
		t.Errorf("only %d files were found", files)
	}
}

// TestTreesWithTypes parses packages of the standard library with all that the
// type checker knows.
func TestTreesWithTypes(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(goTool(t), "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(out))
	names := []string{"strings", "sort", "text/template", "encoding/json", "slices", "net/url", "container/list", "go/types"}
	lib, err := list(t.Context(), runnertest.OpenCell(t, t.TempDir()), command.Spec{
		Args: append([]string{goTool(t), "list", "-e", "-export", "-deps", "-json=" + fields}, names...), Env: goEnv(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p := lib.packages[name]
		s, err := read(lib, p, p.GoFiles, root, func(path string) (textedit.File, error) {
			b, err := os.ReadFile(filepath.Join(root, path))
			return textedit.File{Kind: textedit.Regular, Content: b}, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.loose {
			t.Errorf("%s does not pass the check", name)
		}
		all, typed := 0, 0
		for _, f := range s.files {
			root := tree(s.fset, f.syntax, s.types, s.info)
			verify(t, f.path, f.content, root)
			node.Walk(root, func(n *node.Node) bool {
				if n.Kind.Expression() && n.Kind != node.Tuple {
					all++
					if n.Type != "" {
						typed++
					}
				}
				return true
			})
		}
		if typed < all*9/10 {
			t.Errorf("%s: only %d of %d expressions have a type", name, typed, all)
		}
	}
}

// TestScopes checks which names are visible where.
func TestScopes(t *testing.T) {
	const text = `package p

var top = 1

func f(a int) (named string) {
	b := a
	if c := b; c > 0 {
		d := c
		_ = d
	}
	for i, e := range []int{1} {
		_, _ = i, e
	}
	return named
}
`
	fset, file, err := parseFile("p.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	info := node.NewInfo(tree(fset, file, nil, nil), []byte(text), node.Go())
	want := map[string]string{
		"b := a": "named a f top", "_ = d": "d c b named a f top", "d := c": "c b named a f top",
		"_, _ = i, e": "e i b named a f top", "return named": "b named a f top",
	}
	node.Walk(info.Root, func(n *node.Node) bool {
		if expected, ok := want[info.Text(n)]; ok && n.Kind.Statement() {
			var names []string
			for _, s := range info.Visible(n) {
				names = append(names, s.Name)
			}
			slices.Sort(names)
			wanted := strings.Fields(expected)
			slices.Sort(wanted)
			if !slices.Equal(names, wanted) {
				t.Errorf("at %q: %v, want %v", info.Text(n), names, wanted)
			}
			delete(want, info.Text(n))
		}
		return true
	})
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// verify checks what every tree must keep to.
func verify(t *testing.T, path string, content []byte, root *node.Node) {
	t.Helper()
	node.Walk(root, func(n *node.Node) bool {
		text := string(content[n.Start:n.End])
		bad := func(why string) {
			t.Errorf("%s:%d: %s: kind %d, %.60q", path, n.Line, why, n.Kind, text)
		}
		at := n.Start
		for _, c := range n.Children {
			if c.Start < at || c.End > n.End || c.End < c.Start {
				bad("a child is out of its place")
			}
			at = c.End
		}
		if n.Op != "" && n.Op != "in" && n.Op != ";" && n.OpEnd > n.OpStart && string(content[n.OpStart:n.OpEnd]) != n.Op {
			bad("the operator is not " + n.Op)
		}
		switch n.Kind {
		case node.Name, node.Param:
			if text != n.Name {
				bad("the name is not " + n.Name)
			}
		case node.Attribute:
			if !strings.HasSuffix(text, n.Name) || len(n.Children) != 1 {
				bad("the attribute is not " + n.Name)
			}
		case node.If:
			if k := len(n.Children); k < 2 || k > 3 || n.Children[1].Kind != node.Block || k == 3 && n.Children[2].Kind != node.Block && n.Children[2].Kind != node.If {
				bad("an if of other parts")
			}
		case node.For:
			if n.Op == ";" && len(n.Children) != 4 || node.Body(n) == nil {
				bad("a for of other parts")
			}
		case node.Binary, node.Compare, node.Logical:
			if len(n.Children) != 2 || n.Op == "" {
				bad("not two operands")
			}
		case node.Slice:
			if len(n.Children) != 4 {
				bad("a slice of other parts")
			}
		case node.Assign, node.VarDecl:
			if len(n.Children) != 2 || n.Op == "" {
				bad("not a target and a value")
			}
		}
		if strings.TrimSpace(text) != text && n.Kind != node.File {
			bad("blanks around it")
		}
		return true
	})
}
