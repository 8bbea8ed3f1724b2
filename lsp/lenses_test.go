package lsp

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// TestLenses shows tests that fail at one line as one, and none twice at the top.
func TestLenses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := newServer(t.Context(), Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	s.folders = []folder{{path: root}}
	at := func(name string, line uint32, test string) mark {
		return mark{path: filepath.Join(root, name), test: test, diagnostic: protocol.Diagnostic{Range: protocol.Range{Start: protocol.Position{Line: line}}}}
	}
	old := at("test_a.py", 7, "old")
	old.stale = true
	s.project(root).marks = []mark{at("test_a.py", 4, "x[1]"), at("test_a.py", 4, "x[2]"), at("test_a.py", 0, "first"), at("test_a.py", 9, ""), at("a.py", 2, "y"), old}
	type lens struct {
		line          uint32
		title         string
		command, only string
	}
	for name, want := range map[string][]lens{
		"test_a.py": {
			{0, "Run tests", CommandRunTests, ""},
			{0, "Fix failing tests", CommandFix, ""},
			{0, "Fix this test", CommandFix, "first"},
			{4, "Run tests", CommandRunTests, ""},
			{4, "Fix failing tests", CommandFix, ""},
			{4, "Fix these 2 tests", CommandFix, "x[1] x[2]"},
		},
		"test_b.py": {{0, "Run tests", CommandRunTests, ""}, {0, "Fix failing tests", CommandFix, ""}},
		"a.py":      {{2, "Run tests", CommandRunTests, ""}, {2, "Fix failing tests", CommandFix, ""}, {2, "Fix this test", CommandFix, "y"}},
		"b.py":      nil,
	} {
		file := uri.File(filepath.Join(root, name))
		answer, err := s.codeLens(t.Context(), &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: file}})
		if err != nil {
			t.Fatal(err)
		}
		var got []lens
		for _, l := range answer.([]protocol.CodeLens) {
			args, err := argumentsOf(l.Command.Arguments)
			if err != nil || args.URI != string(file) {
				t.Errorf("%s: %+v, %v", name, args, err)
			}
			got = append(got, lens{l.Range.Start.Line, l.Command.Title, l.Command.Command, joined(" ", args.Only...)})
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(lens{})); diff != "" {
			t.Errorf("%s (-want +is):\n%s", name, diff)
		}
	}
}
