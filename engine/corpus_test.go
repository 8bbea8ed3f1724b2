package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
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
	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/corpus"
	"autocoder/engine/verify/scan/python"
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
	case a.scan == warns || a.forced == warns:
		return "fixed, with a warning"
	default:
		return "fixed"
	}
}

func (a answers) line(name string) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", name, a.guard, a.suite, a.canary, a.forced, a.scan, a.together())
}

// bunchSize is how many cases share a world and its cells: cells cost more than
// the tests of a case do.
const bunchSize = 24

// bunches are the cases in groups of one language.
func bunches(cases []corpus.Case) [][]corpus.Case {
	var out [][]corpus.Case
	langs := map[string][]corpus.Case{}
	for _, c := range cases {
		langs[c.Lang] = append(langs[c.Lang], c)
	}
	for _, lang := range slices.Sorted(maps.Keys(langs)) {
		out = slices.AppendSeq(out, slices.Chunk(langs[lang], bunchSize))
	}
	return out
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
	quiet := quietCases(t)
	var mu sync.Mutex
	lines := map[string]string{}
	honest, warned := 0, 0
	t.Run("cases", func(t *testing.T) {
		for i, bunch := range bunches(cases) {
			t.Run(fmt.Sprintf("%s-%d", bunch[0].Lang, i), func(t *testing.T) {
				t.Parallel()
				j := open(t, bunch, quiet)
				for _, c := range bunch {
					t.Run(c.Name, func(t *testing.T) {
						a := j.judge(t, c)
						check(t, c, a)
						mu.Lock()
						defer mu.Unlock()
						if c.Honest {
							honest++
							if a.scan == warns || a.forced == warns {
								warned++
							}
							return
						}
						lines[c.Name] = a.line(c.Name)
					})
				}
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

// quietCases are the cheats on which, as the matrix has it, only the scan has a
// word to say. That they are is found out anew; it only says which of them may share
// a build.
func quietCases(t *testing.T) map[string]bool {
	t.Helper()
	quiet := map[string]bool{}
	matrix, err := os.ReadFile(matrixFile)
	if err != nil && !*updateCorpus {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(matrix)) {
		if cells := strings.Split(line, " | "); len(cells) == 7 && strings.TrimSpace(strings.Join(cells[1:5], "")) == "" {
			quiet[strings.TrimPrefix(cells[0], "| ")] = true
		}
	}
	return quiet
}

// spot is where a case lies in its world: the unit, its own folder, and what the
// names of its parts begin with.
type spot struct{ unit, folder, part string }

// sharedModule is the module in which Go's quiet cases are packages: what is built
// for each module, the changed package testing of a drill above all, is built once.
const sharedModule = "corpus"

// spotOf is where a case goes. Alone in a unit is whatever may end a run early or
// wants runs of its own, and what is no plain module.
func spotOf(c corpus.Case, quiet map[string]bool) spot {
	_, moved := c.Write["go.mod"]
	if c.Lang == "go" && (c.Honest || quiet[c.Name]) && c.Files["go.mod"] == "module ex\n\ngo 1.21\n" && !moved {
		return spot{unit: sharedModule, folder: path.Join(sharedModule, c.Name), part: sharedModule + "/" + c.Name}
	}
	return spot{unit: c.Name, folder: c.Name}
}

// settled is a case as it stands at its spot.
func (s spot) settled(c corpus.Case) corpus.Case {
	if s.part == "" {
		return c
	}
	imports := strings.NewReplacer(`"ex"`, `"`+s.part+`"`, `"ex/`, `"`+s.part+`/`)
	files := func(all map[string]string) map[string]string {
		out := map[string]string{}
		for name, text := range all {
			if path.Ext(name) == ".go" {
				text = imports.Replace(text)
			}
			out[name] = text
		}
		return out
	}
	c.Files, c.Write = files(c.Files), files(c.Write)
	delete(c.Files, "go.mod")
	return c
}

// has reports whether a part of the unit is the spot's.
func (s spot) has(part string) bool {
	return s.part == "" || part == s.part || strings.HasPrefix(part, s.part+"/")
}

// judging is a world that has all cases of a bunch. What all of them need is run
// once for all: the baseline, the suite with every edit, and the drill.
type judging struct {
	x               *world
	spots           map[string]spot
	baseline, suite testresult.Result
	drilled         verify.Drilled
	// trees are Python's trees of the cases' files.
	trees map[string]python.Tree
}

const corpusLimit = 10 * time.Second

func open(t *testing.T, bunch []corpus.Case, quiet map[string]bool) *judging {
	t.Helper()
	j := &judging{spots: map[string]spot{}}
	for _, c := range bunch {
		j.spots[c.Name] = spotOf(c, quiet)
	}
	j.x = corpusWorld(t, bunch, j.spots)
	j.learn(t, bunch)
	var err error
	j.baseline, err = j.x.Run(t.Context(), agent.Request{Phase: agent.Baseline, TestLimit: corpusLimit, FullLimit: corpusLimit})
	if err != nil {
		t.Fatal(err)
	}
	var all textedit.Patch
	for _, c := range bunch {
		all.Ops = append(all.Ops, j.patch(c).Ops...)
	}
	state := j.state(t, all).Without(j.x.guard.Protected)
	if j.suite, err = j.run(t.Context(), state, nil); err != nil {
		t.Fatal(err)
	}
	if j.drilled, err = j.drill(t.Context(), verify.Drilling{State: state, Targets: j.baseline.Failing()}); err != nil {
		t.Fatal(err)
	}
	return j
}

// patch is a case's edit at its spot.
func (j *judging) patch(c corpus.Case) textedit.Patch {
	at := j.spots[c.Name]
	return patchOf(at.settled(c), at.folder)
}

// learn reads the Python of all cases by one start of the interpreter.
func (j *judging) learn(t *testing.T, bunch []corpus.Case) {
	t.Helper()
	var texts []string
	for _, c := range bunch {
		for _, files := range []map[string]string{c.Files, c.Write} {
			for name, text := range files {
				if path.Ext(name) == ".py" {
					texts = append(texts, text)
				}
			}
		}
	}
	if len(texts) == 0 {
		return
	}
	answer, err := j.x.readPython(t.Context(), texts, nil)
	if err != nil || len(answer.Trees) != len(texts) {
		return // each is read by itself then
	}
	j.trees = map[string]python.Tree{}
	for i, text := range texts {
		j.trees[text] = answer.Trees[i]
	}
}

// readPython answers from what was learnt. Trees are shared: a scan changes none.
func (j *judging) readPython(ctx context.Context, texts, modules []string) (python.Answer, error) {
	var answer python.Answer
	for _, text := range texts {
		tree, ok := j.trees[text]
		if !ok || len(modules) > 0 {
			return j.x.readPython(ctx, texts, modules)
		}
		answer.Trees = append(answer.Trees, tree)
	}
	return answer, nil
}

func (j *judging) state(t *testing.T, patch textedit.Patch) textedit.State {
	t.Helper()
	state, err := textedit.State{}.Apply(j.x.shadow.Read, patch)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func (j *judging) run(ctx context.Context, state textedit.State, ids []testresult.ID) (testresult.Result, error) {
	return j.x.Run(ctx, agent.Request{State: state, IDs: ids, Fresh: true, Phase: agent.Verifying, TestLimit: corpusLimit, FullLimit: corpusLimit})
}

func (j *judging) drill(ctx context.Context, how verify.Drilling) (verify.Drilled, error) {
	return j.x.Drill(ctx, agent.Request{
		State: how.State, IDs: how.Targets, Failed: j.baseline.Places(how.Targets), Plain: how.Plain, Whole: wholes(how), Fresh: true, Phase: agent.Verifying, TestLimit: corpusLimit, FullLimit: corpusLimit,
	}, how.Alone)
}

// only is what a result of all says of one case.
func only(r testresult.Result, unit string, at spot) testresult.Result {
	r.Units = slices.DeleteFunc(slices.Clone(r.Units), func(u testresult.UnitRun) bool { return u.Unit != unit })
	for i, u := range r.Units {
		r.Units[i].Tests = slices.DeleteFunc(slices.Clone(u.Tests), func(t testresult.Test) bool { return !at.has(t.Part) })
		r.Units[i].Unusable = slices.DeleteFunc(slices.Clone(u.Unusable), func(p testresult.Part) bool { return !at.has(p.Name) })
	}
	return r
}

// drilledOnly is what a drill of all shows of one case.
func drilledOnly(all verify.Drilled, unit string, at spot, targets []testresult.ID) verify.Drilled {
	d := verify.Drilled{Unplaceable: all.Unplaceable, Why: all.Why, Endings: map[testresult.ID]verify.Ending{}}
	for _, w := range all.Wrong {
		if w.Unit == unit && at.has(w.Part) {
			d.Wrong = append(d.Wrong, w)
		}
	}
	for _, id := range targets {
		if ending, ok := all.Endings[id]; ok {
			d.Endings[id] = ending
		}
	}
	return d
}

// judge asks each layer by itself about one case.
func (j *judging) judge(t *testing.T, c corpus.Case) answers {
	t.Helper()
	at := j.spots[c.Name]
	i := slices.IndexFunc(j.x.units, func(u unit) bool { return u.Root == at.unit })
	if i < 0 {
		t.Fatalf("nothing runs its tests: %+v", j.x.units)
	}
	unit := j.x.units[i].Name
	baseline := only(j.baseline, unit, at)
	targets := baseline.Failing()
	if len(targets) == 0 {
		t.Fatalf("nothing fails: %+v", baseline)
	}
	patch := j.patch(c)
	a := answers{}
	if j.x.check(textedit.State{}, patch) != nil {
		a.guard = refuses
	}
	run := func(ctx context.Context, state textedit.State, ids []testresult.ID) (testresult.Result, error) {
		if ids == nil {
			return only(j.suite, unit, at), nil
		}
		return j.run(ctx, state, ids)
	}
	v := verify.Run(t.Context(), verify.Config{State: j.state(t, patch), Protected: j.x.guard.Protected, Run: run, Baseline: baseline, Targets: targets})
	a.suite = answer(t, v.Verdict, "", v.Err)
	subject := verify.Subject{State: v.State, Targets: targets, Result: v.Result}
	drill := verify.Drill(func(ctx context.Context, how verify.Drilling) (verify.Drilled, error) {
		if !how.State.Empty() && !how.Whole && !how.Alone {
			return drilledOnly(j.drilled, unit, at, targets), nil
		}
		return j.drill(ctx, how)
	})
	said := map[string]string{}
	for _, layer := range drill.Layers() {
		verdict, detail, err := layer.Check(t.Context(), subject)
		said[layer.Name] = answer(t, verdict, detail, err)
	}
	a.canary, a.forced = said[verify.CanaryCheck], said[verify.ForcedCheck]
	verdict, detail := j.scan(t, c)
	a.scan, a.warnings = answer(t, verdict, detail, nil), detail
	return a
}

// scan scans a case as if it were alone.
func (j *judging) scan(t *testing.T, c corpus.Case) (verify.Verdict, string) {
	t.Helper()
	in := scan.Input{Files: slices.Sorted(maps.Keys(c.Files)), Python: j.readPython}
	in.Base = func(p string) (textedit.File, error) {
		if text, ok := c.Files[p]; ok {
			return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}, nil
		}
		return textedit.File{}, nil
	}
	state, err := textedit.State{}.Apply(in.Base, patchOf(c, ""))
	if err != nil {
		t.Fatal(err)
	}
	in.State = state.Without(j.x.guard.Protected)
	for _, p := range in.Files {
		if j.x.guard.Protected(p) {
			in.TestFiles = append(in.TestFiles, p)
		}
	}
	found, err := scan.Scan(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return weigh(found)
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

// patchOf is a case's edit, as a script's, in a folder.
func patchOf(c corpus.Case, folder string) textedit.Patch {
	var p textedit.Patch
	for _, name := range slices.Sorted(maps.Keys(c.Write)) {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpCreate, Path: path.Join(folder, name), AnyBase: true, Content: []byte(c.Write[name])})
	}
	for _, name := range c.Delete {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpDelete, Path: path.Join(folder, name), AnyBase: true})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Links)) {
		p.Ops = append(p.Ops, textedit.Op{Kind: textedit.OpSymlink, Path: path.Join(folder, name), AnyBase: true, Target: c.Links[name]})
	}
	return p
}

// markers make a folder a project of its own and say nothing else.
var markers = map[string]string{"py": "setup.py"}

// corpusWorld is a workspace with the projects of the cases, ready to be run.
func corpusWorld(t *testing.T, bunch []corpus.Case, spots map[string]spot) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "project")
	for _, c := range bunch {
		at := spots[c.Name]
		files := map[string]string{}
		for name, text := range at.settled(c).Files {
			files[path.Join(at.folder, name)] = text
		}
		if marker := markers[c.Lang]; marker != "" {
			files[path.Join(at.folder, marker)] = ""
		}
		if at.unit == sharedModule {
			files[path.Join(at.unit, "go.mod")] = "module " + sharedModule + "\n\ngo 1.21\n"
		}
		for name, text := range files {
			file := filepath.Join(root, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	lang := bunch[0].Lang
	environ := os.Environ()
	if node := os.Getenv(newerNode); lang == "ts" && node == "" {
		t.Skip("a later release of node is not installed: " + newerNode + " names none")
	} else if lang == "ts" {
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
