package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// output runs a command and returns what it printed on stdout. What it says on stderr,
// as go does of what it downloads, is only told in the error, with the rest.
func output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out), nil
}

// silent runs a command that must print nothing, such as a lister of faults.
func silent(ctx context.Context, name string, args ...string) error {
	out, err := output(ctx, nil, name, args...)
	if err != nil {
		return err
	}
	if strings.TrimSpace(out) != "" {
		return errors.New(out)
	}
	return nil
}

// succeeds runs a command that must end with exit code 0.
func succeeds(ctx context.Context, env []string, name string, args ...string) error {
	_, err := output(ctx, env, name, args...)
	return err
}

// tool returns the arguments of go that run a pinned tool.
func tool(args ...string) []string {
	return append([]string{"tool", "-modfile=.ci/tools.mod"}, args...)
}
