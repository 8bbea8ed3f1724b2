package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/propose"
	"autocoder/engine/repair/localise"
	"autocoder/engine/repair/mutate"
	"autocoder/engine/repair/node"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

const (
	// cut is the cost beyond which no edit is tried.
	cut = 4.0
	// enough is how many green candidates are worth comparing.
	enough = 8
	// atLeast is how long the search goes on after the first green one, and further
	// the share of the time spent until then, when that is more.
	atLeast = time.Second
	further = 0.2
	// beside is how many more candidates are worth slowly times that long, where trials
	// take their time.
	beside, slowly = 300, 4
	// unlikely is the rank from which a green candidate is rather one that happens to make
	// the tests pass: besideUnlikely and furtherUnlikely are then in the place of beside and
	// further, and it is never the only answer.
	unlikely                        = 1.2
	besideUnlikely, furtherUnlikely = 1500, 1.0
	// placed is how much where a green edit is counts when it is compared with others.
	placed = 0.3
	// slowed puts what makes the tests take ten times as long behind everything else.
	slowed = 5.0
	// documented brings what makes examples in the documentation hold before what does not.
	// What leaves one of them wrong is hardly the repair: each one more counts too.
	documented           = 1.2
	eachMore, mostGained = 0.4, 4
	// hangs is after how many candidates out of fuel a line is put back, and again
	// after four times as many, and so on.
	hangs = 3
	// mostNearly is how many candidates that lose a test in the session's own trial are
	// run by the project's command.
	mostNearly = 6
	// asking is the share of the time after which that is done once before the end.
	asking = 0.35
	// patient is how many candidates that ran out of fuel get a second trial.
	patient = 150
)

// What a line's remaining edits gain or lose by what was seen of the others.
const (
	gainPassed  = 0.4
	gainChanged = 0.15
	gainGreen   = 0.7
	lossHanging = 0.6
)

// hunt is the search in one unit, for some of its targets.
type hunt struct {
	search           *search
	language         Language
	unit             propose.Unit
	targets, passing []testresult.ID
	// unsure means that what is found may hide the fault.
	unsure bool

	// session is open between the hunt's turns, and pace what was seen of its speed.
	// earlier is the last session of the hunt, or of the one that it is a part of.
	session  Session
	earlier  Session
	pace     pace
	spectrum localise.Spectrum
	files    map[string]*source
	stream   *mutate.Stream
	next     int
	// doubtful are green candidates that are more likely to silence than to repair.
	doubtful   []green
	suspicious map[int]bool
	// places are the parts of the candidates' costs that are due to their lines.
	places map[int]float64
	// starved are the candidates that ran out of fuel.
	starved []Candidate
	// failed are candidates that were tried, the cheapest first, improving those that
	// make more assertions pass, and double the numbers of those made of two.
	failed    []Candidate
	improving []improved
	double    map[int]bool
	// paired means that two edits together were tried.
	paired bool
	// contradicting counts those that make the tests pass and break an example in the
	// documentation that held: no repair, whatever the tests say.
	contradicting int
	// nearly are those that make the targets pass and lose another test, and asked means
	// that the project's own command was asked about them in the middle of the search.
	nearly []Candidate
	asked  bool
	hung   int // how many candidates ran out of fuel
	lines  map[line]*seen
	// ended means that time was over in the middle of a batch: the session is of no
	// more use.
	ended bool
	done  bool
	// whole means that the hunt is for all targets of its unit; parts are then those
	// for groups of them.
	whole bool
	parts []*hunt
	// left is how many candidates may still be tried in this turn, paused that they
	// were not enough, and unbound that there was no such bound.
	left            int
	paused, unbound bool
}

// source is a file that is edited.
type source struct {
	info *node.Info
	hash textedit.Hash
}

type line struct {
	path string
	n    int
}

// seen is what the candidates of a line showed.
type seen struct {
	passed, hung int
	changed      bool
}

// turn is the hunt's part in a round.
func (h *hunt) turn(ctx context.Context, view propose.View, c clock) error {
	if h.done || h.unbound {
		return nil
	}
	return h.run(ctx, view, c)
}

// bound sets what this turn may take. Where nothing waits for its turn that is
// everything.
func (h *hunt) bound(c clock) clock {
	last := h.search.round == rounds-1
	switch {
	case h.whole && len(h.targets) > 1 && (last || !h.apart()):
		c = c.share(forWhole)
	case h.whole && h.apart() && h.common():
		c = c.share(inCommon)
	case h.whole && h.apart():
		c = c.share(inTurn)
	}
	h.paused, h.unbound = false, last || h.whole && !h.apart()
	h.left = math.MaxInt
	if !h.unbound {
		h.left = together
		switch {
		case h.whole && h.common():
			h.left = most
		case h.common():
			h.left = more
		}
		h.left <<= 2 * h.search.round
	}
	return c
}

// run searches in the hunt's session. What is green becomes offers.
func (h *hunt) run(ctx context.Context, view propose.View, c clock) (err error) {
	if h.stream == nil && view.Recent != nil {
		var recent sync.WaitGroup
		recent.Go(func() { view.Recent(ctx, "") }) // the world remembers what it finds until it is needed
		defer recent.Wait()
	}
	session, err := h.enter(ctx, view, c.left())
	if err != nil {
		return h.broken(ctx, fmt.Errorf("start %s repair of %s: %w", h.language.Name(), place(h.unit), err))
	}
	defer func() {
		if err != nil || h.ended || h.done {
			err = errors.Join(err, h.broken(ctx, h.leave()))
		}
	}()
	h.ended = false
	if h.stream == nil {
		if err := h.prepare(ctx, view, session); err != nil {
			return h.broken(ctx, err)
		}
		if h.whole {
			h.parts = h.groups(view)
		}
	}
	greens, err := h.hunt(ctx, view, session, h.bound(c))
	if err != nil && len(greens) == 0 {
		return h.broken(ctx, err)
	}
	if len(greens) == 0 && !h.paused {
		greens, h.doubtful = h.doubtful, nil
	}
	if len(greens) > 0 {
		h.unbound = false // there is more when these are refused
		comparing, cancel := c.comparing(ctx)
		defer cancel()
		h.offer(comparing, view, session, greens, c.room)
	}
	return nil
}

// broken ends the hunt for good on an error that is not the end of time or
// budget: another unit may do better, and the summary tells.
func (h *hunt) broken(ctx context.Context, err error) error {
	var exceeded *budget.Exceeded
	if err == nil || errors.As(err, &exceeded) || ctx.Err() != nil {
		return err
	}
	h.done = true
	h.search.notes = append(h.search.notes, err.Error())
	return nil
}

// hunt tries candidates, best first, in growing batches, until enough are green.
func (h *hunt) hunt(ctx context.Context, view propose.View, session Session, c clock) ([]green, error) {
	var greens []green
	var until, last time.Time
	p := &h.pace
	others, worth := 0, beside // tried since something was green, and how many are to be
	for len(greens) < enough {
		if err := ctx.Err(); err != nil {
			return greens, err
		}
		if c.over() || h.ended || len(greens) > 0 && !c.now().Before(until) && (others >= worth || !c.now().Before(last)) {
			return greens, nil
		}
		if len(greens) == 0 && len(h.nearly) > 0 && !h.asked && c.past(asking) {
			h.asked = true
			if greens, err := h.confirm(ctx, view, c); err != nil || len(greens) > 0 {
				return greens, err
			}
		}
		if len(greens) == 0 && c.past(singles) {
			if greens, err := h.pairs(ctx, view, session, c); err != nil || len(greens) > 0 {
				return greens, err
			}
		}
		if h.left <= 0 && len(greens) == 0 {
			h.paused = true
			return nil, nil
		}
		size := p.next(c, len(greens) > 0)
		if len(greens) == 0 {
			size = min(size, h.left)
		}
		h.left -= size
		batch := h.batch(size)
		if len(batch) == 0 {
			if len(greens) > 0 {
				return greens, nil
			}
			if greens, err := h.confirm(ctx, view, c); err != nil || len(greens) > 0 {
				return greens, err
			}
			if greens, err := h.pairs(ctx, view, session, c); err != nil || len(greens) > 0 {
				return greens, err
			}
			return h.again(ctx, view, session, c)
		}
		started, hung := c.now(), h.hung
		found, err := h.try(ctx, view, session, batch, c)
		p.took(len(batch), c.now().Sub(started))
		p.hanging = (h.hung-hung)*4 > len(batch)
		switch {
		case len(greens) > 0:
			others += len(batch)
		case len(found) > 0:
			share := further
			if found[0].rank >= unlikely {
				worth, share = besideUnlikely, furtherUnlikely
			}
			more := max(atLeast, time.Duration(share*float64(c.spent())))
			until, last = c.now().Add(more), c.now().Add(slowly*more)
			h.closer(found)
		}
		greens = append(greens, found...)
		slices.SortStableFunc(greens, func(a, b green) int { return cmp.Compare(a.rank, b.rank) })
		if err != nil {
			return greens, err
		}
	}
	return greens, nil
}
