package golang

import (
	"cmp"
	"context"
	"slices"
	"time"

	"autocoder/engine/repair"
)

// confirm runs the targets and the passing tests on a change in processes of its
// own and tells its verdict.
func (e *evaluation) confirm(ctx context.Context, programs []program, c *change) error {
	slow := false
	for _, p := range programs {
		o := e.order(p, p.tests.inOrder(slices.Concat(e.targets[p.tests.ImportPath], e.steady(p.tests))), true)
		o.first = c.ID
		r := result{died: true}
		if err := e.each(ctx, o, []int{c.ID}, func(got result) { r = got }); err != nil {
			return err
		}
		if !r.ok {
			r.id = c.ID
			v := verdict(r, result{})
			if v.Trial == repair.Failed {
				v.Passed = len(e.task.Targets) // they passed in the trial before
			}
			e.done(v)
			return nil
		}
		if c.file.pkg.unordered {
			lucky, err := e.lucky(ctx, p, c)
			if err != nil {
				return err
			}
			if lucky {
				e.done(repair.Verdict{ID: c.ID, Trial: repair.Failed})
				return nil
			}
		}
		// An order's fuel is ten times what the tests took, or enough for any small one.
		slow = slow || r.ticks > o.fuel/patientFuel
	}
	e.done(repair.Verdict{ID: c.ID, Trial: repair.Green, Passed: len(e.task.Targets), Slow: slow})
	return nil
}

// What goes over a map of two comes to the second first once in eight times: so
// often must a change pass again, in one process or, where it leaves something
// behind, in some of their own.
const (
	oftenEnough = 40
	ofTheirOwn  = 8
)

// lucky reports whether the targets fail with a change now and then.
func (e *evaluation) lucky(ctx context.Context, p program, c *change) (bool, error) {
	o := e.order(p, e.targets[p.tests.ImportPath], true)
	o.first = c.ID
	// held is how often it passes in a row in one process.
	held := func(most int) (n int, err error) {
		broken := false
		err = e.each(ctx, o, slices.Repeat([]int{c.ID}, most), func(r result) {
			if broken = broken || !r.ok; !broken {
				n++
			}
		})
		return n, err
	}
	most := oftenEnough
	if _, duration := e.took(p, o.names); duration > 0 {
		most = max(ofTheirOwn, min(most, int(e.task.AtMost(suiteTime, suiteShare)/duration)))
	}
	first, err := held(most)
	if err != nil || first == most {
		return false, err
	}
	if second, err := held(most); err != nil || second != first || first == 0 {
		return true, err
	}
	for range ofTheirOwn {
		if n, err := held(1); err != nil || n == 0 {
			return true, err
		}
	}
	return false, nil
}

// steady are the passing tests of a package that pass when they are run for
// repair: those beside a target, and of the others the quickest, as many as a
// candidate can afford.
func (e *evaluation) steady(p *testPackage) []string {
	beside, alone := e.besides(p)
	took := func(name string) tested { return e.traced.tests[p.ImportPath+"."+testName{test: name}.function()] }
	alone = slices.DeleteFunc(alone, func(name string) bool { return !took(name).ok })
	slices.SortStableFunc(alone, func(a, b string) int { return cmp.Compare(took(a).duration, took(b).duration) })
	most := e.task.AtMost(suiteTime, suiteShare)
	var total time.Duration
	counted := map[string]bool{}
	for i, name := range alone {
		if f := (testName{test: name}).function(); !counted[f] {
			counted[f] = true
			total += took(name).duration
		}
		if total > most {
			return append(beside, alone[:i]...)
		}
	}
	return append(beside, alone...)
}

func functions(names []string) []string { return order{names: names}.functions() }
