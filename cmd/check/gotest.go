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
	"strings"
)

// testEvent is a line of go test -json.
type testEvent struct {
	Action, Package, Test, Output string
	Elapsed                       float64
	FailedBuild                   string
	ImportPath                    string
}

// goTest runs go test -json with args, prints a line a package and the output
// of what failed, and counts.
func goTest(ctx context.Context, t *tally, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s := &scoreboard{tally: t, output: map[string][]string{}}
	if err := s.read(out); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil && s.failures == 0 {
		s.fail("go test", err.Error())
	}
	if s.failures > 0 {
		return fmt.Errorf("%d tests failed", s.failures)
	}
	return nil
}

// scoreboard counts tests as they finish and keeps the output of those that
// may still fail.
type scoreboard struct {
	tally    *tally
	output   map[string][]string
	failures int
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
			s.tally.passed++
		}
		delete(s.output, key)
	case "skip":
		s.skip(e, key)
	case "fail":
		if e.Test != "" || e.FailedBuild != "" || s.failures == 0 {
			s.fail(key, strings.Join(s.output[key], ""))
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
		s.tally.skipped++
		fmt.Printf("skip  %s\n%s", key, text)
	default:
		s.fail(key+" (skipped)", text)
	}
}

func (s *scoreboard) fail(key, text string) {
	s.failures++
	s.tally.failed++
	fmt.Printf("FAIL  %s\n%s\n", key, text)
}
