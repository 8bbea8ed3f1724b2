package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/propose"
	"autocoder/engine/report"
	"autocoder/engine/textedit"
	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// FuzzWire sends anything, after a proper beginning: the server answers or ends,
// and never crashes or hangs.
func FuzzWire(f *testing.F) {
	frame := func(text string) string { return string(lsptest.Frame([]byte(text))) }
	open := frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///p/a.txt","version":1,"text":"a\nb"}}}`)
	for _, text := range []string{
		"", "Content-Length: 5\r\n\r\n{", "Content-Length: -1\r\n\r\n", "Content-Length: 1000000000\r\n\r\n{}", "\r\n\r\n", frame(`null`), frame(`[]`), frame(`[1,{"jsonrpc":"2.0","method":"x"}]`),
		open + frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///p/a.txt","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":1,"character":0}},"text":"x"}]}}`),
		open + frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///p/a.txt"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"context":{"diagnostics":[]}}}`),
		open + frame(`{"jsonrpc":"2.0","id":"x","method":"workspace/executeCommand","params":{"command":"autocoder.fix","arguments":[{"uri":"file:///p/a.txt"}]}}`),
		frame(`{"jsonrpc":"2.0","id":3,"method":"autocoder/report","params":{"run":"../.."}}`),
		frame(`{"jsonrpc":"2.0","id":4,"method":"codeAction/resolve","params":{"title":"x","data":{"root":"/p"}}}`),
		frame(`{"jsonrpc":"2.0","id":5,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`),
		frame(`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"file:///p/a.txt","type":2}]}}`),
		frame(`{"jsonrpc":"2.0","id":1,"result":null}`),
	} {
		f.Add([]byte(text))
	}
	config := lsp.Config{
		Open: func(context.Context, lsp.OpenRequest) (*engine.Workspace, error) {
			return nil, errors.New("no project")
		},
		Report:     func(string) (report.Report, error) { return report.Report{}, errors.New("no run") },
		SaveReport: func(string, string) (string, error) { return "", errors.New("no run") },
		SaveDoctor: func(string) (string, error) { return "", errors.New("no doctor") },
		Now:        time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	begin := lsptest.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"workspaceFolders":[{"uri":"file:///p","name":"p"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ours, theirs := lsptest.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = lsp.Serve(t.Context(), theirs, config) // how it ends is the editor's fault
		}()
		for _, b := range [][]byte{begin, data} {
			if _, err := ours.Write(b); err != nil {
				break
			}
		}
		ours.Close()
		<-ended
	})
}

// TestAnyOrder has a user do things in any order, typing while edits come. At the
// end the buffer has what was typed and the edits that were made, whole or not at
// all, and undoing everything leads back to the start.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			anyOrder(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func anyOrder(t *testing.T, random *rand.Rand) {
	const start = "one\ntwo\nthree\nfour\nminus\n"
	w := newWorld(t, files("-- calc.txt --\n"+start+"-- calc.check --\nadd calc.txt plus\n"))
	w.proposer, w.config.Patience = propose.Func("swap", swap), 20*time.Millisecond
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]string{"background": "fix"}})
	must(t, e.Initialize())
	path := w.path("calc.txt")
	e.Open(path)
	typed := 0
	steps := []func(){
		func() { // at the start of the text, so that it overlaps nothing
			typed++
			if err := e.Replace(path, 0, 0, fmt.Sprintf("typed %d\n", typed)); err != nil {
				t.Error(err)
			}
		},
		func() { must(t, e.Save(path)) },
		func() { must(t, e.Execute(lsp.CommandFix, map[string]string{"uri": lsptest.URI(path)}, nil)) },
		func() { must(t, e.Execute(lsp.CommandRunTests, map[string]string{"uri": lsptest.URI(path)}, nil)) },
		func() { must(t, e.Execute(lsp.CommandCancel, nil, nil)) },
		func() { must(t, e.Execute(lsp.CommandApply, map[string]string{"root": w.root}, nil)) },
		func() { must(t, e.Execute(lsp.CommandDiscard, nil, nil)) },
		func() { e.CancelProgress() },
		func() { // let a fix come to its end, typing as its edit comes
			before := ends(e)
			how := []lsptest.Apply{lsptest.Take, lsptest.Take, lsptest.Decline, lsptest.Lie}[random.IntN(4)]
			e.OnEdit(how, func() {
				typed++
				if err := e.Replace(path, 0, 0, fmt.Sprintf("typed %d\n", typed)); err != nil {
					t.Error(err)
				}
			})
			must(t, e.Execute(lsp.CommandFix, map[string]string{"uri": lsptest.URI(path)}, nil))
			if _, err := e.WaitIdle(before + 1); err != nil {
				t.Error(err)
			}
			e.OnEdit(lsptest.Take, nil)
		},
		func() {
			if _, err := e.Menu(path, 1+random.IntN(5), random.IntN(2) == 0); err != nil {
				t.Error(err)
			}
		},
	}
	for range 80 {
		steps[random.IntN(len(steps))]()
	}
	// Whatever runs is waited for by the shutdown, and may change nothing after it.
	must(t, e.Call("shutdown", nil, nil))
	text, _ := e.Text(path)
	var want strings.Builder
	for i := typed; i > 0; i-- {
		fmt.Fprintf(&want, "typed %d\n", i)
	}
	red, green := want.String()+start, want.String()+strings.Replace(start, "minus", "plus", 1)
	if text != red && text != green {
		t.Errorf("the buffer is\n%s", text)
	}
	e.Notify("exit", nil)
	must(t, <-w.ended)
}

// ends is how many jobs have ended so far.
func ends(e *lsptest.Editor) int {
	n := 0
	for _, s := range e.Statuses() {
		if s.State == "idle" {
			n++
		}
	}
	return n
}

// swap proposes the one edit that helps, whatever else the file has.
func swap(_ context.Context, v propose.View, history []propose.Attempt) (propose.Proposal, error) {
	f, err := v.Read("calc.txt")
	at := strings.Index(string(f.Content), "minus")
	if err != nil || at < 0 || len(history) > 0 {
		return propose.Proposal{}, errors.Join(err, propose.ErrNothingLeft)
	}
	return propose.Proposal{Title: "swap", Patch: textedit.Patch{Ops: []textedit.Op{{
		Kind: textedit.OpEdit, Path: "calc.txt", Base: f.Hash(), Edits: []textedit.Edit{{Start: at, End: at + len("minus"), New: "plus"}},
	}}}}, nil
}
