package pytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autocoder/engine/command"
	"autocoder/engine/runner"
	"autocoder/engine/runner/transcript"
	"autocoder/engine/testresult"
)

// probeLimit is what one interpreter may take to say what it is: a shim or a
// broken one may never answer.
const probeLimit = 20 * time.Second

// oldest is the first major version of pytest that the reporter works with.
const oldest = 6

// question is asked of each interpreter. The empty entry of sys.path is the
// project's folder, whose files must not answer. To import all of pytest would take
// as long as to run a small suite.
const question = `import sys
sys.path[:] = [p for p in sys.path if p]
import json
from importlib.util import find_spec
said = {"prefix": sys.prefix, "base": getattr(sys, "base_prefix", sys.prefix), "path": sys.path}
try:
    for needed in ("pytest", "_pytest", "pluggy"):
        if find_spec(needed) is None:
            raise ImportError("No module named %r" % needed)
    from _pytest import __version__
    said["pytest"] = __version__
except ImportError as error:
    said["error"] = str(error)
print(json.dumps(said))`

// answer is what an interpreter said.
type answer struct {
	Prefix, Base  string
	Path          []string
	Pytest, Error string
}

// probe finds the interpreter of a unit: the first candidate that has pytest.
func probe(ctx context.Context, cell runner.Cell, unit runner.Unit, userEnv []string) (runner.Unit, error) {
	p := prober{cell: cell, unit: unit, env: parseEnviron(userEnv)}
	candidates := p.candidates()
	for _, c := range candidates {
		ok, err := p.try(ctx, c)
		if err != nil {
			return unit, err
		}
		if ok {
			return p.unit, nil
		}
	}
	p.unit.Reason = testresult.NotInstalled
	p.unit.Detail = "no interpreter with pytest was found: install pytest in the project's environment or name one that has it by the setting interpreter"
	if unit.Interpreter != "" {
		p.unit.Detail = fmt.Sprintf("the interpreter that was set, %s, can't run pytest", unit.Interpreter)
	}
	if len(candidates) == 0 {
		p.unit.Detail = "no Python interpreter was found: install Python and pytest"
	}
	return p.unit, nil
}

type prober struct {
	cell runner.Cell
	unit runner.Unit
	env  environ
}

// try asks one candidate and takes it or notes why not. An interpreter without
// pytest of its own is asked again with the user's site-packages, which a
// cell's private home hides.
func (p *prober) try(ctx context.Context, c candidate) (bool, error) {
	said, why, err := p.ask(ctx, c, []string{"PYTHONNOUSERSITE=1"})
	if err != nil {
		return false, err
	}
	env := []string{"PYTHONNOUSERSITE=1"}
	user := filepath.Join(p.env["HOME"], ".local")
	if why == "" && said.Pytest == "" && p.env["HOME"] != "" && !c.environment && hasPytest(user) {
		second := []string{"PYTHONUSERBASE=" + user}
		again, _, err := p.ask(ctx, c, second)
		if err != nil {
			return false, err
		}
		if again.Pytest != "" {
			said, env = again, second
			p.unit.Reads = append(p.unit.Reads, user)
		}
	}
	switch {
	case why != "":
	case said.Pytest == "" && strings.Contains(said.Error, "No module named 'pytest'"), said.Pytest == "" && said.Error == "":
		why = "no pytest"
	case said.Pytest == "":
		why = said.Error
	case major(said.Pytest) < oldest:
		why = fmt.Sprintf("pytest %s is older than %d", said.Pytest, oldest)
	}
	if why != "" {
		p.unit.Rejected = append(p.unit.Rejected, runner.Rejected{Runner: c.String(), Why: why})
		return false, nil
	}
	p.take(c, said, env)
	return true, nil
}

// hasPytest reports whether some Python's packages in a user's folder have pytest. A
// folder with a name that can't be looked for has, in doubt.
func hasPytest(user string) bool {
	found, err := filepath.Glob(filepath.Join(user, "lib", "python*", "site-packages", "pytest"))
	return err != nil || len(found) > 0
}

func (p *prober) take(c candidate, said answer, env []string) {
	p.unit.Interpreter = c.path
	p.unit.Version = said.Pytest
	p.unit.Env = append(slices.Clone(p.unit.Env), env...)
	if len(p.unit.Command) == 0 || slices.Equal(p.unit.Command, generic()) {
		p.unit.Command = ownCommand(c.path)
	}
	p.unit.Why = strings.TrimPrefix(p.unit.Why+", "+c.why, ", ")
	reads := append([]string{said.Prefix, said.Base, filepath.Dir(c.path)}, said.Path...)
	if real, err := filepath.EvalSymlinks(c.path); err == nil {
		reads = append(reads, filepath.Dir(real))
	}
	for _, r := range reads {
		if filepath.IsAbs(r) && r != "/" && !slices.Contains(p.unit.Reads, r) {
			p.unit.Reads = append(p.unit.Reads, r)
		}
	}
}

// ask runs one interpreter; why is set when it gave no answer.
func (p *prober) ask(ctx context.Context, c candidate, env []string) (said answer, why string, err error) {
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	spec := command.Spec{Args: []string{c.path, "-c", question}, Env: append(env, "PYTHONDONTWRITEBYTECODE=1")}
	out, err := command.Run(limited, p.cell, spec, 1<<20)
	switch {
	case ctx.Err() != nil:
		return said, "", fmt.Errorf("ask %s for pytest: %w", c.path, ctx.Err())
	case limited.Err() != nil:
		return said, "it did not answer", nil
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*exec.Error)):
		return said, "it can't be started", nil
	case err != nil:
		return said, "", fmt.Errorf("ask %s for pytest: %w", c.path, err)
	}
	if !out.Exit.Success() {
		reason := lastLine(out.Stderr)
		return said, strings.TrimSpace(fmt.Sprintf("it failed (%s) %s", out.Exit, transcript.Clean(reason))), nil
	}
	if json.Unmarshal(out.Stdout, &said) != nil {
		return said, "it gave no answer", nil
	}
	return said, "", nil
}

func major(version string) int {
	n := 0
	_, _ = fmt.Sscan(strings.SplitN(version, ".", 2)[0], &n)
	return n
}
