package verify

import (
	"context"

	"autocoder/engine/testresult"
)

// Probe runs tests on one tree: those named, or the whole suite when ids is nil.
type Probe func(ctx context.Context, ids []testresult.ID) (testresult.Result, error)

// Doubt is a set of ids that look worse in one run of the whole suite than in
// another, before it is known whether they are.
type Doubt struct {
	// Best and Next are the two runs.
	Best, Next testresult.Result
	// Suspects are the ids that look worse in Next.
	Suspects []testresult.ID
	// Here runs tests on the tree of Next, There on that of Best.
	Here, There Probe
}

// Confirmation says what became of the suspects: each is in one of the lists.
type Confirmation struct{ Worse, Flaky, Unstable []testresult.ID }

// Confirm runs the suspects again. An id counts as worse only when it is worse
// again on the new tree and as it was on the old one. The suspects are run alone
// first, which settles most of them cheaply; an id that this leaves open is
// settled by two identical runs of the whole suite, because only those can call
// it flaky: it may fail in company alone. An id that hung is not run again.
func Confirm(ctx context.Context, d Doubt) (Confirmation, error) {
	var c Confirmation
	var open []testresult.ID
	for _, id := range d.Suspects {
		if d.Next.Lookup(id).Status == testresult.Hung {
			c.Worse = append(c.Worse, id)
			continue
		}
		open = append(open, id)
	}
	alone, err := d.again(ctx, open, open)
	if err != nil {
		return Confirmation{}, err
	}
	c.Worse = append(c.Worse, alone.Worse...)
	open = testresult.Without(open, testresult.Set(c.Worse))
	together, err := d.again(ctx, open, nil)
	if err != nil {
		return Confirmation{}, err
	}
	c.Worse = append(c.Worse, together.Worse...)
	c.Flaky, c.Unstable = together.Flaky, together.Unstable
	return c, nil
}

// again runs the selection on both trees and sorts the suspects by what they
// show there.
func (d Doubt) again(ctx context.Context, suspects, selection []testresult.ID) (Confirmation, error) {
	var c Confirmation
	if len(suspects) == 0 {
		return c, nil
	}
	here, err := d.Here(ctx, selection)
	if err != nil {
		return c, err
	}
	var red []testresult.ID
	for _, id := range suspects {
		if here.Lookup(id).Status.WorseThan(d.Best.Lookup(id).Status) {
			red = append(red, id)
			continue
		}
		c.differs(id, d.Next, here)
	}
	if len(red) == 0 {
		return c, nil
	}
	if selection != nil {
		selection = red
	}
	there, err := d.There(ctx, selection)
	if err != nil {
		return c, err
	}
	for _, id := range red {
		if there.Lookup(id).Status.WorseThan(d.Best.Lookup(id).Status) {
			c.differs(id, d.Best, there)
			continue
		}
		c.Worse = append(c.Worse, id)
	}
	return c, nil
}

// differs files an id that two runs of one tree show differently.
func (c *Confirmation) differs(id testresult.ID, a, b testresult.Result) {
	if a.Lookup(id).Status == testresult.Missing || b.Lookup(id).Status == testresult.Missing {
		c.Unstable = append(c.Unstable, id)
		return
	}
	c.Flaky = append(c.Flaky, id)
}
