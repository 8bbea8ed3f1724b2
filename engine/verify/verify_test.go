package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
)

func ids(natives string) []testresult.ID {
	var list []testresult.ID
	for _, n := range strings.Fields(natives) {
		list = append(list, testresult.ID{Native: n})
	}
	return list
}

// run reads "a=passed b=failed unusable:part" as a run of one unit.
func run(text string) testresult.Result {
	u := testresult.UnitRun{}
	for _, word := range strings.Fields(text) {
		if part, ok := strings.CutPrefix(word, "unusable:"); ok {
			u.Unusable = append(u.Unusable, testresult.Part{Name: part, Reason: testresult.BuildError})
			continue
		}
		name, status, _ := strings.Cut(word, "=")
		for s := testresult.Passed; s <= testresult.Blocked; s++ {
			if s.String() == status {
				u.Tests = append(u.Tests, testresult.Test{ID: testresult.ID{Native: name}, Status: s})
			}
		}
	}
	return testresult.Result{Units: []testresult.UnitRun{u}}
}

// replay answers runs from lists, those of the patched tree and those of the
// snapshot, and notes what was asked: "here:all", "there:a b".
type replay struct {
	here, there []string
	asked       []string
}

func (r *replay) run(_ context.Context, state textedit.State, selection []testresult.ID) (testresult.Result, error) {
	list, name := &r.here, "here"
	if state.Empty() {
		list, name = &r.there, "there"
	}
	what := "all"
	if selection != nil {
		what = natives(selection)
	}
	r.asked = append(r.asked, name+":"+what)
	if len(*list) == 0 {
		return testresult.Result{}, errors.New("no space left on device")
	}
	answer := (*list)[0]
	*list = (*list)[1:]
	return run(answer), nil
}

func natives(selection []testresult.ID) string {
	var names []string
	for _, id := range selection {
		names = append(names, id.Native)
	}
	return strings.Join(names, " ")
}

func patch(t *testing.T, paths ...string) textedit.State {
	t.Helper()
	var p textedit.Patch
	for _, path := range paths {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpCreate, Path: path, AnyBase: true, Content: []byte("x")})
	}
	s, err := textedit.State{}.Apply(func(string) (textedit.File, error) { return textedit.File{}, nil }, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		baseline string
		here     []string
		there    []string
		ignore   string
		want     Verdict
		detail   string
		asked    string
		flaky    string
	}{
		{
			name: "all pass", baseline: "t=failed a=passed s=skipped", here: []string{"t=passed a=passed s=skipped"},
			want: Confirmed, asked: "here:all",
		},
		{
			name: "a target fails, and is not run again", baseline: "t=failed a=passed", here: []string{"t=failed a=passed"},
			want: Refused, detail: "t", asked: "here:all",
		},
		{
			name: "a target is skipped", baseline: "t=failed a=passed", here: []string{"t=skipped a=passed"},
			want: Refused, detail: "t", asked: "here:all",
		},
		{
			name: "a target is lost", baseline: "t=failed a=passed", here: []string{"a=passed"},
			want: Refused, detail: "t", asked: "here:all",
		},
		{
			name: "a part can't be built", baseline: "t=failed a=passed", here: []string{"t=passed a=passed unusable:p"},
			want: Refused, detail: "p (build_error)", asked: "here:all",
		},
		{
			name: "a part could not be built before", baseline: "t=failed unusable:p", here: []string{"t=passed unusable:p"},
			want: Confirmed, asked: "here:all",
		},
		{
			name: "a passing test fails", baseline: "t=failed a=passed", here: []string{"t=passed a=failed", "a=failed"},
			there: []string{"a=passed"}, want: Refused, detail: "a", asked: "here:all here:a there:a",
		},
		{
			name: "a passing test is lost", baseline: "t=failed a=passed", here: []string{"t=passed", ""},
			there: []string{"a=passed"}, want: Refused, detail: "a", asked: "here:all here:a there:a",
		},
		{
			name: "a passing test hangs, and is not run again", baseline: "t=failed a=passed", here: []string{"t=passed a=hung"},
			want: Refused, detail: "a", asked: "here:all",
		},
		{
			name: "a passing test fails once", baseline: "t=failed a=passed", here: []string{"t=passed a=failed", "a=passed", "t=passed a=passed"},
			want: Confirmed, asked: "here:all here:a here:all", flaky: "a",
		},
		{
			name: "a passing test fails in company only", baseline: "t=failed a=passed", here: []string{"t=passed a=failed", "a=passed", "t=passed a=failed"},
			there: []string{"t=failed a=passed"}, want: Refused, detail: "a", asked: "here:all here:a here:all there:all",
		},
		{
			name: "a test fails again, and without the patch too", baseline: "t=failed a=passed", here: []string{"t=passed a=failed", "a=failed", "t=passed a=failed"},
			there: []string{"a=failed", "t=failed a=failed"}, want: Confirmed, asked: "here:all here:a there:a here:all there:all", flaky: "a",
		},
		{
			name: "a flaky test fails", baseline: "t=failed a=passed", here: []string{"t=passed a=failed"}, ignore: "a",
			want: Confirmed, asked: "here:all",
		},
		{
			name: "the suite can't be run", baseline: "t=failed", want: Incomplete, detail: "no space", asked: "here:all",
		},
		{
			name: "the confirmation can't be run", baseline: "t=failed a=passed", here: []string{"t=passed a=failed"},
			want: Incomplete, detail: "no space", asked: "here:all here:a",
		},
	} {
		r := &replay{here: c.here, there: c.there}
		v := Run(t.Context(), Config{
			State: patch(t, "a.py"), Run: r.run, Baseline: run(c.baseline), Targets: ids("t"), Ignore: testresult.Set(ids(c.ignore)),
		})
		if v.Verdict != c.want || !strings.Contains(v.Detail, c.detail) || (v.Err != nil) != (c.want == Incomplete) {
			t.Errorf("%s: %s (%s), error %v", c.name, v.Verdict, v.Detail, v.Err)
		}
		if (v.By == SuiteCheck) != (c.want != Confirmed) {
			t.Errorf("%s: decided by %q", c.name, v.By)
		}
		if got := strings.Join(r.asked, " "); got != c.asked {
			t.Errorf("%s: ran %q, want %q", c.name, got, c.asked)
		}
		if diff := cmp.Diff(ids(c.flaky), v.Flaky); diff != "" {
			t.Errorf("%s: flaky %s", c.name, diff)
		}
	}
}

// TestProtectedFilesArePristine holds that an edit of a protected path takes no
// part, and that what is offered is what was verified; without protection it
// does.
func TestProtectedFilesArePristine(t *testing.T) {
	t.Parallel()
	state := patch(t, "a.py", "tests/test_a.py")
	for _, c := range []struct {
		protected func(string) bool
		want      string
	}{
		{func(p string) bool { return strings.HasPrefix(p, "tests/") }, "a.py"},
		{nil, "a.py tests/test_a.py"},
	} {
		var ran textedit.State
		v := Run(t.Context(), Config{
			State: state, Protected: c.protected, Baseline: run("t=failed"), Targets: ids("t"),
			Run: func(_ context.Context, s textedit.State, _ []testresult.ID) (testresult.Result, error) {
				ran = s
				return run("t=passed"), nil
			},
		})
		if got := strings.Join(ran.Paths(), " "); got != c.want || v.State.Hash() != ran.Hash() {
			t.Errorf("ran with %q, want %q; offered %v", got, c.want, v.State.Paths())
		}
	}
}

func TestLayers(t *testing.T) {
	t.Parallel()
	layer := func(name string, verdict Verdict, err error) Layer {
		return Layer{Name: name, Check: func(_ context.Context, s Subject) (Verdict, string, error) {
			if len(s.Targets) != 1 || s.State.Empty() || len(s.Result.Tests()) != 1 {
				t.Errorf("%s got %+v", name, s)
			}
			return verdict, "says " + name, err
		}}
	}
	for _, c := range []struct {
		name   string
		layers []Layer
		want   Verdict
		by     string
		ran    int
	}{
		{"all confirm", []Layer{layer("canary", Confirmed, nil), layer("forced", Confirmed, nil)}, Confirmed, "", 2},
		{"one refuses, and the next is not run", []Layer{layer("canary", Refused, nil), layer("forced", Confirmed, nil)}, Refused, "canary", 1},
		{"one can't be placed, and the next is run", []Layer{layer("canary", Unplaceable, nil), layer("forced", Confirmed, nil)}, Unplaceable, "canary", 2},
		{"one can't be placed, and the next refuses", []Layer{layer("canary", Unplaceable, nil), layer("forced", Refused, nil)}, Refused, "forced", 2},
		{"one fails", []Layer{layer("canary", Confirmed, errors.New("no space"))}, Incomplete, "canary", 0},
		{"one says nothing", []Layer{layer("canary", Invalid, nil)}, Incomplete, "canary", 0},
		{"one says what only the suite may", []Layer{layer("canary", Incomplete, nil)}, Incomplete, "canary", 0},
	} {
		r := &replay{here: []string{"t=passed"}}
		v := Run(t.Context(), Config{State: patch(t, "a"), Run: r.run, Baseline: run("t=failed"), Targets: ids("t"), Layers: c.layers})
		if v.Verdict != c.want || v.By != c.by || len(v.Layers) != c.ran {
			t.Errorf("%s: %s by %q, layers %v", c.name, v.Verdict, v.By, v.Layers)
		}
		for name, verdict := range v.Layers {
			if slices.Contains(v.Warnings, "says "+name) != (verdict == Confirmed) {
				t.Errorf("%s: %s, warnings %q", c.name, name, v.Warnings)
			}
		}
	}
	r := &replay{here: []string{"t=failed"}}
	v := Run(t.Context(), Config{State: patch(t, "a"), Run: r.run, Baseline: run("t=failed"), Targets: ids("t"), Layers: []Layer{layer("canary", Confirmed, nil)}})
	if v.Verdict != Refused || len(v.Layers) != 0 {
		t.Errorf("after the suite refused: %s, layers %v", v.Verdict, v.Layers)
	}
}
