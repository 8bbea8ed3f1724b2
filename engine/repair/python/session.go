package python

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
	"autocoder/engine/repair/worker"
	"autocoder/engine/testresult"
)

// Limits of a session.
const (
	// mostPassing bounds the passing tests that are looked at, those in the targets'
	// files first. Of more than fewPassing only mostFiles other files take part: each
	// is loaded again and again, and the engine's caller runs them all.
	mostPassing = 2000
	fewPassing  = 400
	mostFiles   = 12
	// learnTime and traceTime bound the run of passing tests without and with coverage;
	// suiteTime is what the passing tests of a candidate may take. Each is bounded by a
	// share of the session's time too.
	learnTime, learnShare = 5 * time.Second, 0.1
	traceTime, traceShare = 6 * time.Second, 0.15
	suiteTime, suiteShare = 2 * time.Second, 0.04
)

// session is one unit at work. Its methods may be called one at a time.
type session struct {
	task    repair.Task
	workers []*worker.Worker
	targets []string
	// passing are the passing tests that take part, cheapest first once Open has
	// measured them.
	passing []string
	learnt  learnt
	// knows means that an earlier session has learnt it.
	knows  bool
	covers map[string][]string
	// calls are the recorded calls of project functions, as the worker wrote them.
	calls []json.RawMessage
	// tried counts candidates, retries those that were given more fuel, and stuck
	// those of them that wasted it, by file and line.
	tried, retries int
	stuck          map[place]int
}

type place struct {
	path string
	line int
}

// learnt is what the first run of the tests showed.
type learnt struct {
	// Seconds of processor time by test.
	Seconds map[string]float64 `json:"seconds"`
	// Sigs are what failures look like, in the worker's own form.
	Sigs     map[string]json.RawMessage `json:"sigs"`
	Hung     []string                   `json:"hung"`
	Imported []string                   `json:"imported"`
	Options  []string                   `json:"options"`
}

func newSession(task repair.Task) *session {
	s := &session{task: task, targets: natives(task.Targets), learnt: learnt{Seconds: map[string]float64{}, Sigs: map[string]json.RawMessage{}}, stuck: map[place]int{}}
	s.passing = nearest(s.targets, quickest(task))
	if e, ok := task.Earlier.(*session); ok {
		s.know(e)
	}
	return s
}

// know takes over what an earlier session has learnt of the tests.
func (s *session) know(e *session) {
	s.learnt, s.passing, s.knows = e.learnt, e.passing, true
	s.targets = slices.DeleteFunc(s.targets, func(t string) bool { return !slices.Contains(e.targets, t) })
}

func natives(ids []testresult.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Native
	}
	return out
}

// quickest are the passing tests, those first that took least when the suite ran.
func quickest(task repair.Task) []string {
	took := map[testresult.ID]time.Duration{}
	for _, t := range task.View.Result.Tests() {
		took[t.ID] = t.Duration
	}
	sorted := slices.Clone(task.Passing)
	slices.SortStableFunc(sorted, func(a, b testresult.ID) int { return cmp.Compare(took[a], took[b]) })
	return natives(sorted)
}

// nearest returns the passing tests that are looked at: those in files of targets
// first, then those in the same folders.
func nearest(targets, passing []string) []string {
	own, folders := map[string]bool{}, map[string]bool{}
	for _, t := range targets {
		own[fileOf(t)] = true
		folders[path.Dir(fileOf(t))] = true
	}
	distance := func(t string) int {
		switch f := fileOf(t); {
		case own[f]:
			return 0
		case folders[path.Dir(f)]:
			return 1
		default:
			return 2
		}
	}
	sorted := slices.Clone(passing)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	if len(sorted) > fewPassing {
		others := map[string]bool{}
		sorted = slices.DeleteFunc(sorted, func(t string) bool {
			f := fileOf(t)
			if !own[f] && len(others) < mostFiles {
				others[f] = true
			}
			return !own[f] && !others[f]
		})
	}
	return sorted[:min(len(sorted), mostPassing)]
}

// fileOf returns the file part of a node id.
func fileOf(native string) string {
	file, _, _ := strings.Cut(native, "::")
	return file
}

// opening is the request that tells a worker what it works on.
type opening struct {
	Do      string   `json:"do"`
	Root    string   `json:"root"`
	Folder  string   `json:"folder"`
	Targets []string `json:"targets"`
	Passing []string `json:"passing"`
	learnt
	Covers map[string][]string `json:"covers"`
}

// opening is what all workers are told at this time; it shares nothing that
// changes later.
func (s *session) opening() opening {
	return opening{
		Do: "open", Targets: slices.Clone(s.targets), Passing: slices.Clone(s.passing), Covers: maps.Clone(s.covers),
		learnt: learnt{
			Seconds: maps.Clone(s.learnt.Seconds), Sigs: maps.Clone(s.learnt.Sigs), Hung: slices.Clone(s.learnt.Hung),
			Imported: s.learnt.Imported, Options: s.learnt.Options,
		},
	}
}

// in returns the opening for the worker of a cell.
func (o opening) in(cell *propose.Cell, unit propose.Unit) opening {
	o.Root, o.Folder = cell.Root, filepath.Join(cell.Root, filepath.FromSlash(unit.Root))
	return o
}

// open starts the workers, lets the first run the tests, and tells the others
// what it found.
func (s *session) open(ctx context.Context) error {
	nothing := s.opening()
	var mu sync.Mutex
	var others []*worker.Worker // guarded by mu
	var wg sync.WaitGroup
	for range s.task.View.Cells - 1 {
		wg.Go(func() {
			w, err := s.newWorker(ctx, nothing)
			if err != nil {
				return // fewer will do
			}
			mu.Lock()
			defer mu.Unlock()
			others = append(others, w)
		})
	}
	first, err := s.newWorker(ctx, nothing)
	if err != nil {
		wg.Wait()
		s.workers = others
		return err
	}
	s.workers = []*worker.Worker{first}
	if !s.knows {
		err = s.learn(ctx, first)
	}
	wg.Wait()
	s.workers = append(s.workers, others...)
	switch {
	case err != nil:
		return err
	case len(s.targets) == 0:
		return fmt.Errorf("run the tests of %s: no failing test fails when it is run for repair", s.task.Place())
	default:
		return s.tell(ctx)
	}
}

// newWorker leases a cell and starts a worker in it.
func (s *session) newWorker(ctx context.Context, known opening) (*worker.Worker, error) {
	cell, err := s.task.View.Cell(ctx)
	if err != nil {
		return nil, fmt.Errorf("lease a cell: %w", err)
	}
	w, err := newWorker(cell, s.task.Unit)
	if err == nil {
		w.Opening = known.in(cell, s.task.Unit)
		err = w.Begin(ctx)
	}
	if err != nil {
		cell.Close()
		return nil, err
	}
	return w, nil
}

// tell gives every worker what is known now, for good.
func (s *session) tell(ctx context.Context) error {
	known := s.opening()
	return s.each(func(w *worker.Worker) error {
		w.Opening = known.in(w.Cell, s.task.Unit)
		lost, err := w.Ask(ctx, w.Opening, ignore)
		if lost && err == nil {
			return w.Begin(ctx)
		}
		return err
	})
}

// each runs f for all workers at once.
func (s *session) each(f func(*worker.Worker) error) error {
	errs := make([]error, len(s.workers))
	var wg sync.WaitGroup
	for i, w := range s.workers {
		wg.Go(func() { errs[i] = f(w) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func ignore([]byte) error { return nil }

// learn runs the tests as they are, for their times and for what they import.
func (s *session) learn(ctx context.Context, w *worker.Worker) error {
	outcomes, wall := map[string]string{}, map[string]float64{}
	request := map[string]any{"do": "learn", "budget": s.task.AtMost(learnTime, learnShare).Seconds()}
	lost, err := w.Ask(ctx, request, func(line []byte) error {
		var m struct {
			Test, Outcome string
			Seconds, Wall float64
			Sig           json.RawMessage
			Imported      []string
			Options       []string
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("read what a test did: %w", err)
		}
		if m.Imported != nil {
			s.learnt.Imported = m.Imported
		}
		if m.Options != nil {
			s.learnt.Options = m.Options
		}
		switch m.Outcome {
		case "":
			return nil
		case "hung":
			s.learnt.Hung = append(s.learnt.Hung, m.Test)
		default:
			s.learnt.Seconds[m.Test] = m.Seconds
			wall[m.Test] = m.Wall
		}
		if m.Outcome == "failed" {
			s.learnt.Sigs[m.Test] = m.Sig
		}
		outcomes[m.Test] = m.Outcome
		return nil
	})
	if err != nil {
		return err
	}
	if lost {
		return fmt.Errorf("run the tests of %s: the worker for Python died", s.task.Place())
	}
	s.targets = slices.DeleteFunc(s.targets, func(t string) bool { return outcomes[t] == "" || outcomes[t] == "passed" })
	s.passing = s.cheapest(outcomes, wall)
	return nil
}

// cheapest returns the passing tests that passed again, cheapest first, as many
// as a candidate can afford.
func (s *session) cheapest(outcomes map[string]string, wall map[string]float64) []string {
	passed := slices.DeleteFunc(slices.Clone(s.passing), func(t string) bool { return outcomes[t] != "passed" })
	slices.SortStableFunc(passed, func(a, b string) int {
		return cmp.Compare(wall[a], wall[b])
	})
	total, most := 0.0, s.task.AtMost(suiteTime, suiteShare).Seconds()
	for i, t := range passed {
		if total += wall[t]; total > most {
			return passed[:i]
		}
	}
	return passed
}

// Parse returns the tree of a file in the current state.
func (s *session) Parse(ctx context.Context, name string) (*node.Node, error) {
	file, err := s.task.View.Read(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	content := file.Content
	var answer struct{ Tree wireTree }
	request := map[string]any{"do": "parse", "content": content}
	lost, err := s.workers[0].Ask(ctx, request, func(line []byte) error { return json.Unmarshal(line, &answer) })
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	if lost {
		return nil, fmt.Errorf("parse %s: the worker for Python died", name)
	}
	if answer.Tree.Refused != "" {
		return nil, fmt.Errorf("parse %s: %s", name, answer.Tree.Refused)
	}
	root, err := decodeTree(answer.Tree, content)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	return root, nil
}

// editable reports whether an edit of the file would be let through.
func (s *session) editable(name string) bool {
	return s.task.View.Editable == nil || s.task.View.Editable(name) == nil
}

// Close ends the workers and gives their cells back.
func (s *session) Close() error {
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.Close())
	}
	s.workers = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close the workers for Python: %w", err)
	}
	return nil
}
