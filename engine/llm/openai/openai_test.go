package openai_test

import (
	"errors"
	"net/http"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/llm/openai"
	"autocoder/engine/llm/transport"
)

func contract() llmtest.Contract {
	return llmtest.Contract{
		New: func(url, key string, client *http.Client) llmtest.Provider {
			return openai.New(openai.Options{BaseURL: url + "/v1", Key: key, Client: client})
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

func ask(t *testing.T, turns ...llmtest.Turn) (chat.Reply, []llmtest.Request, error) {
	t.Helper()
	s := llmtest.Start(llmtest.Script(turns...))
	defer s.Close()
	p := openai.New(openai.Options{BaseURL: s.URL + "/v1", Client: transport.Client(transport.Default(nil))})
	reply, err := p.Complete(t.Context(), chat.Request{Model: "m", MaxTokens: 100, Messages: []chat.Message{{Role: chat.User, Text: "x"}}})
	return reply, s.Requests(), err
}

// TestDialects: what one server refuses is put as it wants it.
func TestDialects(t *testing.T) {
	t.Parallel()
	refuse := func(text string) llmtest.Turn {
		return llmtest.Turn{Status: 400, Body: `{"error":{"message":"` + text + `"}}`}
	}
	good := llmtest.Turn{Text: "yes"}
	_, asked, err := ask(t, refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."), good)
	if err != nil || len(asked) != 2 || asked[1].Fields["max_completion_tokens"] == nil || asked[1].Fields["max_tokens"] != nil {
		t.Errorf("the new limit: %v, %d questions", err, len(asked))
	}
	_, asked, err = ask(t, refuse("unknown field stream_options"), good)
	if err != nil || len(asked) != 2 || asked[1].Fields["stream_options"] != nil {
		t.Errorf("no usage: %v, %d questions", err, len(asked))
	}
	if _, asked, err = ask(t, refuse("max_tokens max_completion_tokens stream_options")); err == nil || len(asked) > 4 {
		t.Errorf("a server that is never content: %v, %d questions", err, len(asked))
	}
}

func TestErrorInTheMiddle(t *testing.T) {
	t.Parallel()
	_, _, err := ask(t, llmtest.Turn{Raw: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so far\"}}]}\n\ndata: {\"error\":{\"message\":\"the card melted\"}}\n\n"})
	var failed *chat.Error
	if !errors.As(err, &failed) || failed.Fault != chat.Overloaded || failed.Detail != "the card melted" {
		t.Errorf("got %v", err)
	}
}

// TestNoKey: OpenAI's own server needs one, others may not.
func TestNoKey(t *testing.T) {
	t.Parallel()
	p := openai.New(openai.Options{Client: transport.Client(transport.Default(nil))})
	_, err := p.Complete(t.Context(), chat.Request{Model: "m"})
	if err == nil || err.Error() != "there is no key for openai; set OPENAI_API_KEY, or keep it with: autocoder key set openai" {
		t.Errorf("got %v", err)
	}
	_, asked, err := ask(t, llmtest.Turn{Text: "yes"})
	if err != nil || asked[0].Header.Get("Authorization") != "" {
		t.Errorf("without a key: %v, %q", err, asked[0].Header.Get("Authorization"))
	}
}

// TestCacheWrites: what a server wrote to its cache costs more and is told apart.
func TestCacheWrites(t *testing.T) {
	t.Parallel()
	reply, _, err := ask(t, llmtest.Turn{Raw: `data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5,"total_tokens":1005,"prompt_tokens_details":{"cached_tokens":300,"cache_write_tokens":600}}}` + "\n\ndata: [DONE]\n\n"})
	if want := (chat.Usage{Prompt: 100, Cached: 300, Written: 600, Completion: 5, Known: true}); err != nil || reply.Usage != want {
		t.Errorf("%+v, %v", reply.Usage, err)
	}
}
