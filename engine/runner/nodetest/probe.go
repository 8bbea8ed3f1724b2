package nodetest

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/program"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// oldest is the first release whose tests have the hooks that the preload needs.
const oldest = "18.13.0"

// probe finds the node that the user's PATH would start and tries it in the cell.
func probe(ctx context.Context, cell runner.Cell, unit runner.Unit, environ []string) (runner.Unit, error) {
	candidates := append(program.Find("node", pathOf(environ)), program.Find("nodejs", pathOf(environ))...)
	if unit.Interpreter != "" {
		candidates = []string{unit.Interpreter}
	}
	unit.Reason, unit.Detail = testresult.NotInstalled, "node was not found in PATH: install Node.js from https://nodejs.org"
	for _, tool := range candidates {
		n, why := try(ctx, cell, unit, tool)
		if ctx.Err() != nil {
			return unit, fmt.Errorf("try %s: %w", tool, ctx.Err())
		}
		if why == "" {
			return accept(unit, n), nil
		}
		unit.Rejected = append(unit.Rejected, runner.Rejected{Runner: tool, Why: why})
		unit.Detail = why
	}
	return unit, nil
}

// node is what a node command says of itself.
type node struct{ Version, Path string }

const askNode = `process.stdout.write(JSON.stringify({Version: process.versions.node, Path: process.execPath}))`

// try runs a node command; it may be a version manager's, so it is asked which
// program it really is.
func try(ctx context.Context, cell runner.Cell, unit runner.Unit, tool string) (n node, why string) {
	spec := command.Spec{Args: []string{tool, "-e", askNode}, Dir: unit.Root, Env: []string{"NODE_OPTIONS="}}
	out, err := command.Run(ctx, cell, spec, 1<<20)
	switch {
	case err != nil:
		return n, fmt.Sprintf("%s can't be started: %v", tool, err)
	case !out.Exit.Success():
		return n, fmt.Sprintf("%s: %s: %s", tool, out.Exit, transcript.Clean(transcript.Clip(strings.TrimSpace(string(out.Stderr)), 300)))
	case json.Unmarshal(out.Stdout, &n) != nil || n.Version == "" || n.Path == "":
		return n, fmt.Sprintf("%s did not answer as Node does", tool)
	case version.Compare("go"+n.Version, "go"+oldest) < 0:
		return n, fmt.Sprintf("needs Node %s or later, %s is %s", oldest, tool, n.Version)
	default:
		return n, ""
	}
}

func accept(unit runner.Unit, n node) runner.Unit {
	unit.Interpreter, unit.Version = n.Path, n.Version
	unit.Reason, unit.Detail = testresult.NoReason, ""
	if prefix := filepath.Dir(filepath.Dir(n.Path)); exists(prefix) {
		unit.Reads = append(unit.Reads, prefix)
	}
	unit.Env = append(slices.Clone(unit.Env), "NODE_OPTIONS="+own(unit.Env, "NODE_OPTIONS"))
	if !runsTypeScript(unit) {
		unit.Parts = slices.DeleteFunc(slices.Clone(unit.Parts), func(part string) bool { return strings.HasSuffix(part, "ts") })
	}
	if len(unit.Parts) == 0 {
		unit.Reason = testresult.NotInstalled
		unit.Detail = fmt.Sprintf("the tests are TypeScript, which Node %s does not run by itself: Node 22.18 or later does", n.Version)
	}
	return unit
}

// runsTypeScript reports whether node takes .ts files: by itself, or because
// the project's command loads something that makes it.
func runsTypeScript(unit runner.Unit) bool {
	loads := slices.ContainsFunc(unit.Command, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return name == "--import" || name == "--require" || name == "-r" || name == "--loader" ||
			name == "--experimental-loader" || name == "--experimental-strip-types"
	})
	atLeast := func(v string) bool { return version.Compare("go"+unit.Version, "go"+v) >= 0 }
	return loads || atLeast("23.6.0") || atLeast("22.18.0") && !atLeast("23.0.0")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func pathOf(environ []string) string { return own(environ, "PATH") }

// own returns the last value of a variable.
func own(environ []string, name string) string {
	for _, pair := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
