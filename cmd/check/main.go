// Command check sets up and runs every check of autocoder: the test command of
// the README, and the only thing that continuous integration calls.
//
//	go run ./cmd/check             everything
//	go run ./cmd/check -only lint  one group (setup goes before where it is needed)
//	go run ./cmd/check -list       the groups
//
// It installs what the tests need where that is missing. A test that is skipped
// for a missing tool is a failure here. A few tests that failed are run once more,
// alone: what passes then is flaky, which is told and counted, and does not fail the
// check.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// group is one part of the check.
type group struct {
	name string
	does string
	run  func(ctx context.Context, t *tally) error
	// optional groups run only when they are named.
	optional bool
}

func groups() []group {
	return []group{
		{name: "setup", does: "install what the tests need", run: setup},
		{name: "format", does: "gofumpt and go mod tidy", run: format},
		{name: "vet", does: "go vet for this system, macOS and Windows", run: vet},
		{name: "build", does: "build the binary for six targets without cgo", run: build},
		{name: "lint", does: "staticcheck, exhaustive and dead code", run: lint},
		{name: "vscode", does: "types and tests of the extension for VS Code, in a real one", run: testExtension},
		{name: "test", does: "go test -race ./...", run: test},
		{name: "bench", does: "every benchmark, once", run: bench, optional: true},
		{name: "fuzz", does: "every fuzz target, for a while", run: fuzz, optional: true},
	}
}

// tally counts what passed, failed, failed and then passed, and was skipped over all
// groups.
type tally struct{ passed, failed, flaky, skipped int }

// step counts one named check and prints what went wrong.
func (t *tally) step(name string, err error) error {
	if err != nil {
		t.failed++
		fmt.Printf("FAIL  %s\n%v\n", name, err)
		return fmt.Errorf("%s failed", name)
	}
	t.passed++
	fmt.Printf("ok    %s\n", name)
	return nil
}

func main() {
	only := flag.String("only", "", "run this `group` only (several with commas)")
	list := flag.Bool("list", false, "list the groups")
	flag.Parse()
	if *list {
		for _, g := range groups() {
			fmt.Printf("%-8s %s\n", g.name, g.does)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	var t tally
	var times []string
	var failed []string
	for _, g := range chosen {
		fmt.Printf("\n== %s: %s\n", g.name, g.does)
		start := time.Now()
		if err := g.run(ctx, &t); err != nil {
			failed = append(failed, g.name)
		}
		times = append(times, fmt.Sprintf("%-8s %6.1f s", g.name, time.Since(start).Seconds()))
		if ctx.Err() != nil {
			break
		}
	}
	fmt.Printf("\n%s\n%d passed, %d failed, %d flaky, %d skipped\n", strings.Join(times, "\n"), t.passed, t.failed, t.flaky, t.skipped)
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return ctx.Err()
}

// choose returns the groups to run; tests need setup before them.
func choose(only string) ([]group, error) {
	if only == "" {
		return slices.DeleteFunc(groups(), func(g group) bool { return g.optional }), nil
	}
	names := strings.Split(only, ",")
	if slices.Contains(names, "test") || slices.Contains(names, "vscode") {
		names = append(names, "setup")
	}
	for _, name := range names {
		if !slices.ContainsFunc(groups(), func(g group) bool { return g.name == name }) {
			return nil, fmt.Errorf("no group %q; -list shows the groups", name)
		}
	}
	return slices.DeleteFunc(groups(), func(g group) bool { return !slices.Contains(names, g.name) }), nil
}
