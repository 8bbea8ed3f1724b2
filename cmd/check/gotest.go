package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// testEvent is a line of go test -json.
type testEvent struct {
	Action, Package, Test, Output string
	Elapsed                       float64
	FailedBuild                   string
	ImportPath                    string
}

// goTest runs go test -json with flags on packages, prints a line a package and the
// output of what failed, and counts.
func goTest(ctx context.Context, t *tally, env, flags []string, packages ...string) error {
	s, err := runGoTest(ctx, env, flags, packages...)
	if err != nil {
		return err
	}
	if err := s.again(func(f failure) (bool, error) {
		alone, err := runGoTest(ctx, env, append(flags[:len(flags):len(flags)], "-run="+f.pattern()), f.pkg)
		return err == nil && len(alone.failed) == 0 && alone.passed > 0, err
	}); err != nil {
		return err
	}
	t.passed += s.passed
	t.failed += len(s.failed)
	t.flaky += s.flaky
	t.skipped += s.skipped
	if len(s.failed) > 0 {
		return fmt.Errorf("%d tests failed", len(s.failed))
	}
	return nil
}

func runGoTest(ctx context.Context, env, flags []string, packages ...string) (*scoreboard, error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-json"}, flags, packages)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &scoreboard{output: map[string][]string{}}
	if err := s.read(out); err != nil {
		return nil, err
	}
	if err := cmd.Wait(); err != nil && len(s.failed) == 0 {
		s.fail("", "go test", err.Error())
	}
	return s, nil
}

// failure is a test that failed, or what is no test, such as a build.
type failure struct {
	pkg, test string
	// once is set for what may be chance: not for a data race, a panic or a build.
	once bool
}

// pattern is what go test's -run takes for this test alone.
func (f failure) pattern() string {
	parts := strings.Split(f.test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// over tells whether f is the test that has the subtest g.
func (f failure) over(g failure) bool {
	return f.pkg == g.pkg && strings.HasPrefix(g.test, f.test+"/")
}

// scoreboard counts tests as they finish and keeps the output of those that
// may still fail.
type scoreboard struct {
	passed, flaky, skipped int
	output                 map[string][]string
	failed                 []failure
}

// chances is how many failures may be chance. Of more, none is.
const chances = 3

// again runs what failed once more by alone and counts what passes then as flaky, with
// the tests that only such subtests have failed.
func (s *scoreboard) again(alone func(failure) (bool, error)) error {
	leaves := slices.DeleteFunc(slices.Clone(s.failed), func(f failure) bool { return slices.ContainsFunc(s.failed, f.over) })
	if len(leaves) > chances || slices.ContainsFunc(s.failed, func(f failure) bool { return !f.once }) {
		return nil
	}
	var still []failure
	for _, f := range leaves {
		fmt.Printf("again %s %s\n", f.pkg, f.test)
		passed, err := alone(f)
		if err != nil {
			return err
		}
		if !passed {
			still = append(still, f)
			continue
		}
		fmt.Printf("flaky %s %s: failed, and passed alone\n", f.pkg, f.test)
	}
	kept := slices.DeleteFunc(slices.Clone(s.failed), func(f failure) bool {
		return !slices.Contains(still, f) && !slices.ContainsFunc(still, f.over)
	})
	s.flaky, s.failed = len(s.failed)-len(kept), kept
	return nil
}

func (s *scoreboard) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			s.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read go test's output: %w", err)
		}
	}
}

func (s *scoreboard) line(line string) {
	var e testEvent
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Print(line)
		return
	}
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Print(e.Output)
	case "output":
		s.output[key] = append(s.output[key], e.Output)
	case "pass":
		if e.Test == "" {
			fmt.Printf("ok    %s %.1fs\n", e.Package, e.Elapsed)
		} else {
			s.passed++
		}
		delete(s.output, key)
	case "skip":
		s.skip(e, key)
	case "fail":
		if e.Test != "" || e.FailedBuild != "" || len(s.failed) == 0 {
			s.fail(e.Package, e.Test, strings.Join(s.output[key], ""))
		}
		delete(s.output, key)
	}
}

// skip counts a skipped test. One that a missing tool has kept from running is
// a failure: the check installs what it needs, so that nothing hides.
func (s *scoreboard) skip(e testEvent, key string) {
	text := strings.Join(s.output[key], "")
	delete(s.output, key)
	switch {
	case e.Test == "":
	case strings.Contains(text, "not on this system:"):
		s.skipped++
		fmt.Printf("skip  %s\n%s", key, text)
	default:
		s.fail(e.Package, e.Test+" (skipped)", text)
	}
}

func (s *scoreboard) fail(pkg, test, text string) {
	chance := test != "" && pkg != "" && !strings.HasSuffix(test, " (skipped)") && !strings.Contains(text, "DATA RACE") && !strings.Contains(text, "panic:")
	s.failed = append(s.failed, failure{pkg: pkg, test: test, once: chance})
	fmt.Printf("FAIL  %s %s\n%s\n", pkg, test, text)
}
