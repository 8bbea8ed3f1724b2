package propose

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Chain returns a proposer that asks the given ones in turn, the cheap ones
// first: one that has nothing left gives way to the next for good. It serves one
// run.
func Chain(proposers ...Proposer) Proposer {
	return &chain{left: proposers, name: names(proposers)}
}

type chain struct {
	name string
	// left are the proposers that are not exhausted, why what the others said.
	left []Proposer
	why  []string
}

func names(proposers []Proposer) string {
	list := make([]string, len(proposers))
	for i, p := range proposers {
		list[i] = p.Name()
	}
	return strings.Join(list, "+")
}

func (c *chain) Name() string { return c.name }

func (c *chain) Propose(ctx context.Context, view View, history []Attempt) (Proposal, error) {
	for len(c.left) > 0 {
		p, err := c.left[0].Propose(ctx, view, history)
		if !errors.Is(err, ErrNothingLeft) {
			return p, err
		}
		if why := strings.TrimSuffix(strings.TrimSuffix(err.Error(), ErrNothingLeft.Error()), ": "); why != "" {
			c.why = append(c.why, c.left[0].Name()+": "+why)
		}
		c.left = c.left[1:]
	}
	if len(c.why) > 0 {
		return Proposal{}, fmt.Errorf("%s: %w", strings.Join(c.why, "; "), ErrNothingLeft)
	}
	return Proposal{}, ErrNothingLeft
}
