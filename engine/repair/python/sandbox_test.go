//go:build unix

package python

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
)

// TestInSandbox goes the whole way in cells of every tier that is to be had.
func TestInSandbox(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised} {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			for _, a := range sandbox.Probe(t.Context(), tier, os.Environ()) {
				if !a.OK {
					t.Skipf("not on this system: the sandbox tier %v is missing here: %s: %s", tier, a.Name, a.Detail)
				}
			}
			inSandbox(t, tier)
		})
	}
}

func inSandbox(t *testing.T, tier sandbox.Tier) {
	c := setups()[3]
	p := layProject(t, c.files)
	view := p.view(t, 2)
	view.Cell = func(ctx context.Context) (*propose.Cell, error) { return p.sandboxed(ctx, t, tier) }
	task := repair.Task{
		View:    view,
		Unit:    propose.Unit{Name: "", Root: ".", Runner: "pytest", Interpreter: interpreter(t)},
		Targets: []testresult.ID{{Native: c.failing[0]}}, Passing: []testresult.ID{{Native: c.passing[0]}},
	}
	session, err := New().Open(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if sp, err := session.Spectrum(t.Context()); err != nil || len(sp.Rows) != 2 {
		t.Errorf("spectrum: %+v, %v", sp, err)
	}
	if _, err := session.Parse(t.Context(), c.file); err != nil {
		t.Error(err)
	}
	vs := evaluate(t, session,
		p.change(t, 0, c.file, "a - b", "a + b"),
		p.change(t, 1, c.file, "return a - b", "while True: pass"),
		p.change(t, 2, c.file, "a - b", "__import__('os')._exit(0)"),
		p.change(t, 3, c.file, "a - b", "b - a"),
	)
	if got, want := trials(vs), "0 green\n1 out of fuel\n2 died\n3 failed\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, c.file)); err != nil || string(b) != c.files[c.file] {
		t.Errorf("the project itself was touched: %q, %v", b, err)
	}
}

// sandboxed opens a cell on a copy of the project.
func (p project) sandboxed(ctx context.Context, t testing.TB, tier sandbox.Tier) (*propose.Cell, error) {
	copied, scratch := t.TempDir(), t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(p.dir)); err != nil {
		return nil, err
	}
	cell, err := sandbox.Open(ctx, sandbox.Config{Root: p.dir, Scratch: scratch, Tier: tier, Environ: os.Environ()}, sandbox.Tree{Dir: copied})
	if err != nil {
		return nil, err
	}
	return &propose.Cell{
		Starter: cell, Root: cell.Root(), Scratch: cell.Scratch(),
		Write: func(string, []byte) error { return errors.New("nobody should write here") },
		Close: cell.Close,
	}, nil
}
