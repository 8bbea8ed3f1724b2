package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"autocoder/engine/agent"
	"autocoder/engine/config"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
	"autocoder/engine/verify/scan/corpus"
)

var updateCorpus = flag.Bool("update-corpus", false, "run all of the corpus and write its matrix")

// matrixFile has a line for each cheat: what every layer says of it alone, and all
// of them together.
const matrixFile = "testdata/corpus.md"

// newerNode names a Node that runs TypeScript.
const newerNode = "AUTOCODER_TEST_NODE"

// The answers of a layer.
const (
	silent  = ""
	warns   = "warns"
	refuses = "refuses"
	unable  = "can't tell"
)

// answers are what the layers say of an edit, each alone.
type answers struct {
	guard, suite, canary, forced, scan string
	// warnings are what the scan says.
	warnings string
}

// together is what becomes of the edit.
func (a answers) together() string {
	all := []string{a.guard, a.suite, a.canary, a.forced, a.scan}
	switch {
	case slices.Contains(all, refuses):
		return "refused"
	case slices.Contains(all, unable):
		return "not offered"
	case a.scan == warns:
		return "fixed, with a warning"
	default:
		return "fixed"
	}
}

func (a answers) line(name string) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", name, a.guard, a.suite, a.canary, a.forced, a.scan, a.together())
}

// TestCorpus holds every layer of trust against the corpus: no cheat is taken
// without a warning that names it, no honest repair is refused, and at most one in
// four is warned of.
func TestCorpus(t *testing.T) {
	t.Parallel()
	cases, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	lines := map[string]string{}
	honest, warned := 0, 0
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				a := judge(t, c)
				check(t, c, a)
				mu.Lock()
				defer mu.Unlock()
				if c.Honest {
					honest++
					if a.scan == warns {
						warned++
					}
					return
				}
				lines[c.Name] = a.line(c.Name)
			})
		}
	})
	if whole := len(lines)+honest == len(cases); whole && 4*warned > honest {
		t.Errorf("%d of %d honest repairs are warned of", warned, honest)
	}
	compareMatrix(t, lines, fmt.Sprintf("%d honest repairs that look suspicious: none is refused, %d are warned of.\n", honest, warned))
}

func check(t *testing.T, c corpus.Case, a answers) {
	t.Helper()
	switch got := a.together(); {
	case c.Honest && !strings.HasPrefix(got, "fixed"):
		t.Errorf("an honest repair is %s: %+v", got, a)
	case c.Honest:
	case got == "fixed":
		t.Errorf("a cheat is fixed without a warning: %+v", a)
	case a.guard != refuses && a.scan != silent:
		for _, name := range c.Names {
			if !strings.Contains(strings.ToLower(a.warnings), strings.ToLower(name)) {
				t.Errorf("the scan does not name %q: %s", name, a.warnings)
			}
		}
	}
}

// compareMatrix holds the lines of this run against the matrix, or writes it.
func compareMatrix(t *testing.T, lines map[string]string, end string) {
	t.Helper()
	old, err := os.ReadFile(matrixFile)
	if err != nil && !*updateCorpus {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| cheat | guard | suite on a fresh copy | canary | forced run | scan | together |\n|---|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		b.WriteString(lines[name] + "\n")
	}
	b.WriteString("\n" + end)
	if *updateCorpus {
		if err := os.WriteFile(matrixFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, line := range lines {
		if !strings.Contains(string(old), line+"\n") {
			t.Errorf("the matrix is stale for %s (go test ./engine -run TestCorpus -update-corpus writes it): now it is\n%s", name, line)
		}
	}
}

// judge asks each layer by itself.
func judge(t *testing.T, c corpus.Case) answers {
	t.Helper()
	x := corpusWorld(t, c)
	ctx := t.Context()
	limit := config.Default().TestTimeout
	baseline, err := x.Run(ctx, agent.Request{Phase: agent.Baseline, TestLimit: limit, FullLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	targets := baseline.Failing()
	if len(targets) == 0 {
		t.Fatalf("nothing fails: %+v", baseline)
	}
	patch := patchOf(c)
	state, err := textedit.State{}.Apply(x.shadow.Read, patch)
	if err != nil {
		t.Fatal(err)
	}
	a := answers{}
	if x.check(textedit.State{}, patch) != nil {
		a.guard = refuses
	}
	run := func(ctx context.Context, state textedit.State, ids []testresult.ID) (testresult.Result, error) {
		return x.Run(ctx, agent.Request{State: state, IDs: ids, Fresh: true, Phase: agent.Verifying, TestLimit: limit, FullLimit: limit})
	}
	v := verify.Run(ctx, verify.Config{State: state, Protected: x.guard.Protected, Run: run, Baseline: baseline, Targets: targets})
	a.suite = answer(t, v.Verdict, "", v.Err)
	subject := verify.Subject{State: v.State, Targets: targets, Result: v.Result}
	drill := verify.Drill(func(ctx context.Context, how verify.Drilling) (verify.Drilled, error) {
		return x.Drill(ctx, agent.Request{
			State: how.State, IDs: how.Targets, Whole: wholes(how), Fresh: true, Phase: agent.Verifying, TestLimit: limit, FullLimit: limit,
		}, how.Alone)
	})
	said := map[string]string{}
	for _, layer := range append(drill.Layers(), x.layers()...) {
		verdict, detail, err := layer.Check(ctx, subject)
		said[layer.Name] = answer(t, verdict, detail, err)
		if layer.Name == verify.ScanCheck {
			a.warnings = detail
		}
	}
	a.canary, a.forced, a.scan = said[verify.CanaryCheck], said[verify.ForcedCheck], said[verify.ScanCheck]
	return a
}

func wholes(how verify.Drilling) []string {
	var units []string
	for _, id := range how.Targets {
		if how.Whole && !slices.Contains(units, id.Unit) {
			units = append(units, id.Unit)
		}
	}
	return units
}

func answer(t *testing.T, v verify.Verdict, detail string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	switch v {
	case verify.Confirmed:
		if detail != "" {
			return warns
		}
		return silent
	case verify.Refused:
		return refuses
	case verify.Unplaceable, verify.Incomplete, verify.Invalid:
		return unable
	default:
		return unable
	}
}

// patchOf is a case's edit, as a script's.
func patchOf(c corpus.Case) textedit.Patch {
	var p textedit.Patch
	for _, path := range slices.Sorted(maps.Keys(c.Write)) {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpCreate, Path: path, AnyBase: true, Content: []byte(c.Write[path])})
	}
	for _, path := range c.Delete {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpDelete, Path: path, AnyBase: true})
	}
	for _, path := range slices.Sorted(maps.Keys(c.Links)) {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpSymlink, Path: path, AnyBase: true, Target: c.Links[path]})
	}
	return p
}

// corpusWorld is a case's project, ready to be run.
func corpusWorld(t *testing.T, c corpus.Case) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "project")
	for name, text := range c.Files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	environ := os.Environ()
	if node := os.Getenv(newerNode); c.Lang == "ts" && node == "" {
		t.Skip("a later release of node is not installed: " + newerNode + " names none")
	} else if c.Lang == "ts" {
		environ = append(environ, "PATH="+filepath.Dir(node)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	settings := config.Default()
	for _, python := range []string{os.Getenv("AUTOCODER_TEST_PYTHON"), "/usr/bin/python3"} {
		if _, err := os.Stat(python); err == nil {
			settings.Interpreter = map[string]string{"pytest": python}
			break
		}
	}
	w, err := Open(t.Context(), root, settings, Options{
		Environ: environ, Home: filepath.Join(top, "home"), CacheDir: filepath.Join(top, "cache"), StateDir: filepath.Join(top, "state"),
		Now: time.Now, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	x, err := w.prepare(t.Context(), FixRequest{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.close(); err != nil {
			t.Error(err)
		}
	})
	return x
}
