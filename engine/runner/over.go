package runner

import (
	"autocoder/engine/testresult"
)

// overrun names the limit for which a process of the tests was killed, in what went
// wrong in a way that can have come of that, and in a warning, as the test that took
// too much may tell it in its own words.
func overrun(run testresult.UnitRun, report Report) testresult.UnitRun {
	over := report.Output.Exit.Over
	if over == "" {
		return run
	}
	said := "a process of the tests was killed for " + over
	add := func(text *string) {
		if *text != "" {
			*text += ": "
		}
		*text += said
	}
	for _, t := range run.Tests {
		if t.Status == testresult.Failed && t.Failure != nil && t.Failure.Kind == KindCrash {
			add(&t.Failure.Message)
		}
	}
	for i, part := range run.Unusable {
		if cutShort(part.Reason) {
			add(&run.Unusable[i].Detail)
		}
	}
	if cutShort(run.Reason) {
		add(&run.Detail)
	}
	run.Warnings = append(run.Warnings, said)
	return run
}

// cutShort reports whether something that is unusable for a reason may be so because
// a process was killed.
func cutShort(reason testresult.Reason) bool {
	switch reason {
	case testresult.OutOfMemory, testresult.Crashed, testresult.ExitedEarly, testresult.ReportMissing, testresult.ReportInvalid,
		testresult.BuildError, testresult.CollectionError, testresult.ImportError, testresult.InternalError:
		return true
	case testresult.NoReason, testresult.NotInstalled, testresult.NoTests, testresult.SyntaxError, testresult.Timeout, testresult.Hang,
		testresult.ConfigError, testresult.ReportTooLarge, testresult.SandboxBlocked, testresult.SandboxUnavailable,
		testresult.TestsRunElsewhere, testresult.SuiteLongerThanBudget:
		return false
	default:
		return false
	}
}
