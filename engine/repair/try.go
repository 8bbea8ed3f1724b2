package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"autocoder/engine/propose"
)

// batch takes the next candidates from the stream.
func (h *hunt) batch(n int) []Candidate {
	var out []Candidate
	for _, f := range h.stream.Next(n) {
		h.next++
		if f.Suspicious {
			h.suspicious[h.next] = true
		}
		h.places[h.next] = f.Place
		out = append(out, Candidate{
			ID: h.next, Path: f.Path, Edits: f.Edits, Template: f.Template, Line: f.Line, Cost: f.Cost, Why: f.Why,
		})
	}
	return out
}

// try evaluates a batch, learns from it, and returns what is green, the cheapest
// first.
func (h *hunt) try(ctx context.Context, view propose.View, session Session, batch []Candidate, c clock) ([]green, error) {
	if err := h.search.charge(view, len(batch)); err != nil {
		return nil, err
	}
	byID := map[int]Candidate{}
	for _, c := range batch {
		byID[c.ID] = c
	}
	limited, cancel := c.limit(ctx)
	defer cancel()
	var found []green
	err := session.Evaluate(limited, batch, func(v Verdict) {
		c, ok := byID[v.ID]
		if !ok {
			return
		}
		delete(byID, v.ID)
		switch {
		case v.Trial == Green && v.Broken > 0:
			h.contradicting++
			return
		case v.Trial == Green && h.suspicious[c.ID]:
			h.doubtful = append(h.doubtful, green{Candidate: c, unsure: true})
			return
		case v.Trial == Green:
			g := green{Candidate: c, rank: h.ranked(c, v), unsure: h.double[c.ID], gained: v.Gained}
			found = append(found, g)
			return
		case h.double[c.ID]:
			return
		}
		h.learn(c, v)
	})
	slices.SortStableFunc(found, func(a, b green) int { return cmp.Compare(a.rank, b.rank) })
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		h.ended = true
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("try %d candidates in %s: %w", len(batch), place(h.unit), err)
	}
	return found, nil
}

// closer brings the other edits of lines with a green one forward: what makes the tests
// pass there by accident mostly stands beside the repair.
func (h *hunt) closer(found []green) {
	seen := map[line]bool{}
	for _, g := range found {
		if at := (line{g.Path, g.Line}); !seen[at] {
			seen[at] = true
			h.stream.Boost(g.Path, g.Line, gainGreen)
		}
	}
}

// ranked is the place of a green edit among others: what it costs, with less weight on
// where it is, and what the trial showed beside that the tests pass.
func (h *hunt) ranked(c Candidate, v Verdict) float64 {
	rank := c.Cost - (1-placed)*h.places[c.ID]
	if v.Slow {
		rank += slowed
	}
	if v.Gained > 0 {
		rank -= documented + eachMore*float64(min(v.Gained, mostGained)-1)
	}
	return rank
}

// learn brings the other edits of a line forward when one of them matters to the
// failure, and puts them back when they hang.
func (h *hunt) learn(c Candidate, v Verdict) {
	at := line{c.Path, c.Line}
	s := h.lines[at]
	if s == nil {
		s = &seen{}
		h.lines[at] = s
	}
	switch v.Trial {
	case Failed:
		h.remember(c, v)
		if v.Passed == len(h.targets) && len(h.nearly) < mostNearly {
			h.nearly = append(h.nearly, c)
		}
		if v.Passed > s.passed {
			s.passed = v.Passed
			h.stream.Boost(c.Path, c.Line, gainPassed)
		}
		if v.Changed && !s.changed {
			s.changed = true
			h.stream.Boost(c.Path, c.Line, gainChanged)
		}
	case OutOfFuel:
		h.hung++
		if s.hung++; s.hung == hangs || s.hung == 4*hangs || s.hung == 16*hangs {
			h.stream.Boost(c.Path, c.Line, -lossHanging)
		}
		if len(h.starved) < patient && !c.Patient {
			h.starved = append(h.starved, c)
		}
	case Rejected, Died, Green, InvalidTrial:
	default:
	}
}

// again gives the candidates that ran out of fuel a second, longer trial. It is
// the last thing a hunt does.
func (h *hunt) again(ctx context.Context, view propose.View, session Session, c clock) ([]green, error) {
	h.done = true
	starved := h.starved
	h.starved = nil
	for len(starved) > 0 && !c.over() && !h.ended && ctx.Err() == nil {
		n := min(len(starved), 10)
		batch := starved[:n]
		starved = starved[n:]
		for k := range batch {
			batch[k].Patient = true
		}
		greens, err := h.try(ctx, view, session, batch, c)
		if err != nil || len(greens) > 0 {
			return greens, err
		}
	}
	return nil, ctx.Err()
}
