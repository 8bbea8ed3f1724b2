package repair

import (
	"reflect"
	"testing"

	"autocoder/engine/propose"
	"autocoder/engine/repair/mutate"
	"autocoder/engine/testresult"
)

// Failures tell which text was wanted in the place of another, and what is missing.
func TestWanted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		f       testresult.Failure
		wanted  []mutate.Differing
		missing mutate.Missing
	}{
		{"two texts", testresult.Failure{Expected: `'a file'`, Actual: `"a fle"`}, []mutate.Differing{{Want: "a file", Got: "a fle"}}, mutate.Missing{}},
		{"one line of several", testresult.Failure{Expected: `'a\nb\nc'`, Actual: `'a\nx\nc'`}, []mutate.Differing{{Want: "b", Got: "x"}}, mutate.Missing{}},
		{"lines of another number", testresult.Failure{Expected: `'a\nb'`, Actual: `'a'`}, nil, mutate.Missing{}},
		{"a pattern", testresult.Failure{Message: "AssertionError: Regex pattern did not match.\n Regex: 'not a number\\.'\n Input: 'x is no a number.'"}, []mutate.Differing{{Want: "not a number.", Got: "no a number."}}, mutate.Missing{}},
		{"a pattern of a test case", testresult.Failure{Message: `AssertionError: "no file" does not match "there is no fle here"`}, []mutate.Differing{{Want: "no file", Got: "no fle"}}, mutate.Missing{}},
		{"a part of a text", testresult.Failure{Message: "assert 'no file' in 'there is no fle here'"}, []mutate.Differing{{Want: "no file", Got: "no fle"}}, mutate.Missing{}},
		{"a name", testresult.Failure{Kind: "NameError", Message: "NameError: name 're' is not defined"}, nil, mutate.Missing{Names: []string{"re"}}},
		{"a variable without a value", testresult.Failure{Kind: "UnboundLocalError", Message: "UnboundLocalError: cannot access local variable 'a' where it is not associated with a value"}, nil, mutate.Missing{Names: []string{"a"}}},
		{"an attribute", testresult.Failure{Kind: "AttributeError", Message: "AttributeError: 'A' object has no attribute '_size'"}, nil, mutate.Missing{Attributes: []string{"_size"}}},
		{"an error", testresult.Failure{Kind: "ValueError", Message: "ValueError: a"}, nil, mutate.Missing{}},
	}
	for _, tt := range tests {
		id := testresult.ID{Native: "t"}
		h := &hunt{targets: []testresult.ID{id}}
		view := propose.View{Result: testresult.Result{Units: []testresult.UnitRun{{Tests: []testresult.Test{{ID: id, Status: testresult.Failed, Failure: &tt.f}}}}}}
		if got := h.wanted(view); !reflect.DeepEqual(got, tt.wanted) {
			t.Errorf("%s: wanted %+v, want %+v", tt.name, got, tt.wanted)
		}
		if got := h.missing(view); !reflect.DeepEqual(got, tt.missing) {
			t.Errorf("%s: missing %+v, want %+v", tt.name, got, tt.missing)
		}
	}
}
