package gotest

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/runner"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	unit := runner.Unit{Root: "sub", Interpreter: "/go", Parts: []string{"m", "m/a", "m/b"}}
	for name, test := range map[string]struct {
		sel  runner.Selection
		want []string
	}{
		"all":          {want: []string{"./..."}},
		"one":          {sel: runner.Selection{IDs: []string{"m.TestA"}}, want: []string{"-run=^TestA$ m"}},
		"of two":       {sel: runner.Selection{IDs: []string{"m/a.TestB/x.y/z|", "m.TestA"}}, want: []string{`-run=^TestA$|^TestB$/^x\.y$/^z\|$ m m/a`}},
		"nothing":      {sel: runner.Selection{IDs: []string{}}},
		"no ids of go": {sel: runner.Selection{IDs: []string{"what"}}},
		"all but one": {
			sel:  runner.Selection{Skip: []string{"m/a.TestA/x", "m/a.TestA"}},
			want: []string{"m m/b", "-skip=^TestA$|^TestA$/^x$ m/a"},
		},
		"all but a package": {sel: runner.Selection{Skip: []string{"m/a"}}, want: []string{"m m/b"}},
		"chosen, but one": {
			sel:  runner.Selection{IDs: []string{"m/a.TestA", "m/a.TestB", "m.TestA"}, Skip: []string{"m/a.TestA"}},
			want: []string{"-run=^TestA$ m", "-run=^TestA$|^TestB$ -skip=^TestA$ m/a"},
		},
		"a mark skips nothing": {
			sel:  runner.Selection{IDs: []string{"m.TestA"}, Skip: []string{crashMark}},
			want: []string{"-run=^TestA$ m"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			specs, err := commands(unit, test.sel, runner.Report{Folder: "/scratch/report"}, runner.Limits{Suite: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, spec := range specs {
				if spec.Dir != "sub" {
					t.Errorf("the command runs in %q", spec.Dir)
				}
				line := strings.Join(spec.Args, " ")
				rest, ok := strings.CutPrefix(line, "/go test -json -count=1 -fullpath -timeout=1m10s ")
				if !ok {
					t.Errorf("unexpected command %q", line)
				}
				got = append(got, rest)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTooManyNamesAreWidened(t *testing.T) {
	t.Parallel()
	var tests []string
	for i := range 5000 {
		tests = append(tests, "TestOne/"+strings.Repeat("x", 30)+string(rune('a'+i%26)))
	}
	if got := runPattern(tests); got != "^TestOne$" {
		t.Errorf("got a pattern of %d bytes, want only the function", len(got))
	}
	tests = nil
	for range 5000 {
		tests = append(tests, "Test"+strings.Repeat("X", len(tests)%500))
	}
	if got := runPattern(tests); got != "." {
		t.Errorf("got a pattern of %d bytes, want everything", len(got))
	}
}

func FuzzPatternIsReadBack(f *testing.F) {
	f.Add("TestA/b|c/d$", "TestB")
	f.Add(`TestA/\^`, "TestA/[(")
	f.Fuzz(func(t *testing.T, a, b string) {
		want := []string{min(a, b), max(a, b)}
		p := pattern([]string{a, b})
		if diff := cmp.Diff(want, skippedBy([]string{"go", "-skip=" + p})); diff != "" {
			t.Errorf("%q: -want +got:\n%s", p, diff)
		}
		for _, level := range strings.Split(a, "/") {
			if re, err := regexp.Compile("^" + regexp.QuoteMeta(level) + "$"); err == nil && !re.MatchString(level) {
				t.Errorf("%q does not match itself", level)
			}
		}
	})
}
