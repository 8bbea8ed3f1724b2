package nodetest

import (
	"slices"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// running returns the test that has been running longest. The reporter ends
// hanging files by itself; this is for when it can't.
func running(report runner.Report) (id string, since time.Time, ok bool) {
	unit := runner.Unit{Root: "."}
	if report.Command.Dir != "" {
		unit.Root = report.Command.Dir
	}
	for _, p := range readProcesses(unit, report) {
		if p.exited {
			continue
		}
		for _, t := range p.leaves() {
			began := time.UnixMilli(t.since)
			if !ok || began.Before(since) {
				id, since, ok = native(p.part, t.name, t.n), began, true
			}
		}
	}
	return id, since, ok
}

// mostCrashes is how often the rest of a selection is run after tests that took
// their process down, before what is left is given up.
const mostCrashes = 20

// crashMark counts those runs in Selection.Skip. It names no test and no file,
// so it leaves nothing out.
const crashMark = "(after a crash)"

// rest returns what is left to run of files whose process ended in the middle:
// all that the culprit left behind, as results of the file may be lost too.
func rest(unit runner.Unit, sel runner.Selection, run testresult.UnitRun, report runner.Report) (runner.Selection, bool) {
	left := runner.Selection{Skip: slices.Clone(sel.Skip)}
	killed, err := killedTests(unit, report)
	if err != nil {
		return runner.Selection{}, false
	}
	crashed := false
	broken := map[string]bool{}
	for _, t := range run.Tests {
		crash := t.Failure != nil && t.Failure.Kind == runner.KindCrash
		if crash || slices.Contains(killed, t.ID.Native) {
			file, _ := splitID(t.ID.Native)
			broken[file], crashed = true, crashed || crash
			left.Skip = append(left.Skip, t.ID.Native)
		}
	}
	if crashed {
		left.Skip = append(left.Skip, crashMark)
	}
	marks := len(left.Skip) - len(slices.DeleteFunc(slices.Clone(left.Skip), func(s string) bool { return s == crashMark }))
	if len(broken) == 0 || marks > mostCrashes {
		return runner.Selection{}, false
	}
	isOpen := func(file string) bool {
		return broken[file] || len(report.Hung) > 0 && !reportedFile(unit, report, file)
	}
	left.IDs = sel.IDs
	return left.In(unit, isOpen, func(id string) string {
		file, _ := splitID(id)
		return file
	}, run)
}

// killedTests are the hanging tests whose process was ended with them. One that
// had a time limit of its own only failed, and its file went on.
func killedTests(unit runner.Unit, report runner.Report) ([]string, error) {
	ids := slices.Clone(report.Hung)
	all, err := readStuck(unit, report)
	for part, s := range all {
		ids = append(ids, native(part, s.Name, s.N))
	}
	return ids, err
}

// reportedFile reports whether the runner had reported a file before the
// command was killed.
func reportedFile(unit runner.Unit, report runner.Report, file string) bool {
	for _, p := range readProcesses(unit, report) {
		if p.part == file {
			return p.exited
		}
	}
	return false
}
