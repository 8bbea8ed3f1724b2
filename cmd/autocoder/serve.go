package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
	"autocoder/engine/trajectory"
	"autocoder/engine/trust"
	"autocoder/lsp"

	"github.com/spf13/cobra"
)

// serveGC is by how many percent the server's heap grows until it is collected.
const serveGC = 400

func (w *world) serveVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve an editor by the Language Server Protocol", Args: noArguments,
		Long: `Serve one editor by the Language Server Protocol on standard input and output.
Editors start this by themselves. Standard error is the log.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := w.folders()
			if err != nil {
				return err
			}
			if w.getenv("GOGC") == "" {
				// The heap is a few megabytes, and each key that is pressed makes a new text of
				// its document: collecting at every doubling is what the slowest of them wait for.
				debug.SetGCPercent(serveGC)
			}
			w.bases, w.probes = &engine.Bases{}, &sandbox.Probes{}
			err = lsp.Serve(cmd.Context(), stdio{w.stdin, w.stdout}, w.serverConfig(places))
			return errors.Join(err, w.bases.Close())
		},
	}
	cmd.Flags().Bool("stdio", true, "speak on standard input and output, which is the only way there is")
	return cmd
}

// stdio is standard input and output as one stream.
type stdio struct {
	io.ReadCloser
	io.Writer
}

// serverConfig gives the server its ways to the world.
func (w *world) serverConfig(places folders) lsp.Config {
	return lsp.Config{
		Open: w.openFor,
		Background: func(req lsp.OpenRequest) (config.BackgroundMode, error) {
			r, err := w.resolve(req.Root, &settingFlags{}, req.Layers...)
			return r.Background, err
		},
		Report: func(run string) (report.Report, error) {
			record, err := trajectory.Load(places.runs(), run)
			switch {
			case err != nil:
				return report.Report{}, err
			case record.Report == nil:
				return report.Report{}, fmt.Errorf("the run %q has no report: it was interrupted", run)
			}
			return *record.Report, nil
		},
		SaveReport: func(run, markdown string) (string, error) { return saveReport(places.runs(), run, markdown) },
		SaveDoctor: func(text string) (string, error) {
			file := filepath.Join(places.state, "doctor.txt")
			return file, os.WriteFile(file, []byte(text+"\n"), 0o600)
		},
		Allow: func(root string) error { return trust.Open(places.state).AllowSupervised(root, w.now()) },
		Now:   w.now, Home: places.home, Own: places.state, Version: version(),
		Log: slog.New(slog.NewTextHandler(w.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// openFor opens a project for a job of the server.
func (w *world) openFor(ctx context.Context, req lsp.OpenRequest) (*engine.Workspace, error) {
	r, err := w.resolve(req.Root, &settingFlags{}, req.Layers...)
	if err != nil {
		return nil, err
	}
	for _, warning := range r.warnings {
		req.Warn(warning)
	}
	if req.Adjust != nil {
		req.Adjust(&r.Settings)
	}
	return engine.Open(ctx, r.root, r.Settings, engine.Options{
		Environ: w.environ, Home: r.folders.home, CacheDir: r.folders.cache, StateDir: r.folders.state,
		Now: w.now, Sink: req.Sink, Consent: r.consent && !req.Unasked, CostGiven: r.given("max_cost"), Gentle: req.Unasked, Bases: w.bases, Probes: w.probes, Version: version(),
	})
}

// saveReport writes the text of a report beside the run that it tells of.
func saveReport(runs, run, markdown string) (string, error) {
	if run == "" || strings.ContainsAny(run, `/\`) || run == ".." {
		return "", fmt.Errorf("%q is not the id of a run", run)
	}
	file := filepath.Join(runs, run, "report.md")
	err := os.WriteFile(file, []byte(markdown), 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("the run %q is no longer kept", run)
	}
	return file, err
}
