package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

func passes(m lsptest.Message) bool { return strings.HasPrefix(m.Message, "tests pass") }
func fails(m lsptest.Message) bool  { return strings.HasPrefix(m.Message, "tests fail") }

// TestSeveralFolders runs jobs in two folders at once; one that goes takes its
// diagnostics and jobs along, and one that comes has its own.
func TestSeveralFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(`
-- a/calc.txt --
minus
-- a/calc.check --
add calc.txt plus
-- b/calc.txt --
minus
-- b/calc.check --
add calc.txt wait
-- c/calc.txt --
plus
-- c/calc.check --
add calc.txt plus
`))
	e := w.serve(lsptest.Options{Folders: []string{w.path("a"), w.path("b")}, Can: lsptest.Capable()})
	must(t, e.Initialize())
	for _, name := range []string{"a/calc.check", "b/calc.check"} {
		e.Open(w.path(name))
		must(t, e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(w.path(name))}, nil))
	}
	_, err := e.WaitDiagnostic(w.path("a/calc.check"), 1, func(d lsptest.Diagnostic) bool { return d.Code == "failing_test" })
	must(t, err)
	if code := codeOf(e.Execute(lsp.CommandFix, nil, nil)); code != -32602 {
		t.Errorf("a command that may be about both: code %d", code)
	}
	folder := func(name string) map[string]string {
		return map[string]string{"uri": lsptest.URI(w.path(name)), "name": name}
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		// Neovim before 0.9 sends lists with a nothing in them.
		"removed": []any{folder("a"), []any{}, folder("b")}, "added": []any{folder("c"), map[string]any{}, 7},
	}})
	must(t, e.WaitNoDiagnostics(w.path("a/calc.check")))
	must(t, e.WaitMessage("cancelled", func(m lsptest.Message) bool { return m.Message == "Run tests: cancelled" }))
	must(t, e.Execute(lsp.CommandRunTests, nil, nil)) // there is one only
	must(t, e.WaitMessage("tests pass", passes))
	w.quit(e)
}

// TestSettingsOfFolders asks for the settings of each folder.
func TestSettingsOfFolders(t *testing.T) {
	t.Parallel()
	const one = "calc.txt --\nminus\n"
	w := newWorld(t, files("-- a/"+one+"-- a/calc.check --\nadd calc.txt plus\n-- b/"+one+"-- b/calc.check --\nadd calc.txt plus\n"))
	e := w.serve(lsptest.Options{
		Folders: []string{w.path("a"), w.path("b")}, Can: lsptest.Capable(), Settings: map[string]string{"proposer": "null"},
		SettingsOf: map[string]any{w.path("b"): map[string]string{"max_time": "soon"}},
	})
	must(t, e.Initialize())
	for name, code := range map[string]string{"a/calc.txt": "no_progress", "b/calc.txt": "internal_error"} {
		e.Open(w.path(name))
		must(t, e.ChooseTitled(w.path(name), 1, "Fix failing tests"))
		place := map[string]string{"no_progress": "a/calc.check", "internal_error": "b/calc.txt"}[code]
		_, err := e.WaitDiagnostic(w.path(place), 1, func(d lsptest.Diagnostic) bool { return d.Code == code })
		must(t, err)
	}
	w.quit(e)
}

// TestCommandsWithoutADocument show their ends somewhere all the same.
func TestCommandsWithoutADocument(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{true, false} {
		w := newWorld(t, files("-- calc.txt --\nplus\n-- calc.check --\nadd calc.txt plus\n"))
		w.crash = crash
		e := w.editor()
		e.Open(w.path("calc.txt"))
		must(t, e.Execute(lsp.CommandFix, map[string]string{"root": w.root}, nil))
		want := map[bool]string{true: "internal_error", false: "already_green"}[crash]
		_, err := e.WaitDiagnostic(w.path("calc.txt"), 1, func(d lsptest.Diagnostic) bool { return d.Code == want })
		must(t, err)
		w.quit(e)
	}
}

// TestNoFolder finds the project of a file that is opened alone.
func TestNoFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(`
-- go.mod --
module x
-- calc.txt --
minus
-- deep/down/calc.check --
add calc.txt plus
`))
	e := w.serve(lsptest.Options{Can: lsptest.Capable()})
	must(t, e.Initialize())
	path := w.path("deep/down/calc.check")
	e.Open(path)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	st, err := e.WaitIdle(1)
	must(t, err)
	if st.Root != w.root {
		t.Errorf("the root is %s, want %s", st.Root, w.root)
	}
	w.quit(e)
}

// TestLinkedFolder reaches a project by a link: the editor's names are kept.
func TestLinkedFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	link := filepath.Join(filepath.Dir(w.root), "link")
	if err := os.Symlink(w.root, link); err != nil {
		t.Skip(err)
	}
	e := w.serve(lsptest.Options{Folders: []string{link}, Can: lsptest.Capable(), Settings: map[string]string{"proposer": "script:edits.json"}})
	w.write("edits.json", `{"write": {"calc.txt": "plus\n"}}`)
	must(t, e.Initialize())
	path := filepath.Join(link, "calc.txt")
	e.Open(path)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	must(t, e.WaitText(path, "plus\n"))
	_, err := e.WaitDiagnostic(path, 1, func(d lsptest.Diagnostic) bool { return d.Code == "fixed" })
	must(t, err)
	w.quit(e)
}

// TestSettingsChange pushes other settings to a server that was started with some.
func TestSettingsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red+"-- edits.json --\n{\"write\": {\"calc.txt\": \"plus\\n\"}}\n"))
	can := lsptest.Capable()
	delete(can["workspace"].(map[string]any), "configuration")
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: can, Initial: map[string]any{"proposer": "null"}})
	must(t, e.Initialize())
	path := w.path("calc.txt")
	e.Open(path)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	if st, err := e.WaitIdle(1); err != nil || st.Outcome != "no_progress" {
		t.Fatalf("%+v, %v", st, err)
	}
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"autocoder": map[string]any{"proposer": "script:edits.json"}}})
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	if st, err := e.WaitIdle(2); err != nil || st.Outcome != "fixed" {
		t.Fatalf("%+v, %v", st, err)
	}
	must(t, e.WaitText(path, "plus\n"))
	w.quit(e)
}

// TestReport asks for the reports of runs: the last one, one of an earlier server,
// and one that never was.
func TestReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]string{"proposer": "null"}})
	must(t, e.Initialize())
	if _, _, err := e.Report(""); codeOf(err) != -32602 {
		t.Errorf("a report before any run: %v", err)
	}
	e.Open(w.path("calc.txt"))
	must(t, e.ChooseTitled(w.path("calc.txt"), 1, "Fix failing tests"))
	st, err := e.WaitIdle(1)
	must(t, err)
	text, report, err := e.Report("")
	must(t, err)
	if !strings.Contains(text, "# no_progress") || report["run"] != st.Run || report["schema"] != "autocoder.report/1" {
		t.Errorf("the report of %s: %s\n%v", st.Run, text, report)
	}
	w.quit(e)

	again := w.editor()
	text, report, err = again.Report(st.Run)
	must(t, err)
	if !strings.Contains(text, "# no_progress") || report["run"] != st.Run {
		t.Errorf("the report of the earlier run: %s", text)
	}
	if _, _, err := again.Report("never"); codeOf(err) != -32602 {
		t.Errorf("the report of no run: %v", err)
	}
	w.quit(again)
}

// TestAlternatives lists patches that all make the tests pass; one is verified and
// applied.
func TestAlternatives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	write := func(text string) textedit.Patch {
		return textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "calc.txt", AnyBase: true, Content: []byte(text)}}}
	}
	w.proposer = propose.Once("two", propose.Proposal{
		Patch: write("plus\n"), Title: "one", Why: "the short one",
		Alternatives: []propose.Alternative{{Patch: write("plus and more\n"), Why: "the long one"}},
	})
	e := w.editor()
	path := w.path("calc.txt")
	e.Open(path)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	if st, err := e.WaitIdle(1); err != nil || st.Outcome != "gave_up" || !strings.Contains(st.Message, "code action") {
		t.Fatalf("%+v, %v", st, err)
	}
	must(t, e.ChooseTitled(path, 1, "Verify and apply alternative 2: the long one"))
	must(t, e.WaitText(path, "plus and more\n"))
	if st, err := e.WaitIdle(2); err != nil || st.Outcome != "fixed" {
		t.Fatalf("%+v, %v", st, err)
	}
	w.quit(e)
}

// TestAnotherProcess works on the folder: the second is told who runs.
func TestAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- calc.txt --\nminus\n-- calc.check --\nadd calc.txt wait\n"))
	other, err := w.open(t.Context(), lsp.OpenRequest{Root: w.root})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = other.Fix(ctx, engine.FixRequest{}) // it is cancelled below
	}()
	<-w.began
	e := w.editor()
	e.Open(w.path("calc.txt"))
	must(t, e.ChooseTitled(w.path("calc.txt"), 1, "Fix failing tests"))
	must(t, e.WaitMessage("who runs", func(m lsptest.Message) bool {
		return m.Type == 2 && strings.Contains(m.Message, "is being worked on by another run (process")
	}))
	w.quit(e)
	cancel()
	<-done
}

// TestConsent asks before anything runs without isolation, once, and keeps a yes.
func TestConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]string{"sandbox": "supervised", "proposer": "null"}})
	must(t, e.Initialize())
	e.Open(w.path("calc.txt"))
	must(t, e.ChooseTitled(w.path("calc.txt"), 1, "Fix failing tests"))
	if st, err := e.WaitIdle(1); err != nil || st.Outcome != "unrunnable" {
		t.Fatalf("%+v, %v", st, err)
	}
	if _, runs := w.counts(); runs != 0 || len(e.Asked()) != 1 {
		t.Fatalf("without consent tests were run %d times, and %q was asked", runs, e.Asked())
	}
	e.OnQuestion("Allow it in this folder")
	must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": w.root}, nil))
	must(t, e.WaitMessage("tests fail", fails))
	must(t, e.ChooseTitled(w.path("calc.txt"), 1, "Fix failing tests"))
	if st, err := e.WaitIdle(3); err != nil || st.Outcome != "no_progress" || len(e.Asked()) != 2 {
		t.Fatalf("%+v, %v, asked %q", st, err, e.Asked())
	}
	w.quit(e)
}

// TestOtherEncodings: a file that the editor shows in translation is tested as it
// is, until it is edited.
func TestOtherEncodings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- calc.check --\nadd calc.txt plus\n"))
	w.write("calc.txt", "plus \xe9\n") // é in Latin-1
	w.write("calc.check", "add calc.txt \xe9\n")
	e := w.editor()
	e.OpenText(w.path("calc.txt"), "plus é\n", true)
	must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": w.root}, nil))
	must(t, e.WaitMessage("tests pass", passes))
	must(t, e.Replace(w.path("calc.txt"), 0, 0, "more "))
	must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": w.root}, nil))
	must(t, e.WaitMessage("tests fail", fails))
	w.quit(e)
}

// TestOldEditors take edits without versions, and make no files.
func TestOldEditors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red+"-- edits.json --\n[{\"write\": {\"calc.txt\": \"plus\\n\"}}]\n"))
	can := lsptest.Capable()
	can["workspace"].(map[string]any)["workspaceEdit"] = map[string]any{"documentChanges": false}
	settings := map[string]string{"proposer": "script:edits.json"}
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: can, Settings: settings})
	must(t, e.Initialize())
	path := w.path("calc.txt")
	e.Open(path)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	must(t, e.WaitText(path, "plus\n"))
	must(t, e.Replace(path, 0, 4, "minu")) // at once, while the server looks what became of its edit
	if st, err := e.WaitIdle(1); err != nil || st.Outcome != "fixed" || !strings.Contains(st.Message, "applied to 1 file") {
		t.Fatalf("%+v, %v", st, err)
	}
	w.write("edits.json", `[{"write": {"calc.txt": "plus\n", "more.txt": "x\n"}}]`)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	must(t, e.WaitMessage("no files", func(m lsptest.Message) bool {
		return strings.Contains(m.Message, "the editor can't make the file more.txt: autocoder fix --apply can")
	}))
	w.quit(e)
}

// TestStatusHasTheNamesOfTheContract holds the JSON of ours against its names.
func TestStatusHasTheNamesOfTheContract(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(lsp.Status{})
	must(t, err)
	for _, name := range []string{"root", "state", "outcome", "message", "run", "attempts", "spent"} {
		if !strings.Contains(string(raw), `"`+name+`"`) {
			t.Errorf("%s has no %s", raw, name)
		}
	}
}
