package repair

import (
	"slices"
	"testing"

	"autocoder/engine/repair/mutate"
	"autocoder/engine/testresult"
)

// Failures speak for the templates that repair their kind.
func TestClues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		f    testresult.Failure
		want string // a template that is tried earlier; none when empty
	}{
		{"a missing key", testresult.Failure{Kind: "KeyError", Message: "KeyError: 'a'"}, "lookup"},
		{"nothing came", testresult.Failure{Kind: "assertion", Expected: "3", Actual: "None"}, "missing return"},
		{"what was not awaited", testresult.Failure{Kind: "TypeError", Message: "'coroutine' object is not subscriptable"}, "await"},
		{"no error", testresult.Failure{Kind: "Failed", Message: "DID NOT RAISE <class 'ValueError'>"}, "missing error"},
		{"another error", testresult.Failure{Kind: "builtins.OSError"}, "handler"},
		{"another order", testresult.Failure{Expected: "[1, 2, 3]", Actual: "[3, 1, 2]"}, "sort key"},
		{"another case", testresult.Failure{Expected: "'Ab'", Actual: "'ab'"}, "wrap"},
		{"one off", testresult.Failure{Expected: "4", Actual: "5"}, "off by one"},
		{"the opposite", testresult.Failure{Expected: "True", Actual: "False"}, "negation"},
		{"a method in the place of a value", testresult.Failure{Expected: "5", Actual: "<bound method A.b of ...>"}, "decorator"},
		{"just another value", testresult.Failure{Expected: "4", Actual: "17"}, ""},
	}
	for _, tt := range tests {
		var all []string
		for _, c := range cluesOf(&tt.f) {
			all = append(all, c.templates...)
		}
		if tt.want == "" && len(all) > 0 || tt.want != "" && !slices.Contains(all, tt.want) {
			t.Errorf("%s speaks for %q, want %q", tt.name, all, tt.want)
		}
	}
}

// Clues name templates that there are.
func TestCluesName(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, x := range mutate.Templates() {
		known[x.Name] = true
	}
	check := func(c clue) {
		for _, name := range c.templates {
			if !known[name] {
				t.Errorf("there is no template %q", name)
			}
		}
	}
	for _, s := range saying {
		check(s.clue)
	}
	for _, c := range kinds {
		check(c)
	}
	for _, c := range []clue{cluesHandler, cluesTruth, cluesNext, cluesSign, cluesCase, cluesBlanks, cluesOrder, cluesMore} {
		check(c)
	}
}
