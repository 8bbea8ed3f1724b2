package engine

import (
	"context"
	"fmt"
	"path"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/runner/gotest"
	"autocoder/engine/runner/pytest"
	"autocoder/engine/testresult"
)

// adapters are the test runners that autocoder knows, in the order in which they
// are preferred for a folder.
func adapters() []runner.Adapter {
	return []runner.Adapter{pytest.New(), gotest.Adapter()}
}

// findUnits finds the units of the copy, tries their tools on the bench, and
// leaves them in x.units.
func (x *world) findUnits(ctx context.Context, only string) error {
	for _, r := range x.w.options.Runners {
		x.units = append(x.units, unit{Unit: runner.Unit{Name: r.Name, Root: ".", Runner: r.Name, Why: "given by the program"}, plain: r.Run})
	}
	if len(x.units) > 0 {
		return nil
	}
	s := x.w.settings
	known := adapters()
	found, err := runner.Detect(x.shadow.FS(), known, runner.DetectOptions{Runner: s.Runner, Exclude: s.Exclude})
	if err != nil {
		return fmt.Errorf("find the tests of %q: %w", x.w.root, err)
	}
	if found, err = chosen(found, only); err != nil {
		return err
	}
	for _, u := range found {
		a, ok := adapterOf(known, u)
		if !ok {
			return fmt.Errorf("find the tests of %q: no runner is called %q", x.w.root, u.Runner)
		}
		u.Interpreter = s.Interpreter[u.Runner]
		probed, err := a.Probe(ctx, x.suite.cell, u, x.w.options.Environ)
		if err != nil {
			return fmt.Errorf("try the tools of %s in %q: %w", u.Runner, u.Root, err)
		}
		if u.Runner == gotest.Name {
			probed = gotest.WithCache(probed, x.buildCache)
		}
		x.units = append(x.units, unit{Unit: probed, adapter: a})
	}
	return nil
}

// chosen returns the units that the user asked for by name or folder; all when
// only is empty.
func chosen(found []runner.Unit, only string) ([]runner.Unit, error) {
	if only == "" {
		return found, nil
	}
	var names []string
	var units []runner.Unit
	for _, u := range found {
		names = append(names, u.Name)
		if u.Name == only || u.Root == path.Clean(only) {
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		return nil, &UsageError{Message: fmt.Sprintf("no unit is called %q; the units are: %s", only, strings.Join(names, ", "))}
	}
	return units, nil
}

func adapterOf(known []runner.Adapter, u runner.Unit) (runner.Adapter, bool) {
	for _, a := range known {
		if a.Name == u.Runner {
			return a, true
		}
	}
	return runner.Adapter{}, false
}

// noUnits is what a project without tests amounts to.
func noUnits(root string) testresult.Result {
	return testresult.Result{Units: []testresult.UnitRun{{
		Reason: testresult.NoTests,
		Detail: fmt.Sprintf("no tests were found in %q that pytest, go test or node --test can run", root),
	}}}
}
