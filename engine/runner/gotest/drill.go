package gotest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// A drill of go test changes no file of the project. The package testing itself
// is compiled from changed sources, by the go command's -overlay: every test
// binary gets the canaries, and each target, subtests of any library included,
// ends in a failure. The code under test finds nothing of that in its folder.

//go:embed canaries.go.txt
var canarySource string

var canaries = []runner.Canary{
	{Shows: "a passing test", Want: testresult.Passed},
	{Shows: "t.Error", Want: testresult.Failed},
	{Shows: "t.Errorf", Want: testresult.Failed},
	{Shows: "t.Fatal", Want: testresult.Failed},
	{Shows: "t.FailNow", Want: testresult.Failed},
	{Shows: "t.Error in a subtest", Want: testresult.Failed},
	{Shows: "t.Error in a cleanup", Want: testresult.Failed},
	{Shows: "t.Skip", Want: testresult.Skipped},
	{Shows: "the helpers that tests find failures with", Want: testresult.Passed},
}

func canaryName(c runner.Canary) string { return "Test" + c.Name }

// withCanaries adds the canaries to the tests of each package that holds a target.
func withCanaries(selected map[string][]string, d *runner.Drill) map[string][]string {
	if len(selected) == 0 {
		return selected
	}
	for _, pkg := range d.Parts {
		if d.Alone {
			selected[pkg] = nil
		}
		for _, c := range d.Canaries {
			selected[pkg] = append(selected[pkg], canaryName(c))
		}
	}
	return selected
}

// layDrill writes the changed sources into the report's folder and returns the
// file that puts them in the place of Go's own.
func layDrill(unit runner.Unit, report runner.Report, d *runner.Drill) (string, error) {
	source := testingSource(unit)
	if source == "" {
		return "", fmt.Errorf("lay the drill: no sources of the package testing in %q", unit.Reads)
	}
	replaced := map[string]string{}
	lay := func(name, text string) error {
		file := filepath.Join(report.Folder, name)
		replaced[filepath.Join(source, name)] = file
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return fmt.Errorf("lay the drill: %w", err)
		}
		return nil
	}
	hook := strings.ToLower(d.Token)
	checks, files := watchChecks(d)
	if err := lay(hook+".go", canaryText(d, hook, checks)); err != nil {
		return "", err
	}
	for i, file := range slices.Sorted(maps.Keys(files)) {
		laid := filepath.Join(report.Folder, fmt.Sprintf("%s%d_test.go", hook, i))
		replaced[filepath.Join(report.Root, filepath.FromSlash(file))] = laid
		if err := os.WriteFile(laid, []byte(files[file]), 0o600); err != nil {
			return "", fmt.Errorf("lay the drill: %w", err)
		}
	}
	for name, change := range map[string]func([]byte) (string, error){
		"testing.go": func(text []byte) (string, error) { return hookTests(text, hook) },
		"run_example.go": func(text []byte) (string, error) {
			return hookCall(text, "runExample", "eg.F()", hook+"example(eg.Name, eg.F)")
		},
	} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return "", fmt.Errorf("lay the drill: %w", err)
		}
		changed, err := change(text)
		if err != nil {
			return "", fmt.Errorf("lay the drill: change %s of this Go: %w", name, err)
		}
		if err := lay(name, changed); err != nil {
			return "", err
		}
	}
	if err := layBuildInfo(source, report, d, replaced); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", fmt.Errorf("lay the drill: %w", err)
	}
	overlay := filepath.Join(report.Folder, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return "", fmt.Errorf("lay the drill: %w", err)
	}
	return overlay, nil
}

// layBuildInfo keeps from the code under test that its program is one of tests, which the
// notes of the build say. A Go that says it in another way is left as it is.
func layBuildInfo(source string, report runner.Report, d *runner.Drill, replaced map[string]string) error {
	name := filepath.Join(source, "..", "runtime", "debug", "mod.go")
	text, err := os.ReadFile(name)
	const ends = "\treturn bi, true\n"
	if err != nil || d.Plain || strings.Count(string(text), ends) != 1 {
		return nil
	}
	file := filepath.Join(report.Folder, "buildinfo.go")
	replaced[name] = file
	hidden := strings.Replace(string(text), ends, "\tbi.Path = strings.TrimSuffix(bi.Path, \".test\")\n"+ends, 1)
	if err := os.WriteFile(file, []byte(hidden), 0o600); err != nil {
		return fmt.Errorf("lay the drill: %w", err)
	}
	return nil
}

// testingSource is the folder of the sources of the package testing, in the Go
// that the unit is built by.
func testingSource(unit runner.Unit) string {
	for _, root := range unit.Reads {
		dir := filepath.Join(root, "src", "testing")
		if _, err := os.Stat(filepath.Join(dir, "testing.go")); err == nil {
			return dir
		}
	}
	return ""
}

var canaryMark = regexp.MustCompile(`CANARY\{([^}]*)\}`)

// canaryText is the source of the canaries with the names of a drill.
func canaryText(d *runner.Drill, hook string, checks []check) string {
	text := canaryMark.ReplaceAllStringFunc(canarySource, func(mark string) string {
		return "Test" + d.Find(canaryMark.FindStringSubmatch(mark)[1])
	})
	names := map[string]bool{} // packages may have tests of the same name
	for _, id := range d.Targets {
		if _, test, ok := SplitID(id); ok {
			names[test] = true
		}
	}
	var targets strings.Builder
	for _, test := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&targets, "%s: true, ", strconv.Quote(test))
	}
	var failed strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&failed, "{test: %s, line: %d, sure: %v}, ", strconv.Quote(c.test), c.line, c.sure)
	}
	return strings.NewReplacer("NAME", hook, "TOKEN", d.Token, "TARGETS", targets.String(), "CHECKS", failed.String(), "PLAIN", strconv.FormatBool(d.Plain)).Replace(text)
}

// hookTests adds the canaries to the tests of each test binary and lets the
// bodies of tests end in the hook.
func hookTests(text []byte, hook string) (string, error) {
	changed, err := hookCall(text, "tRunner", "fn(t)", hook+"end(t, fn)")
	if err != nil {
		return "", err
	}
	_, start, err := function([]byte(changed), "MainStart")
	if err != nil {
		return "", err
	}
	more := fmt.Sprintf("os.Args = %[1]sargs; tests = append(tests[:len(tests):len(tests)], %[1]scanaries...);", hook)
	return changed[:start] + more + changed[start:], nil
}

// hookCall replaces the one statement that is the call, in a function, by
// another, on the same line.
func hookCall(text []byte, name, call, by string) (string, error) {
	body, start, err := function(text, name)
	if err != nil {
		return "", err
	}
	at := -1
	for _, statement := range body {
		from, to := statement[0], statement[1]
		if string(text[from:to]) != call {
			continue
		}
		if at >= 0 {
			return "", fmt.Errorf("func %s calls %s twice", name, call)
		}
		at = from
	}
	if at < start {
		return "", fmt.Errorf("func %s has no call of %s", name, call)
	}
	return string(text[:at]) + by + string(text[at+len(call):]), nil
}

// function returns the offsets of the statements that are calls in a function of
// a source, and where its body begins.
func function(text []byte, name string) (calls [][2]int, start int, err error) {
	set := token.NewFileSet()
	file, err := goparser.ParseFile(set, "", text, goparser.SkipObjectResolution)
	if err != nil {
		return nil, 0, fmt.Errorf("parse it: %w", err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name || f.Recv != nil || f.Body == nil {
			continue
		}
		for _, s := range f.Body.List {
			if e, ok := s.(*ast.ExprStmt); ok {
				calls = append(calls, [2]int{set.Position(e.Pos()).Offset, set.Position(e.End()).Offset})
			}
		}
		return calls, set.Position(f.Body.Lbrace).Offset + 1, nil
	}
	return nil, 0, fmt.Errorf("there is no func %s", name)
}
