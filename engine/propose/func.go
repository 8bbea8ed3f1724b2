package propose

import "context"

// Func returns a proposer that is a plain function.
func Func(name string, f func(ctx context.Context, view View, history []Attempt) (Proposal, error)) Proposer {
	return function{name, f}
}

type function struct {
	name string
	f    func(context.Context, View, []Attempt) (Proposal, error)
}

func (f function) Name() string { return f.name }

func (f function) Propose(ctx context.Context, view View, history []Attempt) (Proposal, error) {
	return f.f(ctx, view, history)
}

// Once returns a proposer that proposes p first and has nothing left then.
func Once(name string, p Proposal) Proposer {
	return Func(name, func(_ context.Context, _ View, history []Attempt) (Proposal, error) {
		if len(history) > 0 {
			return Proposal{}, ErrNothingLeft
		}
		return p, nil
	})
}
