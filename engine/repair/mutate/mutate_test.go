package mutate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// Every template says what it does, with an example, and can be told from the
// others.
func TestTemplates(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, x := range Templates() {
		if x.Name == "" || seen[x.Name] || x.Does == "" || x.Example == "" || x.Prior <= 0 || len(x.Kinds) == 0 || x.generate == nil {
			t.Errorf("template %+v is not complete, or its name is taken", x)
		}
		seen[x.Name] = true
	}
}

func TestTrim(t *testing.T) {
	t.Parallel()
	content := []byte("if aa == b:")
	for _, tt := range []struct {
		name string
		same []textedit.Edit
	}{
		{"a replacement and its middle", []textedit.Edit{{Start: 3, End: 10, New: "aa != b"}, {Start: 6, End: 7, New: "!"}}},
		{"an insertion among equals", []textedit.Edit{{Start: 3, End: 3, New: "a"}, {Start: 4, End: 4, New: "a"}, {Start: 5, End: 5, New: "a"}}},
		{"a whole word and its end", []textedit.Edit{{Start: 3, End: 5, New: "aab"}, {Start: 5, End: 5, New: "b"}}},
	} {
		var want textedit.Edit
		for k, e := range tt.same {
			start, end, text := trim(content, e)
			got := textedit.Edit{Start: start, End: end, New: text}
			if k == 0 {
				want = got
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %+v (-first +this):\n%s", tt.name, e, d)
			}
		}
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	if got, want := rename("a + aa.a * f(a)", "a", "bb"), "bb + aa.bb * f(bb)"; got != want {
		t.Errorf("rename gives %q, want %q", got, want)
	}
}

func TestTrivial(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		l, op, r string
		want     bool
	}{
		{"x", "+", "0", true},
		{"x", "*", "1", true},
		{"x", "*", "1.0", true},
		{"a", "and", "a", true},
		{"x", "<", "x", true},
		{"x", "-", "1", false},
		{"x", "+", "y", false},
		{"1", "-", "x", false},
	} {
		if got := trivial(tt.l, tt.op, tt.r); got != tt.want {
			t.Errorf("trivial(%s %s %s) is %v, want %v", tt.l, tt.op, tt.r, got, tt.want)
		}
	}
}

// A line whose edits matter comes first, one whose edits hang last.
func TestBoost(t *testing.T) {
	t.Parallel()
	source := "x = a\ny = b\n"
	name := func(start, line int, name string) *node.Node {
		return &node.Node{Kind: node.Name, Start: start, End: start + 1, Name: name, Line: line, EndLine: line}
	}
	assign := func(start, line int, to, from string) *node.Node {
		return &node.Node{
			Kind: node.Assign, Start: start, End: start + 5, Op: "=", OpStart: start + 2, OpEnd: start + 3, Line: line, EndLine: line,
			Children: []*node.Node{name(start, line, to), name(start+4, line, from)},
		}
	}
	root := &node.Node{Kind: node.File, End: len(source), Children: []*node.Node{assign(0, 1, "x", "a"), assign(6, 2, "y", "b")}}
	for _, s := range []string{"a", "b", "x", "y"} {
		root.Scope = append(root.Scope, node.Symbol{Name: s, Local: true})
	}
	first := func(by float64) int {
		s := NewStream([]File{{Path: "f", Info: node.NewInfo(root, []byte(source), node.Python()), Score: map[int]float64{1: 1, 2: 1}}}, Options{Cut: 4})
		s.Boost("f", 2, by)
		batch := s.Next(1)
		if len(batch) == 0 {
			t.Fatal("there are no edits")
		}
		return batch[0].Line
	}
	if got := first(0.4); got != 2 {
		t.Errorf("after a boost of line 2 the first edit is on line %d", got)
	}
	if got := first(-0.4); got != 1 {
		t.Errorf("after line 2 was put back the first edit is on line %d", got)
	}
}

// An edit that brings a name of which the failing tests speak comes earlier.
func TestAsserted(t *testing.T) {
	t.Parallel()
	const source = "return a.one + b.two"
	name := func(start int, name string) *node.Node {
		return &node.Node{Kind: node.Name, Start: start, End: start + 1, Name: name, Line: 1, EndLine: 1}
	}
	attribute := func(start int, object, attr string) *node.Node {
		return &node.Node{Kind: node.Attribute, Start: start, End: start + 5, Name: attr, Line: 1, EndLine: 1, Children: []*node.Node{name(start, object)}}
	}
	sum := &node.Node{Kind: node.Binary, Start: 7, End: len(source), Op: "+", OpStart: 13, OpEnd: 14, Line: 1, EndLine: 1, Children: []*node.Node{attribute(7, "a", "one"), attribute(15, "b", "two")}}
	root := &node.Node{Kind: node.File, End: len(source), Line: 1, EndLine: 1, Children: []*node.Node{
		{Kind: node.Return, End: len(source), Line: 1, EndLine: 1, Children: []*node.Node{sum}},
	}}
	root.Scope = []node.Symbol{{Name: "a", Local: true}, {Name: "b", Local: true}}
	at := func(asserted, why string) int {
		s := NewStream([]File{{Path: "f", Info: node.NewInfo(root, []byte(source), node.Python()), Score: map[int]float64{1: 1}}}, Options{Cut: 4, Asserted: asserted})
		all := s.Next(1000)
		k := slices.IndexFunc(all, func(f Found) bool { return f.Why == why })
		if k < 0 {
			t.Fatalf("there is no %q", why)
		}
		return k
	}
	const why = "`a.one` should be `a.two`"
	if before, after := at("assert f() == 1", why), at("assert f().two == 1", why); after >= before {
		t.Errorf("it is number %d, and %d when the test asks for it", before, after)
	}
}
