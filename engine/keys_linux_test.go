package engine_test

import (
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/keyring"
	"autocoder/engine/keyring/keyringtest"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/outcome"
)

// TestKeyOfTheSecretStore lets a model repair with a key that only the system's
// secret store has. It goes to the server that it was kept for, and nowhere else.
func TestKeyOfTheSecretStore(t *testing.T) {
	t.Parallel()
	environ := keyringtest.Session(t)
	s := serve(t, llmtest.Script(said(sumFixed)), "gpt-4o")
	other := serve(t, llmtest.Script(said(sumFixed)), "gpt-4o")
	account, err := engine.KeyAccount("openai", s.URL+"/v1")
	if err != nil || !strings.HasPrefix(account, "openai@127.0.0.1:") {
		t.Fatal(account, err)
	}
	if err := keyring.Open(environ).Write(t.Context(), account, testKey); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		server *llmtest.Server
		header string
	}{{s, "Bearer " + testKey}, {other, ""}} {
		p := newSum(t)
		p.askModel(c.server, "openai:gpt-4o")
		p.options.Environ = environ
		r := p.fix(t, engine.FixRequest{})
		if r.Outcome != outcome.Fixed {
			t.Errorf("%s: %s", r.Outcome, r.Reason)
		}
		if got := c.server.Requests()[0].Header.Get("Authorization"); got != c.header {
			t.Errorf("sent %q, want %q", got, c.header)
		}
		p.noKey(t, c.server, r, p.events)
		if d, err := p.open(t).Doctor(t.Context()); err != nil || !d.Proposers[1].Ready {
			t.Errorf("doctor: %+v, %v", d.Proposers, err)
		}
	}
}

func TestKeyAccounts(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"openai", "", "openai"},
		{"openai", "https://api.openai.com/v1", "openai"},
		{"openai", "https://API.openai.com/", "openai"},
		{"openai", "http://api.openai.com/v1", "openai@api.openai.com"}, // without TLS it is another server
		{"openai", "https://api.openai.com.evil.example/v1", "openai@api.openai.com.evil.example"},
		{"openai", "https://me:pw@OpenRouter.ai/api/v1", "openai@openrouter.ai"},
		{"anthropic", "http://127.0.0.1:8080", "anthropic@127.0.0.1:8080"},
		{"anthropic", "no URL", ""},
		{"ollama", "", ""},
		{"google", "", ""},
	} {
		if got, err := engine.KeyAccount(c[0], c[1]); got != c[2] || (err == nil) != (c[2] != "") {
			t.Errorf("KeyAccount(%q, %q) = %q, %v", c[0], c[1], got, err)
		}
	}
}
