// Package custom runs tests by a command that the user gave.
//
// The command reports by JUnit XML files, by TAP on its standard output, or by
// its exit code alone. An exit code knows one test, "cmd", and never counts more
// than that. Such a command can't be asked for single tests, nor be watched test
// by test: it is run whole and limited as a whole.
package custom

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// Name is how reports call the runner.
const Name = "command"

// Format is how a command reports.
type Format uint8

// The formats.
const (
	InvalidFormat Format = iota
	// Exit reports by the exit code.
	Exit
	// TAP reports on the standard output.
	TAP
	// JUnit reports by XML files.
	JUnit
)

// Report is a format, and for JUnit the files: a pattern relative to the
// workspace, in which * stands for anything.
type Report struct {
	Format Format
	Glob   string
}

// ParseReport reads the setting "report": junit:GLOB, tap, exit, or nothing,
// which is exit.
func ParseReport(setting string) (Report, error) {
	glob, junit := strings.CutPrefix(setting, "junit:")
	switch {
	case setting == "" || setting == "exit":
		return Report{Format: Exit}, nil
	case setting == "tap":
		return Report{Format: TAP}, nil
	case junit && glob != "" && filepath.IsLocal(glob):
		return Report{Format: JUnit, Glob: glob}, nil
	default:
		return Report{}, fmt.Errorf("report is %q: give junit:GLOB with a pattern inside the project, tap, or exit", setting)
	}
}

// New returns the adapter of a command. Its unit is the whole project; Detect
// and Probe are left to the caller, who knows it already.
func New(report Report) runner.Adapter {
	return runner.Adapter{
		Name:         Name,
		StdoutReport: report.Format == TAP,
		Command: func(unit runner.Unit, _ runner.Selection, r runner.Report, _ runner.Limits) ([]command.Spec, error) {
			return []command.Spec{spec(unit, report, r)}, nil
		},
		Parse: func(_ runner.Unit, r runner.Report) testresult.UnitRun { return parse(report, r) },
	}
}

// collected is the folder in Report.Folder that gets the XML files.
const collected = "junit"

// collect runs a command between the removal of old XML files and the copying of
// new ones: a stale report is the main error of such runs. It works on what the
// command sees, which is never the user's own folder.
const collect = `find . -path "$1" -type f -exec rm -f {} +
pattern=$1 out=$2; shift 2
"$@"; code=$?
mkdir -p "$out"; n=0
find . -path "$pattern" -type f | while IFS= read -r file; do n=$((n+1)); cp "$file" "$out/$n.xml"; done
exit $code`

func spec(unit runner.Unit, report Report, r runner.Report) command.Spec {
	s := command.Spec{Args: unit.Command, Dir: unit.Root, Env: unit.Env}
	if report.Format == JUnit {
		// find's * crosses folders, so that ** and * are one.
		pattern := "./" + strings.ReplaceAll(filepath.ToSlash(report.Glob), "**/", "*")
		s.Args = append([]string{"sh", "-c", collect, "sh", pattern, filepath.Join(r.Folder, collected)}, unit.Command...)
	}
	return s
}

func parse(report Report, r runner.Report) testresult.UnitRun {
	if run, ended := ended(r); ended {
		return run
	}
	switch report.Format {
	case Exit:
		return exitRun(r.Output)
	case TAP:
		text, err := r.ReadFile(runner.StdoutFile)
		if err != nil {
			return unusable(testresult.ReportMissing, err.Error())
		}
		run := ReadTAP(string(text), r.Root)
		if run.Reason != testresult.NoReason {
			run.Tests = nil // they show nothing
		}
		return agree(run, r.Output)
	case JUnit:
		return agree(readJUnit(r), r.Output)
	case InvalidFormat:
		return unusable(testresult.ConfigError, "the report's format is not known")
	default:
		return unusable(testresult.ConfigError, fmt.Sprintf("the report's format is %d", report.Format))
	}
}

func unusable(reason testresult.Reason, detail string) testresult.UnitRun {
	return testresult.UnitRun{Reason: reason, Detail: detail}
}

// ended says so when the command did not come to its own end.
func ended(r runner.Report) (testresult.UnitRun, bool) {
	exit := r.Output.Exit
	switch {
	case r.TimedOut:
		return unusable(testresult.Timeout, "the command ran longer than it may"), true
	case exit.Code == 124: // what timeout(1) ends with
		return unusable(testresult.Timeout, "the command ended with exit code 124, as one that ran out of time does"+last(r.Output)), true
	case exit.Signal == "SIGKILL" || exit.Code == 137:
		return unusable(testresult.OutOfMemory, "the command was killed, most likely for want of memory"), true
	case exit.Signal != "" || exit.Code > 128:
		return unusable(testresult.Crashed, "the command ended with "+exit.String()+last(r.Output)), true
	case exit.Code == 126 || exit.Code == 127:
		return unusable(testresult.NotInstalled, "the command could not be run"+last(r.Output)), true
	default:
		return testresult.UnitRun{}, false
	}
}

// last is the end of what the command printed, for people.
func last(out command.Output) string {
	lines := strings.Split(strings.TrimSpace(string(out.Stderr)+"\n"+string(out.Stdout)), "\n")
	if text := lines[len(lines)-1]; text != "" {
		return ": " + text
	}
	return ""
}

// exitTest is the one test that an exit code knows.
const exitTest = "cmd"

func exitRun(out command.Output) testresult.UnitRun {
	t := testresult.Test{ID: testresult.ID{Native: exitTest}, Status: testresult.Passed}
	if !out.Exit.Success() {
		t.Status = testresult.Failed
		t.Failure = &testresult.Failure{
			Kind: "exit code", Message: "the command ended with " + out.Exit.String(),
			Output: string(out.Stdout) + string(out.Stderr),
		}
	}
	return testresult.UnitRun{Tests: []testresult.Test{t}}
}

// agree holds a report against the exit code: both must say the same.
func agree(run testresult.UnitRun, out command.Output) testresult.UnitRun {
	if run.Reason != testresult.NoReason {
		return run
	}
	failing := slices.ContainsFunc(run.Tests, func(t testresult.Test) bool { return t.Status.Failing() })
	switch {
	case len(run.Tests) == 0 && len(run.Unusable) == 0:
		return unusable(testresult.NoTests, "the command reported no test"+last(out))
	case !failing && len(run.Unusable) == 0 && !out.Exit.Success():
		return unusable(testresult.InternalError, "no test failed, but the command ended with "+out.Exit.String()+last(out))
	case failing && out.Exit.Success():
		run.Warnings = append(run.Warnings, "the command ended with exit code 0 although tests failed")
	}
	return run
}
