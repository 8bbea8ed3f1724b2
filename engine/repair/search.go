package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/propose"
	"autocoder/engine/repair/mutate"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

const (
	// shownSuspects is how many suspects a proposal lists.
	shownSuspects = 10
	// aside is the share of the time that is left for the loop's own runs of what is
	// proposed, at most, and runsAside how many runs of the suite that are.
	aside     = 0.4
	runsAside = 4
	// forComparing is the part of that time which comparing what was found may take.
	forComparing = 4
	// forWhole is the share of the time in which an edit for all targets together is
	// looked for, when there are several; inTurn the same while groups of targets
	// that fail differently wait for their turn, and inCommon where all of them run a
	// function that may be at fault.
	forWhole = 0.8
	inTurn   = 0.25
	inCommon = 0.6
	// together is how many edits for all targets are tried before each of such groups
	// is searched for by itself, with as many, and then four times as many of each.
	// more is the same for a group whose targets all run a function that may be at
	// fault, and most when all targets do: one bug is likelier then than several.
	together, more, most = 150, 450, 2500
	// rounds is how often hunts take turns; the last round is without bound.
	rounds = 3
)

// search is what is known about one state of the project: what was found in it
// and where the search stopped.
type search struct {
	hunts []*hunt
	// open are the hunts with an open session, the one that was used last at the end.
	open    []*hunt
	ranking []propose.Suspect
	offers  []propose.Proposal
	targets []testresult.ID
	files   map[string]textedit.Hash
	// tried counts candidates over all hunts, and earlier those of the searches before
	// this one in the run.
	tried, earlier int
	// round is how often every hunt has had its turn.
	round int
	// partial means that a group of the targets is being repaired by itself.
	partial bool
	// notes say what went wrong, for the summary.
	notes []string
}

// newSearch begins a search for the targets of every unit that a language
// handles.
func newSearch(languages []Language, view propose.View) *search {
	s := &search{targets: view.Result.NotPassing(view.Targets), files: map[string]textedit.Hash{}}
	passing := view.Result.Passing()
	for _, u := range view.Units {
		of := func(ids []testresult.ID) []testresult.ID {
			return slices.DeleteFunc(slices.Clone(ids), func(id testresult.ID) bool { return id.Unit != u.Name })
		}
		targets := of(s.targets)
		k := slices.IndexFunc(languages, func(l Language) bool { return l.Handles(view, u) })
		if len(targets) == 0 || k < 0 {
			continue
		}
		s.hunts = append(s.hunts, &hunt{search: s, whole: true, language: languages[k], unit: u, targets: targets, passing: of(passing)})
	}
	return s
}

// stands reports whether the search is about the state and the targets of view.
func (s *search) stands(view propose.View) bool {
	if !slices.Equal(s.targets, view.Result.NotPassing(view.Targets)) {
		return false
	}
	for path, hash := range s.files {
		if f, err := view.Read(path); err != nil || f.Hash() != hash {
			return false
		}
	}
	return true
}

// run searches until something can be offered, or nothing is left, or time is
// over.
func (s *search) run(ctx context.Context, view propose.View, now func() time.Time) error {
	clock := newClock(ctx, view, now)
	defer s.leave()
	for ; s.round < rounds; s.round++ {
		if err := s.turns(ctx, view, clock); err != nil || len(s.offers) > 0 {
			return err
		}
		if clock.over() {
			return fmt.Errorf("%s: %w", s.summary(view), &budget.Exceeded{What: budget.Time, Limit: clock.spent().Round(time.Second).String()})
		}
	}
	return nil
}

// turns lets every hunt search, those for all targets of a unit first, and then
// those for groups of them.
func (s *search) turns(ctx context.Context, view propose.View, c clock) error {
	var parts []*hunt
	s.partial = false
	for _, h := range s.hunts {
		if err := h.turn(ctx, view, c); err != nil || len(s.offers) > 0 {
			return err
		}
		if h.apart() || s.round == rounds-1 {
			parts = append(parts, h.parts...)
		}
	}
	s.partial = true
	for k, h := range parts {
		part := c
		if s.round < rounds-1 {
			part = c.share(1 / float64(len(parts)-k+1))
		}
		if err := h.turn(ctx, view, part); err != nil || len(s.offers) > 0 {
			return err
		}
	}
	return nil
}

// summary says what was tried, for people.
func (s *search) summary(view propose.View) string {
	places := map[string]bool{}
	for _, r := range s.ranking {
		places[r.File] = true
	}
	text := fmt.Sprintf("%d single edits were tried", s.total(view))
	if len(places) > 0 {
		text += fmt.Sprintf(" on the suspicious lines of %d files", len(places))
	}
	contradicting := 0
	for _, h := range s.hunts {
		contradicting += h.contradicting
	}
	if contradicting > 0 {
		text += fmt.Sprintf("; %d of them make the tests pass and break what an example in the documentation says", contradicting)
	}
	return strings.Join(append([]string{text}, s.notes...), "; ")
}

// charge reserves the cost of a batch and reports how many were tried.
func (s *search) charge(view propose.View, n int) error {
	if view.Reserve != nil {
		if err := view.Reserve(budget.Cost{Candidates: n}); err != nil {
			return fmt.Errorf("try %d more candidates: %w", n, err)
		}
	}
	s.tried += n
	if view.Emit != nil {
		view.Emit(event.Event{Kind: event.CandidatesTried, N: s.total(view)})
	}
	return nil
}

// total is how many candidates the run has tried: the one number that progress,
// proposals and the report tell.
func (s *search) total(view propose.View) int {
	if view.Tried != nil {
		return view.Tried()
	}
	return s.earlier + s.tried
}

// options are those of a stream in this view.
func options(view propose.View, near []string) mutate.Options {
	return mutate.Options{Cut: cut, Near: near, Careful: !view.Confined}
}
