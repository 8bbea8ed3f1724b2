// Package anthropic speaks Anthropic's Messages protocol.
//
// It translates one call and its streamed answer, and nothing more: it retries
// nothing and keeps nothing. What stays the same from call to call is marked, so
// that the provider can keep it. The SDK's own reading of the environment and its
// traces are off.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
)

// Name is the provider's name in settings and reports.
const Name = "anthropic"

// DefaultURL is Anthropic's own.
const DefaultURL = "https://api.anthropic.com"

// KeyName is the variable that holds the key, and URLName the one for the base
// URL.
const (
	KeyName = "ANTHROPIC_API_KEY"
	URLName = "ANTHROPIC_BASE_URL"
)

// oldKeyHeader is the header in which earlier versions of the protocol sent the
// key, and version one that both the old and the new servers know.
const (
	oldKeyHeader = "X-Api-Key"
	version      = "2023-06-01"
)

// mostMarks is how many places of a prompt may be marked to be kept.
const mostMarks = 4

// Options are what a Provider works with.
type Options struct {
	// BaseURL is where the server is; empty for Anthropic's own.
	BaseURL string
	Key     string
	Client  *http.Client
}

// Provider asks one server.
type Provider struct {
	options Options
	service anthropic.MessageService
}

// New returns a provider for a server.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultURL
	}
	o.BaseURL = strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/v1")
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(o.BaseURL + "/"), option.WithHTTPClient(o.Client),
		option.WithMaxRetries(0), option.WithoutOpenTelemetry(), option.WithMiddleware(transport.Streamed(events)),
	}
	if o.Key != "" {
		opts = append(opts, option.WithAPIKey(o.Key))
		if o.BaseURL != DefaultURL {
			opts = append(opts, option.WithHeader(oldKeyHeader, o.Key)) // gateways know it by this name
		}
	}
	return &Provider{options: o, service: anthropic.NewMessageService(opts...)}
}

func (p *Provider) peer(model string) transport.Peer {
	return transport.Peer{Provider: Name, Endpoint: p.options.BaseURL, Model: model, Key: p.options.Key, KeyName: KeyName}
}

// ready is the error of a provider that can't ask at all.
func (p *Provider) ready(model string) error {
	if p.options.Key == "" && p.options.BaseURL == DefaultURL {
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream when we stop reading it
	return transport.Collect(ctx, p.peer(r.Model), r, p.service.NewStreaming(ctx, params(r)), transport.Protocol[anthropic.MessageStreamEventUnion]{
		Take:    newReader().take,
		Explain: func(ctx context.Context, err error) error { return p.explain(ctx, r.Model, err) },
	})
}

// explain turns the SDK's errors into ours.
func (p *Provider) explain(ctx context.Context, model string, err error) error {
	var answer *anthropic.Error
	switch {
	case errors.As(err, &answer):
		if answer.StatusCode == http.StatusOK {
			return p.peer(model).Amid(answer.RawJSON())
		}
		header := http.Header{}
		if answer.Response != nil {
			header = answer.Response.Header
		}
		return p.peer(model).Status(answer.StatusCode, header, answer.RawJSON())
	default:
		return p.peer(model).Explain(ctx, err)
	}
}

// params puts a request in the protocol's form.
func params(r chat.Request) anthropic.MessageNewParams {
	out := anthropic.MessageNewParams{Model: anthropic.Model(r.Model), MaxTokens: int64(r.MaxTokens)}
	marks := 0
	for _, m := range r.Messages {
		mark := anthropic.CacheControlEphemeralParam{}
		if m.Stable && marks < mostMarks {
			mark = anthropic.NewCacheControlEphemeralParam()
			marks++
		}
		if m.Role == chat.System {
			block := anthropic.TextBlockParam{Text: m.Text}
			if m.Stable {
				block.CacheControl = mark
			}
			out.System = append(out.System, block)
			continue
		}
		blocks := contents(m)
		if m.Stable && len(blocks) > 0 && blocks[len(blocks)-1].OfText != nil {
			blocks[len(blocks)-1].OfText.CacheControl = mark
		}
		add(&out, m.Role, blocks)
	}
	for _, t := range r.Tools {
		schema := t.Schema()
		required, _ := schema["required"].([]string)
		out.Tools = append(out.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: t.Name, Description: param.NewOpt(t.Description),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: schema["properties"], Required: required},
		}})
	}
	return out
}

// add appends blocks; those of one side that follow each other are one message.
func add(out *anthropic.MessageNewParams, role chat.Role, blocks []anthropic.ContentBlockParamUnion) {
	if len(blocks) == 0 {
		return
	}
	var last anthropic.MessageParam
	if n := len(out.Messages); n > 0 {
		last = out.Messages[n-1]
	}
	switch {
	case role == chat.Assistant && last.OfAssistant != nil:
		last.OfAssistant.Content = append(last.OfAssistant.Content, blocks...)
	case role == chat.Assistant:
		out.Messages = append(out.Messages, anthropic.NewAssistantMessage(blocks...))
	case last.OfUser != nil:
		last.OfUser.Content = append(last.OfUser.Content, blocks...)
	default:
		out.Messages = append(out.Messages, anthropic.NewUserMessage(blocks...))
	}
}

func contents(m chat.Message) []anthropic.ContentBlockParamUnion {
	var blocks []anthropic.ContentBlockParamUnion
	switch m.Role {
	case chat.User, chat.Assistant:
		if strings.TrimSpace(m.Text) != "" {
			blocks = append(blocks, anthropic.NewTextBlock(m.Text))
		}
		for _, c := range m.Calls {
			arguments := json.RawMessage(c.Arguments)
			var object map[string]any
			if json.Unmarshal(arguments, &object) != nil {
				arguments = json.RawMessage("{}") // the protocol takes objects only
			}
			blocks = append(blocks, anthropic.NewToolUseBlock(c.ID, arguments, c.Name))
		}
	case chat.ToolResults:
		for _, r := range m.Results {
			blocks = append(blocks, anthropic.NewToolResultBlock(r.ID, r.Text(), r.ExitCode != 0))
		}
	case chat.System, chat.InvalidRole:
		panic(fmt.Sprintf("anthropic: a message of role %v among the others", m.Role))
	default:
		panic(fmt.Sprintf("anthropic: role %v", m.Role))
	}
	return blocks
}

// Probe asks the server whether it has the model.
func (p *Provider) Probe(ctx context.Context, model string) (chat.Info, error) {
	if err := p.ready(model); err != nil {
		return chat.Info{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.options.BaseURL+"/v1/models/"+url.PathEscape(model), nil)
	if err != nil {
		return chat.Info{}, p.peer(model).Fault(chat.Unreachable, err.Error())
	}
	r.Header.Set("anthropic-version", version)
	if p.options.Key != "" {
		r.Header.Set(oldKeyHeader, p.options.Key)
	}
	var found struct {
		ID      string `json:"id"`
		Context int    `json:"max_input_tokens"`
	}
	if err := p.peer(model).Decode(ctx, p.options.Client, r, &found); err != nil {
		var failed *chat.Error
		if errors.As(err, &failed) && failed.Status == http.StatusNotFound {
			return chat.Info{}, p.peer(model).Fault(chat.UnknownModel, "")
		}
		return chat.Info{}, err
	}
	return chat.Info{Context: found.Context, Known: []string{found.ID}}, nil
}
