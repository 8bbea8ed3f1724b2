package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// TestServerWithoutAStateFolder has the server start where nothing can be kept: it
// says so and goes on, and works once the folder can be had.
func TestServerWithoutAStateFolder(t *testing.T) {
	t.Parallel()
	p := newPythonProject(t)
	state := filepath.Join(filepath.Dir(p.root), "state")
	// A file in the place of a folder can't be written by anybody, root included.
	if err := os.WriteFile(state, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	before := mustPicture(t, p.root)
	p.serve(t, func(e *lsptest.Editor, _ *exec.Cmd) {
		if err := e.WaitMessage("what can't be written", func(m lsptest.Message) bool { return strings.Contains(m.Message, state) }); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(state); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(p.root, "test_add.py")
		if err := e.Execute(lsp.CommandFix, map[string]string{"uri": lsptest.URI(file)}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := e.WaitDiagnostic(filepath.Join(p.root, "add.py"), 2, func(d lsptest.Diagnostic) bool { return d.Code == "fixed" }); err != nil {
			t.Error(err)
		}
		if err := e.Quit(); err != nil {
			t.Error(err)
		}
	})
	p.survived(t, before)
	p.nothingLeft(t)
}
