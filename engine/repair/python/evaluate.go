package python

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"autocoder/engine/repair"
	"autocoder/engine/repair/worker"
	"autocoder/engine/textedit"
)

// Fuel is processor time for one test, in seconds. Tests that are slow by
// themselves get more.
const (
	leastFuel = 0.03
	// moreFuel is for candidates that ran out of it when nothing else of their batch
	// was green, mostFuel for those that the engine asks patience for.
	moreFuel = 0.3
	mostFuel = 1.0
	// A session tries one of perRetry candidates again, a batch mostRetries at most,
	// and none on a line where mostStuck of them wasted it.
	perRetry    = 25
	mostRetries = 6
	mostStuck   = 3
)

// wireCandidate is a candidate as the worker reads it.
type wireCandidate struct {
	ID    int        `json:"id"`
	Path  string     `json:"path"`
	Edits []wireEdit `json:"edits"`
}

type wireEdit textedit.Edit

// MarshalJSON writes [start, end, new].
func (e wireEdit) MarshalJSON() ([]byte, error) { return json.Marshal([]any{e.Start, e.End, e.New}) }

func wire(cs []repair.Candidate) []wireCandidate {
	out := make([]wireCandidate, len(cs))
	for i, c := range cs {
		out[i] = wireCandidate{ID: c.ID, Path: c.Path}
		for _, e := range c.Edits {
			out[i].Edits = append(out[i].Edits, wireEdit(e))
		}
	}
	return out
}

// Evaluate tries the candidates on all workers. Those that run out of fuel are
// told at the end; when nothing was green, the likeliest of them get more first.
func (s *session) Evaluate(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	byID := make(map[int]repair.Candidate, len(batch))
	var patient, others []repair.Candidate
	for _, c := range batch {
		byID[c.ID] = c
		if c.Patient {
			patient = append(patient, c)
		} else {
			others = append(others, c)
		}
	}
	green := false
	waiting := map[int]repair.Verdict{}
	tell := func(v repair.Verdict) {
		if v.Trial == repair.OutOfFuel && !byID[v.ID].Patient {
			waiting[v.ID] = v
			return
		}
		green = green || v.Trial == repair.Green
		done(v)
	}
	if err := s.run(ctx, others, leastFuel, chunk(len(others), len(s.workers)), tell); err != nil {
		return err
	}
	if err := s.run(ctx, patient, mostFuel, 1, tell); err != nil {
		return err
	}
	s.tried += len(batch)
	if !green {
		if err := s.retry(ctx, waiting, byID, done); err != nil {
			return err
		}
	}
	for _, v := range waiting {
		done(v)
	}
	return nil
}

// retry gives the likeliest of those that ran out of fuel more of it, and takes
// them out of waiting.
func (s *session) retry(ctx context.Context, waiting map[int]repair.Verdict, byID map[int]repair.Candidate, done func(repair.Verdict)) error {
	var all, again []repair.Candidate
	for id := range waiting {
		all = append(all, byID[id])
	}
	slices.SortFunc(all, func(a, b repair.Candidate) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.ID, b.ID))
	})
	allowed := min(mostRetries, s.tried/perRetry-s.retries)
	chosen := map[place]int{}
	for _, c := range all {
		at := place{c.Path, c.Line}
		if len(again) < allowed && s.stuck[at]+chosen[at] < mostStuck {
			chosen[at]++
			again = append(again, c)
		}
	}
	s.retries += len(again)
	return s.run(ctx, again, moreFuel, 1, func(v repair.Verdict) {
		if v.Trial == repair.OutOfFuel {
			c := byID[v.ID]
			s.stuck[place{c.Path, c.Line}]++
		}
		delete(waiting, v.ID)
		done(v)
	})
}

// chunk is how many candidates a worker takes at a time.
func chunk(n, workers int) int { return min(64, max(1, n/(4*workers))) }

// run shares candidates out among the workers. tell is called from one goroutine
// at a time.
func (s *session) run(ctx context.Context, batch []repair.Candidate, fuel float64, size int, tell func(repair.Verdict)) error {
	var mu sync.Mutex // guards next and calls of tell
	next := 0
	take := func() []repair.Candidate {
		mu.Lock()
		defer mu.Unlock()
		from := next
		next = min(len(batch), next+size)
		return batch[from:next]
	}
	return s.each(func(w *worker.Worker) error {
		for part := take(); len(part) > 0; part = take() {
			err := s.try(ctx, w, part, fuel, func(v repair.Verdict) {
				mu.Lock()
				defer mu.Unlock()
				tell(v)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// try lets one worker try candidates. When the worker itself dies, the first that
// it has not answered for is to blame.
func (s *session) try(ctx context.Context, w *worker.Worker, part []repair.Candidate, fuel float64, tell func(repair.Verdict)) error {
	for len(part) > 0 {
		request := map[string]any{"do": "evaluate", "candidates": wire(part), "fuel": fuel, "least": leastFuel}
		told := map[int]bool{}
		lost, err := w.Ask(ctx, request, func(line []byte) error {
			v, err := readVerdict(line)
			if err != nil {
				return err
			}
			told[v.ID] = true
			tell(v)
			return nil
		})
		if err != nil {
			return err
		}
		part = slices.DeleteFunc(slices.Clone(part), func(c repair.Candidate) bool { return told[c.ID] })
		if lost && len(part) > 0 {
			tell(repair.Verdict{ID: part[0].ID, Trial: repair.Died, Changed: true})
			part = part[1:]
		} else if len(part) > 0 {
			return fmt.Errorf("try candidates: the worker for Python left out %d", len(part))
		}
	}
	return nil
}

func readVerdict(line []byte) (repair.Verdict, error) {
	var m struct {
		ID, Passed       int
		Verdict          string
		Changed, Further bool
		Slow             bool
		Gained, Broken   int
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return repair.Verdict{}, fmt.Errorf("read a verdict: %w", err)
	}
	trials := map[string]repair.Trial{
		"R": repair.Rejected, "F": repair.Failed, "O": repair.OutOfFuel, "D": repair.Died, "G": repair.Green,
	}
	trial, ok := trials[m.Verdict]
	if !ok {
		return repair.Verdict{}, fmt.Errorf("read a verdict: %q is none", m.Verdict)
	}
	return repair.Verdict{ID: m.ID, Trial: trial, Passed: m.Passed, Changed: m.Changed, Further: m.Further, Slow: m.Slow, Gained: m.Gained, Broken: m.Broken}, nil
}

// Behaviours tells greens apart by what they do on inputs derived from the calls
// that the tests made.
func (s *session) Behaviours(ctx context.Context, greens []repair.Candidate) ([]repair.Behaviour, error) {
	if len(greens) == 0 || len(s.calls) == 0 {
		return nil, nil
	}
	var answer struct {
		Behaviours []struct {
			Cluster       int
			Input, Output string
		}
	}
	request := map[string]any{"do": "behave", "candidates": wire(greens), "calls": s.calls}
	lost, err := s.workers[0].Ask(ctx, request, func(line []byte) error { return json.Unmarshal(line, &answer) })
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
