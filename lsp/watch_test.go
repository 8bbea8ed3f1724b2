package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// watched is a project with files in folders, whose tests have run and failed.
const watched = `
-- src/deep/calc.txt --
minus
-- src/deep/other.txt --
other
-- calc.check --
add src/deep/calc.txt plus
-- far.check --
far src/deep/calc.txt minus
`

func stale(d lsptest.Diagnostic) bool { return d.Severity == 4 }

// TestDiskChanges makes what is shown stale when a file changes on disk that is not
// open, whoever watches the disk.
func TestDiskChanges(t *testing.T) {
	t.Parallel()
	dynamic := map[string]any{"dynamicRegistration": true}
	for _, c := range []struct {
		name    string
		can     any
		noWatch bool
		root    string // opened by the editor, relative to the project; "-" for none
		told    bool   // the editor tells
	}{
		{"editor", dynamic, false, ".", true},
		{"editor that refuses", dynamic, true, ".", false},
		{"editor that can't", nil, false, ".", false},
		{"outside of the editor's folders", dynamic, false, "-", false},
	} {
		for _, change := range []struct {
			name string
			make func(w *world) (told string)
		}{
			{"changed", func(w *world) string { w.write("src/deep/calc.txt", "minus too\n"); return "src/deep/calc.txt" }},
			{"new", func(w *world) string { w.write("src/new/more.txt", "more\n"); return "src/new" }},
			{"removed", func(w *world) string {
				must(w.t, os.RemoveAll(w.path("src/deep")))
				return "src/deep"
			}},
		} {
			t.Run(c.name+"/"+change.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, files(watched))
				w.write(".autocoder.toml", "") // the mark of a project
				can := lsptest.Capable()
				if c.can != nil {
					can["workspace"].(map[string]any)["didChangeWatchedFiles"] = c.can
				}
				o := lsptest.Options{Can: can, NoWatch: c.noWatch}
				if c.root != "-" {
					o.Folders = []string{w.path(c.root)}
				}
				e := w.serve(o)
				must(t, e.Initialize())
				e.Open(w.path("far.check"))
				if c.told {
					must(t, e.WaitWatching())
				}
				must(t, e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(w.path("far.check"))}, nil))
				_, err := e.WaitDiagnostic(w.path("calc.check"), 1, func(d lsptest.Diagnostic) bool { return d.Severity == 1 })
				must(t, err)
				name := change.make(w)
				if c.told {
					e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(w.path(name)), "type": 2}}})
				}
				_, err = e.WaitDiagnostic(w.path("calc.check"), 1, stale)
				must(t, err)
				w.quit(e)
			})
		}
	}
}

// TestCheckout has git change the files: the prepared fix goes with its base, and
// comes back when its base does.
func TestCheckout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- lib/calc.txt --\nminus\n-- calc.check --\nadd lib/calc.txt plus\n-- edits.json --\n{\"write\": {\"lib/calc.txt\": \"plus\\n\"}}\n"))
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = w.root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "red")
	git("checkout", "-qb", "other")
	w.write("lib/calc.txt", "minus, and more\n")
	git("commit", "-qam", "other")
	git("checkout", "-q", "main")

	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]string{"background": "fix", "proposer": "script:edits.json"}})
	must(t, e.Initialize())
	e.Open(w.path("calc.check"))
	ready := func(d lsptest.Diagnostic) bool { return d.Code == "fix_ready" }
	must(t, e.Save(w.path("calc.check")))
	_, err := e.WaitDiagnostic(w.path("lib/calc.txt"), 1, ready)
	must(t, err)
	git("checkout", "-q", "other")
	must(t, e.WaitNoDiagnostics(w.path("lib/calc.txt")))
	git("checkout", "-q", "main")
	_, runs := w.counts()
	must(t, e.Save(w.path("calc.check")))
	_, err = e.WaitDiagnostic(w.path("lib/calc.txt"), 1, ready)
	must(t, err)
	if _, now := w.counts(); now != runs {
		t.Errorf("the same tree was tested anew: %d runs instead of %d", now, runs)
	}
	must(t, e.ChooseTitled(w.path("lib/calc.txt"), 1, "Apply the prepared fix (1 file, +1 −1)"))
	must(t, e.WaitText(w.path("lib/calc.txt"), "plus\n"))
	w.quit(e)
}

// TestDiskChangesWhileAFixRuns: what is on disk by now was not tested, so the edit
// is verified with it before it is brought.
func TestDiskChangesWhileAFixRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- lib/calc.txt --\nminus\n-- calc.check --\nadd lib/calc.txt plus\nmore lib/more.txt more\n-- lib/more.txt --\nmore\n"))
	w.proposer = proposing(func() { w.write("lib/more.txt", "less\n") }, "lib/calc.txt", "plus\n")
	e := w.editor()
	e.Open(w.path("calc.check"))
	must(t, e.ChooseTitled(w.path("calc.check"), 1, "Fix failing tests"))
	st, err := e.WaitIdle(1)
	must(t, err)
	// The second verification is about the tests that failed at first.
	if text, _ := e.Text(w.path("lib/calc.txt")); !strings.Contains(st.Message, "every named test passes") || text != "plus\n" {
		t.Errorf("%+v\n%s", st, text)
	}
	_, err = e.WaitDiagnostic(w.path("calc.check"), 2, func(d lsptest.Diagnostic) bool { return d.Code == "failing_test" })
	must(t, err)
	w.quit(e)
}

// TestLinkedFolderIsWatched reaches the project by a link.
func TestLinkedFolderIsWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(watched))
	link := filepath.Join(filepath.Dir(w.root), "link")
	must(t, os.Symlink(w.root, link))
	e := w.serve(lsptest.Options{Folders: []string{link}, Can: lsptest.Capable()})
	must(t, e.Initialize())
	must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": link}, nil))
	check := filepath.Join(link, "calc.check")
	_, err := e.WaitDiagnostic(check, 1, func(d lsptest.Diagnostic) bool { return d.Severity == 1 })
	must(t, err)
	w.write("src/deep/calc.txt", "minus too\n")
	_, err = e.WaitDiagnostic(check, 1, stale)
	must(t, err)
	w.quit(e)
}
