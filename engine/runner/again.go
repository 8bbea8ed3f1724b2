package runner

import (
	"cmp"
	"context"
	"slices"
	"time"

	"autocoder/engine/testresult"
)

// Bounds of what runs again at the whole limit. A run that begins with a lowered
// limit is one of many, in which whatever hangs is likely to hang for good.
const (
	mostAgain          = 5
	mostHangs          = mostAgain
	mostHangsIfLowered = 1
	// againShare is the part of all time after which no further one begins.
	againShare = 10
)

// Lowered is the limit of a test once one has hung: a broken edit can hang every
// test, and each would cost the whole limit. It is ten times what the slowest
// finished test took, at least half a second and at most the limit before; when
// none has finished, the least. A test that only needs longer than that is not
// lost: Run gives it the whole limit once.
func Lowered(limit, slowest time.Duration) time.Duration {
	const (
		times = 10
		least = 500 * time.Millisecond
	)
	return min(max(times*slowest, least), limit)
}

// full is the limit of a test before any was lowered.
func (l Limits) full() time.Duration { return cmp.Or(l.Full, l.Test) }

// Loading is the limit of a test to which that of what comes before the tests is
// measured, as the import of modules: no test's hanging makes that any quicker.
func (l Limits) Loading() time.Duration { return l.full() }

// again gives those that hung at a lowered limit one run each at the whole limit:
// behind the first hang a slow test can't be told from a hanging one. Only so
// many get it.
func (r *running) again(ctx context.Context) error {
	hangs := mostHangs
	if r.lowered {
		hangs = mostHangsIfLowered
	}
	start := time.Now()
	for i, id := range r.tooSoon() {
		late := i > 0 && r.limits.Suite > 0 && time.Since(start) > r.limits.Suite/againShare
		if r.stopped || hangs == 0 || late {
			return nil
		}
		alone := running{
			cell: r.cell, adapter: r.adapter, unit: r.unit, end: r.end,
			limits: r.limits, all: testresult.UnitRun{Unit: r.unit.Name},
		}
		alone.limits.Test = r.limits.full()
		if err := alone.round(ctx, Selection{IDs: []string{id}}); err != nil {
			return err
		}
		r.stopped = r.stopped || alone.stopped
		if alone.hung {
			hangs--
		}
		r.replace(id, alone.all)
	}
	return nil
}

// tooSoon are the first ids that hung at less than the whole limit.
func (r *running) tooSoon() []string {
	var ids []string
	for _, t := range r.all.Tests {
		if t.Status == testresult.Hung && t.Duration > 0 && t.Duration < r.limits.full() {
			ids = append(ids, t.ID.Native)
		}
	}
	return ids[:min(len(ids), mostAgain)]
}

// replace puts what the run of a hung test alone showed in the place of its hang;
// it may have turned out to be several tests.
func (r *running) replace(id string, alone testresult.UnitRun) {
	if alone.Reason != testresult.NoReason || len(alone.Tests) == 0 {
		return
	}
	known := map[string]bool{}
	r.all.Tests = slices.DeleteFunc(r.all.Tests, func(t testresult.Test) bool { return t.ID.Native == id })
	for _, t := range r.all.Tests {
		known[t.ID.Native] = true
	}
	for _, t := range alone.Tests {
		if !known[t.ID.Native] {
			r.all.Tests = append(r.all.Tests, t)
		}
	}
}
