// Package engine is autocoder's façade: a Workspace is one project folder, and
// its methods are what an editor or a terminal asks for.
//
// It puts the parts together and decides nothing: package agent has the loop,
// runner runs tests, shadow owns copies, sandbox owns processes, and proposers
// see only what a View gives them. The user's files are read and never written,
// but by Apply and by a fix in place.
package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"autocoder/engine/agent"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/propose"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/workspace"
)

// Options are what a program gives a Workspace beside the user's settings.
type Options struct {
	// Environ is the user's environment, NAME=value.
	Environ []string
	// Home is the user's home folder, which is refused as a workspace.
	Home string
	// CacheDir is where copies are made, StateDir where runs are recorded and
	// locks are held; both are made when they are missing.
	CacheDir, StateDir string
	// Now is the clock.
	Now func() time.Time
	// Sink takes events; nil for none. It is called from one goroutine at a time
	// and must not block.
	Sink event.Sink
	// Consent allows runs in the supervised tier when none better works.
	Consent bool
	// Gentle gives tests a lower priority than what the user works with.
	Gentle bool
	// Proposer is used instead of the one that the settings name.
	Proposer propose.Proposer
	// CostGiven means that the user set max_cost: a model whose price is not known is
	// then not asked at all.
	CostGiven bool
	// Runners are used instead of the runners that the project has.
	Runners []Runner
	// Bases keeps copies for later runs; nil for none.
	Bases *Bases
	// Probes remember which sandboxes work here; nil to try them each time.
	Probes *sandbox.Probes
	// Version is the program's own, for the record.
	Version string
	// change is for tests, which show what each check is there for by leaving it out.
	change func(*agent.Config)
}

// Runner runs tests by a plain function, in the place of a test runner.
type Runner struct {
	Name string
	// Run runs tests on the tree in dir; ids are native ids, nil for all.
	Run func(ctx context.Context, dir string, ids []string) (testresult.UnitRun, error)
}

// Workspace is one project folder. It is safe for use by one goroutine at a
// time.
type Workspace struct {
	root     string
	settings config.Settings
	options  Options
	buffers  map[string][]byte
	offers   Offers
	// completer answers in the place of a model's provider; nil but for a replay.
	completer llm.Completer
	// found is the key of a model's provider that is not in the environment.
	found []string
}

// Open returns the workspace at root. It starts nothing. What a killed run in
// place left changed, in any folder, is put back first.
func Open(ctx context.Context, root string, s config.Settings, o Options) (*Workspace, error) {
	real, err := workspace.Resolve(root, o.Home)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{o.CacheDir, o.StateDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make autocoder's folder %q: %w: set XDG_CACHE_HOME and XDG_STATE_HOME to folders that can be written", dir, err)
		}
	}
	if o.Sink == nil {
		o.Sink = func(event.Event) {}
	}
	w := &Workspace{root: real, settings: s, options: o}
	w.recoverInPlace(ctx)
	return w, nil
}

// Root is the real, absolute path of the folder.
func (w *Workspace) Root() string { return w.root }

// Update takes the contents of unsaved buffers by path; they win over the files
// on disk in every later run.
func (w *Workspace) Update(buffers map[string][]byte) { w.buffers = buffers }

// UsageError is a request that can't be carried out as it was put.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

// runsDir is where runs are recorded.
func (w *Workspace) runsDir() string { return filepath.Join(w.options.StateDir, "runs") }

// chooseSandbox returns the best sandbox that the settings and the user allow.
func (w *Workspace) chooseSandbox(ctx context.Context) (sandbox.Tier, []sandbox.Trial, error) {
	return sandbox.Choose(ctx, sandbox.Choice{
		Mode: w.settings.Sandbox, Consent: w.options.Consent, Environ: w.options.Environ, Known: w.options.Probes,
	})
}

// emit sends an event with the time of now.
func (w *Workspace) emit(e event.Event) {
	e.Time = w.options.Now()
	w.options.Sink(e)
}

// Close gives up the workspace.
func (w *Workspace) Close() error { return nil }
