package scan_test

import (
	"os"
	"strings"
	"testing"

	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/corpus"
)

// snippets are code that is added to a file which can do nothing of its own.
var snippets = []struct{ file, name, before, test, testText string }{
	{"py.txt", "price.py", "def total(price, rate):\n    return price - price * rate\n", "test_price.py", "from price import total\n\n\ndef test_total():\n    assert total(100, 0.5) == 150\n"},
	{"go.txt", "price.go", "package ex\n", "price_test.go", "package ex\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {}\n"},
	{"js.txt", "price.js", "export const total = (p, r) => p - p * r;\n", "price.test.js", "import test from 'node:test';\nimport { total } from './price.js';\ntest('total', () => total(1, 2) === 3);\n"},
}

// eachSnippet scans every snippet of the files with the prefix.
func eachSnippet(t *testing.T, prefix string, check func(where, want, code, said string)) {
	t.Helper()
	var cases []corpus.Case
	var wants, codes []string
	for _, l := range snippets {
		text, err := os.ReadFile("testdata/" + prefix + "." + l.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
			want, code, _ := strings.Cut(part, "\n")
			c := corpus.Case{Name: l.file, Files: map[string]string{l.name: l.before, l.test: l.testText}, Write: map[string]string{l.name: l.before + code + "\n"}}
			if first, rest, ok := strings.Cut(code, "\n"); ok && strings.HasPrefix(first, "//go:build") {
				c.Write[l.name] = first + "\n\n" + l.before + rest
			}
			cases, wants, codes = append(cases, c), append(wants, want), append(codes, code)
		}
	}
	python := interpreted(t)
	python.learn(t, cases)
	for i, c := range cases {
		found, err := scan.Scan(t.Context(), input(t, c, python))
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for _, f := range found {
			said.WriteString(f.String() + "\n")
		}
		check(c.Name, wants[i], codes[i], said.String())
	}
}

// TestSpellings holds that a capability is found however it is spelled.
func TestSpellings(t *testing.T) {
	t.Parallel()
	eachSnippet(t, "spellings", func(where, want, code, said string) {
		if !strings.Contains(said, want) {
			t.Errorf("%s: %q is not found in\n%s\nbut %q", where, want, code, said)
		}
	})
}

// TestInnocents holds that ordinary code is no finding.
func TestInnocents(t *testing.T) {
	t.Parallel()
	eachSnippet(t, "innocents", func(where, _, code, said string) {
		if said != "" {
			t.Errorf("%s: %q is found in\n%s", where, said, code)
		}
	})
}
