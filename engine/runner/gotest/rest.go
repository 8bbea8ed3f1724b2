package gotest

import (
	"slices"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// mostCrashes is how often the rest of a selection is run after tests that took
// their process down, before what is left is given up.
const mostCrashes = 20

// crashMark counts those runs in Selection.Skip. It names no test and no
// package, so it leaves nothing out.
const crashMark = "(after a crash)"

// rest returns what a package left to run whose process ended in the middle: a
// panic, or our own kill at the per-test limit, takes the tests behind it along.
// Without them a first failure would hide all later ones.
func rest(unit runner.Unit, sel runner.Selection, run testresult.UnitRun, report runner.Report) (runner.Selection, bool) {
	crash := func(t testresult.Test) bool {
		return t.Failure != nil && (t.Failure.Kind == string(kindCrash) || t.Failure.Kind == string(kindPanic))
	}
	if len(report.Hung) == 0 && !slices.ContainsFunc(run.Tests, crash) {
		return runner.Selection{}, false
	}
	s, err := readStream(report, false)
	if err != nil {
		return runner.Selection{}, false
	}
	p := parser{unit: unit, report: report, stream: s, skipped: skippedBy(report.Command.Args)}
	left := runner.Selection{Skip: slices.Clone(sel.Skip)}
	if len(report.Hung) == 0 {
		left.Skip = append(left.Skip, crashMark)
	}
	if count(left.Skip, crashMark) > mostCrashes {
		return runner.Selection{}, false
	}
	broken := map[string]bool{}
	for _, pkg := range s.packages {
		culprits := p.culprits(pkg)
		if len(culprits) > 0 || pkg.action == "" && len(report.Hung) > 0 {
			broken[pkg.name] = true
			left.Skip = append(left.Skip, finished(pkg, culprits)...)
		}
	}
	if len(broken) == 0 {
		return runner.Selection{}, false
	}
	isOpen := func(pkg string) bool { return p.covers(pkg) && (broken[pkg] || !p.settled(pkg)) }
	left.IDs = sel.IDs
	return left.In(unit, isOpen, func(id string) string {
		pkg, _, _ := SplitID(id)
		return pkg
	}, run)
}

// covers reports whether the command was to run a package; another package of
// the selection has a command of its own.
func (p *parser) covers(pkg string) bool {
	args := p.report.Command.Args
	return slices.Contains(args, everything) || slices.Contains(args, pkg)
}

// settled reports whether the command ran a package to its end.
func (p *parser) settled(pkg string) bool {
	known := p.stream.byName[pkg]
	return known != nil && known.action != ""
}

// culprits are the tests that ended a package's process, or were killed with it.
func (p *parser) culprits(pkg *pkg) []*testCase {
	var culprits []*testCase
	for t := range p.unfinished(pkg) {
		culprits = append(culprits, t)
	}
	for _, t := range pkg.tests {
		if !t.ended() && slices.Contains(p.report.Hung, native(pkg.name, t.name)) || t.ended() && endsProcess(t) {
			culprits = append(culprits, t)
		}
	}
	return culprits
}

// endsProcess reports whether a finished test took the process with it: the
// framework ends a test that panics, and then panics again.
func endsProcess(t *testCase) bool {
	return t.action == "fail" && strings.Contains(panicIn(t.output.String()), "[recovered")
}

// finished are the ids of a broken package that need not run again: the culprits,
// and the functions that came to their end before.
func finished(pkg *pkg, culprits []*testCase) []string {
	var ids []string
	for _, t := range culprits {
		ids = append(ids, native(pkg.name, t.name))
	}
	for _, t := range pkg.tests {
		hosts := slices.ContainsFunc(culprits, func(c *testCase) bool { return strings.HasPrefix(c.name, t.name+"/") })
		if t.parent == nil && t.ended() && !hosts {
			ids = append(ids, native(pkg.name, t.name))
		}
	}
	return ids
}

func count(all []string, one string) int {
	n := 0
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}
