// Package nodetest runs the tests of Node projects with node --test.
//
// A unit is a package (a folder with a package.json, or the workspace), a part
// is a test file, and an id is the file's path in the unit and the names of the
// suites and of the test, joined by " > ": "test/calc.test.js > add > negative".
// The second test of the same name has " #2" behind it. A script, a file that checks
// something without a runner or by one that prints TAP, is one test, and the file's
// path is its id.
//
// Two files of ours take part. The reporter runs in the runner's process, turns
// its events into lines, and ends the process of a test file that hangs. The
// preload runs in each test file's process and notes, at once, which test is
// running: when a file's process dies the runner's own events are lost, and a
// file that called process.exit(0) is reported as one passing test.
//
// What the project's own script gives to node --test is kept, but for what
// watches, measures coverage, reports elsewhere, or takes away the process of
// its own that each file has.
package nodetest

import (
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// Name is the runner's name.
const Name = "node --test"

// grace is what the reporter gets to end a hanging test file by itself.
const grace = 3 * time.Second

// Adapter returns the adapter of node --test.
func Adapter() runner.Adapter {
	return runner.Adapter{
		Name:    Name,
		Detect:  detect,
		Probe:   probe,
		Command: commands,
		Parse:   parse,
		Running: running,
		Grace:   grace,
		Places:  places,
		Rest:    rest,
		Drills:  &runner.Drills{Canaries: canaries(), Part: func(id string) string { file, _ := splitID(id); return file }, Signs: []string{"NODE_TEST_CONTEXT", "execArgv", "argv[1]", "argv.slice(1"}},
	}
}

// places tells the file of a test.
func places(unit runner.Unit, _ runner.Report) func(testresult.Test) testresult.Frame {
	return func(t testresult.Test) testresult.Frame {
		file, _ := splitID(t.ID.Native)
		return testresult.Frame{File: path.Join(unit.Root, file)}
	}
}

//go:embed preload.cjs
var preloadSource []byte

//go:embed thrown.cjs
var thrownSource []byte

//go:embed drill.cjs
var drillSource []byte

//go:embed watch.cjs
var watchSource []byte

//go:embed veil.cjs
var veilSource []byte

//go:embed reporter.mjs
var reporterSource []byte

// The files in a report's folder; reporter.mjs and preload.cjs know them too.
const (
	preloadFile  = "preload.cjs"
	thrownFile   = "thrown.cjs"
	reporterFile = "reporter.mjs"
	drillFile    = "drill.cjs"
	watchFile    = "watch.cjs"
	veilFile     = "veil.cjs"
	configFile   = "config.json"
	eventsFile   = "report.jsonl"
	stuckFile    = "stuck.jsonl"
)

const separator = " > "

// native makes an id of a file and a full name, the k-th in the file. A script has
// no name beside its file's.
func native(file, name string, k int) string {
	if name == "" {
		return file
	}
	return file + separator + numbered(name, k)
}

// numbered is the name of the k-th test of that name.
func numbered(name string, k int) string {
	if k > 1 {
		return fmt.Sprintf("%s #%d", name, k)
	}
	return name
}

// splitID takes a native id apart; what is no id is a file.
func splitID(id string) (file, name string) {
	file, name, _ = strings.Cut(id, separator)
	return file, name
}

// folder is the absolute path at which the unit's commands run.
func folder(unit runner.Unit, report runner.Report) string {
	return filepath.Join(report.Root, filepath.FromSlash(unit.Root))
}

// partOf returns a file that the runner names, in full or relative to the unit,
// as a part.
func partOf(unit runner.Unit, report runner.Report, file string) string {
	base := folder(unit, report)
	if !filepath.IsAbs(file) {
		file = filepath.Join(base, file)
	}
	rel, err := filepath.Rel(base, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}
