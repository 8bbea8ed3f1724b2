package lsp_test

import (
	"strings"
	"testing"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// without are the capabilities of an editor that can everything but what is named, as
// "workspace.applyEdit" is.
func without(names ...string) map[string]any {
	can := lsptest.Capable()
	for _, name := range names {
		at, keys := can, strings.Split(name, ".")
		for _, key := range keys[:len(keys)-1] {
			at = at[key].(map[string]any)
		}
		delete(at, keys[len(keys)-1])
	}
	return can
}

// TestEditorsThatCanLess does the main job, and that of a save, in editors each of
// which lacks something.
func TestEditorsThatCanLess(t *testing.T) {
	t.Parallel()
	const (
		edits    = "workspace.applyEdit"
		resolve  = "textDocument.codeAction.resolveSupport"
		data     = "textDocument.codeAction.dataSupport"
		literals = "textDocument.codeAction.codeActionLiteralSupport"
	)
	for _, c := range []struct {
		name string
		can  map[string]any
		utf8 bool
		// edit: an edit comes to the editor by an action only. none: by nothing.
		byAction, none bool
	}{
		{name: "everything", can: without()},
		{name: "counts bytes", can: without(), utf8: true},
		{name: "resolves nothing", can: without(resolve)},
		{name: "keeps no data", can: without(data)},
		{name: "takes no edits", can: without(edits), byAction: true},
		{name: "takes no edits and resolves nothing", can: without(edits, resolve), byAction: true},
		{name: "is not asked for settings", can: without("workspace.configuration")},
		{name: "shows no progress", can: without("window")},
		{name: "says nothing of edits", can: without("workspace.workspaceEdit")},
		{name: "has commands only", can: without(literals)},
		{name: "has commands only and takes no edits", can: without(literals, edits), none: true},
		{name: "says nothing of diagnostics", can: without("textDocument.publishDiagnostics")},
		{name: "says nothing of documents", can: without("textDocument")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files("-- calc.txt --\né𝒳 minus\n-- calc.check --\nadd calc.txt plus\n-- edits.json --\n{\"write\": {\"calc.txt\": \"é𝒳 plus\\n\"}}\n"))
			settings := map[string]string{"background": "fix", "proposer": "script:edits.json"}
			e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: c.can, UTF8: c.utf8, Settings: settings, Initial: settings})
			must(t, e.Initialize())
			path := w.path("calc.txt")
			e.Open(path)
			const red, green = "é𝒳 minus\n", "é𝒳 plus\n"
			prepared := "Apply the prepared fix (1 file, +1 −1)"

			must(t, e.Execute(lsp.CommandFix, map[string]string{"root": w.root}, nil))
			st, err := e.WaitIdle(1)
			must(t, err)
			switch {
			case c.none:
				if !strings.Contains(st.Message, "autocoder fix --apply can") {
					t.Errorf("%+v", st)
				}
				w.quit(e)
				return
			case c.byAction:
				if text, _ := e.Text(path); text != red || !strings.Contains(st.Message, "apply it by the code action") {
					t.Errorf("%q, %+v", text, st)
				}
				must(t, e.ChooseTitled(path, 1, prepared))
			}
			must(t, e.WaitText(path, green))
			must(t, e.Undo())
			must(t, e.WaitText(path, red))

			must(t, e.Save(path))
			_, err = e.WaitDiagnostic(path, 1, func(d lsptest.Diagnostic) bool { return d.Code == "fix_ready" })
			must(t, err)
			must(t, e.ChooseTitled(path, 1, prepared))
			must(t, e.WaitText(path, green))
			must(t, e.Undo())
			must(t, e.WaitText(path, red))
			w.quit(e)
		})
	}
}
