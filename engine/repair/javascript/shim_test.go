package javascript

import (
	"strings"
	"testing"

	tsgo "github.com/microsoft/typescript-go/shim"
)

// The parser knows every dialect, and its offsets are bytes.
func TestParserKnowsDialects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"a.js", "// ü\nconst é = /* x */ a?.b ?? 'ß'; f(é)\n", "f(é)"},
		{"a.mjs", "import x from 'y'; export default async function* g() { for await (const a of x) yield a }\nfoo(1)\n", "foo(1)"},
		{"a.cjs", "class A { #p = 1; static { A.x = 2 } get q() { return this.#p } }\nbar()\n", "bar()"},
		{"a.jsx", "const e = <div className='ü'>{x}</div>\nrender(e)\n", "render(e)"},
		{"a.ts", "enum E { A = 1 }\nfunction f<T extends string>(x: T, ...y: number[]): x is T { return x satisfies T }\nf('é' as const)\n", "f('é' as const)"},
		{"a.tsx", "const e = <T,>(x: T) => <p>{x as any}</p>\ngo(e!)\n", "go(e!)"},
		{"a.mts", "@dec class B { accessor x: number = 1 }\nnew B()\n", "new B()"},
	} {
		if !tsgo.Known(c.name) {
			t.Errorf("%s: unknown", c.name)
		}
		tree := tsgo.Parse("some/"+c.name, []byte(c.source))
		for _, e := range tree.Errors {
			t.Errorf("%s: %d: %s", c.name, e.Start, e.Text)
		}
		statements := tree.Root.Statements()
		last := strings.TrimSuffix(tree.Text(statements[len(statements)-1]), ";")
		if last != c.want {
			t.Errorf("%s: the last statement is %q, want %q", c.name, last, c.want)
		}
	}
	if tree := tsgo.Parse("a.js", []byte("let a = ;\n")); len(tree.Errors) != 1 || tree.Errors[0].Start != 8 {
		t.Errorf("a wrong source: errors %v", tree.Errors)
	}
	if tsgo.Known("a.py") || tsgo.Known("a.json") {
		t.Error("other languages are known")
	}
}
