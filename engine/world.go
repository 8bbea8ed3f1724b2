package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"autocoder/engine/event"
	"autocoder/engine/sandbox"
	"autocoder/engine/shadow"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// world is what one run works with: the copy, the cells on it, and the units
// that were found in it. It is gone when the run is.
type world struct {
	w     *Workspace
	guard *workspace.Guard
	tier  sandbox.Tier
	// snapshot is the plan of the copy, and shadow the copy.
	snapshot *workspace.Snapshot
	shadow   *shadow.Shadow
	copy     shadow.Config // how the shadow was made
	// scratch holds the cells' scratch folders, buildCache what builds of this run
	// left for each other.
	scratch, buildCache string
	units               []unit
	// place is the user's folder, when attempts run in it; else nil.
	place *inPlace
	// suite is the bench that the loop's own runs use.
	suite *bench
	// sealed is whether nothing that commands build is kept any more: so from the
	// first edit on.
	sealed atomic.Bool
	// wide is whether commands may read everything, as long as tools are looked for.
	wide bool
	// oneLook is whether one bench is all that is wanted.
	oneLook bool
	// copied is whether forks are copies: where layers can't be had, or won't do.
	copied  atomic.Bool
	clock   *stopwatch
	changed recentLines
	// copying is how long the copy took.
	copying time.Duration
}

// openWorld copies the project and opens the bench of the suite. tier is what
// the sandbox can do here. A world for one look only has no other bench.
func (w *Workspace) openWorld(ctx context.Context, tier sandbox.Tier, oneLook bool) (_ *world, err error) {
	x := &world{w: w, tier: tier, oneLook: oneLook, wide: true, clock: &stopwatch{now: w.options.Now}}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.close())
		}
	}()
	s := w.settings
	if x.guard, err = workspace.NewGuard(s.Protect, s.Allow); err != nil {
		return nil, err
	}
	shadows, err := w.copies()
	if err != nil {
		return nil, err
	}
	start := w.options.Now()
	w.emit(event.Event{Kind: event.PhaseChanged, Text: "reading the project"})
	x.snapshot, err = workspace.Scan(ctx, workspace.Config{
		Root: w.root, Buffers: w.buffers, Include: s.Include, Share: s.Share, Home: w.options.Home,
		Skip: []string{w.options.CacheDir, w.options.StateDir},
	})
	if err != nil {
		return nil, err
	}
	if _, err := shadow.Sweep(shadows); err != nil {
		w.emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf("old copies could not be removed: %v", err)})
	}
	x.copy = shadow.Config{
		Cache: shadows, LinkShared: tier == sandbox.Confined, CopyShared: tier == sandbox.Supervised,
	}
	if tier == sandbox.Isolated {
		x.copy.Memory = shadow.MemoryFolder()
	}
	x.shadow, err = w.options.Bases.open(ctx, x.snapshot, x.copy)
	if err != nil {
		return nil, fmt.Errorf("copy %q: %w", w.root, err)
	}
	x.scratch = filepath.Join(x.shadow.Dir(), "scratch")
	x.buildCache = filepath.Join(x.shadow.Dir(), "build-cache")
	for _, dir := range []string{x.scratch, x.buildCache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a folder of the run: %w", err)
		}
	}
	// A function that runs tests is given a folder, not a cell.
	x.copied.Store(tier != sandbox.Isolated || len(w.options.Runners) > 0)
	if x.suite, err = x.firstBench(ctx); err != nil {
		return nil, err
	}
	x.copying = w.options.Now().Sub(start)
	w.emit(event.Event{Kind: event.RunStarted, Text: w.root, Detail: x.shadow.Dir()})
	return x, nil
}

// firstBench is the bench of the suite.
func (x *world) firstBench(ctx context.Context) (*bench, error) {
	if !x.oneLook || !x.copied.Load() {
		return x.newBench(ctx, textedit.State{})
	}
	fork, err := x.shadow.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("make a copy to work on: %w", err)
	}
	return x.benchOn(ctx, fork)
}

// close ends everything that runs and removes the copy.
func (x *world) close() (err error) {
	if x.suite != nil {
		err = errors.Join(err, x.suite.close())
	}
	switch kept := x.w.options.Bases; {
	case x.shadow == nil:
		return err
	case kept == nil || err != nil || x.oneLook && x.copied.Load():
		return errors.Join(err, x.shadow.Close())
	default:
		return kept.keep(x.copy, x.shadow, x.scratch, x.buildCache)
	}
}
