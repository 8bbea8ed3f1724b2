package node

import (
	"strings"
	"testing"
)

// at is a node that spans a piece of the source.
func at(src, piece string, kind Kind, children ...*Node) *Node {
	i := strings.Index(src, piece)
	return &Node{Kind: kind, Start: i, End: i + len(piece), Children: children}
}

func TestOuter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, whole, callee, inner, want string }{
		{"f(x)", "f(x)", "f", "x", "x"},       // the parentheses of a call are not its argument's
		{"f((x))", "f((x))", "f", "x", "(x)"}, // but those inside are
		{"f( ( x ) )", "f( ( x ) )", "f", "x", "( x )"},
		{"(f)(x)", "(f)(x)", "f", "x", "x"},
	} {
		inner := at(tt.src, tt.inner, Name)
		call := at(tt.src, tt.whole, Call, at(tt.src, tt.callee, Name), inner)
		i := NewInfo(&Node{Kind: File, End: len(tt.src), Children: []*Node{call}}, []byte(tt.src), Python())
		s, e := i.Outer(inner)
		if got := tt.src[s:e]; got != tt.want {
			t.Errorf("in %q the argument is %q, want %q", tt.src, got, tt.want)
		}
	}
	src := "return ((a)+b)"
	a, b := at(src, "a", Name), at(src, "b", Name)
	sum := at(src, "(a)+b", Binary, a, b)
	i := NewInfo(&Node{Kind: File, End: len(src), Children: []*Node{at(src, src, Return, sum)}}, []byte(src), Python())
	for n, want := range map[*Node]string{a: "(a)", b: "b", sum: "((a)+b)"} {
		if s, e := i.Outer(n); src[s:e] != want {
			t.Errorf("around %q is %q, want %q", i.Text(n), src[s:e], want)
		}
	}
}

func TestUnit(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"def f():\n  return 1\n":              "  ",
		"def f():\n\treturn 1\n":              "\t",
		"x = 1\n":                             "    ",
		"def f(\n        a):\n    return 1\n": "    ", // the continued line is no step
	} {
		if got := unitOf([]byte(src), "    "); got != want {
			t.Errorf("%q is indented by %q, want %q", src, got, want)
		}
	}
}

func TestGoTypes(t *testing.T) {
	t.Parallel()
	d := Go()
	if k, e := d.Key("map[[2]int][]string"), d.Elem("map[[2]int][]string"); k != "[2]int" || e != "[]string" {
		t.Errorf("key %q, element %q", k, e)
	}
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"int", "int", true},
		{"int", "float64", false},
		{"untyped int", "float64", true},
		{"byte", "uint8", true},
		{"string", "", true},
		{"untyped nil", "[]int", true},
		{"untyped nil", "int", false},
		{"[]int", "[]string", false},
		{"int", "any", true},
	} {
		if got := d.Assignable(tt.from, tt.to); got != tt.want {
			t.Errorf("%s to %s is %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d                *Dialect
		text, like, want string
	}{
		{Python(), "it's", "'a'", `'it\'s'`},
		{Python(), `say "a"`, `"b"`, `"say \"a\""`},
		{Python(), `say "a"`, "'b'", `'say "a"'`},
		{Go(), "a", "'b'", "'a'"},
		{Go(), "a\n", `"b"`, `"a\n"`},
	} {
		got := tt.d.Quote(tt.text, tt.like)
		if got != tt.want {
			t.Errorf("%s: %q like %s is %s, want %s", tt.d.Language, tt.text, tt.like, got, tt.want)
		}
		if back, ok := tt.d.Unquote(got); !ok || back != tt.text {
			t.Errorf("%s: %s reads as %q", tt.d.Language, got, back)
		}
	}
}
