package golang

import (
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostInputs is how many inputs behaviours are compared on.
const mostInputs = 200

// input is a call with values of its own, as source in the package under test.
type input struct {
	fn   *types.Func
	args []value
}

// String is the call as people write it.
func (i input) String() string {
	args := make([]string, len(i.args))
	for k, a := range i.args {
		args[k] = a.String()
	}
	return i.fn.Name() + "(" + strings.Join(args, ", ") + ")"
}

// value is an argument: a literal, a list of values, or anything else that is
// written out.
type value struct {
	// kind is that of a literal; ILLEGAL for others.
	kind token.Token
	text string
	// list means that text is the type of a list and elems what is in it.
	list  bool
	elems []value
}

// String is the value as source.
func (v value) String() string {
	if !v.list {
		return v.text
	}
	parts := make([]string, len(v.elems))
	for i, e := range v.elems {
		parts[i] = e.String()
	}
	return v.text + "{" + strings.Join(parts, ", ") + "}"
}

// vary returns inputs and what small changes make of them, at most mostInputs, a
// few of each in turn. Below zero it goes only where an input already is.
func vary(base []input) []input {
	seen := map[string]bool{}
	var out []input
	add := func(i input) {
		if s := i.String(); !seen[s] && len(out) < mostInputs {
			seen[s] = true
			out = append(out, i)
		}
	}
	for _, i := range base {
		add(i)
	}
	negative := slices.ContainsFunc(base, func(i input) bool { return strings.Contains(i.String(), "-") })
	var varied [][]input
	for _, i := range base {
		var list []input
		for k := range i.args {
			for _, v := range variants(i.args[k], negative) {
				args := slices.Clone(i.args)
				args[k] = v
				list = append(list, input{i.fn, args})
			}
		}
		varied = append(varied, list)
	}
	for round := 0; ; round++ {
		some := false
		for _, list := range varied {
			if round < len(list) {
				add(list[round])
				some = true
			}
		}
		if !some || len(out) == mostInputs {
			return out
		}
	}
}

// variants are values near one.
func variants(v value, negative bool) []value {
	with := func(texts ...string) []value {
		var out []value
		for _, t := range texts {
			if negative || !strings.HasPrefix(t, "-") {
				out = append(out, value{kind: v.kind, text: t})
			}
		}
		return out
	}
	switch {
	case v.list:
		return lists(v, negative)
	case v.kind == token.INT:
		n, err := strconv.ParseInt(v.text, 0, 64)
		if err != nil {
			return nil
		}
		var texts []string
		for _, m := range []int64{n + 1, n - 1, 0, 1, 2 * n, -n, n + 2, n / 2, n + 7} {
			texts = append(texts, strconv.FormatInt(m, 10))
		}
		return with(texts...)
	case v.kind == token.FLOAT:
		x, err := strconv.ParseFloat(v.text, 64)
		if err != nil {
			return nil
		}
		var texts []string
		for _, y := range []float64{x + 1, x - 0.5, 0, 2 * x, -x, x + 0.01} {
			texts = append(texts, strconv.FormatFloat(y, 'f', -1, 64))
		}
		return with(texts...)
	case v.kind == token.STRING:
		s, err := strconv.Unquote(v.text)
		if err != nil {
			return nil
		}
		var texts []string
		for _, t := range stringsNear(s) {
			texts = append(texts, strconv.Quote(t))
		}
		return with(texts...)
	case v.kind == token.IDENT:
		return with("true", "false")
	default:
		return nil
	}
}

// stringsNear are strings near one: those first that are likely to have the same form.
func stringsNear(s string) []string {
	r := []rune(s)
	if len(r) == 0 {
		return []string{"a", "b", "Ab 1"}
	}
	formed := sameForm(s)
	k := min(len(formed), 2)
	back := slices.Clone(r)
	slices.Reverse(back)
	half := len(r) / 2
	out := slices.Concat(formed[:k], []string{"", s + s}, formed[k:], []string{strings.ToUpper(s), strings.ToLower(s), s + " " + s, s + "a"})
	out = append(out, string(r[1:]), string(r[:len(r)-1]), string(back), string(r[:half]), string(r[half:]), string(r[0])+s, s+string(r[len(r)-1]))
	return slices.DeleteFunc(out, func(t string) bool { return t == s })
}

// numbers are those in a string, and parts what its separators leave.
var numbers, parts = regexp.MustCompile(`\d+`), regexp.MustCompile(`[^.,:;/_\-\s]+[.,:;/_\-\s]`)

// sameForm are strings with another number in one place, the last and the first one
// first, and those without a part.
func sameForm(s string) []string {
	var out []string
	at := numbers.FindAllStringIndex(s, -1)
	for _, step := range []int{1, -1} {
		for k := range at {
			m := at[k/2]
			if k%2 == 0 {
				m = at[len(at)-1-k/2]
			}
			if n, err := strconv.Atoi(s[m[0]:m[1]]); err == nil && n+step >= 0 {
				out = append(out, s[:m[0]]+strconv.Itoa(n+step)+s[m[1]:])
			}
		}
	}
	for _, m := range parts.FindAllStringIndex(s, 3) {
		out = append(out, s[:m[0]]+s[m[1]:])
	}
	return out
}

// lists are lists near one: shorter, longer, turned round, and with other
// elements.
func lists(v value, negative bool) []value {
	n := len(v.elems)
	of := func(parts ...[]value) value { return value{text: v.text, list: true, elems: slices.Concat(parts...)} }
	out := []value{of()}
	if n == 0 {
		return nil
	}
	back := slices.Clone(v.elems)
	slices.Reverse(back)
	out = append(out, of(v.elems[1:]), of(v.elems[:n-1]), of(back), of(v.elems, v.elems[:1]), of(v.elems[:1]), of(v.elems, v.elems))
	for k := range min(n, 4) {
		for j, e := range variants(v.elems[k], negative) {
			if j < 4 {
				out = append(out, of(v.elems[:k], []value{e}, v.elems[k+1:]))
			}
		}
	}
	return out
}

// compiles reports whether a call is right in the package.
func (s *source) compiles(text string) bool {
	x, err := parser.ParseExprFrom(s.fset, "", text, parser.SkipObjectResolution)
	if err != nil || s.types == nil {
		return false
	}
	return types.CheckExpr(s.fset, s.types, token.NoPos, x, nil) == nil
}
