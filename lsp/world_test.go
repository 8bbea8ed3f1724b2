package lsp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/propose"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/trajectory"
	"autocoder/lsp"
	"autocoder/lsp/lsptest"
	"autocoder/lsp/realtest"

	"golang.org/x/tools/txtar"
)

// program is the real server, for benchmarks.
var program realtest.Program

// known are the sandboxes that work here: they are tried once for all tests.
var known sandbox.Probes

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(program.Main(m))
}

// world is a folder with projects, and a server on it.
type world struct {
	t                testing.TB
	root             string
	cache, state     string
	config           lsp.Config
	log              *lockedBuffer
	crash            bool
	proposer         propose.Proposer // nil is what the settings say
	consent          bool
	opened, testRuns int
	e                *lsptest.Editor // the last one
	mu               sync.Mutex      // guards the counts and the editor
	// began is closed when tests are run for the first time. They then wait for hold,
	// unless it is nil.
	began, hold chan struct{}
	// cancel ends the server, and ended is what it returned.
	cancel context.CancelFunc
	ended  chan error
}

// lockedBuffer takes the server's log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newWorld lays files into a new folder.
func newWorld(t testing.TB, files []txtar.File) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, root: filepath.Join(top, "project"), cache: filepath.Join(top, "cache"), state: filepath.Join(top, "state"),
		log: &lockedBuffer{}, began: make(chan struct{}), ended: make(chan error, 1),
	}
	for _, f := range files {
		w.write(f.Name, string(f.Data))
	}
	if err := os.MkdirAll(w.root, 0o755); err != nil {
		t.Fatal(err)
	}
	w.config = lsp.Config{
		Open: w.open, Now: time.Now, Version: "test", Home: filepath.Join(top, "home"), Own: w.state,
		Log:      slog.New(slog.NewTextHandler(w.log, nil)),
		Patience: time.Minute, Quiet: 50 * time.Millisecond,
		Background: func(req lsp.OpenRequest) (config.BackgroundMode, error) {
			settings, _, _, err := config.Resolve(req.Layers)
			return settings.Background, err
		},
		Report: func(run string) (report.Report, error) {
			record, err := trajectory.Load(filepath.Join(w.state, "runs"), run)
			if err != nil || record.Report == nil {
				return report.Report{}, errors.Join(err, errors.New("no report"))
			}
			return *record.Report, nil
		},
		Allow: func(string) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.consent = true
			return nil
		},
		SaveReport: func(run, markdown string) (string, error) {
			file := filepath.Join(top, run+".md")
			return file, os.WriteFile(file, []byte(markdown), 0o644)
		},
		SaveDoctor: func(text string) (string, error) {
			file := filepath.Join(top, "doctor.txt")
			return file, os.WriteFile(file, []byte(text), 0o644)
		},
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// open opens a project whose tests are the lines of its files *.check, and whose
// proposer is what the settings say.
func (w *world) open(ctx context.Context, req lsp.OpenRequest) (*engine.Workspace, error) {
	w.mu.Lock()
	w.opened++
	crash, consent := w.crash, w.consent
	w.mu.Unlock()
	if crash {
		panic("the test wants it so")
	}
	settings, _, warnings, err := config.Resolve(req.Layers)
	if err != nil {
		return nil, err
	}
	for _, warning := range warnings {
		req.Warn(warning.String())
	}
	if script, ok := strings.CutPrefix(settings.Proposer, "script:"); ok {
		settings.Proposer = "script:" + w.path(script)
	}
	if req.Adjust != nil {
		req.Adjust(&settings)
	}
	return engine.Open(ctx, req.Root, settings, engine.Options{
		Home: w.config.Home, CacheDir: w.cache, StateDir: w.state, Now: time.Now, Sink: req.Sink, Version: "test", Proposer: w.proposer, Consent: consent,
		Environ: os.Environ(), Probes: &known, Runners: []engine.Runner{{Name: "check", Run: w.check}},
	})
}

// check runs the tests of a tree. A line "NAME FILE WORD" of a file *.check is a
// test that FILE has WORD; with the word "wait" it lasts until the run is ended,
// and a line that is none can't be run.
func (w *world) check(ctx context.Context, dir string, ids []string) (testresult.UnitRun, error) {
	w.mu.Lock()
	if w.testRuns++; w.testRuns == 1 {
		close(w.began)
	}
	e := w.e
	w.mu.Unlock()
	if w.hold != nil {
		<-w.hold
	}
	if e != nil {
		defer e.Settle() // what comes of this run is made later
	}
	var run testresult.UnitRun
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".check") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return checkFile(ctx, dir, filepath.ToSlash(rel), string(content), ids, &run)
	})
	if len(run.Tests) == 0 && len(run.Unusable) > 0 {
		run.Reason = testresult.CollectionError
	}
	return run, err
}

func checkFile(ctx context.Context, dir, name, content string, ids []string, run *testresult.UnitRun) error {
	for i, line := range strings.Split(strings.TrimSpace(content), "\n") {
		at := testresult.Frame{File: name, Line: i + 1}
		words := strings.Fields(line)
		if len(words) != 3 {
			run.Unusable = append(run.Unusable, testresult.Part{Name: name, Reason: testresult.SyntaxError, Detail: "not a test: " + line, At: at})
			run.Tests = nil
			return nil
		}
		if ids != nil && !contains(ids, words[0]) {
			continue
		}
		if words[2] == "wait" {
			<-ctx.Done()
			return ctx.Err()
		}
		test := testresult.Test{ID: testresult.ID{Native: words[0]}, Status: testresult.Passed, Part: name}
		text, err := os.ReadFile(filepath.Join(dir, words[1]))
		if err != nil || !strings.Contains(string(text), words[2]) {
			test.Status = testresult.Failed
			test.Failure = &testresult.Failure{Kind: "assertion", Message: fmt.Sprintf("%s lacks %s", words[1], words[2]), At: at}
		}
		run.Tests = append(run.Tests, test)
	}
	return nil
}

func contains(list []string, word string) bool {
	for _, x := range list {
		if x == word {
			return true
		}
	}
	return false
}

// counts are how often a project was opened, and tests were run.
func (w *world) counts() (opened, testRuns int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.opened, w.testRuns
}

// serve starts the server and an editor on it.
func (w *world) serve(o lsptest.Options) *lsptest.Editor {
	w.t.Helper()
	ours, theirs := lsptest.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	go func() { w.ended <- lsp.Serve(ctx, theirs, w.config) }()
	e := lsptest.Start(ours, o)
	w.mu.Lock()
	w.e = e
	w.mu.Unlock()
	w.t.Cleanup(func() {
		cancel()
		ours.Close()
		for _, v := range e.Violations() {
			w.t.Errorf("the server broke a rule: %s", v)
		}
		if w.t.Failed() {
			w.t.Logf("the server's log:\n%s\n%s", w.log, e.Situation())
		}
	})
	return e
}

// editor is serve for an editor that can everything and is initialized.
func (w *world) editor() *lsptest.Editor {
	w.t.Helper()
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable()})
	must(w.t, e.Initialize())
	return e
}

// quit ends the conversation, and with it the server.
func (w *world) quit(e *lsptest.Editor) {
	w.t.Helper()
	must(w.t, e.Quit())
	must(w.t, <-w.ended)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// proposing is a proposer that makes a file have a text, once, and does something
// before.
func proposing(before func(), name, text string) propose.Proposer {
	return propose.Func("proposing", func(_ context.Context, _ propose.View, history []propose.Attempt) (propose.Proposal, error) {
		if len(history) > 0 {
			return propose.Proposal{}, propose.ErrNothingLeft
		}
		before()
		return propose.Proposal{Title: "write", Patch: textedit.Patch{Ops: []textedit.Op{
			{Kind: textedit.OpCreate, Path: name, AnyBase: true, Content: []byte(text)},
		}}}, nil
	})
}
