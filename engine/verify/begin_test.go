package verify

import (
	"context"
	"slices"
	"testing"

	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// TestBegun has a layer that begins before the suite is run, and that is ended whether
// or not it comes to be checked.
func TestBegun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		suite string
		want  []string
	}{
		{"t=passed", []string{"begin", "suite", "check", "end"}},
		{"t=failed", []string{"begin", "suite", "end"}},
	} {
		var got []string
		layer := Layer{
			Name: "early",
			Begin: func(_ context.Context, s Subject) func() {
				if len(s.Targets) != 1 || s.State.Empty() {
					t.Errorf("it begins with %+v", s)
				}
				got = append(got, "begin")
				return func() { got = append(got, "end") }
			},
			Check: func(context.Context, Subject) (Verdict, string, error) {
				got = append(got, "check")
				return Confirmed, "", nil
			},
		}
		Run(t.Context(), Config{
			State: patch(t, "a"), Baseline: run("t=failed"), Targets: ids("t"), Layers: []Layer{layer},
			Run: func(context.Context, textedit.State, []testresult.ID) (testresult.Result, error) {
				got = append(got, "suite")
				return run(c.suite), nil
			},
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("of %s: %q, want %q", c.suite, got, c.want)
		}
	}
}
