//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/llm/llmtest"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

const secretKey = "sk-live-0123456789abcdefghijklmnop"

// TestModelOnTheCommandLine lets a language model repair, applies what it wrote,
// and replays the run with nobody to ask. The key is nowhere but in the header
// that carries it.
func TestModelOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := llmtest.Start(llmtest.Script(
		llmtest.Turn{Status: 500, Body: `{"error":{"message":"your key ` + secretKey + ` broke me"}}`},
		llmtest.Turn{Text: "It subtracted.\n\nslow.go\n```go\npackage slow\n\nfunc Add(a, b int) int { return a + b }\n```\n"},
	), "gpt-4o")
	defer s.Close()
	p := newProject(t)
	p.env = append(p.env, "OPENAI_API_KEY="+secretKey, "OPENAI_BASE_URL="+s.URL+"/v1")
	var said bytes.Buffer
	run := func(want int, args ...string) []byte {
		t.Helper()
		cmd := p.command(args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Fatalf("autocoder %q: exit code %d, want %d\n%s%s", args, got, want, out.Bytes(), said.Bytes())
		}
		said.Write(out.Bytes())
		return out.Bytes()
	}
	var r report.Report
	if err := json.Unmarshal(run(0, "fix", p.root, "--proposer", "model", "--model", "gpt-4o", "--max-cost", "1", "--max-tokens", "50000", "--apply", "--json"), &r); err != nil {
		t.Fatal(err)
	}
	if r.Outcome != outcome.Fixed || !r.Applied || r.Usage.Model != "openai:gpt-4o" || !strings.Contains(r.Spent, "/50,000 | Cost: $0.00") {
		t.Errorf("%s, applied %v, usage %+v, spent %q", r.Outcome, r.Applied, r.Usage, r.Spent)
	}
	if text, err := os.ReadFile(filepath.Join(p.root, "slow.go")); err != nil || !strings.Contains(string(text), "a + b") {
		t.Errorf("applied: %s, %v", text, err)
	}
	asked := len(s.Requests())
	if !strings.Contains(said.String(), "asking again in 1s") || asked != 2 {
		t.Errorf("asked %d times:\n%s", asked, said.Bytes())
	}
	if out := run(0, "runs", "replay", r.Run); !strings.HasSuffix(string(out), "recorded: fixed, replayed: fixed: the same\n") {
		t.Errorf("replay: %s", out)
	}
	if out := run(0, "runs", "turns", r.Run); !strings.Contains(string(out), `"thought": "It subtracted.`) {
		t.Errorf("turns: %s", out)
	}
	run(2, "fix", p.root, "--proposer", "model", "--model", "openai:homemade", "--max-cost", "1")
	run(2, "fix", p.root, "--proposer", "model")
	if out := run(0, "doctor", p.root, "--model", "gpt-4o"); !strings.Contains(string(out), "ok   openai:gpt-4o: context 32768 tokens, price $2.5/$10") {
		t.Errorf("doctor: %s", out)
	}
	if n := len(s.Requests()) - asked; n != 1 {
		t.Errorf("the server was asked %d times more, and not once for its models", n)
	}
	for _, q := range s.Requests() {
		if bytes.Contains(q.Body, []byte(secretKey)) {
			t.Errorf("the key is in a question: %s", q.Body)
		}
	}
	if strings.Contains(said.String(), secretKey) {
		t.Errorf("the key was said:\n%s", said.Bytes())
	}
	err := filepath.WalkDir(filepath.Dir(p.root), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secretKey)) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
