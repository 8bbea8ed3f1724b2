package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

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
	w.jsonFlag(cmd)
	w.jsonFlag(show)
	cmd.AddCommand(show, path)
	return cmd
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
