package javascript

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/repair/localise"
)

// hits are numbers of units that were run.
type hits []int

// tracedRow is a test as the worker writes it.
type tracedRow struct {
	Row  string `json:"row"`
	List []struct {
		Passed bool   `json:"passed"`
		Hits   hits   `json:"hits"`
		Frames string `json:"frames"`
	} `json:"list"`
	Crash *struct {
		Hits  hits   `json:"hits"`
		Stack string `json:"stack"`
	} `json:"crash"`
	// Rest is what ran after the last assertion.
	Rest hits `json:"rest"`
	// Stateful means that the test asked objects for something.
	Stateful bool `json:"stateful"`
	// Load is what ran when a test file was loaded.
	Part string `json:"part"`
	Load hits   `json:"load"`
}

// Spectrum runs the tests with coverage of statements and branches. Each assertion
// of a target is a row of its own: it does not end the test then.
func (s *session) Spectrum(ctx context.Context) (localise.Spectrum, error) {
	if s.rerun {
		return s.unrun(), nil
	}
	var units []localise.Place
	var rows []tracedRow
	code := func(name string) (string, bool) {
		src := s.read(name)
		if src == nil || src.fuelled == nil || !s.editable(name) {
			return s.code(name)
		}
		w := traced(name, src.content, len(units))
		text, err := s.runnable(name, w.text(), src.plain)
		units = append(units, w.units...)
		return text, err == nil
	}
	w := s.workers[0]
	if !w.Running() {
		if err := s.begin(ctx, w, true); err != nil {
			return localise.Spectrum{}, err
		}
	}
	_, err := s.exchange(ctx, w, map[string]any{"do": "trace"}, code, func(line []byte) error {
		var m struct {
			tracedRow
			Call  string
			Known json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("read a row of the spectrum: %w", err)
		}
		switch {
		case m.Known != nil:
			s.known = m.Known
		case m.Call != "":
			s.calls = append(s.calls, slices.Clone(line))
		default:
			rows = append(rows, m.tracedRow)
		}
		return nil
	})
	if err != nil {
		return localise.Spectrum{}, fmt.Errorf("trace the tests of %s: %w", s.task.Place(), err)
	}
	return s.spectrum(units, rows), nil
}

// editable reports whether an edit of the file would be let through.
func (s *session) editable(name string) bool {
	return s.task.View.Editable == nil || s.task.View.Editable(name) == nil
}

// spectrum makes rows of what the worker traced.
func (s *session) spectrum(units []localise.Place, traced []tracedRow) localise.Spectrum {
	var out localise.Spectrum
	load := map[string]hits{}
	add := func(id string, k int, failed bool, stack string, all ...hits) {
		row := localise.Row{Name: id, Failed: failed, Lines: map[string][]int{}}
		if k > 0 {
			row.Name += ":" + strconv.Itoa(k)
		}
		ran := slices.Concat(all...)
		slices.Sort(ran)
		for _, u := range slices.Compact(ran) {
			if u < len(units) {
				p := units[u]
				row.Lines[p.File] = append(row.Lines[p.File], p.Line)
			}
		}
		if failed {
			row.Frames = s.frames(stack)
		}
		out.Rows = append(out.Rows, row)
	}
	for _, t := range traced {
		if t.Row == "" {
			load[t.Part] = t.Load
			continue
		}
		loaded := load[fileOf(t.Row)]
		// A target may be a test in the test that was run.
		at := slices.IndexFunc(s.targets, func(id string) bool { return id == t.Row || strings.HasPrefix(id, t.Row+separator) })
		if at >= 0 {
			t.Row = s.targets[at]
		} else {
			var all hits
			for _, a := range t.List {
				all = append(all, a.Hits...)
			}
			add(t.Row, 0, false, "", all, t.Rest, loaded)
			continue
		}
		seen := false
		var before hits // what ran before an assertion
		for k, a := range t.List {
			seen = seen || !a.Passed
			if a.Passed {
				add(t.Row, k+1, false, "", a.Hits, loaded)
			} else {
				add(t.Row, k+1, true, a.Frames, t.made(before, a.Hits), a.Hits, loaded)
			}
			before = append(before, a.Hits...)
		}
		if t.Crash != nil || !seen {
			stack := ""
			if t.Crash != nil {
				stack = t.Crash.Stack
			}
			add(t.Row, len(t.List)+1, true, stack, t.made(before, t.Rest), t.Rest, loaded)
		}
	}
	return weigh(out, units, load)
}

// made is what made the state that a failing assertion sees: all that ran before it where
// the test asks objects, and where the assertion itself ran nothing, as the second one
// that looks at a result.
func (t tracedRow) made(before, own hits) hits {
	if t.Stateful || len(own) == 0 {
		return before
	}
	return nil
}

// weigh adds passing rows of what ran when files were loaded, so that it is less
// suspicious than what the failing tests themselves ran.
func weigh(s localise.Spectrum, units []localise.Place, load map[string]hits) localise.Spectrum {
	failing := 0
	for _, r := range s.Rows {
		if r.Failed {
			failing++
		}
	}
	lines := map[string][]int{}
	for _, list := range load {
		for _, u := range list {
			if u < len(units) {
				lines[units[u].File] = append(lines[units[u].File], units[u].Line)
			}
		}
	}
	for range 4 * failing {
		s.Rows = append(s.Rows, localise.Row{Name: "load", Lines: lines})
	}
	return s
}

// frame is a line of a stack that has a place.
var frame = regexp.MustCompile(`(?:\(|at |async )((?:file://)?/[^\s()]+?):(\d+):\d+\)?`)

// frames are the places of the project's editable files in a stack, the deepest
// last. Lines of sources that were transformed are not those of the file.
func (s *session) frames(stack string) []localise.Place {
	var out []localise.Place
	root := s.workers[0].Cell.Root
	for _, m := range frame.FindAllStringSubmatch(stack, -1) {
		rel, err := filepath.Rel(root, strings.TrimPrefix(m[1], "file://"))
		if err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		name := filepath.ToSlash(rel)
		src := s.read(name)
		line, err := strconv.Atoi(m[2])
		if err != nil || src == nil || !src.plain || !s.editable(name) {
			continue
		}
		out = append(out, localise.Place{File: name, Line: line})
	}
	slices.Reverse(out)
	return out
}
