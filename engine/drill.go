package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/agent"
	"autocoder/engine/runner"
	"autocoder/engine/testresult"
	"autocoder/engine/verify"
)

// Drill runs the targets of a request as a drill, on a fresh copy. A plain
// function that the program gave as its runner is the program's own word, which
// no edit can forge: its targets need no drill.
func (x *world) Drill(ctx context.Context, req agent.Request, alone bool) (verify.Drilled, error) {
	shown := verify.Drilled{Endings: map[testresult.ID]verify.Ending{}}
	var units []unit
	for _, u := range x.units {
		switch ids := ofUnit(req.IDs, u.Name); {
		case len(ids) == 0:
		case u.plain != nil:
			for _, id := range ids {
				shown.Endings[id] = verify.Ending{How: runner.Ended}
			}
		case u.adapter.Drills == nil:
			shown.Unplaceable = "nothing shows that a failure would still be reported, for in a command of yours (test_command) autocoder can't place tests that must fail, as it does in pytest, go test and node --test"
			return shown, nil
		default:
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		return shown, nil
	}
	b, err := x.newBench(ctx, req.State)
	if err != nil {
		return shown, err
	}
	defer b.close()
	start := x.clock.begin()
	defer x.clock.end()
	for _, u := range units {
		if err := x.drillUnit(ctx, b, u, req, alone, &shown); err != nil {
			return shown, fmt.Errorf("drill %s in %s: %w", u.Runner, u.Root, err)
		}
	}
	if req.Plain {
		shown.Aware = x.asksForTests(units)
	}
	shown.Duration = x.clock.now().Sub(start)
	return shown, nil
}

// asksForTests reports whether a file of a unit, as it was before any edit, names
// what says that its tests run.
func (x *world) asksForTests(units []unit) bool {
	return slices.ContainsFunc(x.shadow.Sources(), func(p string) bool {
		f, err := x.shadow.Read(p)
		return err == nil && slices.ContainsFunc(units, func(u unit) bool {
			own := u.Root == "." || u.Root == "" || strings.HasPrefix(p, u.Root+"/")
			return own && slices.ContainsFunc(u.adapter.Drills.Signs, func(sign string) bool { return bytes.Contains(f.Content, []byte(sign)) })
		})
	})
}

// drillUnit adds what a drill of one unit shows.
func (x *world) drillUnit(ctx context.Context, b *bench, u unit, req agent.Request, alone bool, shown *verify.Drilled) error {
	ids := ofUnit(req.IDs, u.Name)
	d, err := runner.NewDrill(u.adapter, native(ids, u.Name), rand.Reader)
	if err != nil {
		return err
	}
	d.Alone, d.Plain = alone, req.Plain
	d.Failed = map[string]testresult.Place{}
	d.Texts = map[string]string{}
	for _, id := range ids {
		at, ok := req.Failed[id]
		if !ok {
			continue
		}
		d.Failed[id.Native] = at
		f, changed := req.State.Lookup(at.File)
		if !changed {
			if f, err = x.shadow.Read(at.File); err != nil {
				return fmt.Errorf("read the test file %q: %w", at.File, err)
			}
		}
		d.Texts[at.File] = string(f.Content)
	}
	sel := runner.Selection{IDs: d.Targets, Skip: native(req.Skip, u.Name), Drill: d}
	if slices.Contains(req.Whole, u.Name) {
		sel.IDs = nil
	}
	u.LeftOut, u.Withheld = x.snapshot.LeftOut(), x.withheld()
	run, err := runner.RunDrill(ctx, b.cell, u.adapter, u.Unit, sel, x.limits(u.adapter, req))
	if err != nil {
		return err
	}
	shown.Add(d, run, ids)
	return nil
}

// ofUnit returns those of ids that are in the unit.
func ofUnit(ids []testresult.ID, unit string) []testresult.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id testresult.ID) bool { return id.Unit != unit })
}
