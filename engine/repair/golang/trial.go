package golang

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"autocoder/engine/repair"
)

// Fuel is counted in rounds of loops and calls. Tests that need more by
// themselves get more.
const (
	leastFuel = 50_000
	// ample is how much more a candidate gets than the tests took as they are.
	ample = 10
	// patientFuel is how much more a patient one gets.
	patientFuel = 50
	softTime    = 800 * time.Millisecond
	patientTime = 4 * time.Second
	longer      = 1200 * time.Millisecond
	// suiteTime and suiteShare bound what the passing tests of a candidate may take.
	suiteTime  = 2 * time.Second
	suiteShare = 0.06
)

// result is what a candidate did in one trial.
type result struct {
	id               int
	ok, spent, died  bool
	passed, progress int
	ticks            int64
	how              string
}

// targetsOf runs the targets of one package on candidates and tells the verdict of
// those that fail.
func (e *evaluation) targetsOf(ctx context.Context, p program, ids []int, patient, single bool, survive func(result)) error {
	if len(ids) == 0 {
		return nil
	}
	o := e.order(p, e.targets[p.tests.ImportPath], patient)
	if !single && !e.state.lasting {
		left, err := e.inOneProcess(ctx, o, ids, survive)
		if err != nil || len(left) == 0 {
			return err
		}
		e.state.lasting = 2*len(left) > len(ids)
		ids = left
	}
	base := result{}
	if err := e.each(ctx, o, []int{0}, func(r result) { base = r }); err != nil {
		return err
	}
	for _, id := range ids {
		o.first = id
		if err := e.each(ctx, o, []int{id}, func(r result) { e.tell(r, base, survive) }); err != nil {
			return err
		}
	}
	return nil
}

// between is how many candidates run before the code as it is runs once more.
const between = 100

// inOneProcess runs candidates one after the other, with the code as it is before
// them, among them and behind them. Where that is not steady they have left something
// behind: what ran there is returned.
func (e *evaluation) inOneProcess(ctx context.Context, o order, ids []int, survive func(result)) (left []int, err error) {
	all := []int{0}
	for part := range slices.Chunk(ids, between) {
		all = append(append(all, part...), 0)
	}
	var results []result
	if err := e.each(ctx, o, all, func(r result) { results = append(results, r) }); err != nil {
		return nil, err
	}
	steady := func(r result) bool { return e.state.random || alike(r, results[0]) }
	for _, r := range results {
		if r.id != 0 || steady(r) {
			continue
		}
		if e.state.random, err = e.differs(ctx, o); err != nil {
			return nil, err
		}
		break
	}
	before := 0
	for i := 1; i < len(results); i++ {
		if results[i].id != 0 {
			continue
		}
		for _, r := range results[before+1 : i] {
			if steady(results[before]) && steady(results[i]) {
				e.tell(r, results[0], survive)
			} else {
				left = append(left, r.id)
			}
		}
		before = i
	}
	return left, nil
}

// alike reports whether two trials came as far.
func alike(a, b result) bool {
	a.ticks = b.ticks
	return a == b
}

// fresh is how many processes show whether the tests do the same each time.
const fresh = 6

// differs reports whether the code as it is does something else in every process, as
// where a test goes over a map: then nothing was left behind.
func (e *evaluation) differs(ctx context.Context, o order) (bool, error) {
	var first result
	for k := range fresh {
		var base result
		if err := e.each(ctx, o, []int{0}, func(r result) { base = r }); err != nil {
			return false, err
		}
		if k == 0 {
			first = base
		}
		if !alike(base, first) {
			return true, nil
		}
	}
	return false, nil
}

// tell tells the verdict of a result, unless it is green so far.
func (e *evaluation) tell(r, base result, survive func(result)) {
	if r.ok {
		survive(r)
		return
	}
	e.done(verdict(r, base))
}

// verdict tells a result that is not green.
func verdict(r, base result) repair.Verdict {
	v := repair.Verdict{ID: r.id, Trial: repair.Failed, Passed: max(0, r.progress-base.progress), Changed: r.progress != base.progress || r.how != base.how, Further: r.progress > base.progress}
	switch {
	case r.spent:
		v.Trial = repair.OutOfFuel
	case r.died:
		v.Trial = repair.Died
	}
	return v
}

// took is what the tests of a package took as they are: all of them, in rounds and calls,
// since one that fails may end long before it would, and of the time what those with names
// took, or the slowest one.
func (e *evaluation) took(p program, names []string) (ticks int64, duration time.Duration) {
	var slowest time.Duration
	functions := functions(names)
	for name, t := range e.traced.tests {
		n, ok := split(name)
		if !ok || n.pkg != p.tests.ImportPath || !t.whole {
			continue
		}
		ticks += t.ticks
		slowest = max(slowest, t.duration)
		if slices.Contains(functions, n.test) {
			duration += t.duration
		}
	}
	return ticks, max(duration, slowest)
}

// order is the order for some tests, without candidates.
func (e *evaluation) order(p program, names []string, patient bool) order {
	ticks, duration := e.took(p, names)
	o := order{
		tests: p.tests, program: p.path, names: names,
		fuel: max(leastFuel, ample*ticks), soft: max(softTime, ample*duration),
	}
	if patient {
		o.fuel *= patientFuel
		o.soft = max(patientTime, o.soft)
	}
	o.patience = o.soft + longer
	return o
}

// each runs candidates in as few processes as there can be: after one that ends
// the process it goes on with the next.
func (e *evaluation) each(ctx context.Context, o order, ids []int, take func(result)) error {
	for len(ids) > 0 {
		o.ids = ids
		n, started := 0, false
		died := result{died: true}
		err := e.run(ctx, o, func(f []string) {
			switch f[0] {
			case "S":
				started = true
			case "P", "O":
				died.spent = true
			case "R":
				if r, ok := readResult(f); ok && n < len(ids) && r.id == ids[n] {
					take(r)
					n++
					started, died.spent = false, false
				}
			}
		})
		if err != nil {
			return err
		}
		if n == len(ids) {
			return nil
		}
		if n > 0 && started && !died.spent {
			// What an earlier one left running may have ended it.
			ids = ids[n:]
			continue
		}
		died.id = ids[n]
		take(died)
		ids = ids[n+1:]
	}
	return nil
}

func readResult(f []string) (result, bool) {
	if len(f) != 8 {
		return result{}, false
	}
	id, err := strconv.Atoi(f[1])
	passed, err2 := strconv.Atoi(f[4])
	progress, err3 := strconv.Atoi(f[5])
	ticks, err4 := strconv.ParseInt(f[6], 10, 64)
	return result{
		id: id, ok: f[2] == "true", spent: f[3] == "true", passed: passed, progress: progress, ticks: ticks, how: f[7],
	}, errors.Join(err, err2, err3, err4) == nil
}
