// Package ollama speaks Ollama's own protocol, and not its imitation of OpenAI's:
// only here can a client say how large a context is to be, and see when a prompt
// was cut.
//
// The protocol is a few lines of JSON, and Ollama's module is the whole server,
// with a hundred modules behind it (two of which go.mod can't hold beside those of
// other providers without choosing by hand); so this package speaks it by itself.
package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"
)

// Name is the provider's name in settings and reports.
const Name = "ollama"

// DefaultURL is where Ollama listens.
const DefaultURL = "http://127.0.0.1:11434"

// URLName is the variable that says where it listens; it may be a host and a port
// only.
const URLName = "OLLAMA_HOST"

const (
	bytesPerToken = 16
	mostCalls     = 64
	// longestLine is the most bytes of one line of an answer.
	longestLine = 1 << 20
)

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

func (p *Provider) peer(model string) transport.Peer {
	return transport.Peer{Provider: Name, Endpoint: p.options.BaseURL, Model: model}
}

// The protocol's forms.
type (
	message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Calls   []call `json:"tool_calls,omitempty"`
		Tool    string `json:"tool_name,omitempty"`
	}
	call struct {
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	question struct {
		Model    string         `json:"model"`
		Messages []message      `json:"messages"`
		Tools    []any          `json:"tools,omitempty"`
		Options  map[string]int `json:"options"`
		Stream   bool           `json:"stream"`
		// Truncate and Shift are off: a prompt that does not fit is an error, and not a
		// shorter prompt. Old servers don't know them, for which the counts are checked.
		Truncate bool `json:"truncate"`
		Shift    bool `json:"shift"`
	}
	part struct {
		Message    message `json:"message"`
		Done       bool    `json:"done"`
		DoneReason string  `json:"done_reason"`
		Prompt     int     `json:"prompt_eval_count"`
		Completion int     `json:"eval_count"`
		Error      string  `json:"error"`
	}
)

// Complete asks the model once and reads its answer as it comes.
func (p *Provider) Complete(ctx context.Context, r chat.Request) (chat.Reply, error) {
	peer := p.peer(r.Model)
	body, err := json.Marshal(form(r))
	if err != nil {
		return chat.Reply{}, fmt.Errorf("write a question for %s: %w", Name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.options.BaseURL+"/api/chat", bytes.NewReader(body))
	if err != nil {
		return chat.Reply{}, peer.Fault(chat.Unreachable, err.Error())
	}
	req.Header.Set("Content-Type", "application/json")
	response, err := p.options.Client.Do(req)
	if err != nil {
		return chat.Reply{}, peer.Explain(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		content, err := io.ReadAll(io.LimitReader(response.Body, longestLine))
		if err != nil {
			return chat.Reply{}, peer.Explain(ctx, err)
		}
		return chat.Reply{}, peer.Status(response.StatusCode, response.Header, string(content))
	}
	return p.read(ctx, r, response.Body)
}

// read puts an answer together from its lines.
func (p *Provider) read(ctx context.Context, r chat.Request, body io.Reader) (chat.Reply, error) {
	peer := p.peer(r.Model)
	var reply chat.Reply
	var text strings.Builder
	size, most := 0, bytesPerToken*r.MaxTokens+1<<16
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var x part
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return reply, peer.Fault(chat.Broken, err.Error())
		}
		if x.Error != "" {
			return reply, peer.Status(http.StatusInternalServerError, nil, lines.Text())
		}
		text.WriteString(x.Message.Content)
		size += len(x.Message.Content)
		for _, c := range x.Message.Calls {
			size += len(c.Function.Arguments)
			reply.Calls = append(reply.Calls, chat.Call{
				ID: "call-" + strconv.Itoa(len(reply.Calls)+1), Name: c.Function.Name, Arguments: string(c.Function.Arguments),
			})
		}
		if size > most || len(reply.Calls) > mostCalls {
			return reply, peer.Fault(chat.Oversized, "")
		}
		if x.Done {
			reply.Text = text.String()
			return p.finish(r, reply, x)
		}
	}
	if lines.Err() == bufio.ErrTooLong {
		return reply, peer.Fault(chat.Oversized, "")
	}
	if err := lines.Err(); err != nil {
		return reply, peer.Explain(ctx, err)
	}
	return reply, peer.Fault(chat.Broken, "the answer ended before its end mark")
}

// finish is the whole answer, unless the server read less than it was sent.
func (p *Provider) finish(r chat.Request, reply chat.Reply, last part) (chat.Reply, error) {
	reply.Usage = chat.Usage{Prompt: last.Prompt, Completion: last.Completion, Known: last.Prompt != 0 || last.Completion != 0}
	reply.Stop = chat.Finished
	if last.DoneReason == "length" {
		reply.Stop = chat.Length
	}
	if last.Prompt > 0 && (last.Prompt < r.Estimate || r.Context > 0 && last.Prompt >= r.Context) {
		return reply, p.peer(r.Model).Fault(chat.TooLong, fmt.Sprintf(
			"it read only %d tokens of a prompt of at least %d, the rest was cut", last.Prompt, r.Estimate))
	}
	return reply, nil
}

// form puts a request in the protocol's form.
func form(r chat.Request) question {
	q := question{Model: r.Model, Stream: true, Options: map[string]int{"num_ctx": r.Context, "num_predict": r.MaxTokens}}
	for _, m := range r.Messages {
		if m.Role == chat.ToolResults {
			for _, x := range m.Results {
				q.Messages = append(q.Messages, message{Role: "tool", Content: x.Text(), Tool: x.Name})
			}
			continue
		}
		out := message{Role: m.Role.String(), Content: m.Text}
		for _, c := range m.Calls {
			var k call
			k.Function.Name, k.Function.Arguments = c.Name, json.RawMessage(c.Arguments)
			if !json.Valid(k.Function.Arguments) {
				k.Function.Arguments = json.RawMessage("{}")
			}
			out.Calls = append(out.Calls, k)
		}
		q.Messages = append(q.Messages, out)
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, map[string]any{"type": "function", "function": map[string]any{
			"name": t.Name, "description": t.Description, "parameters": t.Schema(),
		}})
	}
	return q
}

// Probe asks the server what it knows of the model.
func (p *Provider) Probe(ctx context.Context, model string) (chat.Info, error) {
	peer := p.peer(model)
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.options.BaseURL+"/api/tags", nil)
	if err != nil {
		return chat.Info{}, peer.Fault(chat.Unreachable, err.Error())
	}
	if err := peer.Decode(ctx, p.options.Client, req, &list); err != nil {
		return chat.Info{}, err
	}
	var info chat.Info
	found := false
	for _, m := range list.Models {
		found = found || m.Name == model || m.Name == model+":latest"
		info.Known = append(info.Known, m.Name)
	}
	if !found {
		return info, peer.Fault(chat.UnknownModel, "it has "+strings.Join(info.Known, ", ")+"; ollama pull "+model+" fetches it")
	}
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return info, fmt.Errorf("write a question for %s: %w", Name, err)
	}
	if req, err = http.NewRequestWithContext(ctx, http.MethodPost, p.options.BaseURL+"/api/show", bytes.NewReader(body)); err != nil {
		return info, peer.Fault(chat.Unreachable, err.Error())
	}
	var show struct {
		Info map[string]any `json:"model_info"`
	}
	if err := peer.Decode(ctx, p.options.Client, req, &show); err != nil {
		return info, err
	}
	for key, value := range show.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			info.Context = int(n)
		}
	}
	return info, nil
}
