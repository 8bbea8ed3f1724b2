package engine_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/config"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what the runs want")

// TestRuns runs every testdata/runs/*.txtar with real test runners in real
// cells: a project, how it is to be fixed, the edits that are proposed, and what
// has to come of it. A "[…]" in what is wanted stands for any text, where tools
// word things differently.
func TestRuns(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/runs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, archive)
			for i, f := range archive.Files {
				text, want := got[f.Name]
				if !want || like(string(f.Data), text) {
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(text)
					continue
				}
				t.Errorf("%s (-want +got):\n%s", f.Name, cmp.Diff(string(f.Data), text))
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// like compares a text with one in which "[…]" stands for any.
func like(want, got string) bool {
	form := strings.ReplaceAll(regexp.QuoteMeta(want), regexp.QuoteMeta("[…]"), ".*")
	return regexp.MustCompile("^" + form + "$").MatchString(got)
}

// play lays the project of an archive, runs what it asks for, and returns the
// texts that it may want.
func play(t *testing.T, archive *txtar.Archive) map[string]string {
	t.Helper()
	var files []txtar.File
	other := map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "project/"); ok {
			files = append(files, txtar.File{Name: name, Data: f.Data})
		} else {
			other[f.Name] = string(f.Data)
		}
	}
	p := newProjectAt(t, "project", files)
	p.settings.Proposer = "null"
	if edits, ok := other["edits"]; ok {
		p.script(t, edits)
	}
	req := p.ask(t, other["run"])
	r, err := p.tryFix(t, t.Context(), req)
	if err != nil {
		t.Cleanup(func() { t.Logf("the run's error was: %v", err) }) // the last line, which is what is read of a long output
	}
	got := map[string]string{"want": summary(r, err, p.root), "want.diff": r.Diff}
	for _, a := range r.Alternatives {
		got["want.diff"] += a.Diff
	}
	if r.Partial != nil {
		got["want.partial"] = r.Partial.Diff
	}
	return got
}

// ask reads what a run is to be: a line for each tool it needs, each setting,
// and each part of the request.
func (p *project) ask(t *testing.T, text string) engine.FixRequest {
	t.Helper()
	var req engine.FixRequest
	flags := map[string][]string{}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "need":
			p.need(t, strings.Fields(rest)...)
		case "only":
			req.Only = append(req.Only, rest)
		case "unit":
			req.Unit = rest
		case "apply":
			req.Apply = true
		case "partial":
			req.Partial = true
		case "inplace":
			req.InPlace = true
		case "path":
			p.options.Environ = append(p.options.Environ, "PATH="+rest)
		case "env":
			p.options.Environ = append(p.options.Environ, rest)
		case "set":
			name, value, _ := strings.Cut(rest, "=")
			flags[name] = append(flags[name], value)
		default:
			t.Fatalf("unknown line of a run: %q", line)
		}
	}
	p.set(t, flags)
	return req
}

// set lays flags over the project's settings.
func (p *project) set(t *testing.T, flags map[string][]string) {
	t.Helper()
	s, _, warnings, err := config.Resolve([]config.Layer{config.FromFlags(flags)})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("settings: %v, %v", err, warnings)
	}
	mine := p.settings
	p.settings = s
	p.settings.Interpreter, p.settings.Proposer = mine.Interpreter, mine.Proposer
	if len(flags["proposer"]) > 0 {
		p.settings.Proposer = s.Proposer
	}
	if len(flags["max_time"]) == 0 {
		p.settings.MaxTime = mine.MaxTime
	}
}
