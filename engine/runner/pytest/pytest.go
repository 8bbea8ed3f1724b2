// Package pytest runs Python tests with pytest.
//
// The command is the project's own interpreter with pytest and a reporter of
// ours, a plugin that is laid into a private folder. The reporter writes one
// event a line, so that a process that dies still shows which test it died in;
// it selects tests by exact id, ends hanging tests from inside and names the
// project's frames of each failure. Project options that would hide tests are
// taken back. Nothing is written into the project.
package pytest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"autocoder/engine/command"
	"autocoder/engine/pylayout"
	"autocoder/engine/runner"
)

// Name is the adapter's name.
const Name = "pytest"

//go:embed autocoder_reporter.py
var reporter []byte

// drillParts are the modules that a drill works with.
//
//go:embed autocoder_drill.py autocoder_means.py autocoder_overloads.py autocoder_watch.py autocoder_veil.py
var drillParts embed.FS

// Names of the files in the report's folder.
const (
	reporterModule = "autocoder_reporter"
	optionsFile    = "autocoder_options.json"
	reportFile     = "report.jsonl"
)

// New returns the adapter.
func New() runner.Adapter {
	return runner.Adapter{
		Name:    Name,
		Detect:  detect,
		Probe:   probe,
		Command: commands,
		Parse:   parse,
		Running: lastRun,
		Grace:   2 * time.Second,
		Places:  places,
		Rest:    rest,
		Drills:  &runner.Drills{Canaries: canaries(), Part: part, Signs: []string{"PYTEST_CURRENT_TEST", "PYTEST_VERSION", "sys.argv", "orig_argv", "getsource", "linecache", "findsource", "sys.modules"}},
	}
}

// options are what the reporter reads.
type options struct {
	Root    pathText `json:"root"`
	IDs     []string `json:"ids"` // null for everything
	Skip    []string `json:"skip"`
	Limit   float64  `json:"limit"`   // seconds for a phase of a test, 0 for none
	Collect float64  `json:"collect"` // seconds for the collection of a file
	Drill   *drill   `json:"drill"`
}

// pathText is a path as Python reads it from JSON: a byte that is no UTF-8 is the
// half surrogate that stands for it there.
type pathText string

// MarshalJSON writes the path.
func (p pathText) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('"')
	for i, r := range string(p) {
		if r == utf8.RuneError && p[i] >= utf8.RuneSelf && !strings.HasPrefix(string(p[i:]), string(utf8.RuneError)) {
			fmt.Fprintf(&b, `\udc%02x`, p[i])
			continue
		}
		quoted, err := json.Marshal(string(r))
		if err != nil {
			return nil, fmt.Errorf("write a path: %w", err)
		}
		b.Write(quoted[1 : len(quoted)-1])
	}
	b.WriteByte('"')
	return b.Bytes(), nil
}

// commands lays the reporter and builds the one command.
func commands(unit runner.Unit, sel runner.Selection, report runner.Report, limits runner.Limits) ([]command.Spec, error) {
	opt := options{
		Root: pathText(report.Root), IDs: sel.IDs, Skip: sel.Skip,
		Limit: limits.Test.Seconds(), Collect: collectLimit(limits).Seconds(),
	}
	files := map[string][]byte{reporterModule + ".py": reporter, pylayout.File: pylayout.Source()}
	if sel.Drill != nil {
		opt.Drill = drillOf(sel.Drill)
		entries, err := drillParts.ReadDir(".")
		for _, e := range entries {
			content, failed := drillParts.ReadFile(e.Name())
			files[e.Name()], err = content, errors.Join(err, failed)
		}
		if err != nil {
			return nil, fmt.Errorf("read the drill: %w", err)
		}
	}
	data, err := json.Marshal(opt)
	if err != nil {
		return nil, fmt.Errorf("write the reporter's options: %w", err)
	}
	files[optionsFile] = data
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(report.Folder, name), content, 0o600); err != nil {
			return nil, fmt.Errorf("lay the reporter: %w", err)
		}
	}
	return []command.Spec{build(unit, report, sel.Seed)}, nil
}

// generic is the command of a unit whose interpreter is not known yet.
func generic() []string { return ownCommand("python") }

func ownCommand(interpreter string) []string { return []string{interpreter, "-m", "pytest"} }

// build makes the command: our own, or the user's with our options in pytest's
// variable for them.
func build(unit runner.Unit, report runner.Report, seed int) command.Spec {
	args := []string{
		"-p", reporterModule, "--rootdir=.", // ids are relative to it
		"--continue-on-collection-errors", "-q", "--color=no", "--tb=short", "--show-capture=no",
		"-o", "cache_dir=" + filepath.Join(report.Folder, "cache"),
	}
	for _, nested := range unit.Nested {
		args = append(args, "--ignore="+filepath.Join(report.Root, filepath.FromSlash(nested)))
	}
	env := []string{
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONHASHSEED=" + strconv.Itoa(seed),
		"PYTHONUTF8=1",
		"PYTHONUNBUFFERED=1",
		"COVERAGE_FILE=" + filepath.Join(report.Folder, "coverage.data"),
		"HYPOTHESIS_STORAGE_DIRECTORY=" + filepath.Join(report.Folder, "hypothesis"),
	}
	path, rest := pythonPath(unit.Env, report.Folder)
	env = slices.Concat(env, rest, []string{path})
	spec := command.Spec{Dir: unit.Root, Env: env}
	if own := ownCommand(unit.Interpreter); len(unit.Command) == 0 || slices.Equal(unit.Command, own) {
		spec.Args = append(own, args...)
		if strings.Contains(report.Root+unit.Root, "[") {
			spec.Args = append(spec.Args, ".") // pytest takes its own working folder for an id else
		}
		return spec
	}
	spec.Args = resolved(unit.Command, unit.Interpreter)
	spec.Env = append(spec.Env, "PYTEST_ADDOPTS="+quoted(args))
	return spec
}

// pythonPath takes PYTHONPATH out of the unit's variables and puts our folder
// before what it has.
func pythonPath(env []string, folder string) (path string, rest []string) {
	path = "PYTHONPATH=" + folder
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "PYTHONPATH="); ok {
			path = "PYTHONPATH=" + folder + string(filepath.ListSeparator) + value
			continue
		}
		rest = append(rest, kv)
	}
	return path, rest
}

// resolved is the user's command with the interpreter that was found in the
// place of the names that PATH may resolve to another one.
func resolved(command []string, interpreter string) []string {
	switch command[0] {
	case "pytest", "py.test":
		return append(ownCommand(interpreter), command[1:]...)
	case "python", "python3":
		return append([]string{interpreter}, command[1:]...)
	default:
		return command
	}
}

// quoted joins arguments as a POSIX shell reads them, which is how pytest reads
// its variable.
func quoted(args []string) string {
	var words []string
	for _, a := range args {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'"'"'`)+"'")
	}
	return strings.Join(words, " ")
}

// collectLimit is what the collection of one file may take: imports are slow
// where tests are quick.
func collectLimit(limits runner.Limits) time.Duration {
	limit := 6 * limits.Loading()
	if limits.Suite > 0 {
		limit = min(limit, limits.Suite/2)
	}
	return limit
}
