package lsp_test

import (
	"testing"

	"autocoder/lsp/lsptest"

	"github.com/google/go-cmp/cmp"
)

// TestAnnotations says what an edit is for to editors that know annotations, and has
// the user asked only when they want that.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		knows    bool
		settings map[string]any
		want     map[string]lsptest.Annotation
	}{
		{"unknown", false, nil, nil},
		{"known", true, nil, map[string]lsptest.Annotation{"autocoder": {Label: "Fix failing tests"}}},
		{
			"confirmed", true,
			map[string]any{"confirm": true},
			map[string]lsptest.Annotation{"autocoder": {Label: "Fix failing tests", NeedsConfirmation: true}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files(red+"-- old.txt --\nold\n-- edits.json --\n"+
				`{"write": {"calc.txt": "plus\n", "made.txt": "made\n"}, "delete": ["old.txt"]}`+"\n"))
			can := lsptest.Capable()
			if c.knows {
				can["workspace"].(map[string]any)["workspaceEdit"].(map[string]any)["changeAnnotationSupport"] = map[string]any{"groupsOnLabel": true}
			}
			settings := map[string]any{"proposer": "script:edits.json"}
			for name, value := range c.settings {
				settings[name] = value
			}
			e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: can, Settings: settings})
			must(t, e.Initialize())
			path := w.path("calc.txt")
			e.Open(path)
			must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
			must(t, e.WaitEdits(1))
			must(t, e.WaitText(path, "plus\n"))
			if diff := cmp.Diff(c.want, e.Edits()[0].ChangeAnnotations); diff != "" {
				t.Errorf("(-want +is):\n%s", diff)
			}
			w.quit(e)
		})
	}
}

// TestShownWhileAnEditWaits: the editor asks its user about an edit, who edits a file
// first in which something is shown.
func TestShownWhileAnEditWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	w.proposer = proposing(func() {}, "calc.txt", "plus\n")
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Silent: []string{"workspace/applyEdit"}})
	must(t, e.Initialize())
	check := w.path("calc.check")
	e.Open(check)
	must(t, e.Execute("autocoder.runTests", map[string]string{"root": w.root}, nil))
	_, err := e.WaitDiagnostic(check, 1, func(d lsptest.Diagnostic) bool { return d.Code == "failing_test" })
	must(t, err)
	must(t, e.Execute("autocoder.fix", map[string]string{"root": w.root}, nil))
	must(t, e.WaitAsked("workspace/applyEdit"))
	must(t, e.Replace(check, 0, 0, "# "))
	must(t, e.WaitNoDiagnostics(check))
	w.quit(e)
}

// TestTakenPartialFix: what was taken is not said to be taken.
func TestTakenPartialFix(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- calc.txt --\nx\n-- calc.check --\none calc.txt a\ntwo calc.txt b\n"))
	w.proposer = proposing(func() {}, "calc.txt", "a\n")
	e := w.editor()
	e.Open(w.path("calc.txt"))
	must(t, e.Execute("autocoder.fix", map[string]string{"root": w.root}, nil))
	for n, more := range []string{"; take the partial fix by its code action", "; applied to 1 file"} {
		last, err := e.WaitIdle(n + 1)
		must(t, err)
		if want := "gave_up: nothing left to propose after 1 attempt" + more; last.Message != want {
			t.Errorf("the last word is %q, want %q", last.Message, want)
		}
		if n == 0 {
			must(t, e.Execute("autocoder.apply", map[string]any{"root": w.root, "partial": true}, nil))
		}
	}
	must(t, e.WaitText(w.path("calc.txt"), "a\n"))
	w.quit(e)
}
