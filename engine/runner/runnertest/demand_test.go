package runnertest

import (
	"testing"

	"autocoder/engine/testresult"
)

// TestDemands checks that the contract refuses what a lying adapter would say.
func TestDemands(t *testing.T) {
	t.Parallel()
	run := func(statuses ...testresult.Status) testresult.UnitRun {
		var r testresult.UnitRun
		for _, s := range statuses {
			r.Tests = append(r.Tests, testresult.Test{Status: s})
		}
		return r
	}
	reasoned := func(r testresult.UnitRun, reason testresult.Reason) testresult.UnitRun {
		r.Reason, r.Detail = reason, "because"
		return r
	}
	parted := func(r testresult.UnitRun) testresult.UnitRun {
		r.Unusable = []testresult.Part{{Name: "a", Reason: testresult.SyntaxError, Detail: "because"}}
		return r
	}
	good := map[string]testresult.UnitRun{
		"green":       run(testresult.Passed),
		"failing":     run(testresult.Passed, testresult.Failed),
		"skipping":    run(testresult.Passed, testresult.Skipped),
		"all_skipped": run(testresult.Skipped),
		"one_broken":  parted(run(testresult.Passed)),
		"all_broken":  reasoned(parted(run()), testresult.SyntaxError),
		"no_tests":    reasoned(run(), testresult.NoTests),
		"hang":        run(testresult.Passed, testresult.Hung),
		"huge_output": run(testresult.Passed),
		"odd_ids":     run(testresult.Passed),
	}
	lies := map[string][]testresult.UnitRun{
		"green":       {run(), run(testresult.Failed), parted(run(testresult.Passed)), run(testresult.Skipped)},
		"failing":     {run(testresult.Passed), run(testresult.Failed), parted(run(testresult.Passed, testresult.Failed))},
		"skipping":    {run(testresult.Passed)},
		"all_skipped": {run(testresult.Passed)},
		"one_broken":  {run(testresult.Passed), parted(run()), reasoned(parted(run(testresult.Passed)), testresult.Crashed)},
		"all_broken":  {run(testresult.Passed), parted(run())},
		"no_tests":    {run(), run(testresult.Passed), reasoned(run(), testresult.Crashed)},
		"hang":        {run(testresult.Passed), run(testresult.Hung), reasoned(run(testresult.Passed, testresult.Hung), testresult.Timeout)},
		"huge_output": {reasoned(run(), testresult.ReportTooLarge)},
		"odd_ids":     {run()},
	}
	for _, s := range situations() {
		if r, ok := good[s.name]; ok {
			if err := s.demand(r); err != nil {
				t.Errorf("%s refuses what is right: %v", s.name, err)
			}
		} else {
			lies[s.name] = []testresult.UnitRun{run(testresult.Passed)} // a false green
			if err := s.demand(run(testresult.Passed, testresult.Failed)); err != nil {
				t.Errorf("%s refuses a failing id: %v", s.name, err)
			}
		}
		for _, lie := range lies[s.name] {
			if s.demand(lie) == nil {
				t.Errorf("%s takes %+v", s.name, lie)
			}
		}
	}
}
