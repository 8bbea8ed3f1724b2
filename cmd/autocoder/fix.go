package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/trajectory"

	"github.com/spf13/cobra"
)

// fixSettings are the settings that are flags of fix.
var fixSettings = []string{
	"proposer", "model", "max_attempts", "patience", "max_time", "max_cost", "max_tokens", "test_timeout",
	"ambiguous", "allow_unverified", "sandbox", "protect", "allow", "runner", "test_command", "report",
}

func (w *world) fixVerb() *cobra.Command {
	var settings settingFlags
	var request engine.FixRequest
	cmd := &cobra.Command{
		Use: "fix [PATH]", Short: "Repair the failing tests of a project", Args: onePath,
		Long: `Repair the failing tests of the project at PATH, or in this folder.

The work is done on copies. Without --apply the folder is left as it is and the
edit is printed as a diff.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := compatible(cmd); err != nil {
				return err
			}
			r, err := w.resolve(pathOf(args), &settings)
			if err != nil {
				return err
			}
			return w.fix(cmd.Context(), r, request)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&request.Apply, "apply", false, "write the fix to the folder, unless a file of it changed meanwhile")
	flags.BoolVar(&request.Partial, "partial", false, "with --apply or --in-place: also keep a fix of only some of the tests")
	flags.BoolVar(&request.InPlace, "in-place", false, "try edits in the folder itself, and put everything back unless it is fixed")
	flags.StringVar(&request.Choose, "choose", "", "verify the alternative `RUN.N` of an earlier run")
	flags.StringArrayVar(&request.Only, "only", nil, "repair only the failing test `ID` (may be repeated)")
	flags.StringVar(&request.Unit, "unit", "", "run only the tests in `FOLDER`")
	w.jsonFlag(cmd)
	settings.add(cmd, fixSettings...)
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		// Nothing is suggested where nothing can be read.
		places, err := w.folders()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ids, _ := trajectory.Alternatives(places.runs())
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("choose", complete); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// compatible refuses flags that contradict each other.
func compatible(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	for _, pair := range [][2]string{{"in-place", "apply"}, {"in-place", "choose"}} {
		if given(pair[0]) && given(pair[1]) {
			return usagef("--%s and --%s can't be used together", pair[0], pair[1])
		}
	}
	if given("partial") && !given("apply") && !given("in-place") {
		return usagef("--partial says what --apply may write: give --apply, too")
	}
	return nil
}

// fix runs one fix and prints its report.
func (w *world) fix(ctx context.Context, r resolved, request engine.FixRequest) error {
	w.warn(r.warnings)
	rep, err := w.runFix(ctx, r, request)
	if rep.Outcome == outcome.Invalid {
		return err
	}
	if err != nil {
		rep.Warnings = append(rep.Warnings, err.Error())
	}
	w.code = codeOfFix(rep, err, request.Apply)
	if w.json {
		rep.Warnings = append(append([]string{}, r.warnings...), rep.Warnings...)
		return w.printJSON(rep)
	}
	return w.printReport(rep)
}

// runFix runs one fix in a folder and shows its progress.
func (w *world) runFix(ctx context.Context, r resolved, request engine.FixRequest) (rep report.Report, err error) {
	err = w.inWorkspace(ctx, r, func(ws *engine.Workspace) error {
		rep, err = ws.Fix(ctx, request)
		return err
	})
	return rep, err
}

// inWorkspace opens the workspace of a folder for as long as do runs, and shows
// its progress.
func (w *world) inWorkspace(ctx context.Context, r resolved, do func(*engine.Workspace) error) error {
	p := newProgress(w.stderr, w.liveProgress && w.getenv("TERM") != "dumb", w.now)
	defer p.Close()
	ws, err := engine.Open(ctx, r.root, r.Settings, engine.Options{
		Environ: w.environ, Home: r.folders.home, CacheDir: r.folders.cache, StateDir: r.folders.state,
		Now: w.now, Sink: p.sink, Consent: r.consent, CostGiven: r.given("max_cost"), Version: version(),
	})
	if err != nil {
		return err
	}
	return errors.Join(do(ws), ws.Close())
}

// printReport writes a report for a person, and after it what was found.
func (w *world) printReport(rep report.Report) error {
	var b strings.Builder
	if err := report.Text(&b, rep); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	switch {
	case rep.Applied && rep.Outcome != outcome.Fixed && rep.Partial != nil:
		b.WriteString("applied: the partial fix\n")
	case rep.Applied:
		b.WriteString("applied: " + rep.Root + "\n")
	}
	part := func(title, diff string) {
		if diff != "" {
			b.WriteString("\n" + title + w.diff(diff))
		}
	}
	part("", rep.Diff)
	if rep.Partial != nil && rep.Partial.Diff != rep.Diff {
		part("the partial fix:\n", rep.Partial.Diff)
	}
	for _, a := range rep.Alternatives {
		part("alternative "+a.ID+":\n", a.Diff)
	}
	_, err := io.WriteString(w.stdout, b.String())
	return err
}
