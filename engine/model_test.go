package engine_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/outcome"
)

// shop is a project whose fault a search of small edits can't repair.
const shop = `
-- go.mod --
module shop

go 1.21
-- price.go --
package shop

// Price is what n things of one price cost: from the tenth on each is half the price.
func Price(n, each int) int {
	return n * each
}
-- price_test.go --
package shop

import "testing"

func TestFew(t *testing.T) {
	if got := Price(3, 10); got != 30 {
		t.Errorf("Price(3, 10) = %d, want 30", got)
	}
}

func TestMany(t *testing.T) {
	if got := Price(12, 10); got != 105 {
		t.Errorf("Price(12, 10) = %d, want 105", got)
	}
}
`

const shopFixed = `package shop

// Price is what n things of one price cost: from the tenth on each is half the price.
func Price(n, each int) int {
	full := min(n, 9)
	return full*each + (n-full)*each/2
}
`

const testKey = "sk-test-0123456789abcdefghij"

// ask makes the project's proposer a model on a server of the test's.
func (p *project) askModel(s *llmtest.Server, model string) {
	p.settings.Proposer, p.settings.Model = "model", model
	p.settings.BaseURL = s.URL
	if strings.HasPrefix(model, "openai:") {
		p.settings.BaseURL += "/v1"
	}
	p.options.Environ = append(os.Environ(), "OPENAI_API_KEY="+testKey, "ANTHROPIC_API_KEY="+testKey, "DB_PASSWORD=tr0ub4dor&3")
}

func serve(t *testing.T, answer func(int, llmtest.Request) llmtest.Turn, models ...string) *llmtest.Server {
	t.Helper()
	s := llmtest.Start(answer, models...)
	t.Cleanup(s.Close)
	return s
}

func whole(file, text string) llmtest.Turn {
	return llmtest.Turn{Text: "The price ignored the discount.\n\n" + file + "\n```go\n" + text + "```\n"}
}

// noKey makes sure that the key is nowhere but in the header that carries it.
func (p *project) noKey(t *testing.T, s *llmtest.Server, said ...any) {
	t.Helper()
	for _, r := range s.Requests() {
		for _, secret := range []string{testKey, "tr0ub4dor&3"} {
			if bytes.Contains(r.Body, []byte(secret)) {
				t.Errorf("a secret was sent in a question: %s", r.Body)
			}
		}
	}
	for _, x := range said {
		if text := fmt.Sprintf("%+v", x); strings.Contains(text, testKey) {
			t.Errorf("the key is in %s", text)
		}
	}
	for _, dir := range []string{p.state, p.cache} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte(testKey)) {
				t.Errorf("the key is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestModelRepairs(t *testing.T) {
	t.Parallel()
	p := newProject(t, shop)
	s := serve(t, llmtest.Script(whole("price.go", shopFixed)))
	p.askModel(s, "openai:gpt-4o")
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.Fixed || !strings.Contains(r.Diff, "full := min(n, 9)") {
		t.Fatalf("%s: %s\n%s", r.Outcome, r.Reason, r.Diff)
	}
	if r.Proposer != "openai:gpt-4o" || r.Usage.Calls != 1 || r.Usage.PromptTokens == 0 || r.Usage.CostUSD == nil || *r.Usage.CostUSD <= 0 {
		t.Errorf("proposer %q, usage %+v", r.Proposer, r.Usage)
	}
	if !strings.HasPrefix(r.Spent, "Turns: 1/30 | Tokens: ") || r.Why != "The price ignored the discount." {
		t.Errorf("spent %q, why %q", r.Spent, r.Why)
	}
	prompt := s.Requests()[0].Prompt()
	for _, want := range []string{"Price(12, 10) = 120, want 105", "func Price(n, each int) int", "TestMany", "price_test.go (protected"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	p.noKey(t, s, r, p.events)
}
