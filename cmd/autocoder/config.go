package main

import (
	"fmt"
	"text/tabwriter"

	"autocoder/engine/config"
	"autocoder/engine/workspace"

	"github.com/spf13/cobra"
)

const configSchema = "autocoder.config/1"

// configAnswer is the JSON of config.
type configAnswer struct {
	Schema string `json:"schema"`
	Root   string `json:"root"`
	// Files are where settings are read from, whether they exist or not.
	Files struct {
		User    string `json:"user"`
		Project string `json:"project"`
	} `json:"files"`
	Trusted   bool            `json:"trusted"`
	Settings  []config.Origin `json:"settings"`
	Protected []patternJSON   `json:"protected"`
	Warnings  []string        `json:"warnings"`
}

type patternJSON struct {
	Glob string `json:"glob"`
	Why  string `json:"why"`
}

func (w *world) configVerb() *cobra.Command {
	var settings settingFlags
	cmd := &cobra.Command{
		Use: "config [PATH]", Short: "Print the settings and where each one came from", Args: onePath,
		Long: `Print the settings that hold for the project at PATH, or in this folder, where
each one came from, and what no edit may touch.`,
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := folderAt(pathOf(args))
			if err != nil {
				return err
			}
			r, err := w.resolve(root, &settings)
			if err != nil {
				return err
			}
			a := configOf(r)
			if w.json {
				return w.printJSON(a)
			}
			w.warn(a.Warnings)
			return w.printConfig(a)
		},
	}
	w.jsonFlag(cmd)
	settings.add(cmd, fixSettings...)
	return cmd
}

func configOf(r resolved) configAnswer {
	a := configAnswer{Schema: configSchema, Root: r.root, Trusted: r.trusted, Settings: r.origins, Warnings: append([]string{}, r.warnings...)}
	a.Files.User, a.Files.Project = r.folders.settings, r.project.Source
	for _, glob := range r.Protect {
		a.Protected = append(a.Protected, patternJSON{Glob: glob, Why: "the settings protect it"})
	}
	for _, p := range workspace.Patterns() {
		a.Protected = append(a.Protected, patternJSON{Glob: p.Glob, Why: p.Why})
	}
	return a
}

func (w *world) printConfig(a configAnswer) error {
	t := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	for _, o := range a.Settings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", o.Name, printable(o.Text), printable(o.Source))
	}
	fmt.Fprintf(t, "\nwhat no edit may touch, unless allow names it:\n")
	for _, p := range a.Protected {
		fmt.Fprintf(t, "%s\t%s\n", p.Glob, p.Why)
	}
	return t.Flush()
}
