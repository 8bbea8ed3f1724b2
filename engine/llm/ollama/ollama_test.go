package ollama_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/llm/ollama"
	"autocoder/engine/llm/transport"
)

func contract() llmtest.Contract {
	return llmtest.Contract{
		New: func(url, _ string, client *http.Client) llmtest.Provider {
			return ollama.New(ollama.Options{BaseURL: url, Client: client})
		},
		KeyHeader: "", Caches: false, Refuses: false,
	}
}

func TestAnswers(t *testing.T)     { t.Parallel(); contract().Answers(t) }
func TestFaults(t *testing.T)      { t.Parallel(); contract().Faults(t) }
func TestConnections(t *testing.T) { t.Parallel(); contract().Connections(t) }
func TestCancels(t *testing.T)     { t.Parallel(); contract().Cancels(t) }
func TestProxies(t *testing.T)     { t.Parallel(); contract().Proxies(t) }
func TestProbes(t *testing.T)      { t.Parallel(); contract().Probes(t) }

// TestContext: the size of the context is always sent, and a prompt that was cut is
// an error, whatever the model made of the rest.
func TestContext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		read int
		cut  bool
	}{{1200, false}, {200, true}, {4096, true}} {
		s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "yes", Usage: &chat.Usage{Prompt: c.read, Completion: 1}}))
		p := ollama.New(ollama.Options{BaseURL: s.URL, Client: transport.Client(transport.Default(nil))})
		_, err := p.Complete(t.Context(), chat.Request{
			Model: "m", MaxTokens: 100, Context: 4096, Estimate: 800, Messages: []chat.Message{{Role: chat.User, Text: "x"}},
		})
		s.Close()
		var failed *chat.Error
		if cut := errors.As(err, &failed) && failed.Fault == chat.TooLong && strings.Contains(err.Error(), "the rest was cut"); cut != c.cut {
			t.Errorf("%d tokens were read: %v", c.read, err)
		}
		options, _ := s.Requests()[0].Fields["options"].(map[string]any)
		if options["num_ctx"] != 4096.0 || options["num_predict"] != 100.0 || s.Requests()[0].Fields["truncate"] != false {
			t.Errorf("sent %s", s.Requests()[0].Body)
		}
	}
}

func TestErrorInTheMiddle(t *testing.T) {
	t.Parallel()
	s := llmtest.Start(llmtest.Script(llmtest.Turn{Raw: `{"error":"the card melted"}` + "\n"}))
	defer s.Close()
	p := ollama.New(ollama.Options{BaseURL: s.URL, Client: transport.Client(transport.Default(nil))})
	_, err := p.Complete(t.Context(), chat.Request{Model: "m"})
	if err == nil || !strings.Contains(err.Error(), "the card melted") {
		t.Errorf("got %v", err)
	}
}

// TestHost reads what OLLAMA_HOST may be.
func TestHost(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "http://127.0.0.1:11434", "0.0.0.0": "http://127.0.0.1:11434", "box": "http://box:11434",
		"box:1": "http://box:1", "https://box": "https://box", "http://box:1/": "http://box:1", "http://box:1/v1": "http://box:1",
		":1": "http://127.0.0.1:1",
	} {
		p := ollama.New(ollama.Options{BaseURL: given, Client: &http.Client{Transport: refusing{}}})
		_, err := p.Probe(t.Context(), "m")
		if err == nil || !strings.Contains(err.Error(), "ollama at "+want+" ") {
			t.Errorf("%q: %v, want %s", given, err, want)
		}
	}
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("no") }
