package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"autocoder/engine/agent"
	"autocoder/engine/runner"
	"autocoder/engine/runner/gotest"
	"autocoder/engine/sandbox"
	"autocoder/engine/shadow"
	"autocoder/engine/testresult"
)

// noTestControl is the most that a command may take whose tests can't be timed
// one by one.
const noTestControl = 120 * time.Second

// unit is a unit of the project with the adapter that runs it, or with the
// plain function that does.
type unit struct {
	runner.Unit
	adapter runner.Adapter
	// uncached is the environment before it had a build cache.
	uncached []string
	plain    func(ctx context.Context, dir string, ids []string) (testresult.UnitRun, error)
}

// Run runs tests on a state: the loop's Suite.
func (x *world) Run(ctx context.Context, req agent.Request) (testresult.Result, error) {
	if req.Phase != agent.Baseline {
		x.sealed.Store(true)
	}
	result, err := x.runOnce(ctx, req)
	if err == nil && x.shadow.LeaveMemory() {
		return x.runOnce(ctx, req) // on disk there may be room for what did not fit
	}
	return result, err
}

// runOnce is Run on what is there.
func (x *world) runOnce(ctx context.Context, req agent.Request) (testresult.Result, error) {
	b := x.suite
	if req.Fresh {
		fresh, err := x.newBench(ctx, req.State)
		if err != nil {
			return testresult.Result{}, err
		}
		defer fresh.close()
		b = fresh
	} else if err := b.show(ctx, req.State); err != nil {
		return testresult.Result{}, err
	}
	if b.fork != place(x.place) {
		result, err := x.runOn(ctx, b, req)
		if err == nil && !x.copied.Load() && crossed(result) {
			return x.runCopied(ctx, req, result)
		}
		return result, err
	}
	var result testresult.Result
	err := x.place.around(ctx, func() (err error) {
		result, err = x.runOn(ctx, b, req)
		return err
	})
	return result, err
}

// crossed reports whether a test failed because something could not be renamed
// from one file system to another.
func crossed(result testresult.Result) bool {
	for _, u := range result.Units {
		for _, t := range u.Tests {
			if f := t.Failure; f != nil && (crossDevice(f.Message) || crossDevice(f.Output)) {
				return true
			}
		}
	}
	return false
}

func crossDevice(text string) bool {
	return strings.Contains(strings.ToLower(text), "cross-device link")
}

// runCopied runs tests again on a copy: on a layered tree of an ordinary user the
// kernel refuses to rename folders of the base. Where that changes the result,
// later runs are on copies too.
func (x *world) runCopied(ctx context.Context, req agent.Request, layered testresult.Result) (testresult.Result, error) {
	x.copied.Store(true)
	b, err := x.newBench(ctx, req.State)
	if err != nil {
		return layered, err
	}
	result, err := x.runOn(ctx, b, req)
	if err != nil || (crossed(result) && result.Signature() == layered.Signature()) {
		x.copied.Store(false)
		return layered, errors.Join(err, b.close())
	}
	if req.Fresh {
		return result, b.close()
	}
	before := x.suite
	x.suite = b
	return result, before.close()
}

// runOn runs the tests on what the bench shows, one unit after the other.
func (x *world) runOn(ctx context.Context, b *bench, req agent.Request) (testresult.Result, error) {
	start := x.clock.begin()
	defer x.clock.end()
	var result testresult.Result
	if len(x.units) == 0 {
		var err error
		if result, err = x.noUnits(); err != nil {
			return result, err
		}
	}
	for _, u := range x.units {
		sel := runner.Selection{IDs: native(req.IDs, u.Name), Skip: native(req.Skip, u.Name), Seed: seed(req)}
		if slices.Contains(req.Whole, u.Name) {
			sel.IDs = nil
		} else if req.IDs != nil && len(sel.IDs) == 0 {
			continue
		}
		run, err := x.runUnit(ctx, b, u, sel, x.limits(u.adapter, req))
		if err != nil {
			return result, fmt.Errorf("run %s in %s: %w", u.Runner, u.Root, err)
		}
		result.Units = append(result.Units, run)
	}
	hidden(b.cell, result)
	slices.SortFunc(result.Units, func(a, b testresult.UnitRun) int { return strings.Compare(a.Unit, b.Unit) })
	result.Duration = x.clock.now().Sub(start)
	return result, nil
}

// seed is another one for each run that must not agree with the others by accident.
func seed(req agent.Request) int {
	switch {
	case req.Fresh:
		return 1
	case req.Phase == agent.Comparing:
		return 2
	}
	return 0
}

// ofProjects is what the names of variables look like that a project asks for by itself.
var ofProjects = regexp.MustCompile(`^[A-Z][A-Z0-9_]{3,}$`)

// withheld are the user's variables that the tests don't get and that a setting would
// pass on to them.
func (x *world) withheld() []string {
	var out []string
	for _, kv := range x.w.options.Environ {
		name, _, _ := strings.Cut(kv, "=")
		if ofProjects.MatchString(name) && !slices.Contains(x.w.settings.Env, name) && !providerKey(name) && !sandbox.Sets(name) {
			out = append(out, name)
		}
	}
	return out
}

func (x *world) runUnit(ctx context.Context, b *bench, u unit, sel runner.Selection, limits runner.Limits) (testresult.UnitRun, error) {
	switch {
	case u.Reason != testresult.NoReason:
		return testresult.UnitRun{Unit: u.Name, Reason: u.Reason, Detail: u.Detail}, nil
	case u.plain != nil:
		run, err := u.plain(ctx, b.fork.Dir(), sel.IDs)
		return runner.Combine(testresult.UnitRun{Unit: u.Name}, run), err
	default:
		u.LeftOut, u.Withheld = x.snapshot.LeftOut(), x.withheld()
		if _, layered := b.fork.(*shadow.Layered); u.Runner == gotest.Name && !layered && x.sealed.Load() {
			private, err := os.MkdirTemp(b.scratch, "build-")
			if err != nil {
				return testresult.UnitRun{}, fmt.Errorf("make a build cache: %w", err)
			}
			defer shadow.RemoveAll(private) // goes with the scratch at the latest
			u.Env = u.uncached
			u.Unit = gotest.WithSealedCache(u.Unit, private, x.built())
		}
		return runner.Run(ctx, b.cell, u.adapter, u.Unit, sel, limits)
	}
}

// built is the folder with what the baseline built, for commands that can't change
// it. Supervised can't keep them from that, so that they build all anew.
func (x *world) built() string {
	if x.tier == sandbox.Supervised {
		return ""
	}
	return x.buildCache
}

// limits bound a run of a unit: a command without control over its tests may
// take a third of all time at most.
func (x *world) limits(a runner.Adapter, req agent.Request) runner.Limits {
	l := runner.Limits{Test: req.TestLimit, Full: req.FullLimit, Suite: x.w.settings.MaxTime}
	if a.Running == nil {
		l.Suite = min(noTestControl, x.w.settings.MaxTime/3)
	}
	return l
}

// native returns the native ids of those of ids that are in the unit; nil when
// ids is nil.
func native(ids []testresult.ID, unit string) []string {
	if ids == nil {
		return nil
	}
	names := []string{}
	for _, id := range ids {
		if id.Unit == unit {
			names = append(names, id.Native)
		}
	}
	return names
}

// stopwatch measures the wall time with at least one test command running.
type stopwatch struct {
	now func() time.Time

	mu sync.Mutex
	// guarded by mu
	running int
	since   time.Time
	total   time.Duration
}

// begin notes that a test command starts, and returns the time.
func (s *stopwatch) begin() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if s.running == 0 {
		s.since = now
	}
	s.running++
	return now
}

// end notes that a test command ended.
func (s *stopwatch) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if s.running == 0 {
		s.total += s.now().Sub(s.since)
	}
}

// elapsed returns the time measured so far.
func (s *stopwatch) elapsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}
