package lsp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"autocoder/engine/config"
	"autocoder/engine/report"
	"autocoder/lsp"
	"autocoder/lsp/lsptest"

	"golang.org/x/tools/txtar"
)

// files parses the files of a project.
func files(text string) []txtar.File { return txtar.Parse([]byte(text)).Files }

const red = `
-- calc.txt --
minus
-- calc.check --
add calc.txt plus
`

// codeOf is the code of an error that the server answered, 0 for none.
func codeOf(err error) int {
	var e *lsptest.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// TestChangesKeepTheirOrder types 5,000 characters, each at the end of the others:
// one that is out of order would stand elsewhere.
func TestChangesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	const n = 5000
	w := newWorld(t, files(red))
	e := w.editor()
	path := w.path("calc.txt")
	e.OpenText(path, "", false)
	var typed strings.Builder
	for i := range n {
		text := string(rune('a' + i%26))
		must(t, e.Replace(path, i, i, text))
		typed.WriteString(text)
	}
	// The server has the same text when a test finds all of it.
	w.write("calc.check", "order calc.txt "+typed.String()+"\n")
	must(t, e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(path)}, nil))
	must(t, e.WaitMessage("tests pass", func(m lsptest.Message) bool {
		if strings.Contains(m.Message, "fail") {
			t.Fatal(m.Message)
		}
		return m.Message == "tests pass: 1 passed"
	}))
	w.quit(e)
}

// TestManyRequests asks 20,000 times while documents change: the contexts of
// requests come from a pool, and what is derived from them crashes.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	const n = 20000
	w := newWorld(t, files(red))
	e := w.editor()
	path := w.path("calc.txt")
	e.Open(path)
	begun := make(chan lsptest.Answer, 100)
	go func() {
		defer close(begun)
		for range n {
			begun <- e.Begin("textDocument/codeAction", map[string]any{
				"textDocument": map[string]any{"uri": lsptest.URI(path)}, "range": lsptest.Range{}, "context": map[string]any{"diagnostics": []any{}},
			})
		}
	}()
	for answer := range begun {
		must(t, e.End(answer, nil))
	}
	w.quit(e)
}

func TestCancelEndsTheJobOfARequest(t *testing.T) {
	t.Parallel()
	for _, id := range []any{7001, "seven"} {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files("-- calc.txt --\nminus\n-- calc.check --\nadd calc.txt wait\n"))
			e := w.editor()
			must(t, e.End(e.BeginAs(id, "workspace/executeCommand", map[string]any{
				"command": lsp.CommandRunTests, "arguments": []any{map[string]string{"root": w.root}},
			}), nil))
			must(t, e.WaitProgress("reported", func(p lsptest.Progress) bool { return len(p.Reports) > 0 }))
			e.Notify("$/cancelRequest", map[string]any{"id": "other"}) // cancels nothing
			e.Notify("$/cancelRequest", map[string]any{"id": id})
			must(t, e.WaitMessage("cancelled", func(m lsptest.Message) bool { return m.Message == "Run tests: cancelled" }))
			w.quit(e)
		})
	}
}

func raw(e *lsptest.Editor, format string, args ...any) {
	e.Raw(lsptest.Frame(fmt.Appendf(nil, format, args...)))
}

func TestMessagesOutOfPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable()})
	if code := codeOf(e.Call("textDocument/codeAction", map[string]any{}, nil)); code != -32002 {
		t.Errorf("a request before initialize: code %d", code)
	}
	e.Notify("textDocument/didOpen", map[string]any{}) // says nothing
	must(t, e.Initialize())
	if code := codeOf(e.Call("initialize", map[string]any{"capabilities": map[string]any{}}, nil)); code != -32600 {
		t.Errorf("a second initialize: code %d", code)
	}
	if code := codeOf(e.Call("autocoder/nothing", nil, nil)); code != -32601 {
		t.Errorf("an unknown method: code %d", code)
	}
	if code := codeOf(e.Execute("autocoder.nothing", nil, nil)); code != -32602 {
		t.Errorf("an unknown command: code %d", code)
	}
	if code := codeOf(e.Execute(lsp.CommandFix, 7, nil)); code != -32602 {
		t.Errorf("a wrong argument: code %d", code)
	}
	if code := codeOf(e.Execute(lsp.CommandFix, map[string]string{"uri": "untitled:Untitled-1"}, nil)); code != -32602 {
		t.Errorf("a document that is no file: code %d", code)
	}
	if code := codeOf(e.Call("textDocument/codeAction", map[string]any{"textDocument": 7}, nil)); code != -32602 {
		t.Errorf("wrong parameters: code %d", code)
	}
	must(t, e.Call("shutdown", nil, nil))
	if code := codeOf(e.Call("textDocument/codeLens", map[string]any{}, nil)); code != -32600 {
		t.Errorf("a request after shutdown: code %d", code)
	}
	e.Notify("exit", nil)
	must(t, <-w.ended)
}

func TestExitWithoutShutdownIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.editor()
	e.Notify("exit", nil)
	if err := <-w.ended; err == nil {
		t.Error("the server left as if all were well")
	}
}

func TestHangingUpEndsJobsAndServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- calc.txt --\nminus\n-- calc.check --\nadd calc.txt wait\n"))
	e := w.editor()
	e.Open(w.path("calc.txt"))
	must(t, e.Execute(lsp.CommandFix, map[string]string{"root": w.root}, nil))
	must(t, e.WaitProgress("begun", func(p lsptest.Progress) bool { return len(p.Reports) > 0 }))
	must(t, e.HangUp())
	if err := <-w.ended; err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("the server ended with %v", err)
	}
}

// TestMalformedMessages are answered, and the server goes on; what has no end or no
// length ends it.
func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.editor()
	for _, body := range []string{`{"jsonrpc":"2.0",`, `null`, `{"jsonrpc":"2.0","id":1e400,"method":"x"}`} {
		raw(e, "%s", body)
	}
	if code := codeOf(e.Call("autocoder/nothing", nil, nil)); code != -32601 {
		t.Errorf("behind them: code %d", code)
	}
	e.Raw([]byte("Content-Length: five\r\n\r\n{}"))
	if err := <-w.ended; err == nil {
		t.Error("the server left as if all were well")
	}
}

// TestAMessageThatIsTooLong is left out, and the server goes on.
func TestAMessageThatIsTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.editor()
	e.Raw(lsptest.Frame(bytes.Repeat([]byte(" "), 65<<20)))
	e.Open(w.path("calc.txt"))
	must(t, e.Execute(lsp.CommandRunTests, nil, nil))
	must(t, e.WaitMessage("tests fail", fails))
	w.quit(e)
}

// TestShutdownWaitsForNoAnswer: an editor that shuts the server down answers what it
// is asked behind that, or never.
func TestShutdownWaitsForNoAnswer(t *testing.T) {
	t.Parallel()
	for _, method := range []string{
		"client/registerCapability", "workspace/configuration", "window/workDoneProgress/create", "workspace/applyEdit",
		"window/showMessageRequest", "workspace/codeLens/refresh", "window/showDocument",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files(red))
			w.proposer = proposing(func() {}, "calc.txt", "plus\n")
			can := lsptest.Capable()
			can["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
			settings := map[string]string{}
			if method == "window/showMessageRequest" {
				settings["sandbox"] = "supervised"
			}
			e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: can, Settings: settings, Silent: []string{method}})
			must(t, e.Initialize())
			e.Open(w.path("calc.txt"))
			command := lsp.CommandFix
			if method == "window/showDocument" {
				command = lsp.CommandDoctor
			}
			must(t, e.Execute(command, map[string]string{"root": w.root}, nil))
			must(t, e.WaitAsked(method))
			w.quit(e)
		})
	}
}

// TestNonsenseInNotifications sends what an editor never should: the server goes
// on, and documents that are lost come back with their whole text.
func TestNonsenseInNotifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files("-- calc.txt --\nminus\n-- calc.check --\nadd calc.txt plus\n"))
	e := w.editor()
	path := w.path("calc.txt")
	e.Open(path)
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"bogus":1}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":7}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"::::","text":"x"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///nowhere"}}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":null}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":[1]}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{}}`,
		`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":{}}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{}}`,
		`{"jsonrpc":"2.0","method":"$/unheard"}`,
		`{"jsonrpc":"2.0","method":"initialized"}`,
	} {
		raw(e, "%s", text)
	}
	change := func(version, content string) {
		raw(e, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%s},"contentChanges":[%s]}}`,
			lsptest.URI(path), version, content)
	}
	change("2", `{"range":{"start":{"line":9,"character":0},"end":{"line":0,"character":0}},"text":"nonsense"}`)
	change("null", `{"text":"plus"}`)
	must(t, e.Execute(lsp.CommandRunTests, map[string]string{"root": w.root}, nil))
	must(t, e.WaitMessage("tests pass", func(m lsptest.Message) bool { return strings.HasPrefix(m.Message, "tests pass") }))
	w.quit(e)
}

// TestPoorEditors have none of what a server may hope for.
func TestPoorEditors(t *testing.T) {
	t.Parallel()
	for _, capabilities := range []string{`null`, `{}`, `{"workspace":null,"textDocument":null,"window":null,"general":null}`, `{"textDocument":{},"workspace":{},"window":{}}`} {
		t.Run(capabilities, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files(red))
			e := w.serve(lsptest.Options{Can: map[string]any{}})
			must(t, e.Call("initialize", json.RawMessage(`{"processId":null,"rootUri":null,"rootPath":`+quote(w.root)+`,"capabilities":`+capabilities+`}`), nil))
			raw(e, `{"jsonrpc":"2.0","method":"initialized"}`)
			e.Open(w.path("calc.txt"))
			// The answer has commands where there are no literals.
			var commands []struct{ Title, Command string }
			must(t, e.Call("textDocument/codeAction", map[string]any{
				"textDocument": map[string]any{"uri": lsptest.URI(w.path("calc.txt"))}, "range": lsptest.Range{}, "context": map[string]any{},
			}, &commands))
			if len(commands) != 1 || commands[0].Command != lsp.CommandFix {
				t.Errorf("the menu is %+v", commands)
			}
			must(t, e.Call("shutdown", nil, nil))
			e.Notify("exit", nil)
			must(t, <-w.ended)
		})
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestACrashIsADiagnostic has a job panic: the server goes on.
func TestACrashIsADiagnostic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	w.crash = true
	e := w.editor()
	path := w.path("calc.txt")
	e.Open(path)
	must(t, e.ChooseTitled(path, 1, "Fix failing tests"))
	_, err := e.WaitDiagnostic(path, 1, func(d lsptest.Diagnostic) bool {
		return d.Code == "internal_error" && strings.Contains(d.Message, "autocoder has a bug: the test wants it so")
	})
	must(t, err)
	if _, err := e.Menu(path, 1, false); err != nil {
		t.Error(err)
	}
	must(t, e.WaitProgress("ended", func(p lsptest.Progress) bool { return p.Ended }))
	w.quit(e)
}

// TestPanicsOutsideOfJobs has a request panic, and what follows a save.
func TestPanicsOutsideOfJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	asked := make(chan struct{}, 1)
	w.config.Report = func(string) (report.Report, error) { panic("the test wants it so") }
	w.config.Background = func(lsp.OpenRequest) (config.BackgroundMode, error) {
		asked <- struct{}{}
		panic("the test wants it so")
	}
	e := w.editor()
	path := w.path("calc.txt")
	e.Open(path)
	if _, _, err := e.Report("some"); codeOf(err) != -32603 {
		t.Errorf("a request that panics: %v", err)
	}
	must(t, e.Save(path))
	<-asked
	must(t, e.Execute(lsp.CommandRunTests, nil, nil))
	must(t, e.WaitMessage("tests fail", fails))
	w.quit(e)
}

// TestNothingRunsOnOpen opens, changes, saves and closes: no project is opened.
func TestNothingRunsOnOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files(red))
	e := w.editor()
	path := w.path("calc.txt")
	e.Open(path)
	must(t, e.Replace(path, 0, 0, "x"))
	must(t, e.Save(path))
	e.Close(path)
	if _, err := e.Lenses(path); err != nil {
		t.Fatal(err)
	}
	w.quit(e)
	if opened, runs := w.counts(); opened != 0 || runs != 0 {
		t.Errorf("%d projects were opened and %d times tests run", opened, runs)
	}
	if _, err := os.Stat(w.cache); err == nil {
		t.Error("a cache was made")
	}
}
