package golang

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"autocoder/engine/repair"
)

const (
	// mostBuilds is how many candidates of a batch may have a build of their own, the
	// cheapest ones; more would take the time of thousands of others.
	mostBuilds = 16
	// someBuilds is how many have one in any case. buildTime and buildShare bound the
	// time of the rest.
	someBuilds = 3
	buildTime  = 5 * time.Second
	buildShare = 0.05
)

// Evaluate checks the candidates, builds those that compile into one program, and
// runs them in it.
func (s *session) Evaluate(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	if err := s.measure(ctx); err != nil {
		return err
	}
	var together, byThemselves []*change
	for _, c := range batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		ch := s.see(c)
		switch {
		case ch == nil:
			done(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
		case ch.alone:
			byThemselves = append(byThemselves, ch)
		default:
			together = append(together, ch)
		}
	}
	e := &evaluation{session: s, done: done}
	apart, err := e.together(ctx, together)
	if err != nil {
		return err
	}
	return e.eachByItself(ctx, append(byThemselves, apart...))
}

// see finds what a candidate changes; nil when it does not compile.
func (s *session) see(c repair.Candidate) *change {
	f := s.byPath[c.Path]
	if f == nil {
		return nil
	}
	ch, err := f.see(c)
	if err != nil || ch.check() != nil {
		return nil
	}
	return ch
}

// evaluation is one call of Evaluate.
type evaluation struct {
	*session
	done func(repair.Verdict)
}

// program is a build with candidates in it, for the tests of one package.
type program struct {
	tests *testPackage
	path  string
}

// together tries changes that can share a program, and returns those that can't: the
// compiler names them, or they are what is left when the rest is halved again and again.
func (e *evaluation) together(ctx context.Context, changes []*change) (apart []*change, err error) {
	for len(changes) > 0 {
		var woven layer
		programs, err := e.buildAll(ctx, func() (l layer, err error) { woven, err = e.woven(changes); return woven, err })
		var broken *buildError
		if !errors.As(err, &broken) {
			if err != nil {
				return nil, err
			}
			return apart, e.try(ctx, programs, changes)
		}
		blamed := woven.blamed(broken, changes)
		switch {
		case len(changes) == 1:
			return append(apart, changes...), nil
		case len(blamed) == 0:
			half := len(changes) / 2
			first, err := e.together(ctx, changes[:half])
			if err != nil {
				return nil, err
			}
			apart, changes = append(apart, first...), changes[half:]
		default:
			apart = append(apart, blamed...)
			changes = slices.DeleteFunc(slices.Clone(changes), func(c *change) bool { return slices.Contains(blamed, c) })
		}
	}
	return apart, nil
}

// eachByItself tries the cheapest of changes in programs of their own, as long as there
// is time for that.
func (e *evaluation) eachByItself(ctx context.Context, changes []*change) error {
	slices.SortStableFunc(changes, func(a, b *change) int { return cmp.Compare(a.Cost, b.Cost) })
	started := time.Now()
	for i, c := range changes {
		if i == mostBuilds || i >= someBuilds && time.Since(started) > e.task.AtMost(buildTime, buildShare) {
			for _, c := range changes[i:] {
				e.done(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
			}
			return nil
		}
		if err := e.byItself(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// byItself tries a change in a program of its own.
func (e *evaluation) byItself(ctx context.Context, c *change) error {
	programs, err := e.buildAll(ctx, func() (layer, error) { return e.replaced(c) })
	var broken *buildError
	if errors.As(err, &broken) {
		e.done(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
		return nil
	}
	if err != nil {
		return err
	}
	return e.try(ctx, programs, []*change{c})
}

// buildAll builds the tests of every package with targets on a layer.
func (e *evaluation) buildAll(ctx context.Context, lay func() (layer, error)) ([]program, error) {
	woven, err := lay()
	if err != nil {
		return nil, err
	}
	var out []program
	for _, root := range e.roots {
		p := e.tests[root]
		l := e.support(p, 1)
		for path, content := range woven {
			l[path] = content
		}
		path, err := e.build(ctx, p, l)
		if err != nil {
			return nil, err
		}
		out = append(out, program{p, path})
	}
	return out, nil
}

// try runs the targets on changes, and those that pass once more in a process of
// their own, with the passing tests.
func (e *evaluation) try(ctx context.Context, programs []program, changes []*change) error {
	left := map[int]*change{}
	var ids, patient, early []int
	for _, c := range changes {
		left[c.ID] = c
		switch {
		case e.early(c):
			early = append(early, c.ID)
		case c.Patient:
			patient = append(patient, c.ID)
		default:
			ids = append(ids, c.ID)
		}
	}
	var green []int
	survive := func(r result) { green = append(green, r.id) }
	for i, p := range programs {
		if i > 0 {
			ids, patient, early = keep(ids, green), keep(patient, green), keep(early, green)
		}
		green = nil
		for _, part := range []struct {
			ids     []int
			patient bool
			single  bool
		}{{ids, false, false}, {patient, true, false}, {early, false, true}} {
			if err := e.targetsOf(ctx, p, part.ids, part.patient, part.single, survive); err != nil {
				return err
			}
		}
	}
	for _, id := range green {
		if err := e.confirm(ctx, programs, left[id]); err != nil {
			return err
		}
	}
	return nil
}

func keep(ids, of []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(of, id) })
}

// early reports whether the function of a change runs before the tests do, when
// no candidate can be chosen any more.
func (e *evaluation) early(c *change) bool {
	return c.fn != nil && e.ranEarly(c.file, c.fn)
}
