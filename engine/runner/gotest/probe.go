package gotest

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/program"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// oldest is the first release with -fullpath; -skip, and alternatives of whole
// patterns in -run, on which the selection of tests stands, came just before.
const oldest = "go1.21"

const probeOutput = 1 << 20

// probe finds the go command that the user's PATH would start, tries it in the
// cell on the unit's module, and gives the unit its environment.
func probe(ctx context.Context, cell runner.Cell, unit runner.Unit, environ []string) (runner.Unit, error) {
	user := settingsOf(environ)
	unit.Env = append(slices.Clone(unit.Env), user.commandEnv()...)
	p := prober{cell: cell, user: user}
	candidates := program.Find("go", user.get("PATH"))
	if unit.Interpreter != "" {
		candidates = []string{unit.Interpreter}
	}
	for _, path := range candidates {
		found, err := p.try(ctx, unit, path)
		if err != nil {
			return unit, err
		}
		if found.Reason == testresult.NoReason {
			return p.grant(found), nil
		}
		unit.Rejected = append(found.Rejected, runner.Rejected{Runner: path, Why: found.Detail})
		unit.Reason, unit.Detail = found.Reason, found.Detail
	}
	if len(candidates) == 0 {
		unit.Reason, unit.Detail = testresult.NotInstalled, "go was not found in PATH: install Go from https://go.dev/dl"
	}
	return unit, nil
}

type prober struct {
	cell runner.Cell
	user settings
}

// goEnv is what we ask of go env.
type goEnv struct{ GOVERSION, GOROOT, GOMOD, GOWORK string }

var tooNew = regexp.MustCompile(`requires go (?:>=|at least) (\S+)`)

// try runs one go command in the unit's folder; when it can't be used, the
// result has the reason.
func (p *prober) try(ctx context.Context, unit runner.Unit, tool string) (runner.Unit, error) {
	refuse := func(reason testresult.Reason, format string, args ...any) (runner.Unit, error) {
		unit.Reason, unit.Detail = reason, fmt.Sprintf(format, args...)
		return unit, ctx.Err()
	}
	unit.Reason, unit.Detail = testresult.NoReason, ""
	var env goEnv
	out, err := p.run(ctx, unit, tool, "env", "-json", "GOVERSION", "GOROOT", "GOMOD", "GOWORK")
	switch {
	case err != nil:
		return refuse(testresult.NotInstalled, "%s can't be started: %v", tool, err)
	case !out.Exit.Success():
		return refuse(testresult.NotInstalled, "%s env: %s: %s", tool, out.Exit, firstLine(out.Stderr))
	case json.Unmarshal(out.Stdout, &env) != nil || env.GOVERSION == "":
		return refuse(testresult.NotInstalled, "%s env did not answer as Go does", tool)
	case version.Compare(release(env.GOVERSION), oldest) < 0:
		return refuse(testresult.NotInstalled, "needs %s or later, %s is %s", oldest, tool, env.GOVERSION)
	}
	if elsewhere := p.elsewhere(unit, env); elsewhere != "" {
		return refuse(testresult.TestsRunElsewhere, "go works on %s, outside of the copy", elsewhere)
	}
	unit.Interpreter, unit.Version = tool, env.GOVERSION
	unit.Reads = []string{env.GOROOT}
	return p.checkModule(ctx, unit)
}

// checkModule lets go read go.mod, and takes the user's downloaded tool chain
// when the module asks for a later Go, as the go command would.
func (p *prober) checkModule(ctx context.Context, unit runner.Unit) (runner.Unit, error) {
	out, err := p.run(ctx, unit, unit.Interpreter, "list", "-m")
	if err != nil {
		unit.Reason, unit.Detail = testresult.NotInstalled, err.Error()
		return unit, ctx.Err()
	}
	needed := tooNew.FindSubmatch(out.Stderr)
	if out.Exit.Success() || needed == nil {
		return unit, nil // a go.mod at fault is told by the run of the tests
	}
	want := strings.TrimRight(string(needed[1]), ";,)")
	if tool := p.user.toolchain(want); tool != "" {
		unit.Rejected = append(unit.Rejected, runner.Rejected{
			Runner: unit.Interpreter, Why: fmt.Sprintf("the module needs go %s, this is %s", want, unit.Version),
		})
		return p.try(ctx, unit, tool)
	}
	unit.Reason = testresult.NotInstalled
	unit.Detail = fmt.Sprintf("needs go %s: %s is %s; install it, or let Go download it once with: go env -w GOTOOLCHAIN=auto && go version",
		want, unit.Interpreter, unit.Version)
	return unit, nil
}

func (p *prober) run(ctx context.Context, unit runner.Unit, args ...string) (command.Output, error) {
	spec := command.Spec{Args: args, Dir: unit.Root, Env: WithCache(unit, p.cell.Scratch()).Env}
	return command.Run(ctx, p.cell, spec, probeOutput)
}

// elsewhere returns the go.mod or go.work that go took when it isn't in the
// copy, or is the module's own no more.
func (p *prober) elsewhere(unit runner.Unit, env goEnv) string {
	want := filepath.Join(p.cell.Root(), filepath.FromSlash(unit.Root), "go.mod")
	if !samePath(env.GOMOD, want) && env.GOWORK == "" {
		return env.GOMOD
	}
	if env.GOWORK != "" && env.GOWORK != "off" {
		if _, inside := relativeTo(p.cell.Root(), env.GOWORK); !inside {
			return env.GOWORK
		}
	}
	return ""
}

// grant lists what the unit's commands must be able to read.
func (p *prober) grant(unit runner.Unit) runner.Unit {
	unit.Reads = append(unit.Reads, p.user.modCache(), p.user.buildCache())
	unit.Reads = slices.DeleteFunc(unit.Reads, func(path string) bool {
		_, err := os.Stat(path)
		return path == "" || err != nil
	})
	return unit
}

// release cuts what a vendor adds to a version: "go1.26.1 X:loopvar".
func release(goversion string) string {
	v, _, _ := strings.Cut(goversion, " ")
	v, _, _ = strings.Cut(v, "-")
	return v
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return transcript.Clean(transcript.Clip(line, 300))
}

// relativeTo returns file as a slash path relative to root when it is below.
func relativeTo(root, file string) (string, bool) {
	for _, base := range []string{root, resolved(root)} {
		rel, err := filepath.Rel(base, file)
		if err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

func samePath(a, b string) bool { return a == b || resolved(a) == resolved(b) }

func resolved(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// inWorkspace places a slash path of the unit in the workspace.
func inWorkspace(unit runner.Unit, file string) string { return path.Join(unit.Root, file) }
