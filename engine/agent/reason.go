package agent

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"autocoder/engine/budget"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
)

// noProgress tells the kind of the attempt that used up the patience.
func (l *loop) noProgress() ending {
	e := ending{outcome: outcome.NoProgress}
	last := l.history[len(l.history)-1]
	switch l.stalled {
	case stallRefused:
		e.reason = "the last edit was refused: " + last.Note
	case stallNotApplicable:
		e.reason = "the last edit could not be tried: " + last.Note
	case stallRolledBack:
		e.reason = "the last edit was rolled back: " + last.Note
	case stallUnchanged:
		e.reason = "no edit changed which tests fail"
		if last.Proposal.Why != "" && l.sameNote(l.stall) {
			e.reason += ": " + last.Note
		} else {
			e.next = "try another proposer, or a larger --patience"
		}
	case stallRegression:
		e.reason = "the last edit breaks other tests: " + last.Note
	case stallVictory:
		e.reason = "an edit made the tests pass and was not accepted: " + last.Note
	case progress:
		e.reason = "the attempts made no progress"
	default:
		e.reason = fmt.Sprintf("the attempts made no progress (%d)", l.stalled)
	}
	return l.onlyProtected(e)
}

// sameNote reports whether the last n attempts have one note.
func (l *loop) sameNote(n int) bool {
	last := l.history[len(l.history)-1].Note
	for _, a := range l.history[len(l.history)-n:] {
		if a.Note != last {
			return false
		}
	}
	return true
}

// onlyProtected says it when every edit that was proposed was one that the guard
// refused.
func (l *loop) onlyProtected(e ending) ending {
	for _, a := range l.history {
		if a.Verdict != outcome.Refused {
			return e
		}
	}
	if len(l.history) == 0 {
		return e
	}
	e.reason = "every edit that was proposed is one that is not allowed: " + l.history[len(l.history)-1].Note
	e.next = "if the tests themselves are wrong, change them, or allow one path with --allow PATH"
	return e
}

// nothingLeft is the ending of a proposer that has nothing more to offer.
func (l *loop) nothingLeft(err error) ending {
	e := ending{outcome: outcome.GaveUp, reason: strings.TrimSpace(err.Error())}
	if errors.Is(err, propose.ErrNothingLeft) && len(l.history) > 0 {
		e.reason += " after " + counted(len(l.history), "attempt")
	}
	return l.onlyProtected(e)
}

// also joins two things that the user can do.
func also(next, more string) string {
	if next == "" {
		return more
	}
	return next + ", or " + more
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// overBudget names the limit that was reached.
func (l *loop) overBudget(x *budget.Exceeded) ending {
	next := "raise that limit in the settings"
	switch x.What {
	case budget.Attempts:
		next = "raise --max-attempts"
	case budget.Time:
		// A proposer may have met its own share of the time; what people set is all of it.
		x, next = l.cfg.Meter.OutOfTime(), "raise --max-time"
	case budget.Tokens:
		next = "raise --max-tokens"
	case budget.Money:
		next = "raise --max-cost"
	case budget.Candidates, budget.TestRuns, budget.Turns, budget.InvalidResource:
	default:
	}
	return ending{outcome.Budget, x.Error(), next}
}

// fixedReason says what passes now, and what still can't be run: the user's own
// command is red for as long as there is such a part.
func (l *loop) fixedReason(final testresult.Result) (reason, next string) {
	what := "every failing test passes now"
	if n := len(l.targets); n == 1 {
		what = "the failing test passes now"
	}
	if len(l.leftFailing) > 0 {
		what = "every named test passes now"
	}
	what += ", and on a fresh copy no other test is worse"
	parts := final.UnusableParts()
	if len(parts) == 0 {
		return what, ""
	}
	var names []string
	for _, p := range parts {
		names = append(names, cmp.Or(p.Name, "the project"))
	}
	still := shorten(names) + " still " + plight(parts[0].Reason)
	return what + "; but " + still, "the whole suite is not green: " + still + ", see the warnings"
}

// plight says what is the matter with a part.
func plight(r testresult.Reason) string {
	switch r {
	case testresult.BuildError:
		return "does not build"
	case testresult.SyntaxError, testresult.ImportError, testresult.CollectionError:
		return "can't be loaded"
	case testresult.NoReason, testresult.NotInstalled, testresult.NoTests, testresult.Timeout, testresult.Hang,
		testresult.Crashed, testresult.ExitedEarly, testresult.OutOfMemory, testresult.ConfigError,
		testresult.InternalError, testresult.ReportMissing, testresult.ReportInvalid, testresult.ReportTooLarge,
		testresult.SandboxBlocked, testresult.SandboxUnavailable, testresult.TestsRunElsewhere,
		testresult.SuiteLongerThanBudget:
		return "can't be run"
	default:
		return "can't be run"
	}
}

// name is an id as reports print it.
func (l *loop) name(id testresult.ID) string { return printed(id, len(l.baseline.Units) == 1) }

// list names ids, the first few in full.
func (l *loop) list(ids []testresult.ID) string {
	var names []string
	for _, id := range ids {
		names = append(names, l.name(id))
	}
	return shorten(names)
}

// shorten joins names, the first few in full.
func shorten(names []string) string {
	const most = 3
	return strings.Join(names[:min(most, len(names))], ", ") + andMore(max(0, len(names)-most))
}

// remedy is what the user can do about a suite that can't be run.
func remedy(r testresult.Reason) string {
	switch r {
	case testresult.NotInstalled:
		return "install what is missing, or name the interpreter in the settings; autocoder doctor shows what was looked at"
	case testresult.NoTests:
		return "name the tests with --runner or --test-command; autocoder doctor shows what was found"
	case testresult.CollectionError:
		return "run the test command by itself: the tests can't be collected"
	case testresult.BuildError, testresult.SyntaxError, testresult.ImportError:
		return "make the code build first: without a test that runs there is nothing to judge an edit by"
	case testresult.Timeout, testresult.Hang:
		return "raise --test-timeout or --max-time"
	case testresult.SuiteLongerThanBudget:
		return "raise --max-time, or leave a slow unit out with --unit"
	case testresult.ConfigError, testresult.InternalError, testresult.ReportMissing, testresult.ReportInvalid, testresult.ReportTooLarge:
		return "run the test command by itself; autocoder doctor shows it"
	case testresult.Crashed, testresult.ExitedEarly, testresult.OutOfMemory:
		return "find out what ends the test process before its end"
	case testresult.SandboxBlocked:
		return "allow what the tests need"
	case testresult.SandboxUnavailable:
		return "autocoder doctor shows which sandbox works; autocoder trust --supervised accepts a weaker one"
	case testresult.TestsRunElsewhere:
		return "install the project so that the copy is imported, and not the folder it was installed from"
	case testresult.NoReason:
		return ""
	default:
		return ""
	}
}
