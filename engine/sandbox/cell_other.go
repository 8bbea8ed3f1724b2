//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"autocoder/engine/command"
)

// confinementHere is whether this system has tiers above supervised.
const confinementHere = false

// Cell is a place where commands run on one tree at a time. Here there is only
// the supervised tier, without a supervisor of its own. Its methods may be
// called at the same time.
type Cell struct {
	config    Config
	home, tmp string

	mu        sync.Mutex // guards the fields below
	tree      Tree
	processes map[*process]bool
	closed    bool
}

// Open starts a cell on tree.
func Open(ctx context.Context, c Config, tree Tree) (*Cell, error) {
	if err := errors.Join(ctx.Err(), c.check(), tree.check(), noLayer(tree)); err != nil {
		return nil, err
	}
	if c.Tier != Supervised {
		return nil, fmt.Errorf("open %v cell: not available on this system", c.Tier)
	}
	cell := &Cell{
		config: c, tree: tree, processes: map[*process]bool{},
		home: filepath.Join(c.Scratch, "home"), tmp: filepath.Join(c.Scratch, "tmp"),
	}
	for _, dir := range []string{cell.home, cell.tmp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open cell: %w", err)
		}
	}
	return cell, nil
}

// Reads reports whether commands may read a host path.
func (c *Cell) Reads(string) bool { return true }

// noLayer refuses a tree with a layer.
func noLayer(t Tree) error {
	if t.Layer != "" {
		return ErrNoLayers
	}
	return nil
}

// Root is the absolute path at which commands see the workspace.
func (c *Cell) Root() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tree.Dir
}

// Scratch is the folder outside the workspace that both sides can write.
func (c *Cell) Scratch() string { return c.config.Scratch }

// Tier is the tier the cell was opened with.
func (c *Cell) Tier() Tier { return c.config.Tier }

// Switch puts another tree in the place of the current one.
func (c *Cell) Switch(ctx context.Context, tree Tree) error {
	if err := errors.Join(ctx.Err(), tree.check(), noLayer(tree)); err != nil {
		return fmt.Errorf("switch cell: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tree = tree
	return nil
}

// Files returns the folder of the current tree; whoever asked closes it.
func (c *Cell) Files() (*os.Root, error) { return os.OpenRoot(c.Root()) }

// Close kills everything in the cell and returns when it is dead.
func (c *Cell) Close() error {
	c.mu.Lock()
	c.closed = true
	var running []*process
	for p := range c.processes {
		running = append(running, p)
	}
	c.mu.Unlock()
	for _, p := range running {
		p.kill()
		<-p.done
	}
	return nil
}

// Start starts a command. It is killed when ctx ends.
func (c *Cell) Start(ctx context.Context, spec command.Spec) (*command.Process, error) {
	cmd, err := c.command(spec)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, group: group{gentle: c.config.Gentle}, done: make(chan struct{})}
	out, err := p.start(spec.Stdin)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Args[0], err)
	}
	c.mu.Lock()
	c.processes[p] = true
	if c.closed {
		defer p.kill()
	}
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, p.kill)
	go func() { // ends with the process; Close waits for it
		p.await()
		stop()
		c.mu.Lock()
		delete(c.processes, p)
		c.mu.Unlock()
	}()
	return out, nil
}

// command makes the command of spec, with its program found.
func (c *Cell) command(spec command.Spec) (*exec.Cmd, error) {
	if len(spec.Args) == 0 {
		return nil, errors.New("start command: no program given")
	}
	dir := filepath.FromSlash(spec.Dir)
	if dir != "" && !filepath.IsLocal(dir) {
		return nil, fmt.Errorf("start %s: working folder %q leads out of the workspace", spec.Args[0], spec.Dir)
	}
	root := c.Root()
	cmd := &exec.Cmd{Args: spec.Args, Dir: filepath.Join(root, dir)}
	cmd.Env = environment(c.config, root, c.home, c.tmp, append([]string{"PWD=" + cmd.Dir}, spec.Env...))
	var err error
	cmd.Path, err = program(spec.Args[0], cmd.Dir, cmd.Env)
	return cmd, err
}

// program finds the program in the command's own PATH, or, with a separator in
// its name, relative to its folder.
func program(name, dir string, env []string) (string, error) {
	where := []string{dir}
	switch {
	case filepath.IsAbs(name):
		where = []string{""}
	case !strings.ContainsAny(name, "/"+string(filepath.Separator)):
		where = filepath.SplitList(lookup(env, "PATH"))
	}
	for _, d := range where {
		if p, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return p, nil
		}
	}
	return "", &exec.Error{Name: name, Err: fmt.Errorf("%w in %s", ErrNotFound, strings.Join(where, string(filepath.ListSeparator)))}
}

// bounds says how what commands take is bounded.
func (c *Cell) bounds() string { return "nothing bounds memory, processes and disk on this system" }

// cellMain plays parts that only Linux has.
func cellMain(role) int { return 2 }
