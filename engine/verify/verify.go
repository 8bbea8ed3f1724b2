// Package verify decides whether a patch that made the targets pass may be
// offered.
//
// It trusts nothing of the attempt that went before: the tests run on a fresh
// fork of the snapshot with only the patch on it, protected files as they are in
// the snapshot, and every target and every test that passed at the baseline must
// pass. Further checks attach as Layers. Two of them are made of one more run of
// the targets, the drill: the canary, tests of ours beside the targets of which
// some must fail, and the forced run, in which each target must fail when its
// body ends. A verification shows that the tests pass and are still able to fail;
// it cannot show that the fix is right.
package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// Verdict is what a verification found.
type Verdict uint8

// The verdicts of a verification.
const (
	Invalid Verdict = iota
	// Confirmed means that every check passed.
	Confirmed
	// Refused means that a check said no.
	Refused
	// Unplaceable means that a layer could not be put in place, and all others passed.
	Unplaceable
	// Incomplete means that the checks could not be run to their end.
	Incomplete
)

// String returns the verdict as reports print it.
func (v Verdict) String() string {
	switch v {
	case Confirmed:
		return "confirmed"
	case Refused:
		return "refused"
	case Unplaceable:
		return "unplaceable"
	case Incomplete:
		return "incomplete"
	case Invalid:
		return "invalid"
	default:
		return fmt.Sprintf("Verdict(%d)", uint8(v))
	}
}

// SuiteCheck is the name of the check that runs the suite, ScanCheck that of the
// one that reads the patch, NeighboursCheck of the one that asks near the tests' inputs.
const (
	SuiteCheck      = "suite"
	ScanCheck       = "scan"
	NeighboursCheck = "neighbours"
)

// Layer is a check beyond the fresh run of the suite.
type Layer struct {
	// Name is how reports call it: "canary", "forced", "scan".
	Name string
	// Check says Confirmed, Refused or Unplaceable, and why, for people; what it says
	// of a patch that it confirms are warnings, a line each. An error means that it
	// could not be completed.
	Check func(ctx context.Context, s Subject) (Verdict, string, error)
	// Begin, unless nil, is called before the suite is run, without a Result: a check that
	// needs none can work beside it. end is called when all is over, checked or not, and
	// waits until nothing of it goes on.
	Begin func(ctx context.Context, s Subject) (end func())
}

// Subject is what a layer checks.
type Subject struct {
	State   textedit.State
	Targets []testresult.ID
	// Result is the fresh run of the suite.
	Result testresult.Result
}

// Config is what a verification works on.
type Config struct {
	// State is the patch. Paths that Protected names are left out of it, so that
	// they are as in the snapshot; nil names none.
	State     textedit.State
	Protected func(path string) bool
	// Run runs tests on a fresh fork of the snapshot with only the state on it; nil
	// ids are the whole suite.
	Run func(ctx context.Context, state textedit.State, ids []testresult.ID) (testresult.Result, error)
	// Baseline is the run of the suite before any edit.
	Baseline testresult.Result
	// Targets must pass. Ignore are ids known as flaky or unstable.
	Targets []testresult.ID
	Ignore  map[testresult.ID]bool
	// Layers are run in order after the suite passed.
	Layers []Layer
}

// Verification is the answer.
type Verification struct {
	Verdict Verdict
	// By names the check that decided, when it was not Confirmed: "suite" or a
	// layer. It is all that a proposer may learn.
	By string
	// Detail says why, for people.
	Detail string
	// State is what was verified, and so all that may be offered.
	State textedit.State
	// Result is the fresh run of the suite.
	Result testresult.Result
	// Flaky and Unstable are ids that turned out to be so.
	Flaky, Unstable []testresult.ID
	// Layers holds the verdict of each layer that was run, by name.
	Layers map[string]Verdict
	// Warnings are what layers that confirmed the patch have to say of it all the same.
	Warnings []string
	// Err is why an Incomplete verification could not be completed.
	Err error
}

// Run verifies. A patch that does not pass, and a check that could not be
// completed, are verdicts and not errors.
func Run(ctx context.Context, cfg Config) Verification {
	v := Verification{Verdict: Confirmed, State: cfg.State, Layers: map[string]Verdict{}}
	if cfg.Protected != nil {
		v.State = cfg.State.Without(cfg.Protected)
	}
	for _, layer := range cfg.Layers {
		if layer.Begin != nil {
			defer layer.Begin(ctx, Subject{State: v.State, Targets: cfg.Targets})()
		}
	}
	v.suite(ctx, cfg)
	for _, layer := range cfg.Layers {
		if v.Verdict == Refused || v.Verdict == Incomplete {
			break
		}
		v.layer(ctx, layer, cfg.Targets)
	}
	return v
}

func (v *Verification) settle(verdict Verdict, by, detail string) {
	v.Verdict, v.By, v.Detail = verdict, by, detail
}

func (v *Verification) incomplete(by string, err error) {
	v.settle(Incomplete, by, err.Error())
	v.Err = err
}

// suite runs the suite on the fresh fork and compares it with the baseline.
func (v *Verification) suite(ctx context.Context, cfg Config) {
	probe := func(state textedit.State) Probe {
		return func(ctx context.Context, ids []testresult.ID) (testresult.Result, error) {
			return cfg.Run(ctx, state, ids)
		}
	}
	result, err := cfg.Run(ctx, v.State, nil)
	v.Result = result
	if err != nil {
		v.incomplete(SuiteCheck, err)
		return
	}
	if grown := testresult.GrownParts(cfg.Baseline, result); len(grown) > 0 || len(result.Units) == 0 {
		v.settle(Refused, SuiteCheck, "it can no longer be run"+describe(grown))
		return
	}
	if failing := result.NotPassing(cfg.Targets); len(failing) > 0 {
		v.settle(Refused, SuiteCheck, "not passing on a fresh copy: "+list(failing))
		return
	}
	suspects := testresult.Without(testresult.Worse(cfg.Baseline, result), cfg.Ignore)
	suspects = testresult.Without(suspects, testresult.Set(cfg.Targets))
	found, err := Confirm(ctx, Doubt{
		Best: cfg.Baseline, Next: result, Suspects: suspects,
		Here: probe(v.State), There: probe(textedit.State{}),
	})
	if err != nil {
		v.incomplete(SuiteCheck, err)
		return
	}
	v.Flaky, v.Unstable = found.Flaky, found.Unstable
	if len(found.Worse) > 0 {
		v.settle(Refused, SuiteCheck, "worse than before on a fresh copy: "+list(found.Worse))
	}
}

func (v *Verification) layer(ctx context.Context, layer Layer, targets []testresult.ID) {
	verdict, detail, err := layer.Check(ctx, Subject{State: v.State, Targets: targets, Result: v.Result})
	if err == nil && (verdict == Invalid || verdict > Unplaceable) {
		err = errors.New("it gave no verdict")
	}
	if err != nil {
		v.incomplete(layer.Name, err)
		return
	}
	v.Layers[layer.Name] = verdict
	switch {
	case verdict == Unplaceable && v.Verdict == Unplaceable:
		// The first of them says why.
	case verdict != Confirmed:
		v.settle(verdict, layer.Name, detail)
	case detail != "":
		v.Warnings = append(v.Warnings, strings.Split(detail, "\n")...)
	}
}

func describe(parts []testresult.Part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, ": %s (%s)", p.Name, p.Reason)
	}
	return b.String()
}

func list(ids []testresult.ID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	return strings.Join(names, ", ")
}
