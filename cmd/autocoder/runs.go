package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"autocoder/engine"
	"autocoder/engine/trajectory"

	"github.com/spf13/cobra"
)

const runsSchema = "autocoder.runs/1"

func (w *world) runsVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use: "runs", Short: "List what was recorded of earlier runs", Args: w.noVerb,
		RunE: func(*cobra.Command, []string) error { return w.listRuns() },
	}
	show := &cobra.Command{
		Use: "show ID", Short: "Print the report of a run; the start of an id is enough", Args: oneID,
		RunE: func(_ *cobra.Command, args []string) error { return w.showRun(args[0]) },
	}
	path := &cobra.Command{
		Use: "path [ID]", Short: "Print the folder of a run, or of all", Args: onePath,
		RunE: func(_ *cobra.Command, args []string) error { return w.pathOfRun(args) },
	}
	turns := &cobra.Command{
		Use: "turns ID", Short: "Print what the language model of a run did, as JSON", Args: oneID,
		RunE: func(_ *cobra.Command, args []string) error { return w.turnsOfRun(args[0]) },
	}
	replay := &cobra.Command{
		Use: "replay ID", Short: "Carry out a run again with the model's recorded answers", Args: oneID,
		Long: `Carry out a run again, without a network: what a language model answered is
taken from the record, and all else is done anew. The files that the run edited
are as they were then. Nothing is applied. The exit code is 0 when the outcome is
the same, and 1 when it is not.`,
		RunE: func(cmd *cobra.Command, args []string) error { return w.replayRun(cmd.Context(), args[0]) },
	}
	for _, verb := range []*cobra.Command{cmd, show, replay} {
		w.jsonFlag(verb)
	}
	cmd.AddCommand(show, path, turns, replay)
	return cmd
}

func (w *world) turnsOfRun(id string) error {
	places, err := w.folders()
	if err != nil {
		return err
	}
	r, err := trajectory.Load(places.runs(), id)
	if err != nil {
		return err
	}
	return w.printJSON(r.Turns())
}

const replaySchema = "autocoder.replay/1"

// replayRun replays a run in its own folder, with its own settings.
func (w *world) replayRun(ctx context.Context, id string) error {
	places, err := w.folders()
	if err != nil {
		return err
	}
	root, settings, err := engine.RecordedSettings(places.runs(), id)
	if err != nil {
		return err
	}
	r, err := w.resolve(root, &settingFlags{})
	if err != nil {
		return err
	}
	r.Settings = settings
	var replayed engine.Replayed
	err = w.inWorkspace(ctx, r, func(ws *engine.Workspace) error {
		replayed, err = ws.Replay(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	if !replayed.Same {
		w.code = exitNotFixed
	}
	if w.json {
		return w.printJSON(map[string]any{
			"schema": replaySchema, "same": replayed.Same, "changed": replayed.Changed, "recorded": replayed.Recorded.Outcome, "report": replayed.Report,
		})
	}
	if err := w.printReport(replayed.Report); err != nil {
		return err
	}
	verdict := "the same"
	if !replayed.Same {
		verdict = "not the same"
	}
	if replayed.Changed {
		verdict += "; the project's files are not those of that run"
	}
	_, err = fmt.Fprintf(w.stdout, "recorded: %s, replayed: %s: %s\n", replayed.Recorded.Outcome, replayed.Report.Outcome, verdict)
	return err
}

func oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes the id of one run; autocoder runs lists them", cmd.CommandPath())
	}
	return nil
}

func (w *world) listRuns() error {
	places, err := w.folders()
	if err != nil {
		return err
	}
	runs, err := trajectory.List(places.runs())
	if err != nil {
		return err
	}
	if w.json {
		return w.printJSON(map[string]any{"schema": runsSchema, "runs": append([]trajectory.Summary{}, runs...)})
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w.stdout, "no runs yet")
		return err
	}
	t := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	for _, r := range runs {
		what := r.Outcome
		if what == "" {
			what = r.State.String()
		}
		if r.Problem != "" {
			what = "unreadable"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, r.Started.Local().Format(time.DateTime), what, printable(r.Root))
	}
	return t.Flush()
}

func (w *world) showRun(id string) error {
	places, err := w.folders()
	if err != nil {
		return err
	}
	r, err := trajectory.Load(places.runs(), id)
	if err != nil {
		return err
	}
	if r.Report != nil {
		if w.json {
			return w.printJSON(r.Report)
		}
		return w.printReport(*r.Report)
	}
	if w.json {
		return w.printJSON(map[string]any{"schema": runsSchema, "run": r.Header.Run, "root": r.Header.Root, "state": r.State})
	}
	_, err = fmt.Fprintf(w.stdout, "%s: %s, %d events, no report\n", r.Header.Run, r.State, len(r.Events))
	return err
}

func (w *world) pathOfRun(args []string) error {
	places, err := w.folders()
	if err != nil {
		return err
	}
	dir := places.runs()
	if len(args) == 1 {
		r, err := trajectory.Load(dir, args[0])
		if r.Dir == "" {
			return err
		}
		dir = r.Dir
	}
	_, err = io.WriteString(w.stdout, dir+"\n")
	return err
}
