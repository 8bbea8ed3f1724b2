package engine

import (
	"context"
	"runtime"

	"autocoder/engine/propose"
	"autocoder/engine/runner/gotest"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// view returns what a proposer sees of the world when the current state is
// state; the loop fills in what only it knows,
// and closes the cells that a proposer forgets.
func (x *world) view(state textedit.State) propose.View {
	v := propose.View{
		Files:    x.shadow.Sources(),
		Editable: x.guard.Editable,
		Recent:   x.recent,
		Changes:  x.changes,
		Cells:    runtime.NumCPU(),
		Confined: x.tier == sandbox.Isolated || x.tier == sandbox.Confined,
		Cell:     func(ctx context.Context) (*propose.Cell, error) { return x.lease(ctx, state) },
	}
	for _, u := range x.units {
		if u.Reason == testresult.NoReason && u.plain == nil {
			u = x.leased(u)
			v.Units = append(v.Units, propose.Unit{
				Name: u.Name, Root: u.Root, Runner: u.Runner, Interpreter: u.Interpreter, Env: u.Env,
			})
		}
	}
	return v
}

// leased is a unit as it is to be run in a bench of its own: what it builds there goes
// with the bench.
func (x *world) leased(u unit) unit {
	if u.Runner == gotest.Name && x.copied.Load() {
		u.Env = u.uncached
		u.Unit = gotest.WithHomeCache(u.Unit, x.built())
	}
	return u
}

// lease gives a proposer a bench of its own on the current state.
func (x *world) lease(ctx context.Context, state textedit.State) (*propose.Cell, error) {
	x.sealed.Store(true)
	b, err := x.newBench(ctx, state)
	if err != nil {
		return nil, err
	}
	return &propose.Cell{
		Starter: b.cell, Root: b.cell.Root(), Scratch: b.cell.Scratch(),
		Write: b.fork.Write,
		Close: b.close,
	}, nil
}
