package lsp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/report"
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
