package openai

import (
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	openai "github.com/openai/openai-go/v3"
)

// reader puts an answer together from its parts.
type reader struct {
	reply chat.Reply
	text  strings.Builder
	calls map[int64]*chat.Call
	order []int64
	size  int
	most  int
	ended bool
}

const (
	// bytesPerToken is more than any token has in the mean: an answer with more bytes
	// for its tokens does not keep to its limit.
	bytesPerToken = 16
	// mostCalls is how many tool calls one answer may have.
	mostCalls = 64
)

func newReader(r chat.Request) *reader {
	return &reader{calls: map[int64]*chat.Call{}, most: bytesPerToken*r.MaxTokens + 1<<16}
}

// take adds one part.
func (r *reader) take(chunk openai.ChatCompletionChunk) error {
	if u := chunk.Usage; u.TotalTokens != 0 || u.PromptTokens != 0 || u.CompletionTokens != 0 {
		cached := u.PromptTokensDetails.CachedTokens
		r.reply.Usage = chat.Usage{
			Prompt: int(u.PromptTokens - cached), Cached: int(cached), Completion: int(u.CompletionTokens), Known: true,
		}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		r.text.WriteString(choice.Delta.Content)
		r.reply.Refusal += choice.Delta.Refusal
		r.size += len(choice.Delta.Content) + len(choice.Delta.Refusal)
		for _, c := range choice.Delta.ToolCalls {
			r.call(c)
		}
		switch choice.FinishReason {
		case "":
		case "length":
			r.ended, r.reply.Stop = true, chat.Length
		case "content_filter":
			r.ended, r.reply.Stop = true, chat.Refused
		default:
			r.ended, r.reply.Stop = true, chat.Finished
		}
	}
	if r.size > r.most || len(r.order) > mostCalls {
		return transport.ErrOversized
	}
	return nil
}

// call adds a part of a tool call: its name comes once, its arguments in pieces.
func (r *reader) call(part openai.ChatCompletionChunkChoiceDeltaToolCall) {
	c := r.calls[part.Index]
	if c == nil {
		c = &chat.Call{}
		r.calls[part.Index] = c
		r.order = append(r.order, part.Index)
	}
	if part.ID != "" {
		c.ID = part.ID
	}
	c.Name += part.Function.Name
	c.Arguments += part.Function.Arguments
	r.size += len(part.Function.Name) + len(part.Function.Arguments)
}

// finish is the whole answer.
func (r *reader) finish() chat.Reply {
	r.reply.Text = r.text.String()
	for _, k := range r.order {
		r.reply.Calls = append(r.reply.Calls, *r.calls[k])
	}
	if r.reply.Refusal != "" {
		r.reply.Stop = chat.Refused
	}
	return r.reply
}
