package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// TestOurOwnFiles: a report that is in front of the user is about its project, and is
// none itself.
func TestOurOwnFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(`
-- a/calc.txt --
minus
-- a/calc.check --
add calc.txt plus
-- b/calc.txt --
plus
-- b/calc.check --
add calc.txt plus
`))
	e := w.serve(lsptest.Options{Folders: []string{w.path("a"), w.path("b")}, Can: lsptest.Capable()})
	must(t, e.Initialize())
	about := func(path string) map[string]string { return map[string]string{"uri": lsptest.URI(path)} }
	must(t, e.Execute(lsp.CommandDoctor, about(w.path("a/calc.txt")), nil))
	doctor, err := e.WaitShown()
	must(t, err)
	e.Open(doctor)
	must(t, e.Execute(lsp.CommandRunTests, about(doctor), nil))
	must(t, e.WaitMessage("that the tests of the first folder fail", fails))
	must(t, e.Execute(lsp.CommandDoctor, about(doctor), nil))
	must(t, e.WaitMessage("the doctor's again", func(m lsptest.Message) bool { return strings.HasPrefix(m.Message, "check (1 test)") }))

	earlier := filepath.Join(w.state, "runs", "x", "report.md")
	if code := codeOf(e.Execute(lsp.CommandFix, about(earlier), nil)); code != -32602 {
		t.Errorf("a report that may be about either folder: code %d", code)
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"removed": []any{map[string]string{"uri": lsptest.URI(w.path("a")), "name": "a"}}, "added": []any{},
	}})
	must(t, e.Execute(lsp.CommandRunTests, about(earlier), nil))
	must(t, e.WaitMessage("that the tests of the folder that is left pass", passes))
	w.quit(e)
}

// TestFoldersAsPlaces: a command may be about a folder, the project's or one in it.
func TestFoldersAsPlaces(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".", "deep", "deep/down"} {
		w := newWorld(t, files("-- go.mod --\nmodule x\n-- calc.txt --\nminus\n-- deep/down/calc.check --\nadd calc.txt plus\n"))
		e := w.serve(lsptest.Options{Can: lsptest.Capable()})
		must(t, e.Initialize())
		must(t, e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(w.path(name))}, nil))
		st, err := e.WaitIdle(1)
		must(t, err)
		if st.Root != w.root || !strings.HasPrefix(st.Message, "tests fail") {
			t.Errorf("%s: %+v", name, st)
		}
		w.quit(e)
	}
}
