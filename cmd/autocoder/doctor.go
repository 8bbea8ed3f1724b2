package main

import (
	"autocoder/engine"
	"autocoder/engine/report"
	"autocoder/engine/testresult"

	"github.com/spf13/cobra"
)

func (w *world) doctorVerb() *cobra.Command {
	var settings settingFlags
	cmd := &cobra.Command{
		Use: "doctor [PATH]", Short: "Say whether and how the tests of a project can be run", Args: onePath,
		Long: `Find the test runners of the project at PATH, or in this folder, try them on a
copy, and say what a fix would use: commands, interpreters, sandbox, proposers.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := w.resolve(pathOf(args), &settings)
			if err != nil {
				return err
			}
			w.warn(r.warnings)
			var d report.Doctor
			err = w.inWorkspace(cmd.Context(), r, func(ws *engine.Workspace) error {
				d, err = ws.Doctor(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			if !runnable(d) {
				w.code = exitUnrunnable
			}
			if w.json {
				d.Warnings = append(append([]string{}, r.warnings...), d.Warnings...)
				return w.printJSON(d)
			}
			return report.DoctorText(w.stdout, d)
		},
	}
	w.jsonFlag(cmd)
	settings.add(cmd, "model", "sandbox", "runner", "test_command", "report", "test_timeout")
	return cmd
}

// runnable reports whether a fix could run some tests.
func runnable(d report.Doctor) bool {
	for _, u := range d.Units {
		if u.UnusableReason == testresult.NoReason {
			return true
		}
	}
	return false
}
