package engine_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// project is a folder of the user's, and a place for all that autocoder keeps.
type project struct {
	root         string
	cache, state string
	settings     config.Settings
	options      engine.Options

	mu     sync.Mutex // guards events: cells may be leased from several goroutines
	events []event.Event
}

// known is what the tests found out of the sandbox.
var known sandbox.Probes

// newProject lays the files of an archive into a new folder.
func newProject(t testing.TB, files string) *project {
	t.Helper()
	return newProjectAt(t, "project", txtar.Parse([]byte(files)).Files)
}

func newProjectAt(t testing.TB, name string, files []txtar.File) *project {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{
		root: filepath.Join(top, name), cache: filepath.Join(top, "cache"), state: filepath.Join(top, "state"),
		settings: config.Default(),
	}
	p.settings.MaxTime = 5 * time.Minute // machines that build many things at once are slow
	p.options = engine.Options{
		Environ: os.Environ(), Home: filepath.Join(top, "home"), CacheDir: p.cache, StateDir: p.state,
		Now: time.Now, Version: "test", Sink: p.note, Probes: &known,
	}
	mkdir(t, p.root)
	for _, f := range files {
		p.write(t, f.Name, string(f.Data))
	}
	return p
}

func (p *project) note(e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e)
}

// warned are the texts of the warnings so far.
func (p *project) warned() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var texts []string
	for _, e := range p.events {
		if e.Kind == event.Warned {
			texts = append(texts, e.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (p *project) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *project) write(t testing.TB, name, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(p.path(name)))
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p *project) read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(p.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// script makes the project's proposer one that replays edits.
func (p *project) script(t testing.TB, edits string) {
	t.Helper()
	file := filepath.Join(filepath.Dir(p.root), "script.json")
	if err := os.WriteFile(file, []byte(edits), 0o644); err != nil {
		t.Fatal(err)
	}
	p.settings.Proposer = "script:" + file
}

func (p *project) open(t testing.TB) *engine.Workspace {
	t.Helper()
	w, err := engine.Open(t.Context(), p.root, p.settings, p.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close the workspace: %v", err)
		}
	})
	return w
}

// fix runs one fix that may not fail, nor touch the folder, nor leave anything
// behind.
func (p *project) fix(t testing.TB, req engine.FixRequest) report.Report {
	t.Helper()
	r, err := p.tryFix(t, t.Context(), req)
	if err != nil {
		t.Fatalf("fix: %v", err)
	}
	return r
}

// tryFix is fix for a run that may end with an error.
func (p *project) tryFix(t testing.TB, ctx context.Context, req engine.FixRequest) (report.Report, error) {
	t.Helper()
	before := tree(t, p.root)
	r, err := p.open(t).Fix(ctx, req)
	if !r.Applied {
		p.untouched(t, before)
	}
	p.nothingLeft(t)
	return r, err
}

// untouched holds the folder against what it was.
func (p *project) untouched(t testing.TB, before map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, tree(t, p.root)); diff != "" {
		t.Errorf("the user's folder changed (-was +is):\n%s", diff)
	}
}

// nothingLeft makes sure that a run that ended left no copy, mount or process.
func (p *project) nothingLeft(t testing.TB) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(p.cache, "shadows", "shadow-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("copies were left: %q, %v", left, err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if strings.Contains(string(mounts), filepath.Dir(p.root)) {
		t.Errorf("mounts were left:\n%s", mounts)
	}
	if processes := working(filepath.Dir(p.root)); len(processes) > 0 {
		t.Errorf("processes were left: %q", processes)
	}
}

// working are the processes whose environment names the folder: all that a cell
// started have their home there.
func working(dir string) []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ") // elsewhere there are none
	for _, file := range environs {
		environ, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(environ), dir) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// tree tells all of a folder that a user could miss: what there is, of what kind
// and mode, what it holds, and since when.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	entries := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %x %s", sha256.Sum256(content), info.ModTime().Format(time.RFC3339Nano))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " " + target
		}
		entries[filepath.ToSlash(rel)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// need skips the test when a tool is missing, and has the project use the one
// that the tests are to run with.
func (p *project) need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if tool == "pytest" {
			p.settings.Interpreter = map[string]string{"pytest": python(t)}
			continue
		}
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
}

// python is an interpreter that has pytest.
func python(t testing.TB) string {
	t.Helper()
	for _, candidate := range []string{os.Getenv("AUTOCODER_TEST_PYTHON"), "python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(candidate)
		if candidate != "" && err == nil && exec.Command(path, "-c", "import pytest").Run() == nil {
			return path
		}
	}
	t.Skip("needs pytest")
	return ""
}

// summary tells of a report what a run came to, in lines.
func summary(r report.Report, err error, root string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if err != nil {
		say("error: %v", err)
	}
	say("outcome: %s", r.Outcome)
	say("reason: %s", r.Reason)
	for _, u := range r.Units {
		say("unit %s: %s", u.Root, u.Runner)
	}
	say("baseline: %s, %d passed, %d failed, %d skipped", r.Baseline.Status, r.Baseline.Passed, r.Baseline.Failed, r.Baseline.Skipped)
	for _, f := range r.Baseline.Failing {
		say("failing %s: %s at %s:%d", f.ID, f.Kind, f.File, f.Line)
	}
	for _, id := range r.Baseline.Flaky {
		say("flaky %s", id)
	}
	for _, u := range r.Baseline.Unusable {
		say("unusable %s: %s", u.Part, u.Reason)
	}
	for _, a := range r.Attempts {
		say("#%d %s", a.N, strings.Join(slices.DeleteFunc([]string{strings.Join(a.Files, " "), a.Verdict.String(), a.Result, a.Note}, func(s string) bool { return s == "" }), ", "))
	}
	say("final: %s, %d passed, %d failed; %d test runs", r.Final.Status, r.Final.Passed, r.Final.Failed, r.TestRuns)
	for _, id := range r.LeftFailing {
		say("left failing: %s", id)
	}
	if r.Partial != nil {
		say("partial: fixed %s, left %s", strings.Join(r.Partial.Fixed, " "), strings.Join(r.Partial.Left, " "))
	}
	for _, lists := range [][]string{r.Settings, r.Warnings} {
		for _, line := range lists {
			say("note: %s", line)
		}
	}
	return strings.ReplaceAll(b.String(), root, "ROOT")
}
