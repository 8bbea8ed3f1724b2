// Package openai speaks the chat protocol of OpenAI, which many servers speak:
// vLLM, llama.cpp, LM Studio, NIM, OpenRouter, and Ollama's /v1.
//
// It translates one call and its streamed answer, and nothing more: it retries
// nothing and keeps nothing. The SDK's own reading of the environment is not
// used; what it may know is given. (The SDK is held at a version from before it
// linked a web socket client and tripled the size of the program; the calls used
// here have not changed since.)
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
)

// Name is the provider's name in settings and reports.
const Name = "openai"

// DefaultURL is OpenAI's own.
const DefaultURL = "https://api.openai.com/v1"

// KeyName is the variable that holds the key, and URLName the one for the base
// URL.
const (
	KeyName = "OPENAI_API_KEY"
	URLName = "OPENAI_BASE_URL"
)

// Options are what a Provider works with.
type Options struct {
	// BaseURL is where the server is; empty for OpenAI's own.
	BaseURL string
	// Key is sent as a bearer token; servers of one's own may need none.
	Key    string
	Client *http.Client
}

// Provider asks one server.
type Provider struct {
	options Options
	service openai.ChatCompletionService
}

// New returns a provider for a server.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultURL
	}
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(o.BaseURL, "/") + "/"),
		option.WithHTTPClient(o.Client), option.WithMaxRetries(0), option.WithMiddleware(transport.Streamed(events)),
	}
	if o.Key != "" {
		opts = append(opts, option.WithAPIKey(o.Key))
	}
	return &Provider{options: o, service: openai.NewChatCompletionService(opts...)}
}

// official reports whether the server is OpenAI's own.
func (p *Provider) official() bool { return strings.Contains(p.options.BaseURL, "://api.openai.com") }

func (p *Provider) peer(model string) transport.Peer {
	return transport.Peer{Provider: Name, Endpoint: p.options.BaseURL, Model: model, Key: p.options.Key, KeyName: KeyName}
}

// ready is the error of a provider that can't ask at all.
func (p *Provider) ready(model string) error {
	if p.options.Key == "" && p.official() {
		return p.peer(model).Fault(chat.NoKey, "")
	}
	if u, err := url.Parse(p.options.BaseURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return p.peer(model).Fault(chat.Unreachable, "base_url is no http or https URL")
	}
	return nil
}

// Complete asks the model once and reads its answer as it comes.
func (p *Provider) Complete(ctx context.Context, r chat.Request) (chat.Reply, error) {
	if err := p.ready(r.Model); err != nil {
		return chat.Reply{}, err
	}
	// Servers differ in these two: what one refuses is left out for it.
	form := form{newLimit: p.official(), usage: true}
	for {
		reply, err := p.once(ctx, r, form)
		var failed *chat.Error
		if !errors.As(err, &failed) || failed.Fault != chat.Rejected || !form.adapt(failed.Detail) {
			return reply, err
		}
	}
}

// form is how a request is put.
type form struct {
	// newLimit names the limit of the answer max_completion_tokens.
	newLimit, usage bool
	adapted         int
}

// adapt changes what a server complained of, each thing once.
func (f *form) adapt(complaint string) bool {
	f.adapted++
	switch {
	case f.adapted > 2:
		return false
	case strings.Contains(complaint, "stream_options") && f.usage:
		f.usage = false
	case strings.Contains(complaint, "max_completion_tokens") && f.newLimit && !strings.Contains(complaint, "Use 'max_completion_tokens'"):
		f.newLimit = false
	case strings.Contains(complaint, "max_tokens") && !f.newLimit:
		f.newLimit = true
	default:
		return false
	}
	return true
}

func (p *Provider) once(ctx context.Context, r chat.Request, f form) (chat.Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream when we stop reading it
	return transport.Collect(ctx, p.peer(r.Model), r, p.service.NewStreaming(ctx, params(r, f)), transport.Protocol[openai.ChatCompletionChunk]{
		Take:    take,
		Explain: func(ctx context.Context, err error) error { return p.explain(ctx, r.Model, err) },
	})
}

// explain turns the SDK's errors into ours.
func (p *Provider) explain(ctx context.Context, model string, err error) error {
	var answer *openai.Error
	var broken *ssestream.StreamError
	switch {
	case errors.As(err, &answer):
		content, err := io.ReadAll(answer.Response.Body) // the SDK has put it back
		body := string(content)
		if err != nil {
			body = answer.RawJSON()
		}
		return p.peer(model).Status(answer.StatusCode, answer.Response.Header, body)
	case errors.As(err, &broken):
		return p.peer(model).Amid(string(broken.Event.Data))
	default:
		return p.peer(model).Explain(ctx, err)
	}
}

// params puts a request in the protocol's form.
func params(r chat.Request, f form) openai.ChatCompletionNewParams {
	out := openai.ChatCompletionNewParams{Model: r.Model, N: param.NewOpt(int64(1))}
	if f.newLimit {
		out.MaxCompletionTokens = param.NewOpt(int64(r.MaxTokens))
	} else {
		out.MaxTokens = param.NewOpt(int64(r.MaxTokens))
	}
	if f.usage {
		out.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, messages(m)...)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: shared.FunctionParameters(t.Schema()),
		}))
	}
	return out
}

func messages(m chat.Message) []openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case chat.System:
		return []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(m.Text)}
	case chat.User:
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(m.Text)}
	case chat.Assistant:
		return []openai.ChatCompletionMessageParamUnion{assistant(m)}
	case chat.ToolResults:
		var out []openai.ChatCompletionMessageParamUnion
		for _, result := range m.Results {
			out = append(out, openai.ToolMessage(result.Text(), result.ID))
		}
		return out
	case chat.InvalidRole:
		panic("openai: a message without a role")
	default:
		panic(fmt.Sprintf("openai: role %v", m.Role))
	}
}

func assistant(m chat.Message) openai.ChatCompletionMessageParamUnion {
	a := &openai.ChatCompletionAssistantMessageParam{}
	if m.Text != "" {
		a.Content.OfString = param.NewOpt(m.Text)
	}
	for _, c := range m.Calls {
		arguments := c.Arguments
		if !json.Valid([]byte(arguments)) {
			arguments = "{}" // servers refuse a conversation with anything else
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: arguments},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: a}
}

// Probe asks the server which models it has.
func (p *Provider) Probe(ctx context.Context, model string) (chat.Info, error) {
	if err := p.ready(model); err != nil {
		return chat.Info{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(p.options.BaseURL, "/")+"/models", nil)
	if err != nil {
		return chat.Info{}, p.peer(model).Fault(chat.Unreachable, err.Error())
	}
	if p.options.Key != "" {
		r.Header.Set("Authorization", "Bearer "+p.options.Key)
	}
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			Length  int    `json:"max_model_len"`
			Context int    `json:"context_length"`
		} `json:"data"`
	}
	if err := p.peer(model).Decode(ctx, p.options.Client, r, &list); err != nil {
		return chat.Info{}, err
	}
	var info chat.Info
	found := len(list.Data) == 0 // a server that lists nothing may have it all the same
	for _, m := range list.Data {
		if m.ID == model {
			found, info.Context = true, max(m.Length, m.Context)
		}
		if len(info.Known) < mostKnown {
			info.Known = append(info.Known, m.ID)
		}
	}
	if !found {
		return info, p.peer(model).Fault(chat.UnknownModel, "it has "+strings.Join(info.Known, ", "))
	}
	return info, nil
}

// mostKnown is how many of a server's models are named.
const mostKnown = 8
