package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// twoTests is a project of which one test fails and one passes.
const twoTests = `
-- calc.txt --
minus
-- calc.check --
add calc.txt plus
more lib/more.txt more
-- lib/more.txt --
more
`

// TestMeanwhile has something happen while a fix is looked for: what was not tested is
// tested before the edit comes, and what is no longer there gets none.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(w *world, e *lsptest.Editor)
		// want is the text of calc.txt in the end, "" when it is not there, and message is
		// in the last word. broken: the other test fails by then.
		want, message string
		broken        bool
	}{
		{"nothing", func(*world, *lsptest.Editor) {}, "plus\n", "fixed: ", false}, // the control
		{"a file is opened", func(w *world, e *lsptest.Editor) { e.Open(w.path("lib/more.txt")) }, "plus\n", "the failing test passes now", false},
		{"a file is opened and edited", func(w *world, e *lsptest.Editor) {
			e.Open(w.path("lib/more.txt"))
			must(w.t, e.Replace(w.path("lib/more.txt"), 0, 4, "less"))
		}, "plus\n", "every named test passes", true},
		{"a file is opened, edited and saved", func(w *world, e *lsptest.Editor) {
			e.Open(w.path("lib/more.txt"))
			must(w.t, e.Replace(w.path("lib/more.txt"), 0, 4, "less"))
			must(w.t, e.Save(w.path("lib/more.txt")))
		}, "plus\n", "every named test passes", true},
		{"a file is opened, edited, saved and closed", func(w *world, e *lsptest.Editor) {
			e.Open(w.path("lib/more.txt"))
			must(w.t, e.Replace(w.path("lib/more.txt"), 0, 4, "less"))
			must(w.t, e.Save(w.path("lib/more.txt")))
			e.Close(w.path("lib/more.txt"))
		}, "plus\n", "every named test passes", true},
		{"a buffer comes back that was never saved", func(w *world, e *lsptest.Editor) {
			e.OpenText(w.path("lib/more.txt"), "less\n", false)
		}, "plus\n", "every named test passes", true},
		{"the file is moved", func(w *world, _ *lsptest.Editor) {
			must(w.t, os.Rename(w.path("calc.txt"), w.path("moved.txt")))
		}, "", "changed meanwhile", false},
		{"the file is deleted", func(w *world, _ *lsptest.Editor) { must(w.t, os.Remove(w.path("calc.txt"))) }, "", "calc.txt changed meanwhile", false},
		{"the folder is deleted", func(w *world, _ *lsptest.Editor) { must(w.t, os.RemoveAll(w.root)) }, "", "no such file or directory", false},
		{"the folder is moved", func(w *world, _ *lsptest.Editor) {
			must(w.t, os.Rename(w.root, filepath.Join(filepath.Dir(w.root), "moved")))
		}, "", "no such file or directory", false},
		{"the test is deleted", func(w *world, e *lsptest.Editor) {
			must(w.t, e.Replace(w.path("calc.check"), 0, len("add calc.txt plus\n"), ""))
		}, "minus\n", "calc.check changed meanwhile", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files(twoTests))
			began, happened := make(chan struct{}), make(chan struct{})
			w.proposer = proposing(func() { close(began); <-happened }, "calc.txt", "plus\n")
			e := w.editor()
			e.Open(w.path("calc.check"))
			var started struct{ Job string }
			must(t, e.Execute(lsp.CommandFix, map[string]string{"root": w.root}, &started))
			<-began
			c.do(w, e)
			_, err := e.Menu(w.path("calc.check"), 1, false) // behind its answer all of that was heard
			must(t, err)
			close(happened)
			must(t, e.WaitEnd(started.Job))
			st, err := e.WaitIdle(1)
			must(t, err)
			text, _ := e.Text(w.path("calc.txt"))
			if text != c.want || !strings.Contains(st.Message, c.message) {
				t.Errorf("the text is %q, and the last word %+v", text, st)
			}
			if c.broken {
				_, err := e.WaitDiagnostic(w.path("calc.check"), 2, func(d lsptest.Diagnostic) bool { return d.Code == "failing_test" && d.Severity == 1 })
				must(t, err)
			}
			w.quit(e)
		})
	}
}

// TestShownWhileFilesChange: what a run of the tests found is stale from the start when
// a file was edited meanwhile that was not open when it began.
func TestShownWhileFilesChange(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{true, false} {
		w := newWorld(t, files(twoTests))
		w.hold = make(chan struct{})
		e := w.editor()
		must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": w.root}, nil))
		<-w.began
		e.Open(w.path("lib/more.txt"))
		if edited {
			must(t, e.Replace(w.path("lib/more.txt"), 0, 4, "less"))
		}
		_, err := e.Menu(w.path("calc.check"), 1, false) // behind its answer all of that was heard
		must(t, err)
		close(w.hold)
		d, err := e.WaitDiagnostic(w.path("calc.check"), 1, func(lsptest.Diagnostic) bool { return true })
		must(t, err)
		if stale(d) != edited {
			t.Errorf("edited %t, and shown is %+v", edited, d)
		}
		w.quit(e)
	}
}

// TestTwoServers work on one folder, as two windows do: the second is told, and has
// its turn when the first is through.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	began, through := make(chan struct{}), make(chan struct{})
	hold := sync.OnceFunc(func() { close(began); <-through })
	w.proposer = proposing(hold, "calc.txt", "plus\n")
	path := w.path("calc.txt")
	var editors []*lsptest.Editor
	for range 2 {
		e := w.editor()
		e.Open(path)
		editors = append(editors, e)
	}
	one, two := editors[0], editors[1]
	must(t, one.ChooseTitled(path, 1, "Fix failing tests"))
	<-began
	must(t, two.ChooseTitled(path, 1, "Fix failing tests"))
	must(t, two.WaitMessage("who runs", func(m lsptest.Message) bool {
		return m.Type == 2 && strings.Contains(m.Message, "is being worked on by another run (process")
	}))
	must(t, two.Execute(lsp.CommandRunTests, nil, nil))
	must(t, two.WaitMessage("tests fail", fails))
	close(through)
	must(t, one.WaitText(path, "plus\n"))
	_, err := one.WaitIdle(1)
	must(t, err)
	if text, _ := two.Text(path); text != "minus\n" {
		t.Errorf("the second editor has %q", text)
	}
	must(t, two.ChooseTitled(path, 1, "Fix failing tests"))
	must(t, two.WaitText(path, "plus\n"))
	w.quit(one)
	w.quit(two)
}

// TestOrderMark: the mark that some files begin with is in no editor's text, and in
// what is tested and saved all the same.
func TestOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	for _, open := range []bool{false, true} {
		for _, typed := range []string{"", "# more\n"} {
			t.Run(fmt.Sprintf("%t %q", open, typed), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.write("calc.txt", mark+"minus\nlast\n")
				w.write("calc.check", "add calc.txt plus\nmark calc.txt "+mark+"\n")
				path, check := w.path("calc.txt"), w.path("calc.check")
				var e *lsptest.Editor
				w.proposer = proposing(func() {
					if typed != "" && open {
						must(t, e.Replace(path, len("minus\nlast\n"), len("minus\nlast\n"), typed))
					}
				}, "calc.txt", mark+"plus\nlast\n")
				e = w.editor()
				e.Open(check)
				if open {
					e.Open(path)
				}
				must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": w.root}, nil))
				must(t, e.WaitMessage("tests fail", func(m lsptest.Message) bool { return m.Message == "tests fail: 1 failed, 1 passed" }))
				must(t, e.ChooseTitled(check, 1, "Fix failing tests"))
				_, err := e.WaitDiagnostic(path, 1, func(d lsptest.Diagnostic) bool { return d.Code == "fixed" && d.Severity == 3 })
				must(t, err)
				if !open {
					typed = ""
				}
				if text, _ := e.Text(path); text != "plus\nlast\n"+typed {
					t.Errorf("the text is %q", text)
				}
				must(t, e.Save(path))
				if saved, err := os.ReadFile(path); err != nil || string(saved) != mark+"plus\nlast\n"+typed {
					t.Errorf("saved is %q, %v", saved, err)
				}
				w.quit(e)
			})
		}
	}
}

// TestUntoldChanges: the editor watches the folder, and is late to tell of a change.
func TestUntoldChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(twoTests))
	w.write(".autocoder.toml", "")
	w.proposer = proposing(func() { w.write("lib/more.txt", "less\n") }, "calc.txt", "plus\n")
	can := lsptest.Capable()
	can["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: can})
	must(t, e.Initialize())
	must(t, e.WaitWatching())
	must(t, e.Execute(lsp.CommandFix, map[string]string{"root": w.root}, nil))
	st, err := e.WaitIdle(1)
	must(t, err)
	if text, _ := e.Text(w.path("calc.txt")); text != "plus\n" || !strings.Contains(st.Message, "every named test passes") {
		t.Errorf("the text is %q, and the last word %+v", text, st)
	}
	w.quit(e)
}
