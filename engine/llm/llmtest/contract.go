package llmtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"
)

// Provider is what every provider of models can do.
type Provider interface {
	Complete(ctx context.Context, r chat.Request) (chat.Reply, error)
	Probe(ctx context.Context, model string) (chat.Info, error)
}

// Contract is what a provider is held to.
type Contract struct {
	// New makes the provider for a server with a key.
	New func(url, key string, client *http.Client) Provider
	// KeyHeader is the header that carries the key; empty for a provider without.
	KeyHeader string
	// Caches means that it tells cached tokens apart, Refuses that it can say that a
	// model refused.
	Caches, Refuses bool
}

// Reporter takes what is wrong.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

const secret = "sk-contract-0123456789abcdef"

// ask asks one question of a server that answers with a turn.
func (c Contract) ask(ctx context.Context, turn Turn, r chat.Request) (chat.Reply, *Server, error) {
	s := Start(Script(turn))
	defer s.Close()
	o := hasty()
	if turn.Stall {
		o.Idle = 100 * time.Millisecond
	}
	reply, err := c.New(s.URL, secret, transport.Client(o)).Complete(ctx, r)
	return reply, s, err
}

// hasty is a client that takes no large answers. It is patient: a machine that
// builds many things at once is slow.
func hasty() transport.Options {
	o := transport.Default(nil)
	o.First, o.Idle, o.Largest = time.Minute, time.Minute, 1<<20
	return o
}

// question is one with everything in it.
func question() chat.Request {
	return chat.Request{
		Model: "m", MaxTokens: 1000, Context: 4096,
		Messages: []chat.Message{
			{Role: chat.System, Text: "you repair", Stable: true},
			{Role: chat.User, Text: "the code", Stable: true},
			{Role: chat.User, Text: "the task"},
			{Role: chat.Assistant, Text: "I look", Calls: []chat.Call{{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`}, {ID: "c2", Name: "bash", Arguments: `{"broken`}}},
			{Role: chat.ToolResults, Results: []chat.Result{{ID: "c1", Name: "read", Output: "package a"}, {ID: "c2", Name: "bash", Error: "no JSON", ExitCode: 1}}},
		},
		Tools: []chat.Tool{{Name: "read", Description: "reads", Parameters: []chat.Parameter{{Name: "path", Required: true}}}},
	}
}

// Answers holds what comes of answers.
func (c Contract) Answers(t Reporter) {
	t.Helper()
	long := strings.Repeat("ö and 漢字 ", 100)
	calls := []chat.Call{{ID: "call-1", Name: "read", Arguments: `{"path":"` + strings.Repeat("x", 100) + `"}`}, {ID: "call-2", Name: "bash", Arguments: `{}`}}
	for _, x := range []struct {
		name string
		turn Turn
		want chat.Reply
	}{
		{"a text", Turn{Text: long}, chat.Reply{Text: long, Stop: chat.Finished}},
		{"calls", Turn{Text: "I look.", Calls: calls}, chat.Reply{Text: "I look.", Calls: calls, Stop: chat.Finished}},
		{"a cut answer", Turn{Text: "so far", Stop: chat.Length}, chat.Reply{Text: "so far", Stop: chat.Length}},
		{"nothing", Turn{}, chat.Reply{Stop: chat.Finished}},
		{"usage", Turn{Text: "x", Usage: &chat.Usage{Prompt: 700, Completion: 9}}, chat.Reply{Text: "x", Stop: chat.Finished, Usage: chat.Usage{Prompt: 700, Completion: 9, Known: true}}},
	} {
		reply, s, err := c.ask(context.Background(), x.turn, question())
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if x.turn.Usage == nil {
			x.want.Usage = reply.Usage
		}
		if got, want := fmt.Sprintf("%+v", reply), fmt.Sprintf("%+v", x.want); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", x.name, got, want)
		}
		c.sent(t, x.name, s)
		x.turn.Whole = true
		if reply, _, err := c.ask(context.Background(), x.turn, question()); err != nil || fmt.Sprintf("%+v", reply) != fmt.Sprintf("%+v", x.want) {
			t.Errorf("%s, in one piece:\ngot  %+v, %v\nwant %+v", x.name, reply, err, x.want)
		}
	}
	c.usage(t)
	if c.Refuses {
		if reply, _, err := c.ask(context.Background(), Turn{Text: "I can't", Stop: chat.Refused}, question()); err != nil || reply.Stop != chat.Refused {
			t.Errorf("a refusal: %+v, %v", reply, err)
		}
	}
}

// usage holds what is told of the cost.
func (c Contract) usage(t Reporter) {
	t.Helper()
	reply, _, err := c.ask(context.Background(), Turn{Text: "x", NoUsage: true}, question())
	if err != nil || reply.Usage.Known {
		t.Errorf("no usage: %+v, %v", reply.Usage, err)
	}
	if !c.Caches {
		return
	}
	want := chat.Usage{Prompt: 100, Cached: 600, Completion: 9, Known: true}
	reply, _, err = c.ask(context.Background(), Turn{Text: "x", Usage: &want}, question())
	if err != nil || reply.Usage != want {
		t.Errorf("cached tokens: %+v, %v", reply.Usage, err)
	}
}

// sent holds what a server gets to see.
func (c Contract) sent(t Reporter, name string, s *Server) {
	t.Helper()
	all := s.Requests()
	if len(all) != 1 {
		t.Errorf("%s: %d questions", name, len(all))
		return
	}
	r := all[0]
	prompt := r.Prompt()
	for _, want := range []string{"you repair", "the code", "the task", "I look", "package a", "no JSON"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("%s: the question lacks %q: %s", name, want, r.Body)
		}
	}
	if r.Model != "m" || len(r.Tools) != 1 || r.Tools[0] != "read" || r.Fields["stream"] != true {
		t.Errorf("%s: model %q, tools %q: %s", name, r.Model, r.Tools, r.Body)
	}
	if strings.Contains(string(r.Body), secret) || c.KeyHeader != "" && !strings.HasSuffix(r.Header.Get(c.KeyHeader), secret) {
		t.Errorf("%s: the key is not in %s alone", name, c.KeyHeader)
	}
}

// Faults holds every way to fail against its class and its sentence.
func (c Contract) Faults(t Reporter) {
	t.Helper()
	for _, x := range []struct {
		name  string
		turn  Turn
		fault chat.Fault
		says  string
	}{
		{"wrong key", Turn{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + secret + `"}}`}, chat.WrongKey, "does not accept the key (HTTP 401): Incorrect API key provided: [key]"},
		{"forbidden", Turn{Status: 403, Body: `{"error":{"message":"no"}}`}, chat.WrongKey, "HTTP 403"},
		{"unknown model", Turn{Status: 404, Body: `{"error":{"message":"The model m does not exist"}}`}, chat.UnknownModel, `has no model "m"`},
		{"unknown path", Turn{Status: 404, Body: "404 page not found"}, chat.Rejected, "is base_url right?"},
		{"credit", Turn{Status: 429, Body: `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`}, chat.NoCredit, "spend more"},
		{"limited", Turn{Status: 429, Body: `{"error":{"message":"slow down"}}`, Header: map[string]string{"Retry-After": "7"}}, chat.Limited, "slow down"},
		{"too long", Turn{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 8 tokens"}}`}, chat.TooLong, "maximum context length"},
		{"rejected", Turn{Status: 400, Body: `{"error":{"message":"bad temperature"}}`}, chat.Rejected, "bad temperature"},
		{"overloaded", Turn{Status: 529, Body: `{"error":{"message":"Overloaded"}}`}, chat.Overloaded, "HTTP 529"},
		{"a web page", Turn{Status: 502, Body: "<html>Bad Gateway</html>"}, chat.Overloaded, "a web page instead of an answer"},
		{"a gigantic error", Turn{Status: 500, Body: strings.Repeat("x", 100_000)}, chat.Overloaded, "…"},
		{"cut", Turn{Text: strings.Repeat("word ", 100), Cut: 3}, chat.Broken, "can't be read"},
		{"stalled", Turn{Text: strings.Repeat("word ", 100), Cut: 3, Stall: true}, chat.Stalled, "stopped answering"},
		{"a flood", Turn{Text: strings.Repeat("word ", 100), Flood: true}, chat.Oversized, "too large"},
		{"no protocol", Turn{Raw: "this is no answer\n"}, chat.Broken, "can't be read"},
		{"nothing at all", Turn{Raw: "\n"}, chat.Broken, "can't be read"},
		{"one endless line", Turn{Raw: "data: " + strings.Repeat("x", 2<<20)}, chat.Oversized, "too large"},
		{"redirect", Turn{Status: 307, Header: map[string]string{"Location": "http://evil.example/?k=1"}}, chat.Rejected, "redirects"},
	} {
		if c.KeyHeader == "" && x.name == "wrong key" {
			continue // there is none that it could repeat
		}
		_, s, err := c.ask(context.Background(), x.turn, question())
		var failed *chat.Error
		if !errors.As(err, &failed) || failed.Fault != x.fault || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v (want fault %d, %q)", x.name, err, x.fault, x.says)
			continue
		}
		if text := err.Error(); strings.Contains(text, secret) || strings.Contains(text, "\n") || len(text) > 500 {
			t.Errorf("%s: not one clean sentence: %q", x.name, text)
		}
		if len(s.Requests()) != 1 {
			t.Errorf("%s: asked %d times", x.name, len(s.Requests()))
		}
		if x.name == "limited" && failed.After != 7*time.Second {
			t.Errorf("it asks to wait for 7 s and not %s", failed.After)
		}
	}
}

// Connections holds what can go wrong before a server answers.
func (c Contract) Connections(t Reporter) {
	t.Helper()
	gone := Start(Script(Turn{}))
	gone.Close()
	tls := StartTLS(Script(Turn{Text: "x"}))
	defer tls.Close()
	plain := Start(Script(Turn{Text: "x"}))
	defer plain.Close()
	for _, x := range []struct {
		name, url string
		fault     chat.Fault
	}{
		{"nobody listens", gone.URL, chat.Unreachable},
		{"a certificate that nobody trusts", tls.URL, chat.Untrusted},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), chat.Untrusted},
		{"credentials in the URL", strings.Replace(gone.URL, "http://", "http://me:"+secret+"@", 1), chat.Unreachable},
	} {
		_, err := c.New(x.url, secret, transport.Client(hasty())).Complete(context.Background(), question())
		var failed *chat.Error
		if !errors.As(err, &failed) || failed.Fault != x.fault || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v (want fault %d)", x.name, err, x.fault)
		}
	}
}

// Cancels holds that a call ends when its context does.
func (c Contract) Cancels(t Reporter) {
	t.Helper()
	o := hasty()
	ctx, cancel := context.WithCancel(context.Background())
	s := Start(func(int, Request) Turn {
		cancel()
		return Turn{Text: strings.Repeat("word ", 100), Cut: 3, Stall: true}
	})
	defer s.Close()
	if _, err := c.New(s.URL, secret, transport.Client(o)).Complete(ctx, question()); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
}

// Proxies holds that a proxy of the environment is used.
func (c Contract) Proxies(t Reporter) {
	t.Helper()
	proxy := Start(Script(Turn{Text: "by the proxy"}))
	defer proxy.Close()
	o := hasty()
	o.Environ = []string{"http_proxy=" + proxy.URL}
	reply, err := c.New("http://models.example", secret, transport.Client(o)).Complete(context.Background(), question())
	if err != nil || reply.Text != "by the proxy" {
		t.Errorf("through a proxy: %+v, %v", reply, err)
	}
}

// Probes holds what can be learnt of a model without asking it.
func (c Contract) Probes(t Reporter) {
	t.Helper()
	s := Start(Script(Turn{}), "m", "n")
	defer s.Close()
	p := c.New(s.URL, secret, transport.Client(hasty()))
	if info, err := p.Probe(context.Background(), "m"); err != nil || info.Context == 0 {
		t.Errorf("a model that it has: %+v, %v", info, err)
	}
	var failed *chat.Error
	if _, err := p.Probe(context.Background(), "x"); !errors.As(err, &failed) || failed.Fault != chat.UnknownModel {
		t.Errorf("a model that it has not: %v", err)
	}
}
