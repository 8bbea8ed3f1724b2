package scan

import (
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// notNumbers are words of tests that ask for what is not a number.
var notNumbers = []string{"NaN", "nan", "isnan", "IsNaN", "isNaN", "math.nan"}

// incomparable notes values that are neither more nor less than any other, so that
// a test which asks whether a result is too far off never finds it so.
func (w *walker) incomparable(n *syntax.Node, s *scope, where string) {
	what := ""
	switch n.Kind {
	case syntax.Binary:
		if n.Name == "-" && alike(n.Kids[0], n.Kids[1]) && n.Kids[0].Kind != syntax.Const {
			what = "what is left of a value when it is taken from itself"
		}
		if n.Name == "/" && w.zero(n.Kids[0], s) && w.zero(n.Kids[1], s) {
			what = "nothing divided by nothing"
		}
	case syntax.Call:
		if text, ok := w.firstText(n.Kids[1:], s); ok && n.Kids[0].Name == "float" && strings.EqualFold(strings.TrimLeft(strings.TrimSpace(text), "+-"), "nan") {
			what = "not-a-number"
		}
		if text, ok := w.firstText(n.Kids[1:], s); ok && (n.Kids[0].Name == "Number" || n.Kids[0].Name == "parseFloat" || n.Kids[0].Name == "parseInt") && text != "" && !strings.ContainsAny(text[:1], "0123456789.+-I ") {
			what = "not-a-number"
		}
	}
	if what != "" {
		w.add(fact{cap: Incomparable, level: Warns, key: what, scope: where, line: n.Line, what: what, asks: notNumbers})
	}
}

func (w *walker) zero(n *syntax.Node, s *scope) bool {
	v, ok := w.fold(n, s, deepest)
	return ok && v.Kind == syntax.Number && v.Num == 0
}

// alike reports whether two expressions are written alike.
func alike(a, b *syntax.Node) bool {
	if a.Kind != b.Kind || a.Name != b.Name || a.Path != b.Path || a.Value != b.Value || len(a.Kids) != len(b.Kids) {
		return false
	}
	for i := range a.Kids {
		if !alike(a.Kids[i], b.Kids[i]) {
			return false
		}
	}
	return a.Kind != syntax.Other || len(a.Kids) > 0
}
