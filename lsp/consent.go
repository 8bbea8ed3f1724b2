package lsp

import (
	"context"
	"strings"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/testresult"

	"go.lsp.dev/protocol"
)

// The answers to the question whether tests may run without isolation.
const (
	consentYes = "Allow it in this folder"
	consentNo  = "Not now"
)

// unconfined reports whether a run could not begin because no sandbox could be had
// but the weakest.
func unconfined(r report.Report) bool {
	return r.Outcome == outcome.Unrunnable && strings.HasPrefix(r.Reason, testresult.SandboxUnavailable.String())
}

// unconfinedTests is unconfined for a run of the tests.
func unconfinedTests(t report.Tests) bool {
	return len(t.Unusable) > 0 && t.Unusable[0].Reason == testresult.SandboxUnavailable
}

// askConsent asks the user whether the tests of a folder may run as the user,
// without isolation, and records a yes.
func (s *Server) askConsent(ctx context.Context, ws *engine.Workspace, root string) bool {
	if s.cfg.Allow == nil || !ws.ConsentHelps() {
		return false
	}
	var answer *protocol.MessageActionItem
	err := s.call(ctx, protocol.MethodWindowShowMessageRequest, &protocol.ShowMessageRequestParams{
		Type:    protocol.MessageTypeWarning,
		Message: "There is no sandbox here that keeps the tests from your other files. Run tests and edits of " + root + " as your user, without isolation?",
		Actions: []protocol.MessageActionItem{{Title: consentYes}, {Title: consentNo}},
	}, &answer)
	if err != nil || answer == nil || answer.Title != consentYes {
		return false
	}
	if err := s.cfg.Allow(root); err != nil {
		s.note("the answer could not be recorded: %v", err)
		return false
	}
	return true
}
