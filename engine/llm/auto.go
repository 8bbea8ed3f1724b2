package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/propose"
)

// Engine is a proposer that costs no money and can say what it found out.
type Engine interface {
	propose.Proposer
	// Learnt is what it found out of where the fault is.
	Learnt() propose.Coverage
}

const (
	// engineShare is the share of the time that is left for the engine, and
	// engineMost the most of it: the model needs the rest.
	engineShare = 0.35
	engineMost  = 2 * time.Minute
)

// Auto returns the proposer that asks the engine first, within a small budget. An
// edit that leaves no doubt needs no model at all; of several that behave
// differently the model says which to take first; and where the engine finds
// nothing, the model starts with what it has learnt. It serves one run.
func Auto(engine Engine, model *Model, now func() time.Time) propose.Proposer {
	return &auto{engine: engine, model: model, now: now}
}

type auto struct {
	engine Engine
	model  *Model
	now    func() time.Time
	over   bool
}

func (a *auto) Name() string { return a.engine.Name() + "+" + a.model.Name() }

func (a *auto) Propose(ctx context.Context, view propose.View, history []propose.Attempt) (propose.Proposal, error) {
	if !a.over {
		p, err := a.first(ctx, view, history)
		switch {
		case err == nil && len(p.Alternatives) > 0:
			return a.model.Choose(ctx, view, p), nil
		case err == nil || ctx.Err() != nil || !a.exhausted(err, view):
			return p, err
		}
		a.over = true
		a.model.Learn(a.engine.Learnt(), err.Error())
		view.Emit(event.Event{Kind: event.PhaseChanged, Text: "asking " + a.model.Name()})
	}
	return a.model.Propose(ctx, view, history)
}

// first lets the engine search for its share of the time.
func (a *auto) first(ctx context.Context, view propose.View, history []propose.Attempt) (propose.Proposal, error) {
	if end, ok := ctx.Deadline(); ok {
		share := min(engineMost, time.Duration(engineShare*float64(end.Sub(a.now()))))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	return a.engine.Propose(ctx, view, history)
}

// exhausted reports whether an error of the engine means that the model's turn has
// come: it has nothing left, its share is over, or it does not work here.
func (a *auto) exhausted(err error, view propose.View) bool {
	var exceeded *budget.Exceeded
	if errors.As(err, &exceeded) && exceeded.What != budget.Time && exceeded.What != budget.Candidates {
		return false
	}
	if !errors.Is(err, propose.ErrNothingLeft) && !errors.As(err, &exceeded) && !errors.Is(err, context.DeadlineExceeded) {
		view.Emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf("%s failed: %v", a.engine.Name(), err)})
	}
	return true
}
