package python

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"autocoder/engine/repair/localise"
)

// traced is what one request for a spectrum brought.
type traced struct {
	rows []tracedRow
	// imports are the lines that ran when modules were loaded, by file.
	imports map[string][]int
}

// tracedRow is a test, or an assertion of one, as the worker writes it.
type tracedRow struct {
	Row       string           `json:"row"`
	Assertion int              `json:"assertion"`
	Outcome   string           `json:"outcome"`
	Lines     map[string][]int `json:"lines"`
	Frames    []wirePlace      `json:"frames"`
}

type wirePlace localise.Place

// UnmarshalJSON reads [file, line].
func (p *wirePlace) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.File, &p.Line})
}

// mostAsserted is how many failing tests are asked for their assertions where other tests
// tell good lines from bad ones too, and tracing about how much longer a test takes then.
const mostAsserted, tracing = 40, 10

// Spectrum runs the tests with line coverage. Each assertion of a failing test becomes
// a row of its own; the test stays one where other tests pass, since what an assertion
// before the failing one did may be what is wrong.
func (s *session) Spectrum(ctx context.Context) (localise.Spectrum, error) {
	all, err := s.trace(ctx, slices.Concat(s.targets, s.passing), false)
	if err != nil {
		return localise.Spectrum{}, err
	}
	if err := s.cover(ctx, all); err != nil {
		return localise.Spectrum{}, err
	}
	passed := slices.ContainsFunc(all.rows, func(r tracedRow) bool { return r.Outcome == "passed" })
	ending := slices.DeleteFunc(slices.Clone(s.targets), func(t string) bool { return slices.Contains(s.learnt.Hung, t) })
	if passed {
		ending = s.quickOnes(ending)
	}
	if len(ending) > 0 {
		parts, err := s.trace(ctx, ending, true)
		if err != nil {
			return localise.Spectrum{}, err
		}
		all.rows = refine(all.rows, parts.rows, passed)
	}
	return s.spectrum(all), nil
}

// quickOnes are the first of some tests that take no longer together than they are worth.
func (s *session) quickOnes(tests []string) []string {
	left := s.task.AtMost(traceTime, traceShare).Seconds() / tracing
	for k, t := range tests {
		if left -= s.learnt.Seconds[t]; left < 0 || k == mostAsserted {
			return tests[:k]
		}
	}
	return tests
}

// trace asks for rows of the tests.
func (s *session) trace(ctx context.Context, ids []string, byAssertion bool) (traced, error) {
	t := traced{imports: map[string][]int{}}
	request := map[string]any{"do": "spectrum", "ids": ids, "budget": s.task.AtMost(traceTime, traceShare).Seconds(), "by_assertion": byAssertion}
	_, err := s.workers[0].Ask(ctx, request, func(line []byte) error {
		var m struct {
			tracedRow
			Imports map[string][]int
			Calls   []json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("read a row of the spectrum: %w", err)
		}
		for file, lines := range m.Imports {
			t.imports[file] = lines
		}
		if !byAssertion {
			s.calls = append(s.calls, m.Calls...)
		}
		if m.Row != "" {
			t.rows = append(t.rows, m.tracedRow)
		}
		return nil
	})
	if err != nil {
		return traced{}, fmt.Errorf("trace the tests of %s: %w", s.task.Place(), err)
	}
	return t, nil
}

// cover tells the workers which files each test runs code of, so that a candidate
// is spared the passing tests that can't see it.
func (s *session) cover(ctx context.Context, t traced) error {
	s.covers = map[string][]string{}
	for _, r := range t.rows {
		files := map[string]bool{}
		for f := range r.Lines {
			files[f] = true
		}
		for f, lines := range t.imports {
			if len(lines) > 0 {
				files[f] = true
			}
		}
		for f := range files {
			if s.editable(f) {
				s.covers[r.Row] = append(s.covers[r.Row], f)
			}
		}
		slices.Sort(s.covers[r.Row])
	}
	return s.tell(ctx)
}

// refine puts the rows of assertions in the place of their test's row, or beside it,
// where there are several.
func refine(rows, parts []tracedRow, beside bool) []tracedRow {
	of := map[string][]tracedRow{}
	for _, p := range parts {
		if p.Assertion != 0 {
			of[p.Row] = append(of[p.Row], p)
		}
	}
	var out []tracedRow
	for _, r := range rows {
		failed := slices.ContainsFunc(of[r.Row], func(p tracedRow) bool { return p.Outcome != "passed" })
		if len(of[r.Row]) > 1 && failed {
			out = append(out, of[r.Row]...)
			if !beside {
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// spectrum keeps what can be edited. What ran when modules were loaded counts for
// every test.
func (s *session) spectrum(t traced) localise.Spectrum {
	var out localise.Spectrum
	for _, r := range t.rows {
		if r.Outcome == "skipped" {
			continue
		}
		row := localise.Row{Name: r.Row, Failed: r.Outcome != "passed", Lines: map[string][]int{}}
		if r.Assertion != 0 {
			row.Name += ":" + strconv.Itoa(r.Assertion)
		}
		for _, lines := range []map[string][]int{r.Lines, t.imports} {
			for f, l := range lines {
				if s.editable(f) {
					row.Lines[f] = merge(row.Lines[f], l)
				}
			}
		}
		row.Frames = s.frames(r.Frames)
		out.Rows = append(out.Rows, row)
	}
	return out
}

// frames keeps each editable place once, where it is deepest.
func (s *session) frames(all []wirePlace) []localise.Place {
	var out []localise.Place
	for i, p := range all {
		if s.editable(p.File) && !slices.Contains(all[i+1:], p) {
			out = append(out, localise.Place(p))
		}
	}
	return out
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
