// Package runner finds the units of a project and runs their tests.
//
// An Adapter is one ecosystem, as data: it recognises units, finds the tools
// they need, builds a command and parses a result. This package does the rest
// for all of them: it starts the command in a cell, watches for hanging tests,
// kills, runs the remainder, reads the report after the whole process tree is
// dead, and checks that the copy was tested and not something else. Adapters
// start nothing by themselves.
package runner

import (
	"context"
	"io"
	"io/fs"
	"os"
	"time"

	"autocoder/engine/command"
	"autocoder/engine/testresult"
)

// Cell is where commands run. sandbox.Cell is one.
type Cell interface {
	command.Starter
	// Root is the absolute path at which commands see the workspace.
	Root() string
	// Scratch is a folder outside the workspace that both the commands and we can
	// write, at the same absolute path for both.
	Scratch() string
}

// Unit is a runner in a folder of the project.
type Unit struct {
	// Name is the unit's part of ids, unique in the project: its folder, with the
	// runner in brackets when the folder has several.
	Name string
	// Root is the folder, relative to the workspace with slashes; "." for itself.
	Root string
	// Runner is the adapter's name.
	Runner string
	// Why says what it was recognised by, for people.
	Why string
	// Interpreter is the program that runs the tests, as found by Probe.
	Interpreter string
	// Version is the runner's own version, as found by Probe.
	Version string
	// Command is what the unit is run by, for people and for doctor. When the user
	// gave a command, it is that one, parsed.
	Command []string
	// Env is added to the unit's commands.
	Env []string
	// Reads are absolute paths outside the workspace that the unit's commands must
	// be able to read: an environment, a tool chain.
	Reads []string
	// Reason and Detail are set by Probe when the unit can't be run here.
	Reason testresult.Reason
	Detail string
	// Parts are the parts with tests (files or packages) that Detect found, by the
	// names that results give them, sorted: for adapters that must name them on the
	// command line. A file that appears later is seen by a new Detect.
	Parts []string
	// Nested are the folders below Root that are units of the same runner by
	// themselves, relative to the workspace with slashes and sorted; the package's
	// Detect fills them in. The unit does not run them.
	Nested []string
	// LeftOut are the files, relative to the workspace with slashes, that the
	// user's folder has and the workspace has not, for they hold secrets: a test
	// that misses one is blocked.
	LeftOut []string
	// Withheld are the names of variables of the user's environment that the tests do
	// not get: a test that misses one is blocked.
	Withheld []string
	// Rejected are the tools that were looked at and not taken.
	Rejected []Rejected
}

// Rejected is a runner or an interpreter that was found and not taken.
type Rejected struct{ Runner, Why string }

// Selection says which tests of a unit to run.
type Selection struct {
	// IDs are native ids; nil runs everything. An adapter may run more than is
	// asked for when its runner can't choose exactly; Run filters the result.
	IDs []string
	// Skip are native ids to leave out, those that hung before.
	Skip []string
	// Drill makes the run a drill; nil for an ordinary one.
	Drill *Drill
	// Seed is what the order of things that have none depends on. What passes with
	// one seed only passes by accident.
	Seed int
}

// Report is where a command's reporter writes and what is known about the run
// when it is parsed.
type Report struct {
	// Folder is a fresh, private folder in the cell's scratch; the adapter may lay
	// its plugin there before the command starts and finds its report there after.
	Folder string
	// Root is the absolute path at which the command saw the workspace.
	Root string
	// LeftOut and Withheld are the unit's files and variables of that name.
	LeftOut, Withheld []string
	// Command is the command that was run, one of those that Command returned.
	Command command.Spec
	Output  command.Output
	// Hung are native ids that were running when they were killed at the per-test
	// limit; TimedOut means that the command was killed at its overall limit.
	Hung     []string
	TimedOut bool

	// files is Folder, once opened; nil for what is reached by its path.
	files *os.Root
}

// Limits bound one run of a unit.
type Limits struct {
	// Test is the most that one test may take; Suite the most that a command may
	// take without per-test control, or in all.
	Test, Suite time.Duration
	// Full is what Test was before a hanging test lowered it; zero when none has.
	Full time.Duration
}

// StdoutFile is the name of the file in Report.Folder into which Run streams the
// output of an adapter with StdoutReport, and StdoutLimit the most it holds.
const (
	StdoutFile  = "stdout"
	StdoutLimit = 64 << 20
)

// Adapter is one ecosystem. Fields that say so may be nil.
type Adapter struct {
	// Name is how users name the runner: "pytest", "go test", "node --test".
	Name string
	// StdoutReport means that the report is what the command prints: Run streams
	// its standard output, as it comes and up to StdoutLimit bytes, into the file
	// StdoutFile of Report.Folder, so that Running and Parse can read it there. It
	// is kept in Output.Stdout as well, under the usual cap.
	StdoutReport bool
	// Thin, unless nil, leaves out of such a report, on its way to the file, what
	// would make it large and what Parse has no use for.
	Thin func(to io.WriteCloser) io.WriteCloser
	// Detect finds the units in the tree by reading files only; nothing is
	// started. Order does not matter.
	Detect func(tree fs.FS) ([]Unit, error)
	// Probe finds and tries the tools of a unit, in a cell, and returns it with
	// Interpreter, Version, Command, Env and Reads filled in, or with Reason.
	// environ is the user's environment.
	Probe func(ctx context.Context, cell Cell, unit Unit, environ []string) (Unit, error)
	// Command lays the reporter into report.Folder and returns the commands that
	// together run the selection, one after the other.
	Command func(unit Unit, sel Selection, report Report, limits Limits) ([]command.Spec, error)
	// Parse reads what one command left. It never fails: what can't be read is an
	// unusable unit.
	Parse func(unit Unit, report Report) testresult.UnitRun
	// Running returns the native id of the test that is running now and since when
	// the report so far says so, for the watch over hanging tests. It is nil for
	// runners without per-test control.
	Running func(report Report) (id string, since time.Time, ok bool)
	// Grace is how much longer than the per-test limit the watch waits before it
	// kills: for a reporter that stops a hanging test by itself and goes on.
	Grace time.Duration
	// Places reads from a report where tests stand, for failures that don't say so,
	// as of a test that was killed: a frame without a line when only the file is
	// known. It is nil for runners whose reports don't tell.
	Places func(unit Unit, report Report) func(testresult.Test) testresult.Frame
	// Rest returns what is left to run after a command that ended in the middle:
	// killed at the per-test limit (report.Hung) or taken down by a test. run is
	// what Parse made of it, with the hung ids already in it. ok is false when
	// nothing is left. The selection goes to Command as it is, so it may be more
	// precise than the one that was asked for. When Rest is nil, what is left after
	// a hang is the selection without the hung ids and those that finished, and
	// nothing is left after a crash.
	Rest func(unit Unit, sel Selection, run testresult.UnitRun, report Report) (left Selection, ok bool)
	// Drills is what drills need to know; nil for a runner that can't be drilled.
	Drills *Drills
}

// Drills says how a runner is drilled.
type Drills struct {
	// Canaries are the tests of ours, without names.
	Canaries []Canary
	// Part returns the part that holds a native id, as results name it. A part lies
	// in one process, and each part with a target gets the canaries.
	Part func(id string) string
	// Signs are what says that tests run, as code names it: what a drill that is not
	// plain hides.
	Signs []string
}

// Kinds of failures that are the same for every runner.
const (
	// KindHang is a test that was stopped at the per-test limit.
	KindHang = "hang"
	// KindCrash is a test during which the process that ran it ended.
	KindCrash = "crash"
)
