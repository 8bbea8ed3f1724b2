package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"autocoder/engine/repair/worker"
)

// pollutes finds code that may change the language's own objects.
var pollutes = regexp.MustCompile(`\.prototype\b|\bglobalThis\b|\bglobal\.|defineProperty`)

// learn runs the tests as they are. When the worker can't see the targets fail, it
// is of no use for trials.
func (s *session) learn(ctx context.Context, w *worker.Worker) error {
	status, ms := map[string]string{}, map[string]float64{}
	hung, scripts := map[string]bool{}, map[string]bool{}
	var order []string
	lost, err := s.exchange(ctx, w, map[string]any{"do": "learn"}, nil, func(line []byte) error {
		var m struct {
			Test, Status, Script string
			Ms                   float64
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("read what a test did: %w", err)
		}
		if m.Script != "" {
			scripts[m.Script] = true
		}
		if m.Test != "" {
			if _, again := status[m.Test]; !again {
				order = append(order, m.Test)
			}
			status[m.Test], ms[m.Test] = m.Status, m.Ms
			if m.Status == "hung" {
				hung[m.Test] = true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("run the tests of %s: %w", s.task.Place(), err)
	}
	before := len(s.targets)
	switch {
	case s.task.Unit.Runner == byCommand:
		s.take(order, status)
		before = len(s.targets)
	case s.scripted():
		before = s.takeScripts(order, status)
	}
	s.targets = slices.DeleteFunc(s.targets, func(t string) bool {
		switch status[t] {
		case "fail", "fuel", "hung", "sub":
			return false
		default:
			return true
		}
	})
	s.passing = s.cheapest(status, ms)
	s.trust.all = len(s.targets) < before
	s.rerun = lost || len(s.targets) == 0
	s.parts = s.partsOf(s.targets, s.passing)
	for k, p := range s.parts {
		s.parts[k].Script = scripts[p.Part]
		total := 0.0
		for id, t := range ms {
			if fileOf(id) == p.Part {
				total += t
			}
		}
		s.parts[k].Slow = total > s.affordable()
		for id := range hung {
			if fileOf(id) == p.Part {
				s.parts[k].Hung = append(s.parts[k].Hung, id[len(p.Part)+len(separator):])
			}
		}
	}
	return nil
}

// suiteShare is the share of the session's time that the passing tests of a candidate
// may take, if suiteMs is more.
const suiteShare = 0.06

// affordable is what the passing tests of a candidate may take, in milliseconds.
func (s *session) affordable() float64 {
	return float64(s.task.AtMost(time.Duration(suiteMs)*time.Millisecond, suiteShare).Milliseconds())
}

// cheapest returns the passing tests that passed again, cheapest first, as many
// as a candidate can afford.
func (s *session) cheapest(status map[string]string, ms map[string]float64) []string {
	passed := slices.DeleteFunc(slices.Clone(s.passing), func(t string) bool { return status[t] != "pass" })
	slices.SortStableFunc(passed, func(a, b string) int { return cmp.Compare(ms[a], ms[b]) })
	for k, t := range passed {
		if s.usual += ms[t]; s.usual > s.affordable() {
			return passed[:k]
		}
	}
	return passed
}
