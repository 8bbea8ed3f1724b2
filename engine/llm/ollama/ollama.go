// Package ollama speaks Ollama's own protocol by its api package, and not its
// imitation of OpenAI's: only here can a client say how large a context is to be,
// and see when a prompt was cut.
//
// The api package tells neither how long a server asks to wait nor that reading an
// answer failed, so what goes over the wire is watched below it.
package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	"github.com/ollama/ollama/api"
)

// Name is the provider's name in settings and reports.
const Name = "ollama"

// DefaultURL is where Ollama listens.
const DefaultURL = "http://127.0.0.1:11434"

// URLName is the variable that says where it listens; it may be a host and a port
// only.
const URLName = "OLLAMA_HOST"

// Options are what a Provider works with.
type Options struct {
	// BaseURL is where the server is; empty for this machine.
	BaseURL string
	Client  *http.Client
}

// Provider asks one server.
type Provider struct{ options Options }

// New returns a provider for a server.
func New(o Options) *Provider {
	o.BaseURL = address(o.BaseURL)
	return &Provider{o}
}

// address makes a URL of what OLLAMA_HOST may be.
func address(host string) string {
	host = strings.TrimSuffix(strings.TrimSpace(host), "/")
	if host == "" {
		return DefaultURL
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host
	}
	if u.Hostname() == "0.0.0.0" || u.Hostname() == "" {
		u.Host = "127.0.0.1:" + u.Port()
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host = strings.TrimSuffix(u.Host, ":") + ":11434"
	}
	return strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/v1")
}

// peer is the server; a password in its URL is its key.
func (p *Provider) peer(model string) transport.Peer {
	return transport.Peer{Provider: Name, Endpoint: p.options.BaseURL, Model: model, Key: transport.Password(p.options.BaseURL)}
}

// client is one that watches what one call gets.
func (p *Provider) client(peer transport.Peer) (*api.Client, *witness, error) {
	u, err := url.Parse(p.options.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, nil, peer.Fault(chat.Unreachable, "base_url is no http or https URL")
	}
	w := &witness{next: p.options.Client.Transport}
	watched := *p.options.Client
	watched.Transport = w
	return api.NewClient(u, &watched), w, nil
}

// Complete asks the model once and reads its answer as it comes.
func (p *Provider) Complete(ctx context.Context, r chat.Request) (chat.Reply, error) {
	peer := p.peer(r.Model)
	client, seen, err := p.client(peer)
	if err != nil {
		return chat.Reply{}, err
	}
	question, err := form(r)
	if err != nil {
		return chat.Reply{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := transport.NewAnswer(r)
	err = client.Chat(ctx, question, func(part api.ChatResponse) error {
		take(a, part)
		return a.Bounds()
	})
	if err = explain(ctx, peer, seen, err); err != nil {
		return a.Reply(peer), err
	}
	reply, err := transport.Whole(peer, a)
	if err == nil {
		err = cut(peer, r, reply)
	}
	return reply, err
}

// take adds one part of an answer.
func take(a *transport.Answer, part api.ChatResponse) {
	a.Say(part.Message.Content)
	a.Think(part.Message.Thinking)
	for _, c := range part.Message.ToolCalls {
		n := int64(a.Calls()) // each comes whole, and old servers give them no id
		a.Call(n, "call-"+strconv.FormatInt(n+1, 10), c.Function.Name, c.Function.Arguments.String())
	}
	if !part.Done {
		return
	}
	prompt, completion := part.PromptEvalCount, part.EvalCount
	a.Use(chat.Usage{Prompt: prompt, Completion: completion, Known: prompt != 0 || completion != 0})
	a.End(chat.Finished)
	if part.DoneReason == "length" {
		a.End(chat.Length)
	}
}

// full is how many tokens over the size of a context a prompt may be counted that
// was cut to it.
const full = 8

// cut is the error of a server that read less than it was sent.
func cut(peer transport.Peer, r chat.Request, reply chat.Reply) error {
	read := reply.Usage.Prompt
	if read > 0 && (read < r.Estimate || r.Context > 0 && read >= r.Context && read <= r.Context+full) {
		return peer.Fault(chat.TooLong, fmt.Sprintf("it read only %d tokens of a prompt of at least %d, the rest was cut", read, r.Estimate))
	}
	return nil
}

// explain turns the errors of the api package, and those that it does not tell,
// into ours.
func explain(ctx context.Context, peer transport.Peer, seen *witness, err error) error {
	var status api.StatusError
	var refused api.AuthorizationError
	var sent *url.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case seen.failed != nil && !errors.Is(err, transport.ErrOversized):
		return peer.Explain(ctx, seen.failed)
	case err == nil:
		return nil
	case errors.As(err, &status):
		return peer.Status(status.StatusCode, seen.header, status.ErrorMessage)
	case errors.As(err, &refused):
		return peer.Status(http.StatusUnauthorized, seen.header, "it wants its user to sign in")
	case errors.Is(err, transport.ErrOversized), errors.As(err, &sent), !seen.complained():
		return peer.Explain(ctx, err)
	default:
		return peer.Amid(err.Error()) // an error in the middle of an answer
	}
}

// form puts a request in the protocol's form.
func form(r chat.Request) (*api.ChatRequest, error) {
	// Truncate and Shift are off: a prompt that does not fit is an error, and not a
	// shorter prompt. Old servers don't know them, for which the counts are checked.
	no := false
	q := &api.ChatRequest{
		Model: r.Model, Truncate: &no, Shift: &no,
		Options: map[string]any{"num_ctx": r.Context, "num_predict": r.MaxTokens},
	}
	yes := true
	q.Stream = &yes
	for _, m := range r.Messages {
		if m.Role == chat.ToolResults {
			for _, x := range m.Results {
				q.Messages = append(q.Messages, api.Message{Role: "tool", Content: x.Text(), ToolName: x.Name})
			}
			continue
		}
		out := api.Message{Role: m.Role.String(), Content: m.Text}
		for _, c := range m.Calls {
			k := api.ToolCall{Function: api.ToolCallFunction{Name: c.Name, Arguments: api.NewToolCallFunctionArguments()}}
			if json.Unmarshal([]byte(c.Arguments), &k.Function.Arguments) != nil {
				k.Function.Arguments = api.NewToolCallFunctionArguments() // the protocol takes objects only
			}
			out.ToolCalls = append(out.ToolCalls, k)
		}
		q.Messages = append(q.Messages, out)
	}
	for _, t := range r.Tools {
		text, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{
			"name": t.Name, "description": t.Description, "parameters": t.Schema(),
		}})
		var tool api.Tool
		if err == nil {
			err = json.Unmarshal(text, &tool)
		}
		if err != nil {
			return nil, fmt.Errorf("describe the tool %s for %s: %w", t.Name, Name, err)
		}
		q.Tools = append(q.Tools, tool)
	}
	return q, nil
}

// Probe asks the server what it knows of the model.
func (p *Provider) Probe(ctx context.Context, model string) (chat.Info, error) {
	peer := p.peer(model)
	client, seen, err := p.client(peer)
	if err != nil {
		return chat.Info{}, err
	}
	list, err := client.List(ctx)
	if err = explain(ctx, peer, seen, err); err != nil {
		return chat.Info{}, err
	}
	var info chat.Info
	found := false
	for _, m := range list.Models {
		found = found || m.Name == model || m.Name == model+":latest"
		if len(info.Known) < mostKnown {
			info.Known = append(info.Known, m.Name)
		}
	}
	if !found {
		return info, peer.Fault(chat.UnknownModel, "it has "+strings.Join(info.Known, ", ")+"; ollama pull "+model+" fetches it")
	}
	show, err := client.Show(ctx, &api.ShowRequest{Model: model})
	if err = explain(ctx, peer, seen, err); err != nil {
		return info, err
	}
	for key, value := range show.ModelInfo {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			info.Context = int(n)
		}
	}
	return info, nil
}

// mostKnown is how many of a server's models are named.
const mostKnown = 8
