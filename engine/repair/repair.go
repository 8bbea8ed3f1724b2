package repair

import (
	"context"
	"fmt"
	"time"

	"autocoder/engine/propose"
)

// Proposer is the repair engine as the loop sees it. Between two calls it keeps
// what it has found and where it stopped, so that a refused proposal is followed
// by the next best and not by the same search; it keeps no process.
type Proposer struct {
	languages []Language
	now       func() time.Time
	search    *search
	// shaky means that an earlier proposal of the run was unsure: what is built on it
	// is too.
	shaky bool
}

var _ propose.Proposer = (*Proposer)(nil)

// New returns the engine for some languages. A unit is worked on by the first
// language that handles it.
func New(now func() time.Time, languages ...Language) *Proposer {
	return &Proposer{languages: languages, now: now}
}

// Name is "repair".
func (p *Proposer) Name() string { return "repair" }

// Propose returns the best edit that made the targets pass in its own trials. The
// next call offers another one when the state is the same, which it is when the
// loop refused the first, and goes on searching when there is none.
func (p *Proposer) Propose(ctx context.Context, view propose.View, history []propose.Attempt) (propose.Proposal, error) {
	if len(history) == 0 {
		p.shaky = false
	}
	if len(history) == 0 || p.search == nil || !p.search.stands(view) {
		earlier := 0
		if len(history) > 0 && p.search != nil {
			earlier = p.search.earlier + p.search.tried
		}
		p.search = newSearch(p.languages, view)
		p.search.earlier = earlier
	}
	s := p.search
	if len(s.hunts) == 0 {
		return propose.Proposal{}, fmt.Errorf("%w: the repair engine knows no language of the failing tests", propose.ErrNothingLeft)
	}
	if len(s.offers) == 0 {
		if err := s.run(ctx, view, p.now); err != nil {
			return propose.Proposal{Ranking: s.ranking}, err
		}
	}
	if len(s.offers) == 0 {
		return propose.Proposal{Ranking: s.ranking}, fmt.Errorf("%w: %s", propose.ErrNothingLeft, s.summary(view))
	}
	next := s.offers[0]
	s.offers = s.offers[1:]
	next.Ranking = s.ranking
	p.shaky = p.shaky || next.Unsure && s.partial
	next.Unsure = next.Unsure || p.shaky
	return next, nil
}
