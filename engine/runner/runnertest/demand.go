package runnertest

import (
	"errors"
	"fmt"
	"slices"

	"autocoder/engine/testresult"
)

// demand is something that must hold of a unit's run.
type demand = func(testresult.UnitRun) error

func all(demands ...demand) demand {
	return func(r testresult.UnitRun) error {
		for _, d := range demands {
			if err := d(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// status wants the run as a whole to have that verdict.
func status(want testresult.RunStatus) demand {
	return func(r testresult.UnitRun) error {
		if got := (testresult.Result{Units: []testresult.UnitRun{r}}).Status(); got != want {
			return fmt.Errorf("the run is %s, want %s", got, want)
		}
		return nil
	}
}

// count wants at least one test of each status.
func count(statuses ...testresult.Status) demand {
	return func(r testresult.UnitRun) error {
		for _, s := range statuses {
			if !slices.ContainsFunc(r.Tests, func(t testresult.Test) bool { return t.Status == s }) {
				return fmt.Errorf("no test is %s", s)
			}
		}
		return nil
	}
}

func both(a, b testresult.Status) demand { return all(count(a, b), usable) }

func usable(r testresult.UnitRun) error {
	if r.Reason != testresult.NoReason || len(r.Unusable) > 0 {
		return fmt.Errorf("the unit or a part is unusable: %s %s %v", r.Reason, r.Detail, r.Unusable)
	}
	return nil
}

// part wants an unusable part that says why.
func part(r testresult.UnitRun) error {
	if len(r.Unusable) == 0 {
		return errors.New("no part is unusable")
	}
	for _, p := range r.Unusable {
		if p.Name == "" || p.Reason == testresult.NoReason || p.Detail == "" {
			return fmt.Errorf("a part does not say what is wrong: %+v", p)
		}
	}
	if r.Reason != testresult.NoReason {
		return fmt.Errorf("the unit is unusable as a whole: %s", r.Reason)
	}
	return nil
}

// reason wants a unit that is unusable as a whole and says why.
func reason(r testresult.UnitRun) error {
	if r.Reason == testresult.NoReason || r.Detail == "" {
		return fmt.Errorf("the unit does not say why it is unusable: %q %q", r.Reason, r.Detail)
	}
	return nil
}

func whole(want testresult.Reason) demand {
	return func(r testresult.UnitRun) error {
		if r.Reason != want {
			return fmt.Errorf("the unit is unusable by %q, want %q", r.Reason, want)
		}
		return nil
	}
}

// notGreen is the least that is asked of a run that was tampered with or cut.
func notGreen(r testresult.UnitRun) error {
	if (testresult.Result{Units: []testresult.UnitRun{r}}).Status() == testresult.Pass {
		return errors.New("the run passes")
	}
	return nil
}
