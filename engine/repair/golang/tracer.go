package golang

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/repair/localise"
)

// tracer reads the report of a trace.
type tracer struct {
	*session
	trace   *trace
	tests   *testPackage
	passing bool
	// running is the function that runs, last what each mark's statement did when it
	// ran last.
	running string
	last    map[int]step
	// ran is what each mark's statement did since the loop around it began.
	ran   map[int]map[string][]int
	steps int
	whole localise.Row
	// ranBy is what each test of the function ran, subtests by themselves.
	ranBy  map[string]map[string][]int
	frames []localise.Place
	// rows are those of the function that runs.
	rows []traceRow
}

// step is one execution of a statement of a test; no two have the same number.
type step struct {
	number int
	lines  map[string][]int
}

// traceRow is a row with the test it belongs to and the steps that ran its lines.
type traceRow struct {
	localise.Row
	test  string
	steps []int
}

// all traces tests; after one that ends the program it goes on with the next.
func (r *tracer) all(ctx context.Context, program string, names []string) error {
	for len(names) > 0 {
		r.running = ""
		err := r.run(ctx, order{
			tests: r.tests, program: program, ids: []int{0}, names: names, trace: true,
			fuel: traceFuel, soft: traceSoft, patience: tracePatience,
		}, r.line)
		if err != nil {
			return err
		}
		if r.running == "" {
			return nil
		}
		died := r.running
		r.end(false, tested{})
		at := slices.IndexFunc(names, func(n string) bool { return testName{test: n}.function() == died })
		rest := names[at+1:]
		names = slices.DeleteFunc(slices.Clone(rest), func(n string) bool { return testName{test: n}.function() == died })
	}
	return nil
}

// line takes one line of the report.
func (r *tracer) line(f []string) {
	switch f[0] {
	case "I":
		if len(r.trace.early) == 0 {
			r.trace.early = r.lines(f[1:])
		}
	case "B":
		r.running = f[1]
		r.last, r.ran, r.frames, r.rows = map[int]step{}, map[int]map[string][]int{}, nil, nil
		r.whole = localise.Row{Name: f[1], Lines: map[string][]int{}}
		r.ranBy = map[string]map[string][]int{}
	case "F":
		r.frames = r.places(f[2:])
	case "K":
		k, _ := strconv.Atoi(f[2])
		r.row(f[1], k, f[3] == "true", r.lines(f[4:]))
	case "T":
		ticks, _ := strconv.ParseInt(f[4], 10, 64)
		ns, _ := strconv.ParseInt(f[5], 10, 64)
		r.end(f[2] == "true", tested{ok: f[2] == "true", ticks: ticks, duration: time.Duration(ns), whole: ticks <= traceFuel})
	}
}

// row takes what one statement of a test ran.
func (r *tracer) row(name string, k int, failed bool, lines map[string][]int) {
	add(r.whole.Lines, lines)
	if r.passing {
		return
	}
	if r.ranBy[name] == nil {
		r.ranBy[name] = map[string][]int{}
	}
	add(r.ranBy[name], lines)
	r.steps++
	now := step{r.steps, lines}
	parts := []step{now}
	switch {
	case k >= 0:
		r.last[k] = step{r.steps, r.rounds(k, lines)}
		for _, need := range r.marks[k].needs {
			parts = append(parts, r.last[need])
		}
	case failed:
		// It ended in the middle of a statement.
		parts = slices.AppendSeq(parts, maps.Values(r.last))
	}
	if !failed && (k < 0 || !r.marks[k].asserts) {
		return
	}
	row := traceRow{Row: localise.Row{Failed: failed, Lines: map[string][]int{}}, test: name}
	for _, p := range parts {
		if len(p.lines) > 0 {
			add(row.Lines, p.lines)
			row.steps = append(row.steps, p.number)
		}
	}
	if len(row.Lines) == 0 {
		return
	}
	if failed {
		row.Frames = r.frames
	}
	slices.Sort(row.steps)
	r.rows = append(r.rows, row)
}

// rounds is what a statement did with all that was done in its blocks: what a loop
// leaves behind is due to each of its rounds.
func (r *tracer) rounds(k int, lines map[string][]int) map[string][]int {
	all := map[string][]int{}
	add(all, lines)
	for inner := k + 1; inner <= r.marks[k].inner; inner++ {
		add(all, r.ran[inner])
		delete(r.ran, inner)
	}
	if r.ran[k] == nil {
		r.ran[k] = map[string][]int{}
	}
	add(r.ran[k], all)
	return all
}

// keep adds the rows of a function to the spectrum. What passes says nothing for
// code that the same step of the same test shares with a failure, and looks at the
// same steps count once.
func (r *tracer) keep() {
	failing := map[string]map[int]bool{}
	for _, row := range r.rows {
		if row.Failed {
			if failing[row.test] == nil {
				failing[row.test] = map[int]bool{}
			}
			for _, n := range row.steps {
				failing[row.test][n] = true
			}
		}
	}
	seen := map[string]bool{}
	for _, row := range r.rows {
		key := fmt.Sprint(row.test, row.Failed, row.steps)
		if seen[key] || !row.Failed && slices.ContainsFunc(row.steps, func(n int) bool { return failing[row.test][n] }) {
			continue
		}
		seen[key] = true
		r.add(row)
	}
	for _, test := range slices.Sorted(maps.Keys(failing)) {
		if whole := r.ranBy[test]; r.misses(test, whole) {
			r.add(traceRow{Row: localise.Row{Failed: true, Lines: whole}, test: test})
		}
	}
}

func (r *tracer) add(row traceRow) {
	row.Name = r.tests.ImportPath + "." + row.test + ":" + strconv.Itoa(len(r.trace.rows))
	r.trace.rows = append(r.trace.rows, row.Row)
}

// misses reports whether a failing test ran lines that are in no row of it. Which
// statements of a test have an effect on which others is a guess: what is left out by
// it is less suspicious, and not innocent.
func (r *tracer) misses(test string, whole map[string][]int) bool {
	seen := map[string][]int{}
	for _, row := range r.rows {
		if row.test == test {
			add(seen, row.Lines)
		}
	}
	for path, lines := range whole {
		if slices.ContainsFunc(lines, func(l int) bool { return !slices.Contains(seen[path], l) }) {
			return true
		}
	}
	return false
}

// end takes the end of a test function.
func (r *tracer) end(ok bool, t tested) {
	r.trace.tests[r.tests.ImportPath+"."+r.running] = t
	whole := r.whole
	whole.Name = r.tests.ImportPath + "." + whole.Name
	whole.Failed = !ok
	failing := slices.ContainsFunc(r.rows, func(row traceRow) bool { return row.Failed })
	r.keep()
	// A test that failed and none of whose statements did has failed somewhere else,
	// or has ended the program.
	if r.passing && ok || !r.passing && !ok && !failing {
		whole.Frames = r.frames
		r.trace.rows = append(r.trace.rows, whole)
	}
	r.running = ""
}

// lines are the lines of counted statements by file.
func (r *tracer) lines(numbers []string) map[string][]int {
	out := map[string][]int{}
	for _, f := range numbers {
		n, err := strconv.Atoi(f)
		if err != nil || n >= len(r.trace.counts.spans) {
			continue
		}
		s := r.trace.counts.spans[n]
		for l := s.start; l <= s.end; l++ {
			out[s.path] = append(out[s.path], l)
		}
	}
	for path, lines := range out {
		slices.Sort(lines)
		out[path] = slices.Compact(lines)
	}
	return out
}

// places are the frames of a traceback in the workspace, the deepest last.
func (r *tracer) places(frames []string) []localise.Place {
	var out []localise.Place
	for _, f := range strings.Split(strings.Join(frames, " "), "\t") {
		at := strings.LastIndexByte(f, ':')
		if at < 0 {
			continue
		}
		line, err := strconv.Atoi(strings.TrimSpace(f[at+1:]))
		path, ok := inside(r.cell.Root, f[:at])
		if err == nil && ok && r.byPath[path] != nil {
			out = append(out, localise.Place{File: path, Line: line})
		}
	}
	slices.Reverse(out)
	return out
}

func add(to, from map[string][]int) {
	for path, lines := range from {
		to[path] = merge(to[path], lines)
	}
}

// merge returns the union of two sorted lists.
func merge(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
