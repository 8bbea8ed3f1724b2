package engine

import (
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/agent"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
)

// report completes what the loop came to with what the world knows: where and
// how the run worked.
func (x *world) report(run string, res agent.Result) report.Report {
	r := res.Report()
	r.Run, r.Root, r.Shadow, r.Sandbox = run, x.w.root, x.shadow.Dir(), x.tier.String()
	if x.place != nil {
		r.Shadow = ""
		r.Settings = append(r.Settings, "attempts ran in the folder itself (--in-place)")
	}
	for _, u := range x.units {
		r.Units = append(r.Units, report.Unit{Root: u.Root, Runner: u.Runner, Command: u.Command})
	}
	r.Settings = append(r.Settings, x.w.loosened()...)
	if allowed := hosts(x.w.settings.Network); len(allowed) > 0 {
		names := strings.Join(allowed, ", ")
		if x.tier == sandbox.Isolated {
			r.Settings = append(r.Settings, "the tests could reach "+names+" (network)")
		} else {
			r.Warnings = append(r.Warnings, fmt.Sprintf("network = %s does not hold: only the sandbox isolated can open single hosts, and this one was %v", names, x.tier))
		}
	}
	if x.tier == sandbox.Supervised {
		r.Settings = append(r.Settings, "the tests ran without confinement, by your consent (sandbox)")
	}
	r.Warnings = append(r.Warnings, x.shadow.Warnings()...)
	if left := x.snapshot.LeftOut(); len(left) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("left out of the copy as secret: %s (setting include)", strings.Join(left, ", ")))
	}
	r.Timing.TestsMS, r.Timing.ShadowMS = x.clock.elapsed().Milliseconds(), x.copying.Milliseconds()
	return r
}

// loosened names the settings by which a run may do more than by default.
func (w *Workspace) loosened() []string {
	s := w.settings
	list := []string{}
	for _, path := range s.Allow {
		list = append(list, "edits of "+path+" were allowed (allow)")
	}
	if !s.RevertOnRegression {
		list = append(list, "edits that break passing tests were not rolled back at once (revert_on_regression = false)")
	}
	if s.AllowUnverified {
		list = append(list, "a fix whose verification could not be placed was allowed (allow_unverified)")
	}
	if slices.Contains(s.Network, "on") {
		list = append(list, "the tests could reach the network (network = on)")
	}
	if len(s.Read) > 0 {
		list = append(list, "the tests could read "+strings.Join(s.Read, ", ")+" (read)")
	}
	if len(s.Env) > 0 {
		list = append(list, "the tests saw your variables "+strings.Join(s.Env, ", ")+" (env)")
	}
	if len(s.Include) > 0 {
		list = append(list, "the copy held secrets that match "+strings.Join(s.Include, ", ")+" (include)")
	}
	return list
}
