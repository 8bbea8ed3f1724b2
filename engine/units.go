package engine

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/runner/custom"
	"autocoder/engine/runner/gotest"
	"autocoder/engine/runner/nodetest"
	"autocoder/engine/runner/pytest"
	"autocoder/engine/testresult"
)

// adapters are the test runners that autocoder knows, in the order in which they
// are preferred for a folder.
func adapters() []runner.Adapter {
	return []runner.Adapter{pytest.New(), gotest.Adapter(), nodetest.Adapter()}
}

// findUnits finds the units of the copy, tries their tools on the bench, and
// leaves them in x.units.
func (x *world) findUnits(ctx context.Context, only string) error {
	found, err := x.detect()
	if err != nil {
		return err
	}
	if found, err = chosen(found, only); err != nil {
		return err
	}
	for _, u := range found {
		if u.adapter.Probe != nil {
			if u.Unit, err = u.adapter.Probe(ctx, x.suite.cell, u.Unit, x.w.options.Environ); err != nil {
				return fmt.Errorf("try the tools of %s in %q: %w", u.Runner, u.Root, err)
			}
		}
		if u.Runner == gotest.Name {
			u.uncached = u.Env
			u.Unit = gotest.WithCache(u.Unit, x.buildCache)
		}
		x.units = append(x.units, u)
	}
	return x.confine(ctx)
}

// detect finds the units: those that the program gave, the user's own command,
// or what the project shows.
func (x *world) detect() ([]unit, error) {
	s := x.w.settings
	var units []unit
	for _, r := range x.w.options.Runners {
		name := r.Name
		if len(x.w.options.Runners) == 1 {
			name = "" // ids are the runner's own
		}
		units = append(units, unit{Unit: runner.Unit{Name: name, Root: ".", Runner: r.Name, Why: "given by the program"}, plain: r.Run})
	}
	if len(units) > 0 {
		return units, nil
	}
	known := adapters()
	if s.Runner != "" && !slices.ContainsFunc(known, named(s.Runner)) {
		return nil, &UsageError{Message: fmt.Sprintf("no runner is called %q: use pytest, go test or node --test, or give --test-command", s.Runner)}
	}
	if s.TestCommand != "" {
		u, err := x.commandUnit()
		return []unit{u}, err
	}
	found, err := runner.Detect(x.shadow.FS(), known, runner.DetectOptions{Runner: s.Runner, Exclude: s.Exclude})
	if err != nil {
		return nil, fmt.Errorf("find the tests of %q: %w", x.w.root, err)
	}
	for _, u := range found {
		i := slices.IndexFunc(known, named(u.Runner))
		u.Interpreter = s.Interpreter[u.Runner]
		units = append(units, unit{Unit: u, adapter: known[i]})
	}
	return units, nil
}

func named(name string) func(runner.Adapter) bool {
	return func(a runner.Adapter) bool { return a.Name == name }
}

// commandUnit is the unit of the user's own command. A runner that we know is
// given our reporter, unless the user says how the command reports.
func (x *world) commandUnit() (unit, error) {
	s := x.w.settings
	line, err := custom.Parse(s.TestCommand)
	if err != nil {
		return unit{}, &UsageError{Message: err.Error()}
	}
	report, err := custom.ParseReport(s.Report)
	if err != nil {
		return unit{}, &UsageError{Message: err.Error()}
	}
	if s.Report == "" {
		if u, ok, err := x.knownUnit(line); ok || err != nil {
			return u, err
		}
	}
	return unit{
		Unit:    runner.Unit{Root: ".", Why: "test_command", Command: line.Args, Runner: custom.Name},
		adapter: custom.New(report),
	}, nil
}

// knownUnit is the unit of a command that starts a runner that we know. pytest
// takes our reporter through its environment, whatever starts it; the others must
// be the command itself.
func (x *world) knownUnit(line custom.Line) (unit, bool, error) {
	name := x.w.settings.Runner
	if name == "" {
		name = startedBy(line)
	}
	tree := x.shadow.FS()
	var u runner.Unit
	var adapter runner.Adapter
	var ok bool
	var err error
	switch name {
	case pytest.Name:
		u, ok, adapter = runner.Unit{Root: ".", Command: line.Args}, true, pytest.New()
		if line.Words != nil {
			u = runner.Unit{Root: line.Dir, Command: line.Words, Env: line.Env}
		}
	case gotest.Name:
		adapter = gotest.Adapter()
		u, ok, err = gotest.Given(tree, line.Dir, line.Words)
		u.Env = append(u.Env, line.Env...)
	case nodetest.Name:
		adapter = nodetest.Adapter()
		u, ok, err = nodetest.Given(tree, line.Dir, line.Words)
		u.Env = append(u.Env, line.Env...)
	}
	u.Name, u.Runner, u.Why, u.Interpreter = "", name, "test_command", x.w.settings.Interpreter[name]
	return unit{Unit: u, adapter: adapter}, ok, err
}

// startedBy names the runner that a command starts, also within a shell's.
func startedBy(line custom.Line) string {
	words := line.Words
	if words == nil {
		words = strings.FieldsFunc(line.Args[len(line.Args)-1], func(r rune) bool { return strings.ContainsRune(" \t\n;&|()\"'", r) })
	}
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch base := strings.TrimSuffix(path.Base(word), ".exe"); {
		case base == "pytest" || base == "py.test":
			return pytest.Name
		case base == "go" && next == "test":
			return gotest.Name
		case base == "node" && slices.Contains(words[i:], "--test"):
			return nodetest.Name
		}
	}
	return ""
}

// chosen returns the units that the user asked for by name or folder; all when
// only is empty.
func chosen(found []unit, only string) ([]unit, error) {
	if only == "" {
		return found, nil
	}
	var names []string
	var units []unit
	for _, u := range found {
		names = append(names, cmp.Or(u.Name, u.Root))
		if u.Name == only || u.Root == path.Clean(only) {
			units = append(units, u)
		}
	}
	switch {
	case len(found) == 0:
		return nil, &UsageError{Message: fmt.Sprintf("there is no unit %q: no tests were found at all", only)}
	case len(units) == 0:
		return nil, &UsageError{Message: fmt.Sprintf("no unit is called %q; the units are: %s", only, strings.Join(names, ", "))}
	default:
		return units, nil
	}
}

// noUnits is what a project without tests amounts to, or one of which all are
// excluded.
func (x *world) noUnits() (testresult.Result, error) {
	detail := fmt.Sprintf("no tests were found in %q that pytest, go test or node --test can run", x.w.root)
	if manifest, err := fs.ReadFile(x.shadow.FS(), "package.json"); err == nil {
		if suggested := custom.Suggest(manifest); suggested != "" {
			detail += "; its " + suggested
		}
	}
	if s := x.w.settings; len(s.Exclude) > 0 {
		all, err := runner.Detect(x.shadow.FS(), adapters(), runner.DetectOptions{Runner: s.Runner})
		if err != nil {
			return testresult.Result{}, fmt.Errorf("find the tests of %q: %w", x.w.root, err)
		}
		if len(all) > 0 {
			detail = fmt.Sprintf("every unit of %q is left out by the setting exclude = %q", x.w.root, s.Exclude)
		}
	}
	return testresult.Result{Units: []testresult.UnitRun{{Reason: testresult.NoTests, Detail: detail}}}, nil
}
