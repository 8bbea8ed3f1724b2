package verify_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/runner/gotest"
	"autocoder/engine/runner/nodetest"
	"autocoder/engine/runner/pytest"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// TestCheats has an archive for each cheat: what it writes over a project of
// testdata/base. Without layers each is confirmed; with them it is refused by the
// layer that its comment names.
func TestCheats(t *testing.T) {
	t.Parallel()
	each(t, "testdata/cheats", func(t *testing.T, p *drilled, words []string) {
		if got := p.verify(t); got.Verdict != verify.Confirmed {
			t.Fatalf("without layers: %s by %q: %s", got.Verdict, got.By, got.Detail)
		}
		got := p.verify(t, verify.Drill(p.drill).Layers()...)
		if got.Verdict != verify.Refused || got.By != words[1] {
			t.Errorf("%s by %q, want refused by %q: %s", got.Verdict, got.By, words[1], got.Detail)
		}
		if detail := strings.Join(words[2:], " "); !strings.Contains(got.Detail, detail) {
			t.Errorf("it says %q, want %q", got.Detail, detail)
		}
	})
}

// TestHonest has projects that are repaired honestly, however odd their tests are.
func TestHonest(t *testing.T) {
	t.Parallel()
	each(t, "testdata/honest", func(t *testing.T, p *drilled, words []string) {
		got := p.verify(t, verify.Drill(p.drill).Layers()...)
		if got.Verdict.String() != words[1] {
			t.Errorf("%s by %q: %s", got.Verdict, got.By, got.Detail)
		}
		if words[1] == "confirmed" && len(words) > 2 && strings.Join(p.ran, " ") != strings.Join(words[2:], " ") {
			t.Errorf("ran %q, want %q", p.ran, words[2:])
		}
	})
}

// each runs the archives of a folder. The first words of an archive's comment are
// the base project, then what the test says.
func each(t *testing.T, dir string, check func(t *testing.T, p *drilled, words []string)) {
	files, err := filepath.Glob(dir + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(archive.Comment), "\n")
			words := strings.Fields(line)
			check(t, open(t, words[0], archive.Files), words)
		})
	}
}

// drilled is a project with an edit.
type drilled struct {
	adapter       runner.Adapter
	before, after tree
	// texts are the files without the edit.
	texts map[string]string
	// baseline is the run of the suite without the edit, suite that with it.
	baseline, suite testresult.Result
	targets         []testresult.ID
	// ran are the drills that were run.
	ran []string
}

type tree struct {
	cell runner.Cell
	unit runner.Unit
	// root is where it is, and files what it has: a drill may take files away.
	root  string
	files []txtar.File
}

// whole puts back what a drill has taken away.
func (t tree) whole() error {
	for _, f := range t.files {
		if err := os.WriteFile(filepath.Join(t.root, filepath.FromSlash(f.Name)), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func open(t *testing.T, base string, edit []txtar.File) *drilled {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/base/" + strings.TrimSuffix(base, "24") + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	environ := os.Environ()
	p := &drilled{}
	switch base {
	case "py":
		p.adapter = pytest.New()
	case "go":
		p.adapter = gotest.Adapter()
	case "js24":
		node := os.Getenv("AUTOCODER_TEST_NODE")
		if node == "" {
			t.Skip("a later release of node is not installed: AUTOCODER_TEST_NODE names none")
		}
		environ = append(environ, "PATH="+filepath.Dir(node))
		p.adapter = nodetest.Adapter()
	case "js", "scripts":
		p.adapter = nodetest.Adapter()
	default:
		t.Fatalf("no base %q", base)
	}
	files := map[string]txtar.File{}
	for _, f := range archive.Files {
		files[f.Name] = f
	}
	var after []txtar.File
	for _, f := range edit {
		if name, ok := strings.CutPrefix(f.Name, "base/"); ok {
			files[name] = txtar.File{Name: name, Data: f.Data}
			continue
		}
		after = append(after, f)
	}
	p.texts = map[string]string{}
	for name, f := range files {
		p.texts[name] = string(f.Data)
	}
	p.before = p.lay(t, environ, files)
	for _, f := range after {
		files[f.Name] = f
	}
	p.after = p.lay(t, environ, files)
	p.baseline = p.run(t, p.before)
	p.suite = p.run(t, p.after)
	p.targets = p.baseline.Failing()
	if len(p.targets) == 0 {
		t.Fatalf("nothing fails: %+v", p.baseline)
	}
	return p
}

func (p *drilled) lay(t *testing.T, environ []string, files map[string]txtar.File) tree {
	t.Helper()
	var list []txtar.File
	for _, f := range files {
		list = append(list, f)
	}
	root := runnertest.Write(t, "project", list)
	cell := runnertest.OpenCell(t, root)
	return tree{cell, runnertest.Prepare(t, p.adapter, cell, environ), root, list}
}

var limits = runner.Limits{Test: 20 * time.Second, Suite: 4 * time.Minute}

func (p *drilled) run(t *testing.T, on tree) testresult.Result {
	t.Helper()
	run, err := runner.Run(t.Context(), on.cell, p.adapter, on.unit, runner.Selection{}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return testresult.Result{Units: []testresult.UnitRun{run}}
}

// verify verifies the edit, which is in the tree already.
func (p *drilled) verify(t *testing.T, layers ...verify.Layer) verify.Verification {
	t.Helper()
	state, err := textedit.State{}.Apply(func(string) (textedit.File, error) { return textedit.File{}, nil },
		textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "edit", AnyBase: true}}})
	if err != nil {
		t.Fatal(err)
	}
	return verify.Run(t.Context(), verify.Config{
		State: state, Baseline: p.baseline, Targets: p.targets, Layers: layers,
		Run: func(context.Context, textedit.State, []testresult.ID) (testresult.Result, error) { return p.suite, nil },
	})
}

// drill is a verify.Drill on the trees.
func (p *drilled) drill(ctx context.Context, how verify.Drilling) (verify.Drilled, error) {
	on, name := p.after, "with"
	if how.State.Empty() {
		on, name = p.before, "without"
	}
	var ids []string
	for _, id := range how.Targets {
		ids = append(ids, id.Native)
	}
	d, err := runner.NewDrill(p.adapter, ids, rand.Reader)
	if err != nil {
		return verify.Drilled{}, err
	}
	d.Alone, d.Failed, d.Texts = how.Alone, map[string]testresult.Place{}, map[string]string{}
	for id, at := range p.baseline.Places(how.Targets) {
		d.Failed[id.Native] = at
		d.Texts[at.File] = p.texts[at.File]
	}
	sel := runner.Selection{IDs: ids, Drill: d}
	if how.Whole {
		sel.IDs, name = nil, name+"-whole"
	}
	if how.Alone {
		name += "-alone"
	}
	if d.Plain = how.Plain; how.Plain {
		name += "-plain"
	}
	p.ran = append(p.ran, name)
	if err := on.whole(); err != nil {
		return verify.Drilled{}, err
	}
	run, err := runner.RunDrill(ctx, on.cell, p.adapter, on.unit, sel, limits)
	shown := verify.Drilled{Endings: map[testresult.ID]verify.Ending{}}
	shown.Add(d, run, slices.Clone(how.Targets))
	return shown, err
}
