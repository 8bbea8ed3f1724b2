package golang

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// project is a module laid out for a test.
type project struct {
	dir string
	env []string
}

// lay lays a txtar archive of testdata out.
func lay(t testing.TB, archive string) project {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		full := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return project{dir: dir, env: goEnv(t)}
}

// goEnv is the environment of a unit.
func goEnv(t testing.TB) []string {
	t.Helper()
	out, err := exec.Command(goTool(t), "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSpace(string(out)), "\n")
	return []string{
		"GOENV=off", "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOCACHE=" + values[0], "GOMODCACHE=" + values[1], "GOPATH=" + values[2],
	}
}

func goTool(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is missing")
	}
	return path
}

var errProtected = errors.New("tests are protected")

func editable(path string) error {
	if strings.HasSuffix(path, "_test.go") {
		return errProtected
	}
	return nil
}

// view shows the project; every cell works on a copy of its own.
func (p project) view(t testing.TB, result testresult.Result, targets []testresult.ID) propose.View {
	var files []string
	filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(p.dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return propose.View{
		Targets: targets, Result: result, Files: files, Units: []propose.Unit{p.unit(t)}, Confined: true,
		Read: func(path string) (textedit.File, error) {
			b, err := os.ReadFile(filepath.Join(p.dir, path))
			return textedit.File{Kind: textedit.Regular, Content: b, Mode: 0o644}, err
		},
		Editable: editable,
		Cells:    2,
		Cell: func(context.Context) (*propose.Cell, error) {
			root := t.TempDir()
			if err := os.CopyFS(root, os.DirFS(p.dir)); err != nil {
				return nil, err
			}
			cell := runnertest.OpenCell(t, root)
			return &propose.Cell{
				Starter: cell, Root: root, Scratch: cell.Scratch(),
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

func (p project) unit(t testing.TB) propose.Unit {
	return propose.Unit{Name: ".", Root: ".", Runner: "go test", Interpreter: goTool(t), Env: p.env}
}

func ids(natives ...string) []testresult.ID {
	var out []testresult.ID
	for _, n := range natives {
		out = append(out, testresult.ID{Unit: ".", Native: n})
	}
	return out
}

// open starts a session on the project.
func (p project) open(t testing.TB, targets, passing []string) *session {
	t.Helper()
	task := repair.Task{
		View: p.view(t, testresult.Result{}, ids(targets...)), Unit: p.unit(t), Targets: ids(targets...), Passing: ids(passing...),
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
	at := strings.Index(string(b), old)
	if at < 0 {
		t.Fatalf("%s has no %q", path, old)
	}
	edits := []textedit.Edit{{Start: at, End: at + len(old), New: new}}
	edits = append(complete(b, edits), edits...)
	return repair.Candidate{ID: id, Path: path, Edits: edits, Line: 1 + strings.Count(string(b[:at]), "\n")}
}

// evaluate returns the verdicts by id.
func evaluate(t testing.TB, s *session, batch ...repair.Candidate) map[int]repair.Verdict {
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
