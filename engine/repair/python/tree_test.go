//go:build unix

package python

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
	"autocoder/engine/repair/worker"
	"autocoder/engine/textedit"
)

// parser is a session that can only parse: no tests are run.
func parser(t *testing.T) func(content string) (*node.Node, error) {
	t.Helper()
	p := project{dir: t.TempDir()}
	current := ""
	view := p.view(t, 1)
	view.Read = func(string) (textedit.File, error) {
		return textedit.File{Kind: textedit.Regular, Content: []byte(current)}, nil
	}
	s := newSession(repair.Task{View: view, Unit: propose.Unit{Root: ".", Runner: "pytest", Interpreter: interpreter(t)}})
	w, err := s.newWorker(t.Context(), s.opening())
	if err != nil {
		t.Fatal(err)
	}
	s.workers = []*worker.Worker{w}
	t.Cleanup(func() { s.Close() })
	return func(content string) (*node.Node, error) {
		current = content
		return s.Parse(context.WithoutCancel(t.Context()), "x.py")
	}
}

var kindNames = func() map[node.Kind]string {
	m := map[node.Kind]string{}
	for name, k := range kinds {
		m[k] = name
	}
	return m
}()

// sketch writes a tree without its leaves' positions: kind, operator, name, and
// the source of leaves.
func sketch(n *node.Node, content string) string {
	var b strings.Builder
	b.WriteString(kindNames[n.Kind])
	if n.Op != "" {
		fmt.Fprintf(&b, " %s", n.Op)
	}
	if n.Name != "" {
		fmt.Fprintf(&b, " %s", n.Name)
	}
	switch {
	case len(n.Children) > 0:
		parts := make([]string, len(n.Children))
		for i, c := range n.Children {
			parts[i] = sketch(c, content)
		}
		fmt.Fprintf(&b, "(%s)", strings.Join(parts, ", "))
	case n.Name == "":
		fmt.Fprintf(&b, " `%s`", content[n.Start:n.End])
	}
	return b.String()
}

func TestParseKinds(t *testing.T) {
	t.Parallel()
	parse := parser(t)
	for _, c := range []struct{ source, want string }{
		{"a + b", "ExprStmt(Binary +(Name a, Name b))"},
		{"(a) # and\n", "ExprStmt(Name a)"},
		{"(a\n  # +\n  ) + (b)", "ExprStmt(Binary +(Name a, Name b))"},
		{"a < b <= c", "ExprStmt(Other <=(Compare <(Name a, Name b), Name c))"},
		{"a not  in b", "ExprStmt(Compare not in(Name a, Name b))"},
		{"a is not b", "ExprStmt(Compare is not(Name a, Name b))"},
		{"a and (b) and not c", "ExprStmt(Logical and(Logical and(Name a, Name b), Unary not(Name c)))"},
		{"x = y = 1", "Assign =(Name x, Name y, Number `1`)"},
		{"x: int = 1", "Assign =(Name x, Number `1`)"},
		{"x //= -1", "Assign //=(Name x, Unary -(Number `1`))"},
		{"a, b = b, a", "Assign =(Tuple(Name a, Name b), Tuple(Name b, Name a))"},
		{"f(x, *y, k=1, **z)", "ExprStmt(Call(Name f, Name x, Other(Name y), Keyword k(Number `1`), Other(Name z)))"},
		{"f(x for x in y if x)", "ExprStmt(Call(Name f, Comp(Name x, For in(Name x, Name y), Name x)))"},
		{"a[1:]", "ExprStmt(Slice(Name a, Number `1`, Empty ``, Empty ``))"},
		{"a[::-1]", "ExprStmt(Slice(Name a, Empty ``, Empty ``, Unary -(Number `1`)))"},
		{"a[i][j]", "ExprStmt(Index(Index(Name a, Name i), Name j))"},
		{"a.b.c", "ExprStmt(Attribute c(Attribute b(Name a)))"},
		{"x if c else y", "ExprStmt(Cond(Name c, Name x, Name y))"},
		{"lambda x, y=1: x", "ExprStmt(Lambda(Param x, Param y(Number `1`), Name x))"},
		{"{'a': 1, **b}", "ExprStmt(Dict(String `'a'`, Number `1`, Other(Name b)))"},
		{"True, None", "ExprStmt(Tuple(Bool `True`, Nil `None`))"},
		{"f'{a - 1} {b}'", "ExprStmt(Other(Binary -(Name a, Number `1`), Name b))"},
		{"if a:\n  b\nelif c:\n  d\nelse:\n  e", "If(Name a, Block(ExprStmt(Name b)), If(Name c, Block(ExprStmt(Name d)), Block(ExprStmt(Name e))))"},
		{"if a: b\nelse:\n  if c: d", "If(Name a, Block(ExprStmt(Name b)), Block(If(Name c, Block(ExprStmt(Name d)))))"},
		{"for i, x in y:\n  break\nelse:\n  z", "For in(Tuple(Name i, Name x), Name y, Block(Break `break`), Block(ExprStmt(Name z)))"},
		{"while a:\n  continue", "While(Name a, Block(Continue `continue`))"},
		{"@d(1)\ndef f(a, b: int = 2, *c, **k) -> int:\n  '''doc'''\n  return a", "Function f(Other(Call(Name d, Number `1`)), Param a, Param b(Number `2`), Param c, Param k, Block(OtherStmt `'''doc'''`, Return(Name a)))"},
		{"class A(B, metaclass=M):\n  x = 1", "OtherStmt A(Other `B`, Keyword metaclass(Name M), Block(Assign =(Name x, Number `1`)))"},
		{"try:\n  a\nexcept E as e:\n  b\nfinally:\n  c", "Try(Block(ExprStmt(Name a)), Other except(Other `E`, Block(ExprStmt(Name b))), Block(ExprStmt(Name c)))"},
		{"with a as b:\n  raise E(1) from c", "With(Name a, Name b, Block(Raise(Call(Name E, Number `1`), Name c)))"},
		{"def f():\n  yield\n  yield  from x", "Function f(Block(ExprStmt(Yield yield `yield`), ExprStmt(Yield yield from(Name x))))"},
		{"assert a, 'm'", "Assert(Name a, String `'m'`)"},
		{"x = (y := 1)", "Assign =(Name x, Other(Name y, Number `1`))"},
	} {
		root, err := parse(c.source)
		if err != nil {
			t.Errorf("%q: %v", c.source, err)
			continue
		}
		if got := sketch(root, c.source); got != "File("+c.want+")" {
			t.Errorf("%q\n got %s\nwant File(%s)", c.source, got, c.want)
		}
	}
}

func TestParsePositions(t *testing.T) {
	t.Parallel()
	parse := parser(t)
	for _, c := range []struct{ name, source string }{
		{"plain", "é = 1\nwert = é + 2\n"},
		{"byte order mark", "\ufeffé = 1\nwert = é + 2\n"},
		{"windows line ends", "é = 1\r\nwert = é + 2\r\n"},
		{"old line ends", "é = 1\rwert = é + 2\r"},
		{"form feed", "é = 1\n\fwert = é + 2"},
	} {
		root, err := parse(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sum := root.Children[1].Children[1]
		got := fmt.Sprint(c.source[sum.Start:sum.End], "|", c.source[sum.OpStart:sum.OpEnd], "|", sum.Line)
		if want := "é + 2|+|2"; got != want {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	parse := parser(t)
	for _, c := range []struct{ source, want string }{
		{"def f(:\n", "does not parse"},
		{"# coding: koi8-r\nx = 1\n", "koi8-r"},
		{"# coding: latin-1\nx = '\xe9'\n", "not UTF-8"},
		{"x = '\xe9'\n", "encoding"},
		{"# coding: nonsense\n", "encoding"},
		{"x = 1\n\x00", "NUL"},
		{"x = " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000), "nested|parse|parser"},
	} {
		_, err := parse(c.source)
		found := false
		for want := range strings.SplitSeq(c.want, "|") {
			found = found || err != nil && strings.Contains(err.Error(), want)
		}
		if !found {
			t.Errorf("%.30q: got %v, want an error with %q", c.source, err, c.want)
		}
	}
	if _, err := parse("# coding: latin-1\nx = 1\n"); err != nil {
		t.Errorf("an ASCII file that says latin-1: %v", err)
	}
	// Deep but legal: neither side may run out of stack.
	if _, err := parse("x = " + strings.Repeat("1 + ", 900) + "1\n"); err != nil {
		t.Errorf("a long sum: %v", err)
	}
}

func TestParseScopesAndTypes(t *testing.T) {
	t.Parallel()
	source := `import os
from math import sqrt
LIMIT = 10


def area(w: float, names=None, n=3):
    total = 0
    for k in range(n):
        item = names[k]
        total += len(item)
    parts = [c for c in 'abc']
    return total


class Shape:
    def scale(self, by):
        return by
`
	root, err := parser(t)(source)
	if err != nil {
		t.Fatal(err)
	}
	area := root.Children[3]
	body := area.Children[len(area.Children)-1]
	got := func(n *node.Node) string {
		var out []string
		for _, s := range n.Scope {
			if !s.Local && s.Name != "LIMIT" && s.Name != "sqrt" && s.Name != "Shape" {
				continue
			}
			text := s.Name
			if s.Type != "" {
				text += ":" + s.Type
			}
			if s.Callable {
				text += "()"
			}
			if s.Local {
				text += "!"
			}
			out = append(out, text)
		}
		return strings.Join(out, " ")
	}
	loop := body.Children[1]
	for _, c := range []struct {
		name string
		at   *node.Node
		want string
	}{
		{"function", area, "w:float! names! n:int! sqrt() LIMIT:int Shape()"},
		{"loop", loop, "total:int! w:float! names! n:int! sqrt() LIMIT:int Shape()"},
		{"first line of the loop", loop.Children[2].Children[0], "k:int! item! total:int! w:float! names! n:int! sqrt() LIMIT:int Shape()"},
		{"comprehension", body.Children[2].Children[1], "c:str! k:int! item! total:int! w:float! names! n:int! sqrt() LIMIT:int Shape()"},
		{"return", body.Children[3], "parts:list[str]! k:int! item! total:int! w:float! names! n:int! sqrt() LIMIT:int Shape()"},
	} {
		if g := got(c.at); g != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, g, c.want)
		}
	}
}

// TestParseLibrary parses files of the interpreter's own library and checks what
// every tree keeps to.
func TestParseLibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(interpreter(t), "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.py"))
	if len(files) < 50 {
		t.Fatalf("the library has %d files", len(files))
	}
	parse := parser(t)
	for i, file := range files {
		if i%3 != 0 {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		root, err := parse(string(content))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		checkTree(t, file, content, root)
	}
}

func checkTree(t *testing.T, file string, content []byte, n *node.Node) {
	t.Helper()
	text := string(content[n.Start:n.End])
	if n.Kind == node.Name && text != n.Name {
		t.Errorf("%s:%d: the name %s stands at %q", file, n.Line, n.Name, text)
	}
	if n.Op != "" {
		if op := strings.Join(strings.Fields(string(content[n.OpStart:n.OpEnd])), " "); op != n.Op {
			t.Errorf("%s:%d: the operator %s stands at %q", file, n.Line, n.Op, op)
		}
	}
	if lines := strings.Count(string(content[:n.Start]), "\n") + 1; n.Line != lines {
		t.Errorf("%s: byte %d is on line %d, not %d", file, n.Start, lines, n.Line)
	}
	at := n.Start
	for _, c := range n.Children {
		if c.Start < n.Start || c.End > n.End || c.Start < at && n.Kind != node.Cond {
			t.Errorf("%s:%d: %s holds %s [%d,%d) out of place", file, n.Line, kindNames[n.Kind], kindNames[c.Kind], c.Start, c.End)
		}
		at = c.End
		checkTree(t, file, content, c)
	}
}
