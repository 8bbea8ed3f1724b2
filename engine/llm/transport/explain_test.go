package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"
)

// TestAmid: an error in the place of an answer has no status, and its words tell what
// it is.
func TestAmid(t *testing.T) {
	t.Parallel()
	p := transport.Peer{Provider: "openai", Endpoint: "http://x", Model: "m", Key: "sk-0123456789abcdef"}
	for body, want := range map[string]chat.Fault{
		`{"error":{"message":"Overloaded","type":"overloaded_error"}}`:                        chat.Overloaded,
		`{"error":{"message":"insufficient quota"}}`:                                          chat.NoCredit,
		`{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`: chat.NoCredit,
		`{"error":{"message":"maximum context length is 8192 tokens"}}`:                       chat.TooLong,
		`model "m" not found, try pulling it first`:                                           chat.UnknownModel,
		"\x1b[31mboom \u202e sk-0123456789abcdef":                                             chat.Overloaded,
	} {
		e := p.Amid(body)
		if text := e.Error(); e.Fault != want || e.Status != 0 || strings.Contains(text, "HTTP") || strings.Contains(text, "0123456789") || strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%q is %q (%v), want %v", body, text, e.Fault, want)
		}
	}
}

// TestErrorsAsSuccesses: an error that a server calls a success is told as what it is;
// what has no error in it, or is large, is read.
func TestErrorsAsSuccesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body  string
		fault chat.Fault
		says  string
	}{
		{`{"error":{"message":"insufficient quota"}}`, chat.NoCredit, "insufficient quota"},
		{" \n" + `{"error":"model \"m\" not found"}`, chat.UnknownModel, `has no model "m"`},
		{`{"error":null}`, chat.Broken, "can't be read"},
		{`{"padding":"` + strings.Repeat("x", 100_000) + `"}`, chat.Broken, "can't be read"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, c.body) // the client may have gone
		}))
		for name, p := range providers(s.URL, hasty(nil)) {
			_, err := p.Complete(t.Context(), question())
			fails(t, name+", "+c.body[:12], err, c.fault, c.says)
		}
		s.Close()
	}
}
