package runner

import (
	"cmp"
	"slices"
	"strings"

	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// Combine merges what two commands showed of the same unit, or of parts of it.
// An id that both have keeps the first status, unless the second is failing. A
// command without a result of its own makes the unit unusable only when the
// other has none either; else it is an unusable part.
func Combine(a, b testresult.UnitRun) testresult.UnitRun {
	out := testresult.UnitRun{
		Unit:     cmp.Or(a.Unit, b.Unit),
		Tests:    slices.Concat(a.Tests, b.Tests),
		Unusable: slices.Concat(a.Unusable, b.Unusable),
		Warnings: slices.Concat(a.Warnings, b.Warnings),
	}
	switch {
	case a.Reason == testresult.NoReason && b.Reason == testresult.NoReason:
	case empty(b), a.Reason == testresult.NoReason && b.Reason == testresult.NoTests:
		out.Reason, out.Detail, out.At = a.Reason, a.Detail, a.At
	case empty(a), b.Reason == testresult.NoReason && a.Reason == testresult.NoTests:
		out.Reason, out.Detail, out.At = b.Reason, b.Detail, b.At
	case a.Reason != testresult.NoReason && b.Reason != testresult.NoReason:
		worse := a
		if a.Reason == testresult.NoTests {
			worse = b
		}
		out.Reason, out.Detail, out.At = worse.Reason, worse.Detail, worse.At
	default:
		for _, r := range []testresult.UnitRun{a, b} {
			if r.Reason != testresult.NoReason {
				out.Unusable = append(out.Unusable, testresult.Part{
					Name: cmp.Or(r.Unit, "."), Reason: r.Reason, Detail: r.Detail, At: r.At,
				})
			}
		}
	}
	return normal(out)
}

// empty reports whether a run shows nothing at all, as the zero UnitRun.
func empty(r testresult.UnitRun) bool {
	return r.Reason == testresult.NoReason && len(r.Tests) == 0 && len(r.Unusable) == 0
}

// normal sorts a run and leaves each id and each part in it once.
func normal(r testresult.UnitRun) testresult.UnitRun {
	for i := range r.Tests {
		r.Tests[i].ID.Unit = r.Unit
	}
	slices.SortStableFunc(r.Tests, func(a, b testresult.Test) int { return a.ID.Compare(b.ID) })
	var tests []testresult.Test
	for _, t := range r.Tests {
		last := len(tests) - 1
		switch {
		case last < 0 || tests[last].ID != t.ID:
			tests = append(tests, t)
		case t.Status.Failing() && !tests[last].Status.Failing():
			tests[last] = t
		}
	}
	r.Tests = tests
	slices.SortStableFunc(r.Unusable, func(a, b testresult.Part) int { return strings.Compare(a.Name, b.Name) })
	r.Unusable = slices.CompactFunc(r.Unusable, func(a, b testresult.Part) bool { return a.Name == b.Name })
	slices.Sort(r.Warnings)
	r.Warnings = slices.Compact(r.Warnings)
	return r
}

// settle makes a run of a whole unit fit for its readers: only what was asked
// for, clean texts, and a reason for the unit when nothing of it can be judged.
func settle(r testresult.UnitRun, ids []string) testresult.UnitRun {
	if ids != nil {
		wanted := map[string]bool{}
		for _, id := range ids {
			wanted[id] = true
		}
		r.Tests = slices.DeleteFunc(r.Tests, func(t testresult.Test) bool { return !wanted[t.ID.Native] })
	}
	r = normal(r)
	for i := range r.Tests {
		if f := r.Tests[i].Failure; f != nil {
			clean(&f.Kind, &f.Message, &f.Expected, &f.Actual, &f.Output, &f.Thing)
		}
	}
	for i := range r.Unusable {
		clean(&r.Unusable[i].Detail)
	}
	clean(&r.Detail)
	for i := range r.Warnings {
		clean(&r.Warnings[i])
	}
	if r.Reason == testresult.NoReason && len(r.Tests) == 0 {
		r.Reason, r.Detail, r.At = whole(r.Unusable)
	}
	return r
}

// whole is the reason of a unit of which every part is unusable.
func whole(parts []testresult.Part) (testresult.Reason, string, testresult.Frame) {
	if len(parts) == 0 {
		return testresult.NoTests, "no test was run", testresult.Frame{}
	}
	first := parts[0]
	detail := first.Detail
	if first.Name != "" && first.Name != "." {
		detail = first.Name + ": " + detail
	}
	for _, p := range parts {
		if p.Reason != first.Reason {
			return testresult.CollectionError, detail, first.At
		}
	}
	return first.Reason, detail, first.At
}

func clean(texts ...*string) {
	for _, t := range texts {
		*t = transcript.Clean(*t)
	}
}
