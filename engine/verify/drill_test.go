package verify

import (
	"context"
	"errors"
	"strings"
	"testing"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// shown are the answers of a drill, by how it was asked.
type shown map[string]Drilled

func (s shown) drill(_ context.Context, how Drilling) (Drilled, error) {
	name := "with"
	if how.State.Empty() {
		name = "without"
	}
	if how.Whole {
		name += "-whole"
	}
	if how.Alone {
		name += "-alone"
	}
	d, ok := s[name]
	if !ok {
		return Drilled{}, errors.New("nothing is said of " + name)
	}
	return d, nil
}

func TestDrillIsJudged(t *testing.T) {
	t.Parallel()
	ends := func(how runner.Ending, status testresult.Status, detail string) Drilled {
		return Drilled{Endings: map[testresult.ID]Ending{{Native: "t"}: {How: how, Status: status, Detail: detail}}}
	}
	ended := ends(runner.Ended, testresult.Failed, "")
	failed, passed := testresult.Failed, testresult.Passed
	wrong := func(shows ...string) Drilled {
		d := ended
		for _, s := range shows {
			d.Wrong = append(d.Wrong, Wrong{Part: "p", Shows: s, Want: failed, Got: passed})
		}
		return d
	}
	for _, c := range []struct {
		name   string
		drills shown
		want   Verdict
		by     string
		detail string
	}{
		{"all is reported", shown{"with": ended}, Confirmed, "", ""},
		{"no place", shown{"with": {Unplaceable: "no place"}}, Unplaceable, CanaryCheck, "no place"},
		{"a canary is wrong", shown{"with": wrong("error"), "without-alone": wrong()}, Refused, CanaryCheck, "error in p was reported as passed, not as failed"},
		{"another was wrong before", shown{"with": wrong("error", "fail"), "without-alone": wrong("error")}, Refused, CanaryCheck, "fail in p"},
		{"it was wrong before", shown{"with": wrong("error"), "without-alone": wrong("error")}, Unplaceable, CanaryCheck, "without the edit too"},
		{
			"a target is passed", shown{
				"with": ends(runner.NotForced, passed, ""), "with-whole": ends(runner.NotForced, passed, ""), "without-whole": ends(runner.FailedBefore, failed, "E"),
			}, Refused, ForcedCheck, "made to fail at its end, and was reported as passed",
		},
		{
			"a target passed before", shown{
				"with": ends(runner.NotForced, passed, ""), "with-whole": ends(runner.NotForced, passed, ""), "without-whole": ends(runner.NotForced, passed, ""),
			}, Unplaceable, ForcedCheck, "can't be made to fail",
		},
		{
			"a target fails by itself", shown{
				"with": ends(runner.NotForced, failed, ""), "with-whole": ends(runner.NotForced, failed, ""), "without-whole": ends(runner.NotForced, failed, ""),
			}, Unplaceable, ForcedCheck, "can't be made to fail",
		},
		{"a target needs company", shown{"with": ends(runner.FailedBefore, failed, "E"), "with-whole": ended}, Confirmed, "", ""},
		{
			"a body failed", shown{
				"with": ends(runner.FailedBefore, failed, "E"), "with-whole": ends(runner.FailedBefore, failed, "E"), "without-whole": ends(runner.FailedBefore, failed, "E"),
			}, Refused, ForcedCheck, "its body ended otherwise: E",
		},
		{
			"a helper was changed", shown{
				"with": ends(runner.Tampered, failed, "abs is lame"), "with-whole": ends(runner.Tampered, failed, "abs is lame"), "without-whole": ends(runner.FailedBefore, failed, "E"),
			}, Refused, ForcedCheck, "when t ended, abs is lame",
		},
		{
			"a helper was changed before", shown{
				"with": ends(runner.Tampered, failed, "abs is lame"), "with-whole": ends(runner.Tampered, failed, "abs is lame"), "without-whole": ends(runner.Tampered, failed, "abs is lame"),
			}, Confirmed, "", "",
		},
		{"it can't be run", shown{}, Incomplete, CanaryCheck, "nothing is said of with"},
		{"it can't be compared", shown{"with": wrong("error")}, Incomplete, CanaryCheck, "without-alone"},
		{"it can't be repeated", shown{"with": ends(runner.NotForced, passed, "")}, Incomplete, ForcedCheck, "with-whole"},
	} {
		r := &replay{here: []string{"t=passed"}}
		v := Run(t.Context(), Config{
			State: patch(t, "a"), Run: r.run, Baseline: run("t=failed"), Targets: ids("t"), Layers: Drill(c.drills.drill).Layers(),
		})
		if v.Verdict != c.want || v.By != c.by || !strings.Contains(v.Detail, c.detail) {
			t.Errorf("%s: %s by %q: %s", c.name, v.Verdict, v.By, v.Detail)
		}
	}
}
