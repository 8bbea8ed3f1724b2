//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

const squares = `def square(n):
    return n * n


def sum_of_squares(numbers):
    total = 0
    for n in numbers:
        total -= square(n)
    return total
`

const squaresTest = `from squares import square, sum_of_squares


def test_square():
    assert square(3) == 9


def test_sum():
    assert sum_of_squares([1, 2, 3]) == 14
    assert sum_of_squares([]) == 0
    assert sum_of_squares([5]) == 25
`

// TestServePytest is the user's whole way with a real project: what the editor
// shows is tested, repaired and edited, and the project's own command is green.
func TestServePytest(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import pytest").Run() != nil {
		t.Skip("needs pytest")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "project")
	source, test := filepath.Join(root, "squares.py"), filepath.Join(root, "test_squares.py")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{source: "# empty\n", test: squaresTest} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, ended := serve(t, top, lsptest.Options{
		Folders: []string{root}, Can: lsptest.Capable(), Timeout: 5 * time.Minute,
		Settings: map[string]any{"interpreter": map[string]string{"pytest": python}, "ambiguous": "best", "maxTime": "5m"},
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.Initialize())
	e.OpenText(source, squares, false) // typed, and not saved
	e.Open(test)
	must(e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(test)}, nil))
	_, err = e.WaitDiagnostic(test, 9, func(d lsptest.Diagnostic) bool {
		return d.Code == "failing_test" && strings.Contains(d.Message, "test_squares.py::test_sum")
	})
	must(err)
	must(e.ChooseTitled(test, 9, "Fix this test: test_squares.py::test_sum"))
	must(e.WaitText(source, strings.Replace(squares, "-=", "+=", 1)))
	_, err = e.WaitDiagnostic(source, 8, func(d lsptest.Diagnostic) bool { return d.Code == "fixed" })
	must(err)
	must(e.WaitNoDiagnostics(test))
	must(e.Save(source))
	command := exec.Command(python, "-m", "pytest", "-q")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("the project's own command: %v\n%s", err, out)
	}
	must(e.Execute(lsp.CommandReport, map[string]string{"root": root}, nil))
	shown, err := e.WaitShown()
	must(err)
	if text, err := os.ReadFile(shown); err != nil || !strings.Contains(string(text), "# fixed") {
		t.Errorf("the report %s: %v\n%s", shown, err, text)
	}
	must(e.Undo())
	if text, _ := e.Text(source); text != squares {
		t.Errorf("one undo leaves %q", text)
	}
	must(e.Quit())
	must(<-ended)
}

// TestServeBroken breaks the source in the editor only: both ends say where.
func TestServeBroken(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import pytest").Run() != nil {
		t.Skip("needs pytest")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	source, test := filepath.Join(top, "project", "squares.py"), filepath.Join(top, "project", "test_squares.py")
	if err := os.Mkdir(filepath.Dir(source), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{source: squares, test: squaresTest} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, ended := serve(t, top, lsptest.Options{
		Folders: []string{filepath.Dir(source)}, Can: lsptest.Capable(), Timeout: 5 * time.Minute,
		Settings: map[string]any{"interpreter": map[string]string{"pytest": python}},
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.Initialize())
	e.Open(source)
	must(e.Replace(source, strings.Index(squares, "for n"), strings.Index(squares, "for n")+3, "fro"))
	must(e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(source)}, nil))
	_, err = e.WaitDiagnostic(source, 7, func(d lsptest.Diagnostic) bool { return d.Code == "syntax_error" })
	must(err)
	must(e.Execute(lsp.CommandFix, map[string]string{"uri": lsptest.URI(source)}, nil))
	_, err = e.WaitDiagnostic(source, 7, func(d lsptest.Diagnostic) bool { return d.Code == "unrunnable" && d.Severity == 1 })
	must(err)
	must(e.Quit())
	must(<-ended)
}

// serve starts the program's server with all that it keeps below top.
func serve(t *testing.T, top string, o lsptest.Options) (*lsptest.Editor, <-chan error) {
	t.Helper()
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "XDG_") || strings.HasPrefix(kv, "AUTOCODER_") || strings.HasPrefix(kv, "HOME=")
	})
	w := &world{
		stderr: io.Discard, environ: append(environ, "HOME="+filepath.Join(top, "home")), now: time.Now, temp: top,
	}
	places, err := w.folders()
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := lsptest.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- lsp.Serve(ctx, theirs, w.serverConfig(places)) }()
	e := lsptest.Start(ours, o)
	t.Cleanup(func() {
		cancel()
		ours.Close()
		for _, v := range e.Violations() {
			t.Errorf("the server broke a rule: %s", v)
		}
		if t.Failed() {
			t.Log(e.Situation())
		}
	})
	return e, ended
}
