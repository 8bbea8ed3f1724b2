package main

import (
	"context"
	"errors"
	"fmt"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/trajectory"
	"autocoder/engine/workspace"
)

// exitCode is what the process ends with.
type exitCode int

// The exit codes of every verb.
const (
	exitOK         exitCode = 0
	exitNotFixed   exitCode = 1
	exitUsage      exitCode = 2
	exitUnrunnable exitCode = 3
	exitFailed     exitCode = 4
	exitNotApplied exitCode = 5
	exitCancelled  exitCode = 130
)

// codeOf is the exit code of a run that ended so.
func codeOf(o outcome.Outcome) exitCode {
	switch o {
	case outcome.Fixed, outcome.AlreadyGreen:
		return exitOK
	case outcome.NoProgress, outcome.Budget, outcome.GaveUp:
		return exitNotFixed
	case outcome.Unrunnable:
		return exitUnrunnable
	case outcome.Cancelled:
		return exitCancelled
	case outcome.Invalid:
		return exitFailed
	default:
		panic(fmt.Sprintf("no exit code for %v", o))
	}
}

// codeOfFix is the exit code of a fix. An error beside an outcome says that
// autocoder could not do its work, or could not write what it found.
func codeOfFix(rep report.Report, err error, apply bool) exitCode {
	code := codeOf(rep.Outcome)
	failed := err != nil && !is[*workspace.ChangedError](err)
	switch {
	case rep.Outcome == outcome.Fixed && apply && !rep.Applied:
		return exitNotApplied
	case err != nil && code == exitOK, failed && rep.Outcome == outcome.GaveUp:
		return codeOfError(err)
	default:
		return code
	}
}

// usageError is a command line that can't be carried out as it was written.
type usageError struct{ text string }

func (u *usageError) Error() string { return u.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// is reports whether err has an E in its chain.
func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// codeOfError is the exit code of a verb that ended with err.
func codeOfError(err error) exitCode {
	switch {
	case err == nil:
		return exitOK
	case is[*usageError](err), is[*engine.UsageError](err), is[*config.BadValue](err),
		is[*workspace.RootError](err), is[*workspace.TooLargeError](err), is[*workspace.PatternError](err),
		is[*settingsError](err), is[*trajectory.NotFound](err):
		return exitUsage
	case is[*workspace.ChangedError](err):
		return exitNotApplied
	case errors.Is(err, context.Canceled):
		return exitCancelled
	default:
		return exitFailed
	}
}
