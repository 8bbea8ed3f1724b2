package report

import (
	"fmt"

	"autocoder/engine/testresult"
)

// Summarise sums up a run of the suite. name prints an id. Lists are never nil,
// so that JSON has arrays.
func Summarise(r testresult.Result, name func(testresult.ID) string) Tests {
	t := Tests{
		Status: r.Status(), Passed: r.Count(testresult.Passed), Failed: len(r.Failing()),
		Skipped: r.Count(testresult.Skipped) + r.Count(testresult.XFailed), Total: len(r.Tests()),
		Failing: []Failing{}, Flaky: []string{}, Unstable: []string{}, Unusable: []Unusable{},
	}
	for _, test := range r.Tests() {
		if test.Status.Failing() {
			t.Failing = append(t.Failing, failing(test, name))
		}
	}
	for _, p := range r.UnusableParts() {
		t.Unusable = append(t.Unusable, Unusable{
			Part: p.Name, Reason: p.Reason, Detail: p.Detail, File: p.At.File, Line: p.At.Line,
		})
	}
	return t
}

func failing(t testresult.Test, name func(testresult.ID) string) Failing {
	f := Failing{ID: name(t.ID), Kind: t.Status.String()}
	if t.Status == testresult.Hung {
		f.Kind = "hang"
	}
	if t.Failure == nil {
		return f
	}
	if t.Failure.Kind != "" {
		f.Kind = t.Failure.Kind
	}
	f.Message, f.File, f.Line = t.Failure.Message, t.Failure.At.File, t.Failure.At.Line
	f.Expected, f.Actual, f.Output = t.Failure.Expected, t.Failure.Actual, t.Failure.Output
	f.Setting = t.Failure.Setting
	if n := len(t.Failure.Frames); n > 0 {
		f.Frame = fmt.Sprintf("%s:%d", t.Failure.Frames[n-1].File, t.Failure.Frames[n-1].Line)
	}
	return f
}
