package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"autocoder/engine/shadow"
	"autocoder/engine/workspace"
)

// Bases keep the copies of the projects that a process works on from one run to
// the next, so that a later run copies only what has changed. The zero value is
// ready; nil keeps none. Whoever made them closes them.
type Bases struct {
	mu   sync.Mutex // guards kept
	kept []base     // the latest last
}

// base is a copy that no run works with.
type base struct {
	root   string
	config shadow.Config
	shadow *shadow.Shadow
}

// maxBases is how many copies are kept, which take as much disk as the projects.
const maxBases = 4

// open makes a copy of what a snapshot found, from a kept one where there is one
// that can follow.
func (b *Bases) open(ctx context.Context, snap *workspace.Snapshot, config shadow.Config) (*shadow.Shadow, error) {
	if kept := b.take(snap.Root(), config); kept != nil {
		err := kept.Follow(ctx, snap)
		if err == nil {
			return kept, nil
		}
		if e := errors.Join(ctx.Err(), kept.Close()); e != nil {
			return nil, e
		}
	}
	return shadow.Open(ctx, snap, config)
}

func (b *Bases) take(root string, config shadow.Config) *shadow.Shadow {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, k := range b.kept {
		if k.root == root && k.config.Cache == config.Cache && k.config.Memory == config.Memory && k.config.LinkShared == config.LinkShared && k.config.CopyShared == config.CopyShared {
			b.kept = append(b.kept[:i:i], b.kept[i+1:]...)
			return k.shadow
		}
	}
	return nil
}

// keep takes a copy that a run is done with; all that is beside the base in it is
// removed.
func (b *Bases) keep(config shadow.Config, s *shadow.Shadow, beside ...string) error {
	for _, dir := range beside {
		if err := shadow.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return errors.Join(fmt.Errorf("tidy up a kept copy: %w", err), s.Close())
		}
	}
	b.mu.Lock()
	b.kept = append(b.kept, base{s.Root(), config, s})
	var over *shadow.Shadow
	if len(b.kept) > maxBases {
		over, b.kept = b.kept[0].shadow, b.kept[1:]
	}
	b.mu.Unlock()
	if over == nil {
		return nil
	}
	return over.Close()
}

// Close removes what is kept.
func (b *Bases) Close() error {
	b.mu.Lock()
	kept := b.kept
	b.kept = nil
	b.mu.Unlock()
	var err error
	for _, k := range kept {
		err = errors.Join(err, k.shadow.Close())
	}
	return err
}
