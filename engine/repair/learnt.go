package repair

import (
	"context"
	"errors"
	"slices"

	"autocoder/engine/propose"
)

// Learnt returns what the engine found out of where the fault is, for a proposer that
// goes on where it found nothing.
func (p *Proposer) Learnt() propose.Coverage {
	if p.search == nil {
		return propose.Coverage{}
	}
	return p.search.coverage()
}

// Locate finds out where the fault may be, and tries no edit. What it found before an
// error is returned with it.
func (p *Proposer) Locate(ctx context.Context, view propose.View) (propose.Coverage, error) {
	s := newSearch(p.languages, view)
	var failed error
	for _, h := range s.hunts {
		failed = errors.Join(failed, h.locate(ctx, view))
	}
	return s.coverage(), failed
}

// locate runs the tests of the hunt's unit with coverage and ranks their lines.
func (h *hunt) locate(ctx context.Context, view propose.View) (err error) {
	session, err := h.language.Open(ctx, Task{View: view, Unit: h.unit, Targets: h.targets, Passing: h.passing})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if h.spectrum, err = session.Spectrum(ctx); err != nil {
		return err
	}
	if len(h.search.ranking) == 0 {
		h.search.ranking = ranking(h.rank(ctx, view))
	}
	return nil
}

// coverage is what the search knows by running tests: the suspicious lines, and all
// that the failing ones ran.
func (s *search) coverage() propose.Coverage {
	c := propose.Coverage{Suspects: slices.Clone(s.ranking), Lines: map[string][]int{}}
	for _, h := range s.hunts {
		for _, row := range h.spectrum.Rows {
			if !row.Failed {
				continue
			}
			for file, lines := range row.Lines {
				c.Lines[file] = append(c.Lines[file], lines...)
			}
		}
	}
	for file, lines := range c.Lines {
		slices.Sort(lines)
		c.Lines[file] = slices.Compact(lines)
	}
	return c
}
