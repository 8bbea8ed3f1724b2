package nodetest

import (
	"encoding/json"
	"fmt"
	"go/version"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/runner"
)

// config is what the reporter and the preload are told.
type config struct {
	// Root is the workspace, Limit the per-test limit in milliseconds, Load that of
	// the time in which no test runs, Output the most that is kept of what a file
	// prints.
	Root   string `json:"root"`
	Limit  int64  `json:"limit"`
	Load   int64  `json:"load"`
	Output int    `json:"output"`
	// Skip has the full names of tests to leave out, by the file's absolute path.
	Skip  map[string][]string `json:"skip"`
	Drill *drill              `json:"drill,omitempty"`
}

// outputLimit is how much of what a test file prints is kept.
const outputLimit = 256 << 10

// commands lays the reporter and builds the one command of a selection.
func commands(unit runner.Unit, sel runner.Selection, report runner.Report, limits runner.Limits) ([]command.Spec, error) {
	files, patterns := choose(unit, sel)
	if len(files) == 0 {
		return nil, nil
	}
	switch {
	case sel.Drill == nil || patterns == nil:
	case sel.Drill.Alone:
		patterns = canaryPatterns(sel.Drill)
	default:
		patterns = append(patterns, canaryPatterns(sel.Drill)...)
	}
	c := config{Root: report.Root, Limit: limits.Test.Milliseconds(), Load: 3 * limits.Loading().Milliseconds(), Output: outputLimit, Skip: map[string][]string{}}
	for _, id := range sel.Skip {
		if file, name := splitID(id); name != "" {
			abs := filepath.Join(folder(unit, report), filepath.FromSlash(file))
			c.Skip[abs] = append(c.Skip[abs], name)
		}
	}
	if sel.Drill != nil {
		c.Drill = drillOf(unit, report, sel.Drill)
	}
	if err := lay(report.Folder, c); err != nil {
		return nil, err
	}
	args := []string{unit.Interpreter, "--require", filepath.Join(report.Folder, preloadFile)}
	args = append(args, options(unit, len(patterns) > 0)...)
	args = append(
		args, "--test", "--test-reporter="+fileURL(filepath.Join(report.Folder, reporterFile)),
		"--test-reporter-destination="+filepath.Join(report.Folder, eventsFile),
	)
	for _, p := range patterns {
		args = append(args, "--test-name-pattern="+p)
	}
	for _, file := range files {
		args = append(args, argument(unit, file))
	}
	return []command.Spec{{Args: args, Dir: unit.Root, Env: unit.Env}}, nil
}

// asPattern writes a file's name as a pattern that matches it; there is no way to
// write a brace, so that any character stands in its place.
var asPattern = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]", "(", "[(]", "{", "?", "}", "?")

// argument is how a file is named on the command line: as a path, and since Node
// 21 as a pattern. It starts with "./", so that it is not taken for an option.
func argument(unit runner.Unit, file string) string {
	if version.Compare("go"+unit.Version, "go21") >= 0 {
		file = asPattern.Replace(file)
	}
	return "./" + file
}

// lay writes our files into the report's folder.
func lay(folder string, c config) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write the reporter's configuration: %w", err)
	}
	files := map[string][]byte{preloadFile: preloadSource, thrownFile: thrownSource, reporterFile: reporterSource, configFile: data}
	if c.Drill != nil {
		files[drillFile], files[watchFile], files[veilFile] = drillSource, watchSource, veilSource
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return fmt.Errorf("lay the reporter of node --test: %w", err)
		}
	}
	return nil
}

// Options are the options that the project's own script gives to node.
func Options(unit runner.Unit) []string { return options(unit, true) }

// options are the project's own, without its choice of names when we have ours.
func options(unit runner.Unit, chosen bool) []string {
	if len(unit.Command) == 0 {
		return nil
	}
	end := slices.Index(unit.Command, "--test")
	if end < 0 {
		return nil
	}
	var s script
	s.take(unit.Command[1:end])
	if !chosen {
		return s.options
	}
	var kept []string
	for i := 0; i < len(s.options); i++ {
		switch name, _, joined := strings.Cut(s.options[i], "="); {
		case name != "--test-name-pattern":
			kept = append(kept, s.options[i])
		case !joined:
			i++
		}
	}
	return kept
}

// fileURL is how a path is given to what imports it.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// mostPatterns is how many names are chosen on the command line; with more, the
// files are run whole.
const mostPatterns = 200

// choose returns the files of a selection and the names to look for in them.
func choose(unit runner.Unit, sel runner.Selection) (files, patterns []string) {
	skipped := map[string]bool{}
	for _, id := range sel.Skip {
		if file, name := splitID(id); name == "" {
			skipped[file] = true
		}
	}
	wanted := unit.Parts
	if sel.IDs != nil {
		wanted = nil
		for _, id := range sel.IDs {
			file, name := splitID(id)
			if slices.Contains(unit.Parts, file) {
				wanted = append(wanted, file)
				if name != "" {
					patterns = append(patterns, patternsOf(name)...)
				}
			}
		}
	}
	for _, file := range wanted {
		if !skipped[file] {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	if len(patterns) > mostPatterns {
		patterns = nil
	}
	return slices.Compact(files), patterns
}

var duplicate = regexp.MustCompile(` #\d+$`)

// patternsOf returns patterns that run a test of that full name. The runner
// matches each name by itself, and one that matches has all below it run, so
// that the name of each level is needed. As a name may have the separator in it,
// runs of levels are names too. More than is asked for is run.
func patternsOf(name string) []string {
	var patterns []string
	for _, name := range []string{name, duplicate.ReplaceAllString(name, "")} {
		levels := strings.Split(name, separator)
		for i := range levels {
			for j := i + 1; j <= len(levels); j++ {
				patterns = append(patterns, "^"+quote(strings.Join(levels[i:j], separator))+"$")
			}
		}
	}
	return patterns
}

var special = regexp.MustCompile(`[\\^$.*+?()[\]{}|/]`)

// quote quotes a text for a JavaScript regular expression.
func quote(text string) string { return special.ReplaceAllString(text, `\$0`) }
