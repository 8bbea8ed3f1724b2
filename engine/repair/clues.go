package repair

import (
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/testresult"
)

// clue is what a kind of failure speaks for: templates that are tried earlier.
type clue struct {
	gain      float64
	templates []string
}

// What failures speak for.
var (
	cluesNone = clue{.5, []string{
		"missing guard", "fallback", "guarded value", "lookup", "missing return", "result unused", "return value", "missing exit", "condition", "stronger condition", "weaker condition",
		"optional", "otherwise", "filled in",
	}}
	cluesWait      = clue{1, []string{"await", "async"}}
	cluesArguments = clue{.6, []string{"argument add", "argument drop", "argument swap", "keyword", "decorator", "spread"}}
	cluesTypes     = clue{.6, []string{"wrap", "each element", "own function", "own name", "unwrap"}}
	cluesHolds     = clue{.4, []string{"wrap", "await", "attribute", "attribute add", "missing guard", "fallback", "into list", "element for variable"}}
	cluesCalled    = clue{.6, []string{"decorator", "attribute", "attribute add", "await"}}
	cluesKey       = clue{.4, []string{"lookup", "put", "missing guard", "missing statement", "empty value", "string", "opposite", "stronger condition", "handler"}}
	cluesIndex     = clue{.3, []string{"missing if", "off by one", "number", "range", "index", "missing guard", "stronger condition", "comparison", "slice bound", "guarded value", "handler"}}
	cluesAttribute = clue{.5, []string{"attribute", "method", "decorator", "receiver", "attribute add", "attribute drop", "base class", "sibling", "await", "element for variable"}}
	cluesName      = clue{.5, []string{"misnamed", "variable", "missing statement", "out of block", "into block", "receiver", "empty value"}}
	cluesZero      = clue{.5, []string{"missing guard", "guarded value", "bound", "handler"}}
	cluesFormat    = clue{.7, []string{"character", "string", "pattern"}}
	cluesNoError   = clue{.6, []string{"missing error", "error", "comparison", "weaker condition", "stronger condition", "handler"}}
	cluesHandler   = clue{.4, []string{"handler", "error"}}
	cluesTruth     = clue{.15, []string{"negation", "comparison", "boolean constant", "boolean", "condition", "unary drop", "boolean chain", "literals swapped"}}
	cluesNext      = clue{.2, []string{"off by one", "number", "comparison", "range"}}
	cluesSign      = clue{.4, []string{"sign", "operand swap", "arithmetic", "unary drop", "sort key"}}
	cluesCase      = clue{.5, []string{"wrap", "sibling", "character", "case of literals", "unwrap"}}
	cluesBlanks    = clue{.4, []string{"wrap", "string", "separator", "sibling", "interpolation"}}
	cluesOrder     = clue{.6, []string{"sort key", "keyword add", "wrap", "tie", "operand swap", "element swap", "order", "boolean constant", "siblings swapped"}}
	cluesMore      = clue{.2, []string{"missing statement", "missing if, copied", "range", "slice bound", "comparison", "off by one"}}
	cluesLazy      = clue{.6, []string{"wrap", "handed on", "yield", "spread"}}
	cluesErr       = clue{.5, []string{"error check", "error", "return value"}}
	cluesEndless   = clue{1, []string{"unwrap", "operand add", "off by one", "missing guard", "slice add", "element for variable"}}
	cluesLock      = clue{.7, []string{"defer"}}
)

// saying are clues by what the failure's message says.
var saying = []struct {
	text string
	clue
}{
	{"NoneType", cluesNone},
	{"nil pointer", cluesNone},
	{"undefined", cluesNone},
	{"null", cluesNone},
	{"coroutine", cluesWait},
	{"never awaited", cluesWait},
	{"Promise", cluesWait},
	{"positional argument", cluesArguments},
	{"unexpected keyword", cluesArguments},
	{"missing 1 required", cluesArguments},
	{"can only concatenate", cluesTypes},
	{"unsupported operand", cluesTypes},
	{"must be str", cluesTypes},
	{"expected str", cluesTypes},
	{"not supported between", cluesTypes},
	{"must be encoded", cluesTypes},
	{"bytes-like", cluesTypes},
	{"unhashable", cluesTypes},
	{"not subscriptable", cluesHolds},
	{"not iterable", cluesHolds},
	{"is not callable", cluesCalled},
	{"is not a function", cluesCalled},
	{"bound method", cluesCalled},
	{"time data", cluesFormat},
	{"does not match format", cluesFormat},
	{"DID NOT RAISE", cluesNoError},
	{"not raised", cluesNoError},
	{"Missing expected", cluesNoError},
	{"did not throw", cluesNoError},
	{"to throw", cluesNoError},
	{"division by zero", cluesZero},
	{"divide by zero", cluesZero},
	{"out of range", cluesIndex},
	{"generator object", cluesLazy},
	{"<map object", cluesLazy},
	{"<filter object", cluesLazy},
	{"expected error", cluesErr},
	{"got nil", cluesErr},
	{"stack overflow", cluesEndless},
	{"maximum recursion depth", cluesEndless},
	{"Maximum call stack", cluesEndless},
	{"deadlock", cluesLock},
	{"unlocked mutex", cluesLock},
}

// kinds are clues by the class of the error.
var kinds = map[string]clue{
	"KeyError": cluesKey, "IndexError": cluesIndex, "AttributeError": cluesAttribute, "NameError": cluesName, "UnboundLocalError": cluesName,
	"ZeroDivisionError": cluesZero, "ReferenceError": cluesName,
}

// hints are what the targets' failures speak for: how much earlier than by their
// priors templates are tried, by name.
func (h *hunt) hints(view propose.View) map[string]float64 {
	out := map[string]float64{}
	for _, id := range h.targets {
		f := view.Result.Lookup(id).Failure
		if f == nil {
			continue
		}
		for _, c := range cluesOf(f) {
			for _, t := range c.templates {
				out[t] = max(out[t], c.gain)
			}
		}
	}
	return out
}

func cluesOf(f *testresult.Failure) []clue {
	kind := f.Kind[strings.LastIndexByte(f.Kind, '.')+1:]
	var out []clue
	if c, ok := kinds[kind]; ok {
		out = append(out, c)
	}
	if kind != "AssertionError" && (strings.HasSuffix(kind, "Error") || strings.HasSuffix(kind, "Exception")) {
		out = append(out, cluesHandler)
	}
	text := f.Message + "\n" + f.Actual
	for _, s := range saying {
		if strings.Contains(text, s.text) {
			out = append(out, s.clue)
		}
	}
	return append(out, differing(f.Expected, f.Actual)...)
}

// differing are clues in how what came differs from what was wanted.
func differing(want, got string) []clue {
	if want == "" || got == "" || want == got {
		return nil
	}
	w, errW := strconv.ParseFloat(want, 64)
	g, errG := strconv.ParseFloat(got, 64)
	switch {
	case got == "None" || got == "undefined" || got == "<nil>":
		return []clue{cluesNone}
	case truth(want) && truth(got):
		return []clue{cluesTruth}
	case errW == nil && errG == nil && w == -g:
		return []clue{cluesSign}
	case errW == nil && errG == nil && (w-g == 1 || g-w == 1):
		return []clue{cluesNext}
	case errW == nil || errG == nil:
		return nil
	case strings.EqualFold(want, got):
		return []clue{cluesCase}
	case squeezed(want) == squeezed(got):
		return []clue{cluesBlanks}
	case anagram(want, got):
		return []clue{cluesOrder}
	case strings.Count(want, ",") != strings.Count(got, ","):
		return []clue{cluesMore}
	}
	return nil
}

func truth(s string) bool { return strings.EqualFold(s, "true") || strings.EqualFold(s, "false") }

// squeezed is a text without its blanks and what separates words.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\r-_.,:;/", r) {
			return -1
		}
		return r
	}, s)
}

// anagram reports whether two texts have the same words in another order.
func anagram(a, b string) bool {
	words := func(s string) []string {
		list := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,[](){}\n", r) })
		slices.Sort(list)
		return list
	}
	x := words(a)
	return len(x) > 1 && slices.Equal(x, words(b))
}
