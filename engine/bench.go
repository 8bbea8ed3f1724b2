package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"autocoder/engine/sandbox"
	"autocoder/engine/shadow"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// place is a tree to run things in: a fork of the copy, or the user's folder
// itself.
type place interface {
	Dir() string
	Shared() []workspace.Share
	// Set makes the tree the base with a state on it.
	Set(ctx context.Context, state textedit.State) error
	Write(path string, content []byte) error
	Close() error
}

// bench is where things run: a place and a cell that shows it.
type bench struct {
	x       *world
	fork    place
	cell    *sandbox.Cell
	scratch string
	sealed  bool // the build cache, where the fork has no layers
}

// newBench makes a bench that shows the base with state on it: on a layered fork,
// or on a copied one where layers can't be had.
func (x *world) newBench(ctx context.Context, state textedit.State) (*bench, error) {
	if x.copied.Load() {
		fork, err := x.shadow.Fork(ctx, state)
		if err != nil {
			return nil, fmt.Errorf("make a copy to work on: %w", err)
		}
		return x.benchOn(ctx, fork)
	}
	var b *bench
	fork, err := x.shadow.Layered(ctx, state, func() (*os.Root, error) { return b.cell.Files() })
	if err != nil {
		return nil, fmt.Errorf("make a copy to work on: %w", err)
	}
	b, err = x.benchOn(ctx, fork)
	if errors.Is(err, sandbox.ErrNoLayers) {
		x.copied.Store(true)
		return x.newBench(ctx, state)
	}
	return b, err
}

// benchOn makes a bench on a place, which it owns from then on.
func (x *world) benchOn(ctx context.Context, fork place) (*bench, error) {
	scratch, err := os.MkdirTemp(x.scratch, "cell-")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a cell's scratch folder: %w", err), fork.Close())
	}
	shown, err := x.tree(fork)
	if err != nil {
		return nil, errors.Join(err, fork.Close(), os.RemoveAll(scratch))
	}
	s := x.w.settings
	allowed := hosts(s.Network)
	if x.tier == sandbox.Confined {
		allowed = nil // the report says so
	}
	cell, err := sandbox.Open(ctx, sandbox.Config{
		Root: x.w.root, Scratch: scratch, Tier: x.tier, Network: network(s.Network), Allowed: allowed,
		Environ: x.w.options.Environ, PassEnv: passable(s.Env), Writable: []string{x.buildCache},
		Readable: x.readable(), Gentle: x.w.options.Gentle,
		Memory: int64(s.Memory) << 20, Processes: s.Processes,
	}, shown)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open a cell: %w", err), fork.Close(), os.RemoveAll(scratch))
	}
	return &bench{x: x, fork: fork, cell: cell, scratch: scratch}, nil
}

// show makes the bench's fork the base with state on it; what earlier runs left
// there is gone.
func (b *bench) show(ctx context.Context, state textedit.State) error {
	if err := b.fork.Set(ctx, state); err != nil {
		return fmt.Errorf("lay the edit into the copy: %w", err)
	}
	layered, ok := b.fork.(*shadow.Layered)
	if !ok {
		return b.seal(ctx)
	}
	shown, err := b.x.tree(layered)
	if err == nil {
		err = b.cell.Switch(ctx, shown)
	}
	if err != nil {
		return fmt.Errorf("show the edit: %w", err)
	}
	layered.Drop()
	return nil
}

// seal has commands on a copied fork write what was built no more.
func (b *bench) seal(ctx context.Context) error {
	if b.sealed || !b.x.sealed.Load() {
		return nil
	}
	shown, err := b.x.tree(b.fork)
	if err == nil {
		err = b.cell.Switch(ctx, shown)
	}
	if err != nil {
		return fmt.Errorf("seal the build cache: %w", err)
	}
	b.sealed = true
	return nil
}

// close ends everything that runs on the bench and removes it.
func (b *bench) close() error {
	return errors.Join(b.cell.Close(), b.fork.Close(), shadow.RemoveAll(b.scratch))
}

// tree is a fork in the sandbox's words. Once the build cache is sealed it is what
// it was then, whatever commands write to it.
func (x *world) tree(f place) (sandbox.Tree, error) {
	t := sandbox.Tree{Dir: f.Dir()}
	for _, s := range f.Shared() {
		t.Shared = append(t.Shared, sandbox.Shared{Path: s.Path, Source: s.Source})
	}
	if layered, ok := f.(*shadow.Layered); ok {
		t.Layer = layered.Layer()
		for i := range t.Shared {
			t.Shared[i].Layer = layered.SharedLayer(i)
		}
		if x.sealed.Load() {
			layer, err := layered.BesideLayer()
			if err != nil {
				return t, err
			}
			t.Kept = []sandbox.Kept{{Dir: x.buildCache, Layer: layer}}
		}
	}
	if t.Layer == "" && x.sealed.Load() {
		t.Kept = []sandbox.Kept{{Dir: x.buildCache}}
	}
	return t, nil
}

func network(setting []string) sandbox.Network {
	for _, s := range setting {
		switch s {
		case "off":
			return sandbox.NetworkOff
		case "on":
			return sandbox.NetworkOn
		}
	}
	return sandbox.NetworkLoopback
}

// hosts are the single addresses that the setting opens.
func hosts(setting []string) []string {
	return slices.DeleteFunc(slices.Clone(setting), func(word string) bool { return word == "off" || word == "loopback" || word == "on" })
}
