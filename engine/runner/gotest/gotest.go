// Package gotest runs the tests of Go modules with go test -json.
//
// A unit is a module, a part is a package, and an id is the package's import
// path, a dot and the test's name with its subtests: "ex/calc.TestAdd/negative".
//
// The stream of events is the report. The exit code says little: go test ends
// with 1 for a failing test, a syntax error and a crash alike, and with 0 when a
// TestMain throws its result away. So every verdict comes from the events, and a
// test that began and did not end has failed. The -v text inside the events is
// never read for results: a test can print "--- PASS".
//
// The build is that of the user: vet stays on, as an edit must pass the
// project's own go test, and nothing is fetched (GOPROXY=off, GOTOOLCHAIN=local).
package gotest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autocoder/engine/runner"
)

// Name is the runner's name.
const Name = "go test"

// Adapter returns the adapter of go test.
func Adapter() runner.Adapter {
	return runner.Adapter{
		Name:         Name,
		StdoutReport: true,
		Thin:         thin,
		Detect:       detect,
		Probe:        probe,
		Command:      commands,
		Parse:        parse,
		Running:      running,
		Rest:         rest,
		Drills:       &runner.Drills{Canaries: canaries, Part: partOf, Signs: []string{"testing.Testing", "flag.Lookup", "flag.VisitAll", "os.Args", "_test.go", "go/parser", "runtime.Caller", `ReadDir(".")`, "Glob("}},
	}
}

// native joins a package and a test's name into an id.
func native(pkg, test string) string { return pkg + "." + test }

// SplitID takes a native id apart into the package's import path and the name
// of the test. An import path may have dots and a subtest's name may have
// anything, so the cut is before the first element that is the name of a test
// function.
func SplitID(id string) (pkg, test string, ok bool) {
	for i := range len(id) {
		if i > 0 && id[i] == '.' && isTestName(id[i+1:]) {
			return id[:i], id[i+1:], true
		}
	}
	return "", "", false
}

// partOf is the package of a native id.
func partOf(id string) string {
	pkg, _, ok := SplitID(id)
	if !ok {
		return id
	}
	return pkg
}

// isTestName reports whether name begins with a function that go test runs, and
// goes on with a slash or not at all.
func isTestName(name string) bool {
	function, _, _ := strings.Cut(name, "/")
	for _, prefix := range []string{"Test", "Fuzz", "Example", "Benchmark"} {
		rest, found := strings.CutPrefix(function, prefix)
		if !found {
			continue
		}
		first, _ := utf8.DecodeRuneInString(rest)
		return (rest == "" || !unicode.IsLower(first)) && isIdentifier(rest)
	}
	return false
}

func isIdentifier(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}
