package javascript

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// project is an archive laid out as a folder: the project's files, and what the
// test says of them.
type project struct {
	dir string
	// say are the archive's files without an extension: "targets", "passing", "trials".
	say map[string]string
}

func layout(t testing.TB, archive string) project {
	t.Helper()
	p := project{dir: t.TempDir(), say: map[string]string{}}
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		if filepath.Ext(f.Name) == "" {
			p.say[f.Name] = string(f.Data)
			continue
		}
		full := filepath.Join(p.dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p project) ids(name string) []testresult.ID {
	var out []testresult.ID
	for l := range strings.Lines(p.say[name]) {
		out = append(out, testresult.ID{Unit: ".", Native: strings.TrimSuffix(l, "\n")})
	}
	return out
}

// cell leases a copy of the project.
func (p project) cell(t testing.TB) (*propose.Cell, error) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(p.dir)); err != nil {
		return nil, err
	}
	cell := runnertest.OpenCell(t, root)
	return &propose.Cell{Starter: cell, Root: root, Scratch: cell.Scratch(), Close: func() error { return nil }}, nil
}

func (p project) open(t testing.TB, cells int) *session {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is missing")
	}
	task := repair.Task{
		View: propose.View{
			Read: func(path string) (textedit.File, error) {
				b, err := os.ReadFile(filepath.Join(p.dir, path))
				return textedit.File{Kind: textedit.Regular, Content: b, Mode: 0o644}, err
			},
			Editable: func(path string) error {
				if strings.Contains(path, ".test.") || strings.HasPrefix(path, "test/") {
					return errors.New("tests are protected")
				}
				return nil
			},
			Cells: cells,
			Cell:  func(context.Context) (*propose.Cell, error) { return p.cell(t) },
		},
		Unit:    propose.Unit{Name: ".", Root: ".", Runner: "node --test", Interpreter: node},
		Targets: p.ids("targets"), Passing: p.ids("passing"),
	}
	if p.say["command"] != "" { // which tells of one test alone
		task.Unit.Runner, task.Unit.Interpreter = byCommand, ""
		task.Targets, task.Passing = p.ids("command"), nil
		task.View.Files = p.files(t)
		if !New().Handles(task.View, task.Unit) {
			t.Error("a command that runs tests in JavaScript is none of the language's")
		}
	}
	got, err := New().Open(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	s := got.(*session)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// files are those of the project, without what is installed.
func (p project) files(t testing.TB) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(p.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if !d.IsDir() {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// change is a candidate that replaces the first old in a file.
func (p project) change(t testing.TB, id int, path, old, text string) repair.Candidate {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, path))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(old))
	if at < 0 {
		t.Fatalf("%s has no %q", path, old)
	}
	return repair.Candidate{ID: id, Path: path, Edits: []textedit.Edit{{Start: at, End: at + len(old), New: text}}, Line: bytes.Count(b[:at], []byte("\n")) + 1}
}

// evaluate returns the verdicts by id; each candidate has one.
func evaluate(t testing.TB, s repair.Session, batch []repair.Candidate) map[int]repair.Verdict {
	t.Helper()
	out := map[int]repair.Verdict{}
	err := s.Evaluate(t.Context(), batch, func(v repair.Verdict) {
		if _, ok := out[v.ID]; ok {
			t.Errorf("candidate %d has two verdicts", v.ID)
		}
		out[v.ID] = v
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != len(batch) {
		t.Errorf("%d candidates have %d verdicts", len(batch), len(out))
	}
	return out
}

// trial is a line of "trials": in a file, old becomes text, and comes to want.
type trial struct{ path, old, text, want string }

func (p project) trials() []trial {
	var out []trial
	path := ""
	for l := range strings.Lines(p.say["trials"]) {
		l = strings.TrimSuffix(l, "\n")
		mark, rest, _ := strings.Cut(l, " ")
		rest = strings.ReplaceAll(rest, "⏎", "\n")
		switch mark {
		case "-":
			out = append(out, trial{path: path, old: rest})
		case "+":
			out[len(out)-1].text = rest
		case "=":
			out[len(out)-1].want = rest
		default:
			path = l
		}
	}
	return out
}

// TestTrials tries the edits of each archive, all together.
func TestTrials(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/trials/*.txtar")
	if err != nil || len(archives) < 5 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	for _, a := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(a), ".txtar"), func(t *testing.T) {
			t.Parallel()
			p := layout(t, a)
			s := p.open(t, 1)
			if want := p.say["rerun"] != ""; s.rerun != want {
				t.Fatalf("every candidate is run by the command: %v, want %v", s.rerun, want)
			}
			if p.say["seen"] != "" {
				if seen := slices.Concat(s.targets, s.passing); !slices.Equal(slices.Sorted(slices.Values(seen)), natives(p.ids("seen"))) {
					t.Errorf("tests in scripts: %q, want %q", seen, p.say["seen"])
				}
				p.say["passing"] = strings.Join(s.passing, "\n")
			}
			if p.say["command"] != "" && !slices.Equal(s.targets, natives(p.ids("targets"))) {
				t.Errorf("failing tests: %q, want %q", s.targets, p.say["targets"])
			}
			if len(s.passing) != len(p.ids("passing")) {
				t.Errorf("passing tests: %q, want %q", s.passing, p.say["passing"])
			}
			if s.rerun {
				if rows, err := s.Spectrum(t.Context()); err != nil || !failing(rows.Rows, p.ids("targets")) || len(rows.Rows[0].Lines["src/add.js"]) == 0 {
					t.Errorf("the spectrum has not what the test file loads: %v, %v", rows, err)
				}
				return
			}
			list := p.trials()
			var batch []repair.Candidate
			for k, x := range list {
				batch = append(batch, p.change(t, k, x.path, x.old, x.text))
			}
			for k, v := range evaluate(t, s, batch) {
				if got := v.Trial.String(); got != list[k].want {
					t.Errorf("%q → %q: %s, want %s", list[k].old, list[k].text, got, list[k].want)
				}
			}
			if rows, err := s.Spectrum(t.Context()); err != nil || !failing(rows.Rows, p.ids("targets")) {
				t.Errorf("the spectrum has no failing row of each target: %v, %v", rows, err)
			}
			// What was tried before, and the trace, leave nothing behind.
			slices.Reverse(batch)
			for k, v := range evaluate(t, s, batch) {
				if got := v.Trial.String(); got != list[k].want {
					t.Errorf("once more, %q → %q: %s, want %s", list[k].old, list[k].text, got, list[k].want)
				}
			}
		})
	}
}

// A candidate that gets further in a target says so.
func TestFurther(t *testing.T) {
	t.Parallel()
	p := layout(t, "testdata/trials/plain.txtar")
	s := p.open(t, 1)
	got := evaluate(t, s, []repair.Candidate{
		p.change(t, 0, "src/fee.js", "return hours * 2", "return hours === 3 && member !== undefined ? 9 : 0"),
		p.change(t, 1, "src/fee.js", "return hours * 2", "return hours + 1"),
		p.change(t, 2, "src/fee.js", "return sum", "return -sum"),
	})
	for id, want := range []struct{ changed, further bool }{{true, true}, {true, false}, {true, false}} {
		if v := got[id]; v.Changed != want.changed || v.Further != want.further {
			t.Errorf("candidate %d: %+v, want %+v", id, v, want)
		}
	}
}
