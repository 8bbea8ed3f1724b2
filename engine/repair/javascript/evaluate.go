package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/worker"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// isScript reports whether a file has code that is woven into.
func isScript(name string) bool { return tsgo.Known(path.Base(name)) }

// trust says how far green candidates are believed.
type trust struct {
	// agreed means that the project's own command has found green what the worker
	// found green, all that every one must be shown to it.
	agreed, all bool
}

// wireCandidate is a candidate as the worker reads it: edits of the file's text as
// it was sent, or a whole text.
type wireCandidate struct {
	ID    int      `json:"id"`
	Path  string   `json:"path"`
	Edits []splice `json:"edits,omitempty"`
	Code  *string  `json:"code,omitempty"`
	// Patient is how much more fuel it gets: 0, 1 or 2 times more than usual.
	Patient int `json:"patient,omitempty"`
	// Polluting means that it may change the language's own objects.
	Polluting bool `json:"polluting,omitempty"`
}

// splice is a range of a text, in its units of 16 bits, and what to put there.
type splice struct {
	start, end int
	text       string
}

// MarshalJSON writes [start, end, text].
func (s splice) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.start, s.end, s.text}) }

// wire makes a candidate for a worker; false means that it is no source.
func (s *session) wire(w *worker.Worker, c repair.Candidate, patience int) (wireCandidate, bool) {
	out := wireCandidate{ID: c.ID, Path: filepath.Join(w.Cell.Root, filepath.FromSlash(c.Path)), Patient: patience}
	for _, e := range c.Edits {
		out.Polluting = out.Polluting || pollutes.MatchString(e.New)
	}
	src := s.read(c.Path)
	if src == nil || src.fuelled == nil {
		return out, false
	}
	if src.plain && ascii(src.content) {
		if edits, ok := src.fuelled.splices(c.Edits); ok {
			out.Edits = edits
			return out, true
		}
	}
	text, ok := src.fuelled.with(c.Edits)
	if !ok {
		content, err := textedit.ApplyEdits(src.content, c.Edits)
		if err != nil {
			return out, false
		}
		text = fuelled(c.Path, content).text()
	}
	code, err := s.runnable(c.Path, text, src.plain)
	if err != nil {
		return out, false
	}
	out.Code = &code
	return out, true
}

func ascii(content []byte) bool {
	return !slices.ContainsFunc(content, func(b byte) bool { return b >= utf8.RuneSelf })
}

// splices are edits of the source as edits of its text with inserts, where these
// stay as they are.
func (w *woven) splices(edits []textedit.Edit) ([]splice, bool) {
	out := make([]splice, 0, len(edits))
	shift, k := 0, 0
	for _, e := range edits {
		if w.disturbed(e) || !ascii([]byte(e.New)) {
			return nil, false
		}
		for ; k < len(w.inserts) && w.inserts[k].at <= e.Start; k++ {
			shift += len(w.inserts[k].text)
		}
		out = append(out, splice{e.Start + shift, e.End + shift, e.New})
	}
	return out, true
}

// chunk is how many candidates a worker takes at a time.
func chunk(n, workers int) int { return min(256, max(1, n/(3*workers))) }

// Evaluate tries the candidates on all workers.
func (s *session) Evaluate(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	if s.rerun {
		return s.rerunAll(ctx, batch, done)
	}
	byID := make(map[int]repair.Candidate, len(batch))
	for _, c := range batch {
		byID[c.ID] = c
	}
	var greens []repair.Verdict
	green := false
	var starved []repair.Candidate
	tell := func(v repair.Verdict) {
		green = green || v.Trial == repair.Green
		switch {
		case v.Trial == repair.Green && s.doubted():
			greens = append(greens, v)
		case v.Trial == repair.OutOfFuel && !byID[v.ID].Patient:
			starved = append(starved, byID[v.ID])
		default:
			done(v)
		}
	}
	patient, usual := split(batch)
	if err := s.run(ctx, usual, 0, tell); err != nil {
		return err
	}
	if err := s.run(ctx, patient, 2, tell); err != nil {
		return err
	}
	s.tried += len(batch)
	again := s.chosen(starved, green)
	for _, c := range starved {
		if !slices.ContainsFunc(again, func(a repair.Candidate) bool { return a.ID == c.ID }) {
			done(repair.Verdict{ID: c.ID, Trial: repair.OutOfFuel, Changed: true})
		}
	}
	err := s.run(ctx, again, 1, func(v repair.Verdict) {
		if v.Trial == repair.Green && s.doubted() {
			greens = append(greens, v)
			return
		}
		done(v)
	})
	if err != nil {
		return err
	}
	slices.SortFunc(greens, func(a, b repair.Verdict) int { return a.ID - b.ID })
	for _, v := range greens {
		if s.doubted() {
			if v, err = s.confirm(ctx, byID[v.ID], v); err != nil {
				return err
			}
		}
		done(v)
	}
	return nil
}

// split sorts candidates by whether the engine asks for patience.
func split(batch []repair.Candidate) (patient, usual []repair.Candidate) {
	for _, c := range batch {
		if c.Patient {
			patient = append(patient, c)
		} else {
			usual = append(usual, c)
		}
	}
	return patient, usual
}

const (
	// A session gives one of perRetry candidates more fuel, a batch mostRetries at most.
	perRetry    = 40
	mostRetries = 8
)

// chosen are the likeliest of those that ran out of fuel, which get more of it when
// nothing was green.
func (s *session) chosen(starved []repair.Candidate, green bool) []repair.Candidate {
	if green {
		return nil
	}
	n := min(mostRetries, s.tried/perRetry-s.retries, len(starved))
	if n <= 0 {
		return nil
	}
	s.retries += n
	slices.SortStableFunc(starved, func(a, b repair.Candidate) int { return cmp.Or(cmp.Compare(a.Cost, b.Cost), a.ID-b.ID) })
	return starved[:n]
}

// doubted reports whether a green candidate must be run by the project's own
// command.
func (s *session) doubted() bool {
	return s.task.View.Evaluate != nil && (s.trust.all || !s.trust.agreed)
}

// confirm runs a green candidate by the project's own command.
func (s *session) confirm(ctx context.Context, c repair.Candidate, v repair.Verdict) (repair.Verdict, error) {
	green, passed, err := s.real(ctx, c)
	if err != nil {
		return v, err
	}
	if !green {
		s.trust.all = true
		return repair.Verdict{ID: v.ID, Trial: repair.Failed, Passed: passed, Changed: true}, nil
	}
	s.trust.agreed = true
	return v, nil
}

// real runs a candidate by the project's own command, and reports how many targets
// passed.
func (s *session) real(ctx context.Context, c repair.Candidate) (green bool, passed int, err error) {
	f, err := s.task.View.Read(c.Path)
	if err != nil {
		return false, 0, fmt.Errorf("read %s: %w", c.Path, err)
	}
	patch := textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpEdit, Path: c.Path, Base: f.Hash(), Edits: c.Edits}}}
	results, err := s.task.View.Evaluate(ctx, []textedit.Patch{patch}, propose.Targets)
	if err != nil {
		return false, 0, fmt.Errorf("run the tests on a candidate: %w", err)
	}
	if len(results) != 1 {
		return false, 0, nil
	}
	for _, id := range s.task.Targets {
		if results[0].Lookup(id).Status == testresult.Passed {
			passed++
		}
	}
	return passed == len(s.task.Targets), passed, nil
}

// rerunAll runs every candidate by the project's own command.
func (s *session) rerunAll(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	if s.task.View.Evaluate == nil {
		return fmt.Errorf("run the tests of %s: they can't be run for repair", s.task.Place())
	}
	for _, c := range batch {
		green, passed, err := s.real(ctx, c)
		if err != nil {
			return err
		}
		v := repair.Verdict{ID: c.ID, Trial: repair.Failed, Passed: passed, Changed: passed > 0}
		if green {
			v.Trial = repair.Green
		}
		done(v)
	}
	return nil
}

// run shares candidates out among the workers. tell is called from one goroutine
// at a time.
func (s *session) run(ctx context.Context, batch []repair.Candidate, patience int, tell func(repair.Verdict)) error {
	var mu sync.Mutex // guards next and calls of tell
	next, size := 0, chunk(len(batch), len(s.workers))
	take := func() []repair.Candidate {
		mu.Lock()
		defer mu.Unlock()
		from := next
		next = min(len(batch), next+size)
		return batch[from:next]
	}
	locked := func(v repair.Verdict) {
		mu.Lock()
		defer mu.Unlock()
		tell(v)
	}
	errs := make([]error, len(s.workers))
	var wg sync.WaitGroup
	for k, w := range s.workers {
		wg.Go(func() {
			for part := take(); len(part) > 0; part = take() {
				if errs[k] = s.try(ctx, w, part, patience, locked); errs[k] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// try lets one worker try candidates. When the process itself dies, the first that
// it has not answered for is to blame.
func (s *session) try(ctx context.Context, w *worker.Worker, batch []repair.Candidate, patience int, tell func(repair.Verdict)) error {
	var list []wireCandidate
	for _, c := range batch {
		x, ok := s.wire(w, c, patience)
		if !ok {
			tell(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
			continue
		}
		list = append(list, x)
	}
	for len(list) > 0 {
		told := map[int]bool{}
		request := map[string]any{"do": "evaluate", "candidates": list, "usual": s.usual}
		lost, err := s.ask(ctx, w, request, func(line []byte) error { return readVerdicts(line, told, tell) })
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(c wireCandidate) bool { return told[c.ID] })
		switch {
		case len(list) == 0:
		case lost:
			tell(repair.Verdict{ID: list[0].ID, Trial: repair.Died, Changed: true})
			list = list[1:]
		default:
			return fmt.Errorf("try candidates: %s left out %d", w.Name, len(list))
		}
	}
	return nil
}

// readVerdicts reads lines of [id, letter, passed, changed, further, slow].
func readVerdicts(line []byte, told map[int]bool, tell func(repair.Verdict)) error {
	var m struct{ Verdicts [][6]any }
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("read verdicts: %w", err)
	}
	trials := map[any]repair.Trial{"R": repair.Rejected, "F": repair.Failed, "O": repair.OutOfFuel, "D": repair.Died, "G": repair.Green}
	for _, v := range m.Verdicts {
		id, ok1 := v[0].(float64)
		trial, ok2 := trials[v[1]]
		passed, ok3 := v[2].(float64)
		changed, ok4 := v[3].(bool)
		further, ok5 := v[4].(bool)
		slow, ok6 := v[5].(bool)
		if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 {
			return fmt.Errorf("read verdicts: %v is none", v)
		}
		told[int(id)] = true
		tell(repair.Verdict{ID: int(id), Trial: trial, Passed: int(passed), Changed: changed, Further: further, Slow: slow})
	}
	return nil
}

// Behaviours tells greens apart by what the functions of their files return on
// inputs derived from the calls that the tests made.
func (s *session) Behaviours(ctx context.Context, greens []repair.Candidate) ([]repair.Behaviour, error) {
	if len(greens) == 0 || len(s.calls) == 0 || s.rerun {
		return nil, nil
	}
	w := s.workers[0]
	var list []wireCandidate
	for _, c := range greens {
		src := s.read(c.Path)
		if src == nil {
			return nil, nil
		}
		content, err := textedit.ApplyEdits(src.content, c.Edits)
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", c.Path, err)
		}
		code, err := s.runnable(c.Path, exposed(c.Path, content).text(), src.plain)
		if err != nil {
			return nil, nil
		}
		list = append(list, wireCandidate{ID: c.ID, Path: filepath.Join(w.Cell.Root, filepath.FromSlash(c.Path)), Code: &code})
	}
	var answer struct {
		Behaviours []struct {
			Cluster       int
			Input, Output string
		}
	}
	request := map[string]any{"do": "behave", "candidates": list, "calls": s.callsOf(greens)}
	lost, err := s.ask(ctx, w, request, func(line []byte) error { return json.Unmarshal(line, &answer) })
	if err != nil {
		return nil, fmt.Errorf("compare candidates: %w", err)
	}
	if lost || len(answer.Behaviours) != len(greens) {
		return nil, nil
	}
	out := make([]repair.Behaviour, len(greens))
	for i, b := range answer.Behaviours {
		out[i] = repair.Behaviour{Cluster: b.Cluster, Input: b.Input, Output: b.Output}
	}
	return out, nil
}

// callsOf are the recorded calls of functions of the greens' files.
func (s *session) callsOf(greens []repair.Candidate) []json.RawMessage {
	return slices.DeleteFunc(slices.Clone(s.calls), func(raw json.RawMessage) bool {
		var c struct{ Call string }
		if json.Unmarshal(raw, &c) != nil {
			return true
		}
		file, _, _ := strings.Cut(c.Call, "#")
		return !slices.ContainsFunc(greens, func(g repair.Candidate) bool { return g.Path == file })
	})
}
