package main

import (
	"bufio"
	"fmt"
	"strings"

	"autocoder/engine"
	"autocoder/engine/report"
	"autocoder/engine/testresult"

	"github.com/spf13/cobra"
)

func (w *world) doctorVerb() *cobra.Command {
	var settings settingFlags
	var compare, yes bool
	cmd := &cobra.Command{
		Use: "doctor [PATH]", Short: "Say whether and how the tests of a project can be run", Args: onePath,
		Long: `Find the test runners of the project at PATH, or in this folder, try them on a
copy, and say what a fix would use: commands, interpreters, sandbox, proposers.
With --compare the tests are also run without a sandbox, after asking, and what
ends otherwise there is explained.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := w.resolve(pathOf(args), &settings)
			if err != nil {
				return err
			}
			w.warn(r.warnings)
			if compare && !yes && !w.agrees("Run the tests of "+r.root+" once without a sandbox, with your environment and network?") {
				return usagef("--compare runs the tests without a sandbox: give --yes if you want that")
			}
			var d report.Doctor
			err = w.inWorkspace(cmd.Context(), r, func(ws *engine.Workspace) error {
				look := ws.Doctor
				if compare {
					look = ws.Compare
				}
				d, err = look(cmd.Context())
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
	cmd.Flags().BoolVar(&compare, "compare", false, "run the tests without a sandbox too, after asking, and explain the difference")
	cmd.Flags().BoolVar(&yes, "yes", false, "don't ask")
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

// agrees asks a person who sees the output a question; nobody else agrees.
func (w *world) agrees(question string) bool {
	if !w.liveProgress {
		return false
	}
	fmt.Fprintf(w.stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(w.stdin).ReadString('\n') // no answer is none
	return strings.EqualFold(strings.TrimSpace(answer), "y") || strings.EqualFold(strings.TrimSpace(answer), "yes")
}
