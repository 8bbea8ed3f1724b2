package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autocoder/engine"
	"autocoder/engine/outcome"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// The projects of demo, as the files they are made of.
var (
	//go:embed demo/go.txtar
	demoGo []byte
	//go:embed demo/node.txtar
	demoNode []byte
	//go:embed demo/python.txtar
	demoPython []byte
)

func (w *world) demoVerb() *cobra.Command {
	var lang string
	var settings settingFlags
	cmd := &cobra.Command{
		Use: "demo", Short: "Watch a small project being repaired", Args: noArguments,
		Long: `Write a small project with two failing tests of five into a folder of its own,
repair it on a copy, and print the report and the edit. Nothing else is touched.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, ok := map[string][]byte{"go": demoGo, "node": demoNode, "python": demoPython}[lang]
			if !ok {
				return usagef("there is no demo in %q: --lang is go, node or python", lang)
			}
			return w.demo(cmd.Context(), project, &settings)
		},
	}
	cmd.Flags().StringVar(&lang, "lang", "go", "the language of the project: go, node or python")
	w.jsonFlag(cmd)
	settings.add(cmd, "sandbox", "max_time")
	return cmd
}

func (w *world) demo(ctx context.Context, project []byte, settings *settingFlags) error {
	dir, err := os.MkdirTemp(w.temp, "autocoder-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	if err := writeProject(dir, project); err != nil {
		return fmt.Errorf("write the demo: %w", err)
	}
	r, err := w.resolve(dir, settings)
	if err != nil {
		return err
	}
	r.consent = true
	w.progress("a small project with two failing tests of five: " + dir)
	w.progress("the folder is the demo's own, so its tests may run in whatever sandbox works here")
	if err := w.fix(ctx, r, engine.FixRequest{}); err != nil {
		return err
	}
	if w.json || w.code != codeOf(outcome.Fixed) {
		return nil
	}
	_, err = fmt.Fprintf(w.stdout, `
what to try next:
  %[2]s fix --apply %[1]s
      write this fix to the demo's folder, which stays until you remove it
  %[2]s doctor PATH
      see how the tests of a project of yours would be run
  %[2]s fix PATH
      repair it on a copy; your files are not touched
`, dir, w.self)
	return err
}

// writeProject lays the files of an archive into dir.
func writeProject(dir string, archive []byte) error {
	for _, f := range txtar.Parse(archive).Files {
		path := filepath.Join(dir, filepath.FromSlash(strings.TrimSpace(f.Name)))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
