package anthropic_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/llm/anthropic"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/llm/transport"
)

func contract() llmtest.Contract {
	return llmtest.Contract{
		New: func(url, key string, client *http.Client) llmtest.Provider {
			return anthropic.New(anthropic.Options{BaseURL: url, Key: key, Client: client})
		},
		KeyHeader: "Authorization", Caches: true, Refuses: true,
	}
}

func TestAnswers(t *testing.T)     { t.Parallel(); contract().Answers(t) }
func TestFaults(t *testing.T)      { t.Parallel(); contract().Faults(t) }
func TestConnections(t *testing.T) { t.Parallel(); contract().Connections(t) }
func TestCancels(t *testing.T)     { t.Parallel(); contract().Cancels(t) }
func TestProxies(t *testing.T)     { t.Parallel(); contract().Proxies(t) }
func TestProbes(t *testing.T)      { t.Parallel(); contract().Probes(t) }

func ask(t *testing.T, turn llmtest.Turn) (*llmtest.Server, error) {
	t.Helper()
	s := llmtest.Start(llmtest.Script(turn))
	t.Cleanup(s.Close)
	p := anthropic.New(anthropic.Options{BaseURL: s.URL, Key: "k", Client: transport.Client(transport.Default(nil))})
	_, err := p.Complete(t.Context(), chat.Request{Model: "m", MaxTokens: 100, Messages: []chat.Message{
		{Role: chat.System, Text: "rules", Stable: true}, {Role: chat.User, Text: "code", Stable: true}, {Role: chat.User, Text: "task"},
	}})
	return s, err
}

// TestCaching marks what stays the same, and nothing else.
func TestCaching(t *testing.T) {
	t.Parallel()
	s, err := ask(t, llmtest.Turn{Text: "yes"})
	if err != nil {
		t.Fatal(err)
	}
	body := string(s.Requests()[0].Body)
	if n := strings.Count(body, `"cache_control"`); n != 2 {
		t.Errorf("%d marks: %s", n, body)
	}
	if n := strings.Count(body, `"role":"user"`); n != 1 {
		t.Errorf("%d messages of the user: %s", n, body)
	}
}

func TestErrorInTheMiddle(t *testing.T) {
	t.Parallel()
	_, err := ask(t, llmtest.Turn{Raw: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"the card melted\"}}\n\n"})
	var failed *chat.Error
	if !errors.As(err, &failed) || !failed.Fault.Passing() || !strings.Contains(err.Error(), "the card melted") {
		t.Errorf("got %v", err)
	}
}
