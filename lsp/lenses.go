package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"autocoder/engine"

	"go.lsp.dev/protocol"
)

// codeLens shows what can be done at the top of test files and at failing tests.
func (s *Server) codeLens(_ context.Context, p *protocol.CodeLensParams) (any, error) {
	lenses := []protocol.CodeLens{}
	path := pathOf(p.TextDocument.URI)
	if path == "" {
		return lenses, nil
	}
	at := Arguments{URI: string(p.TextDocument.URI)}
	add := func(line uint32, title, command string, args Arguments) {
		where := protocol.Position{Line: line}
		lenses = append(lenses, protocol.CodeLens{
			Range:   protocol.Range{Start: where, End: where},
			Command: protocol.Command{Title: title, Command: command, Arguments: argument(args)},
		})
	}
	failing := s.failingIn(path)
	if _, first := failing[0]; engine.IsTestFile(path) && !first {
		failing[0] = nil
	}
	for _, line := range slices.Sorted(maps.Keys(failing)) {
		add(line, "Run tests", CommandRunTests, at)
		add(line, "Fix failing tests", CommandFix, at)
		only := at
		only.Only = failing[line]
		switch len(only.Only) {
		case 0:
		case 1:
			add(line, "Fix this test", CommandFix, only)
		default:
			add(line, fmt.Sprintf("Fix these %d tests", len(only.Only)), CommandFix, only)
		}
	}
	return lenses, nil
}

// failingIn are the tests that fail in a file, by the lines where they do.
func (s *Server) failingIn(path string) map[uint32][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	failing := map[uint32][]string{}
	project := s.projectAt(path)
	if project == nil {
		return failing
	}
	for _, m := range project.marks {
		if line := m.diagnostic.Range.Start.Line; m.path == path && m.test != "" && !m.stale {
			failing[line] = append(failing[line], m.test)
		}
	}
	return failing
}

// refreshLenses has the editor ask for lenses anew.
func (s *Server) refreshLenses() {
	s.mu.Lock()
	can := s.caps.refreshLenses && s.base.Err() == nil && s.phase == running
	s.mu.Unlock()
	if !can {
		return
	}
	ctx, cancel := context.WithTimeout(s.answering, createWait)
	defer cancel()
	if err := s.call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil); err != nil {
		s.cfg.Log.Warn("refresh lenses", "error", err)
	}
}
