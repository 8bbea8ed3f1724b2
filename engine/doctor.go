package engine

import (
	"context"
	"errors"
	"fmt"

	"autocoder/engine/agent"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// Doctor says what a run would find: the units and their tools, the sandbox and
// the proposers. It runs the tests once, in the copy.
func (w *Workspace) Doctor(ctx context.Context) (report.Doctor, error) {
	start := w.options.Now()
	d := report.Doctor{Schema: report.DoctorSchema, Units: []report.DoctorUnit{}, Proposers: w.proposers(ctx), Warnings: []string{}}
	tier, trials, err := w.chooseSandbox(ctx)
	d.Sandbox = report.DoctorSandbox{Probes: probes(trials), Better: sandbox.Better(tier, trials)}
	var unavailable *sandbox.Unavailable
	if errors.As(err, &unavailable) {
		d.Sandbox.Tier = "none"
		d.Warnings = append(d.Warnings, unavailable.Error())
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Sandbox.Tier = tier.String()
	_, err = w.examine(ctx, tier, &d)
	d.Timing.TotalMS = w.options.Now().Sub(start).Milliseconds()
	return d, err
}

// examine runs the tests once in a tier and adds what it finds to d.
func (w *Workspace) examine(ctx context.Context, tier sandbox.Tier, d *report.Doctor) (testresult.Result, error) {
	x, err := w.openWorld(ctx, tier, true)
	if err != nil {
		return testresult.Result{}, err
	}
	defer x.close()
	d.Warnings = append(d.Warnings, x.shadow.Warnings()...)
	if err := x.findUnits(ctx, ""); err != nil {
		return testresult.Result{}, err
	}
	result, err := x.Run(ctx, agent.Request{State: textedit.State{}, TestLimit: min(w.settings.TestTimeout, w.settings.MaxTime/10), Phase: agent.Baseline})
	if err != nil {
		return result, err
	}
	for _, u := range x.units {
		d.Units = append(d.Units, diagnose(u, result))
	}
	if len(x.units) == 0 {
		d.Warnings = append(d.Warnings, result.Units[0].Detail)
	}
	d.Timing = report.Timing{TestsMS: x.clock.elapsed().Milliseconds(), ShadowMS: x.copying.Milliseconds()}
	return result, nil
}

// diagnose tells what was found of a unit and how its tests went.
func diagnose(u unit, result testresult.Result) report.DoctorUnit {
	d := report.DoctorUnit{
		Root: u.Root, Runner: u.Runner, Why: u.Why, Command: u.Command, Interpreter: u.Interpreter, Version: u.Version,
		Rejected: []report.Rejected{},
	}
	for _, r := range u.Rejected {
		d.Rejected = append(d.Rejected, report.Rejected{Runner: r.Runner, Why: r.Why})
	}
	for _, run := range result.Units {
		if run.Unit != u.Name {
			continue
		}
		d.Tests, d.UnusableReason, d.Detail = len(run.Tests), run.Reason, run.Detail
		if run.Reason == testresult.NoReason && len(run.Unusable) > 0 {
			d.Detail = fmt.Sprintf("%d parts can't be run, the first is %s: %s", len(run.Unusable), run.Unusable[0].Name, run.Unusable[0].Reason)
		}
	}
	return d
}

func probes(trials []sandbox.Trial) []report.Probe {
	out := []report.Probe{}
	for _, t := range trials {
		for _, a := range t.Answers {
			out = append(out, report.Probe{Name: t.Tier.String() + ": " + a.Name, OK: a.OK, Detail: a.Detail})
		}
	}
	return out
}
