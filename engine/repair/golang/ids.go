package golang

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autocoder/engine/testresult"
)

// testName is a native id taken apart.
type testName struct{ pkg, test string }

// function is the top level test function.
func (n testName) function() string {
	f, _, _ := strings.Cut(n.test, "/")
	return f
}

// split takes a native id apart: the cut is before the first element that is the
// name of a test function, as import paths have dots too.
func split(native string) (testName, bool) {
	for i := range len(native) {
		if i > 0 && native[i] == '.' && isTest(native[i+1:]) {
			return testName{native[:i], native[i+1:]}, true
		}
	}
	return testName{}, false
}

func isTest(name string) bool {
	function, _, _ := strings.Cut(name, "/")
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		rest, found := strings.CutPrefix(function, prefix)
		if !found {
			continue
		}
		first, _ := utf8.DecodeRuneInString(rest)
		return (rest == "" || !unicode.IsLower(first)) && !strings.ContainsFunc(rest, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
	}
	return false
}

// byPackage sorts ids by package; those that are no test are left out. A subtest
// whose parent is in the list too goes with it.
func byPackage(ids []testresult.ID) map[string][]string {
	all := map[string]bool{}
	for _, id := range ids {
		all[id.Native] = true
	}
	out := map[string][]string{}
	for _, id := range ids {
		n, ok := split(id.Native)
		if !ok || covered(n, all) {
			continue
		}
		out[n.pkg] = append(out[n.pkg], n.test)
	}
	for _, tests := range out {
		slices.Sort(tests)
	}
	return out
}

// covered reports whether a parent of a subtest is in all.
func covered(n testName, all map[string]bool) bool {
	for i := range len(n.test) {
		if n.test[i] == '/' && all[n.pkg+"."+n.test[:i]] {
			return true
		}
	}
	return false
}

// pattern matches exactly the named tests and what lies below them, each below
// the levels in front. Tests of one parent are one alternative: each name is compared
// with all of them, level by level.
func pattern(front []string, tests []string) string {
	below := map[string][]string{}
	var parents []string
	for _, test := range tests {
		parent, last := "", test
		if at := strings.LastIndexByte(test, '/'); at >= 0 {
			parent, last = test[:at+1], test[at+1:]
		}
		if below[parent] == nil {
			parents = append(parents, parent)
		}
		below[parent] = append(below[parent], regexp.QuoteMeta(last))
	}
	alternatives := make([]string, len(parents))
	for i, parent := range parents {
		levels := slices.Clone(front)
		for level := range strings.SplitSeq(strings.TrimSuffix(parent, "/"), "/") {
			if parent != "" {
				levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
			}
		}
		last := below[parent][0]
		if len(below[parent]) > 1 {
			last = "(" + strings.Join(below[parent], "|") + ")"
		}
		alternatives[i] = strings.Join(append(levels, "^"+last+"$"), "/")
	}
	return strings.Join(alternatives, "|")
}
