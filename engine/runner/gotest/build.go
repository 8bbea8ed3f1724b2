package gotest

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// brokenBuild reports whether a package could not be built, for the cases that
// the event does not say.
func brokenBuild(pkg *pkg) bool {
	output := pkg.output.String()
	return pkg.action == "fail" && len(pkg.tests) == 0 &&
		(strings.Contains(output, "[build failed]") || strings.Contains(output, "[setup failed]"))
}

// brokenPart says why a package could not be built: by the build that the event
// blames, which may be another package's, else by what go wrote beside events.
func (p *parser) brokenPart(pkg *pkg) testresult.Part {
	text := ""
	if b := p.stream.builds[pkg.failedBuild]; b != nil {
		text = b.String()
	}
	if text == "" {
		text = section(p.stream.raw.String()+"\n"+string(p.report.Output.Stderr), pkg.name)
	}
	part := explain(p.unit, p.report, text)
	part.Name = pkg.name
	return part
}

// section returns what text says under the header "# name", else all of it.
func section(text, name string) string {
	for block := range strings.SplitSeq("\n"+text, "\n# ") {
		header, body, _ := strings.Cut(block, "\n")
		if header == name || strings.HasPrefix(header, name+" ") {
			return "# " + header + "\n" + body
		}
	}
	return text
}

// nothing explains a run without a single event.
func nothing(unit runner.Unit, report runner.Report, s *stream) testresult.Part {
	text := s.raw.String() + "\n" + string(report.Output.Stderr)
	switch {
	case report.TimedOut:
		return testresult.Part{Reason: testresult.Timeout, Detail: "killed at the limit of the whole run before the first test: still building"}
	case strings.Contains(text, "matched no packages"), strings.Contains(text, "no packages to test"):
		return testresult.Part{Reason: testresult.NoTests, Detail: "the module has no package to test"}
	case strings.TrimSpace(text) == "":
		return testresult.Part{Reason: testresult.ReportMissing, Detail: "go test ended without a word: " + report.Output.Exit.String()}
	default:
		return explain(unit, report, text)
	}
}

// cause is a kind of broken build, known by what go writes.
type cause struct {
	pattern *regexp.Regexp
	reason  testresult.Reason
	// remedy is added for people.
	remedy string
}

// notDownloaded is what go says of a module that its cache lacks: that it may not ask
// for it, that nobody answers, or, as in a cell, that it can't write to the cache.
var notDownloaded = regexp.MustCompile(`(?:@v\S+|\.go:\d+:\d+): module lookup disabled by |@v\S+: .*(?:dial tcp|proxyconnect)|could not create module cache|` +
	`(?:mkdir|open) \S*[/\\]cache(?:[/\\](?:download\S*|lock))?: (?:read-only file system|permission denied|operation not permitted)`)

// causes are looked through in order; the first that matches decides.
var causes = []cause{
	{regexp.MustCompile(`requires go (?:>=|at least) `), testresult.NotInstalled, "install the Go release that is asked for"},
	{regexp.MustCompile(`errors parsing .*go\.(mod|work)`), testresult.ConfigError, ""},
	{regexp.MustCompile(`does not contain modules listed in go\.work|not one of the workspace modules|cannot load module .* listed in go\.work`), testresult.ConfigError, "see the use lines of go.work"},
	{regexp.MustCompile(`go\.mod file not found|flag provided but not defined|cannot find main module`), testresult.ConfigError, ""},
	{notDownloaded, testresult.BuildError, "the module is not downloaded: run go mod download"},
	{regexp.MustCompile(`missing go\.sum entry|updates to go\.(mod|sum) needed|is explicitly required in go\.mod, but`), testresult.BuildError, "run go mod tidy"},
	{regexp.MustCompile(`inconsistent vendoring`), testresult.BuildError, "run go mod vendor"},
	{regexp.MustCompile(`replacement directory .* does not exist`), testresult.BuildError, "a replace line of go.mod leads to where the copy has nothing"},
	{regexp.MustCompile(`cannot find module providing package|no required module provides package|is not in std|cannot find package`), testresult.ImportError, ""},
	{regexp.MustCompile(`(?m)^# \[`), testresult.BuildError, "found by go vet, which go test runs first"},
	{regexp.MustCompile(`\.go:\d+:\d+: (?:syntax error|expected |missing |illegal |unexpected |.* not terminated|invalid character)`), testresult.SyntaxError, ""},
}

// explain makes a part of what go wrote about a build.
func explain(unit runner.Unit, report runner.Report, text string) testresult.Part {
	text = transcript.Clean(text)
	part := testresult.Part{Reason: testresult.BuildError}
	part.Detail, part.At = firstError(unit, report, text)
	for _, c := range causes {
		if c.pattern.MatchString(text) {
			part.Reason = c.reason
			if c.remedy != "" {
				part.Detail += " (" + c.remedy + ")"
			}
			break
		}
	}
	return part
}

var sourceError = regexp.MustCompile(`^(.+?\.go):(\d+)(?::\d+)?: (.*)$`)

// firstError returns the first lines of what go wrote, with the paths of the
// workspace, and the first place in a source file.
func firstError(unit runner.Unit, report runner.Report, text string) (string, testresult.Frame) {
	const most = 8
	var lines []string
	var at testresult.Frame
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" || len(lines) == most {
			continue
		}
		if m := sourceError.FindStringSubmatch(line); m != nil {
			frame := place(unit, report, m[1], m[2])
			if at.File == "" {
				at = frame
			}
			if frame.File != "" {
				line = frame.File + strings.TrimPrefix(line, m[1])
			}
		}
		lines = append(lines, line)
	}
	return transcript.Clip(strings.Join(lines, "\n"), 2000), at
}

// place finds a file that go names relative to the unit, or in full.
func place(unit runner.Unit, report runner.Report, file, line string) testresult.Frame {
	n, err := strconv.Atoi(line)
	if err != nil {
		return testresult.Frame{}
	}
	if filepath.IsAbs(file) {
		rel, inside := relativeTo(report.Root, file)
		if !inside {
			return testresult.Frame{}
		}
		return testresult.Frame{File: rel, Line: n}
	}
	joined := inWorkspace(unit, filepath.ToSlash(file))
	if !filepath.IsLocal(joined) {
		return testresult.Frame{}
	}
	return testresult.Frame{File: joined, Line: n}
}
