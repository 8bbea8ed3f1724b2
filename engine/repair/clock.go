package repair

import (
	"context"
	"time"

	"autocoder/engine/propose"
)

// proposedRuns is how often the loop runs what is proposed, before it verifies it.
const proposedRuns = 2

// clock is the time that a search may take.
type clock struct {
	now      func() time.Time
	start    time.Time
	deadline time.Time // zero when there is none
	// end is the deadline of the whole search: a batch that began in time may last until
	// then, since what it has found out would be lost.
	end time.Time
	// compared is when what was found must have been compared, a part of the time that
	// is left for the loop later.
	compared time.Time
	// finish is when the loop's own runs must be over, and run what one of the suite takes.
	finish time.Time
	run    time.Duration
}

// newClock leaves time for the loop to run what will be proposed.
func newClock(ctx context.Context, view propose.View, now func() time.Time) clock {
	c := clock{now: now, start: now()}
	end, ok := ctx.Deadline()
	if !ok {
		return c
	}
	left := end.Sub(c.start)
	keep := min(runsAside*view.Result.Finished()+500*time.Millisecond, time.Duration(aside*float64(left)))
	c.deadline = end.Add(-keep)
	c.end = c.deadline
	c.finish, c.run = end, view.Result.Finished()
	c.compared = c.deadline.Add(keep / forComparing)
	return c
}

// share is a clock that ends earlier.
func (c clock) share(part float64) clock {
	if !c.deadline.IsZero() {
		c.deadline = c.now().Add(time.Duration(part * float64(c.deadline.Sub(c.now()))))
	}
	return c
}

func (c clock) over() bool { return !c.deadline.IsZero() && !c.now().Before(c.deadline) }

// past reports whether more than a part of the time is over.
func (c clock) past(part float64) bool {
	return !c.deadline.IsZero() && float64(c.spent()) > part*float64(c.deadline.Sub(c.start))
}

// left is the time until the end, 0 where there is none.
func (c clock) left() time.Duration {
	if c.deadline.IsZero() {
		return 0
	}
	return max(time.Nanosecond, c.deadline.Sub(c.now()))
}

func (c clock) spent() time.Duration { return c.now().Sub(c.start) }

// limit is ctx with the end of the whole search.
func (c clock) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.end.Sub(c.now()))
}

// room is how many alternatives the loop has time to run, behind the runs of what is
// proposed. One is always told: that there are several must not be kept.
func (c clock) room() int {
	if c.finish.IsZero() || c.run <= 0 {
		return mostAlternatives
	}
	return max(1, min(mostAlternatives, int(c.finish.Sub(c.now())/c.run)-proposedRuns))
}

// comparing is ctx with the end of the time for comparing what was found.
func (c clock) comparing(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.compared.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.compared.Sub(c.now()))
}

const (
	firstBatch, secondBatch, largestBatch = 60, 400, 2000
	afterHanging                          = 120
	// compared is the size of a batch once something is green.
	compared = 150
	// perBatch is how many batches of the longest size the time that is left must
	// be enough for.
	perBatch = 4
	// untimed is the time for a batch where there is no deadline.
	untimed = 10 * time.Second
)

// pace is how fast candidates are tried. A batch costs something in itself (a
// build, in some languages) and something for each candidate (much, where they
// hang): two batches of different size tell them apart.
type pace struct {
	batches  int
	size     int
	duration time.Duration
	// hanging means that many of the last batch ran out of fuel: the next is small, so
	// that what was learnt about their lines counts.
	hanging bool
	// each is what one more candidate takes.
	each time.Duration
}

// took notes what a batch took.
func (p *pace) took(size int, d time.Duration) {
	if p.batches > 0 && size > p.size && d > p.duration {
		p.each = (d - p.duration) / time.Duration(size-p.size)
	}
	p.batches, p.size, p.duration = p.batches+1, size, d
}

// next is the size of the next batch: growing while nothing is green, as far as
// the time allows, and small when there is something to compare with.
func (p *pace) next(c clock, found bool) int {
	size := largestBatch
	switch {
	case found:
		size = compared
	case p.batches == 0:
		size = firstBatch
	case p.batches == 1:
		size = secondBatch
	}
	if p.hanging {
		size = min(size, afterHanging)
	}
	if p.each > 0 {
		most := untimed
		if !c.deadline.IsZero() {
			most = c.deadline.Sub(c.now()) / perBatch
		}
		size = min(size, max(firstBatch, int(most/p.each)))
	}
	return size
}
