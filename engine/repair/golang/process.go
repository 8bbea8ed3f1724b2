package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"autocoder/engine/command"
	"autocoder/engine/scratch"
)

const (
	// silence is how much longer than it may a program is waited for that reports
	// nothing; it should have ended itself before.
	silence = 2 * time.Second
	// often is how often its report is looked at.
	often = 5 * time.Millisecond
)

// order is what a program is to do.
type order struct {
	tests *testPackage
	// program is what was built.
	program string
	// ids are the candidates, names the tests and their subtests.
	ids   []int
	names []string
	trace bool
	// first is the candidate that is chosen from the start.
	first int
	// skips are inputs to leave out when behaviours are compared.
	skips []int
	// behave asks for behaviours in the place of tests.
	behave bool
	fuel   int64
	// soft ends a candidate, patience the program.
	soft, patience time.Duration
}

// functions are the names of the test functions, each once.
func (o order) functions() []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range o.names {
		f := testName{test: n}.function()
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

// run starts a program and calls each for every line of its report. It returns
// when the program has ended.
func (s *session) run(ctx context.Context, o order, each func(fields []string)) error {
	name := filepath.Join(ours, "report")
	if err := scratch.Write(s.cell.Scratch, name, nil); err != nil {
		return fmt.Errorf("make a report file: %w", err)
	}
	report, err := scratch.Open(s.cell.Scratch, name)
	if err != nil {
		return fmt.Errorf("read the report of a test program: %w", err)
	}
	defer report.Close()
	which := pattern([]string{"^TestAutocoderDriver$", "^[0-9#]+$", "^g"}, o.names)
	if o.behave {
		which = "^TestAutocoderBehave$"
	}
	spec := s.spec([]string{o.program, "-test.paniconexit0", "-test.timeout=0", "-test.parallel=1", "-test.run=" + which})
	spec.Dir = o.tests.dir
	spec.Env = append(spec.Env[:len(spec.Env):len(spec.Env)],
		"AUTOCODER_OUT="+filepath.Join(s.cell.Scratch, name), "AUTOCODER_IDS="+commas(o.ids), "AUTOCODER_SKIP="+commas(o.skips),
		"AUTOCODER_TESTS="+strings.Join(o.functions(), " "),
		"AUTOCODER_M="+strconv.Itoa(o.first), "AUTOCODER_FUEL="+strconv.FormatInt(o.fuel, 10),
		fmt.Sprintf("AUTOCODER_SOFT=%d", o.soft.Milliseconds()), fmt.Sprintf("AUTOCODER_PATIENCE=%d", o.patience.Milliseconds()),
	)
	if o.trace {
		spec.Env = append(spec.Env, "AUTOCODER_TRACE=1")
	}
	p, err := s.cell.Start(ctx, spec)
	if err != nil {
		return fmt.Errorf("run the tests of %s: %w", o.tests.ImportPath, err)
	}
	return watch(ctx, p, report, o.patience+silence, each)
}

func commas(numbers []int) string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ",")
}

// watch reads a report while it grows, and kills the program when it does not.
func watch(ctx context.Context, p *command.Process, report io.Reader, patience time.Duration, each func([]string)) error {
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(io.Discard, p.Stdout) })
	wg.Go(func() { io.Copy(io.Discard, p.Stderr) })
	ended := make(chan struct{})
	wg.Go(func() { p.Wait(); close(ended) })
	defer wg.Wait()
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	r := &lines{from: report}
	pause := time.NewTicker(often)
	defer pause.Stop()
	idle := time.Duration(0)
	for {
		select {
		case <-ended:
			_, err := r.read(each)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		case <-pause.C:
		}
		some, err := r.read(each)
		if err != nil {
			p.Kill()
			return err
		}
		if idle += often; some {
			idle = 0
		}
		if idle > patience {
			p.Kill()
		}
	}
}

// longestLine is the most that a line of a report may have: tests can write to it.
const longestLine = 64 << 20

// lines reads the whole lines of a file that grows.
type lines struct {
	from io.Reader
	rest []byte
}

// read calls each for the lines that are new, and reports whether there were any.
func (l *lines) read(each func([]string)) (bool, error) {
	more, err := io.ReadAll(io.LimitReader(l.from, longestLine))
	if err != nil {
		return false, fmt.Errorf("read the report of a test program: %w", err)
	}
	l.rest = append(l.rest, more...)
	if len(l.rest) > longestLine && !bytes.Contains(l.rest, []byte("\n")) {
		return false, errors.New("read the report of a test program: it has a line without an end")
	}
	some := false
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return some, nil
		}
		some = true
		l.rest = rest
		each(words(string(line)))
	}
}

// words splits a line at blanks, except in quoted words.
func words(line string) []string {
	var out []string
	for line != "" {
		if line[0] == ' ' {
			line = line[1:]
			continue
		}
		if q, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' {
			text, _ := strconv.Unquote(q)
			out = append(out, text)
			line = line[len(q):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		out = append(out, word)
		line = rest
	}
	return out
}
