//go:build unix

package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"autocoder/engine/budget"
	"autocoder/engine/command"
	"autocoder/engine/event"
	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// interpreter returns a Python with pytest.
func interpreter(t testing.TB) string {
	t.Helper()
	for _, python := range []string{os.Getenv("AUTOCODER_TEST_PYTHON"), "/usr/bin/python3", "python3"} {
		if python != "" && exec.Command(python, "-c", "import pytest").Run() == nil {
			return python
		}
	}
	t.Skip("a Python with pytest is missing")
	return ""
}

// starter starts processes in a cell, with more environment.
type starter struct {
	command.Starter
	env []string
}

func (s starter) Start(ctx context.Context, spec command.Spec) (*command.Process, error) {
	spec.Env = slices.Concat(spec.Env, s.env)
	return s.Starter.Start(ctx, spec)
}

// project is a folder laid out for a test.
type project struct {
	dir  string
	unit string // the unit's root; empty for "."
	env  func(root string) []string
}

func layProject(t testing.TB, files map[string]string) project {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return project{dir: dir}
}

// view shows the project; every cell works on a copy of its own.
func (p project) view(t testing.TB, cells int) propose.View {
	read := func(path string) (textedit.File, error) {
		b, err := os.ReadFile(filepath.Join(p.dir, path))
		return textedit.File{Kind: textedit.Regular, Content: b, Mode: 0o644}, err
	}
	return propose.View{
		Read:     read,
		Editable: editable,
		Cells:    cells,
		Cell: func(context.Context) (*propose.Cell, error) {
			root := t.TempDir()
			if err := os.CopyFS(root, os.DirFS(p.dir)); err != nil {
				return nil, err
			}
			cell := runnertest.OpenCell(t, root)
			s := starter{Starter: cell}
			if p.env != nil {
				s.env = p.env(root)
			}
			return &propose.Cell{
				Starter: s, Root: root, Scratch: cell.Scratch(),
				Write: func(path string, content []byte) error {
					return os.WriteFile(filepath.Join(root, path), content, 0o644)
				},
				Close: func() error { return nil },
			}, nil
		},
		Reserve: func(budget.Cost) error { return nil },
		Emit:    func(event.Event) {},
	}
}

var errProtected = errors.New("tests are protected")

func editable(path string) error {
	base := filepath.Base(path)
	if base == "conftest.py" || len(base) > 5 && base[:5] == "test_" {
		return errProtected
	}
	return nil
}

// open starts a session on the project.
func (p project) open(t testing.TB, cells int, targets, passing []string) *session {
	t.Helper()
	root := p.unit
	if root == "" {
		root = "."
	}
	task := repair.Task{
		View: p.view(t, cells),
		Unit: propose.Unit{Name: root, Root: root, Runner: "pytest", Interpreter: interpreter(t)},
	}
	for _, id := range targets {
		task.Targets = append(task.Targets, testresult.ID{Unit: root, Native: id})
	}
	for _, id := range passing {
		task.Passing = append(task.Passing, testresult.ID{Unit: root, Native: id})
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

// change is a candidate that replaces the first occurrence of old in a file.
func (p project) change(t testing.TB, id int, path, old, new string) repair.Candidate {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, path))
	if err != nil {
		t.Fatal(err)
	}
	at := indexOf(string(b), old)
	if at < 0 {
		t.Fatalf("%s has no %q", path, old)
	}
	return repair.Candidate{ID: id, Path: path, Edits: []textedit.Edit{{Start: at, End: at + len(old), New: new}}, Line: lineOf(b, at)}
}

func indexOf(s, old string) int {
	for i := 0; i+len(old) <= len(s); i++ {
		if s[i:i+len(old)] == old {
			return i
		}
	}
	return -1
}

func lineOf(b []byte, at int) int {
	d := decoder{lines: lineStarts(b)}
	return d.line(at)
}

// evaluate returns the verdicts by id.
func evaluate(t testing.TB, s repair.Session, batch ...repair.Candidate) map[int]repair.Verdict {
	t.Helper()
	out := map[int]repair.Verdict{}
	err := s.Evaluate(t.Context(), batch, func(v repair.Verdict) {
		if _, twice := out[v.ID]; twice {
			t.Errorf("candidate %d has two verdicts", v.ID)
		}
		out[v.ID] = v
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != len(batch) {
		t.Errorf("%d candidates got %d verdicts", len(batch), len(out))
	}
	return out
}

func trials(vs map[int]repair.Verdict) string {
	out := ""
	for id := range len(vs) {
		out += fmt.Sprintf("%d %v\n", id, vs[id].Trial)
	}
	return out
}
