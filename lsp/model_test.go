package lsp_test

import (
	"strings"
	"testing"

	"autocoder/engine/llm/llmtest"
	"autocoder/lsp/lsptest"
)

// TestModelInTheEditor lets a language model repair through the editor: what it
// wrote arrives in the buffer, and the status tells what it cost.
func TestModelInTheEditor(t *testing.T) {
	t.Parallel()
	s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "The word was wrong.\n\ncalc.txt\n```\nfirst\nplus\n```\n"}))
	defer s.Close()
	w := newWorld(t, files(`
-- calc.txt --
first
minus
-- calc.check --
add calc.txt plus
one calc.txt first
`))
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]any{
		"proposer": "model", "model": "openai:gpt-4o", "base_url": s.URL + "/v1",
	}})
	must(t, e.Initialize())
	e.Open(w.path("calc.txt"))
	e.Open(w.path("calc.check"))
	must(t, e.Execute("autocoder.fix", map[string]string{"uri": lsptest.URI(w.path("calc.check"))}, nil))
	must(t, e.WaitText(w.path("calc.txt"), "first\nplus\n"))
	last, err := e.WaitIdle(1)
	must(t, err)
	if last.Outcome != "fixed" || !strings.HasPrefix(last.Spent, "Turns: 1/30 | Tokens: ") {
		t.Errorf("status %+v", last)
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	must(t, e.Undo())
	must(t, e.WaitText(w.path("calc.txt"), "first\nminus\n"))
	must(t, e.Quit())
}
