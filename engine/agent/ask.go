package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// ask lets the proposer answer, within the time that is left. Whatever it
// forgets to close is closed, and its panic is an error.
func (l *loop) ask(ctx context.Context) (p propose.Proposal, err error) {
	limited, cancel := context.WithTimeout(ctx, l.cfg.Meter.Remaining())
	defer cancel()
	cells := &leases{}
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("it panicked: %v", x)
		}
		if n := cells.closeAll(); n > 0 {
			l.warn(fmt.Sprintf("%s left %d cells open; they were closed", l.cfg.Proposer.Name(), n))
		}
		if err != nil && ctx.Err() == nil && limited.Err() != nil {
			err = l.cfg.Meter.OutOfTime()
		}
	}()
	p, err = l.cfg.Proposer.Propose(limited, l.view(cells), slices.Clone(l.history))
	if len(p.Ranking) > 0 {
		l.suspects = p.Ranking
	}
	return p, err
}

// unanswered is the ending when the proposer has no proposal.
func (l *loop) unanswered(ctx context.Context, err error) (ending, error) {
	var exceeded *budget.Exceeded
	switch {
	case ctx.Err() != nil || errors.As(err, &exceeded):
		return ending{}, err
	case errors.Is(err, propose.ErrNothingLeft):
		return l.nothingLeft(err), nil
	case errors.Is(err, propose.ErrNoProgress):
		return ending{outcome.NoProgress, err.Error(), "try another model or proposer"}, nil
	default:
		return ending{outcome.GaveUp, fmt.Sprintf("the proposer %s failed: %v", l.cfg.Proposer.Name(), err), ""}, nil
	}
}

// view completes what the caller shows of the current state.
func (l *loop) view(cells *leases) propose.View {
	v := l.cfg.View(l.current)
	v.Targets, v.Result = slices.Clone(l.targets), l.best.result
	if v.Read == nil {
		v.Read = l.current.Over(l.cfg.Base)
	}
	if v.Editable == nil {
		v.Editable = func(string) error { return nil }
	}
	if v.Recent == nil {
		v.Recent = func(context.Context, string) []int { return nil }
	}
	if v.Evaluate == nil {
		v.Evaluate = l.evaluate
	}
	if v.Cell == nil {
		v.Cell = func(context.Context) (*propose.Cell, error) { return nil, errors.New("there are no cells in this run") }
	}
	v.Cell = cells.counting(v.Cell)
	v.Reserve, v.Hold = l.cfg.Meter.Reserve, l.cfg.Meter.Hold
	v.Tried = func() int { return l.cfg.Meter.Spent().Candidates }
	v.Emit = l.emit
	return v
}

// evaluate runs patches on the current state for a proposer. A patch that is
// refused or does not apply has the empty result, which is unusable.
func (l *loop) evaluate(ctx context.Context, patches []textedit.Patch, scope propose.Scope) ([]testresult.Result, error) {
	results := make([]testresult.Result, len(patches))
	for i, p := range patches {
		if err := l.cfg.Meter.Reserve(budget.Cost{Candidates: 1}); err != nil {
			return nil, err
		}
		state, err := l.current.Apply(l.cfg.Base, p)
		if err != nil || (l.cfg.Guard != nil && l.cfg.Guard(l.current, p) != nil) {
			continue
		}
		r := Request{State: state, IDs: l.targets, Phase: Searching}
		if scope == propose.Suite {
			r.IDs = nil
		}
		if results[i], err = l.test(ctx, r); err != nil {
			return nil, err
		}
	}
	l.emit(event.Event{Kind: event.CandidatesTried, N: l.cfg.Meter.Spent().Candidates})
	return results, nil
}

// leases counts the cells that a proposer holds.
type leases struct {
	mu sync.Mutex
	// open is guarded by mu.
	open map[*propose.Cell]func() error
}

// counting wraps a source of cells so that what is not closed can be found.
func (s *leases) counting(source func(context.Context) (*propose.Cell, error)) func(context.Context) (*propose.Cell, error) {
	return func(ctx context.Context) (*propose.Cell, error) {
		cell, err := source(ctx)
		if err != nil {
			return nil, err
		}
		end := cell.Close
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open == nil {
			s.open = map[*propose.Cell]func() error{}
		}
		s.open[cell] = end
		cell.Close = func() error {
			s.mu.Lock()
			_, held := s.open[cell]
			delete(s.open, cell)
			s.mu.Unlock()
			if !held {
				return nil
			}
			return end()
		}
		return cell, nil
	}
}

// closeAll closes what is open and returns how many there were. That a forgotten
// cell can't be closed cleanly is no news for anyone.
func (s *leases) closeAll() int {
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for _, end := range open {
		_ = end()
	}
	return len(open)
}

// encode is a patch for the record.
func encode(p textedit.Patch) []byte {
	blob, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return blob
}
