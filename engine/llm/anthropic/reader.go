package anthropic

import (
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
)

const (
	// bytesPerToken is more than any token has in the mean: an answer with more bytes
	// for its tokens does not keep to its limit.
	bytesPerToken = 16
	// mostCalls is how many tool calls one answer may have.
	mostCalls = 64
)

// reader puts an answer together from its events.
type reader struct {
	reply chat.Reply
	text  strings.Builder
	calls map[int64]int
	size  int
	most  int
	ended bool
}

func newReader(r chat.Request) *reader {
	return &reader{calls: map[int64]int{}, most: bytesPerToken*r.MaxTokens + 1<<16}
}

// take adds one event.
func (r *reader) take(e anthropic.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		r.usage(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	case "content_block_start":
		if e.ContentBlock.Type == "tool_use" {
			r.calls[e.Index] = len(r.reply.Calls)
			r.reply.Calls = append(r.reply.Calls, chat.Call{ID: e.ContentBlock.ID, Name: e.ContentBlock.Name})
		}
		r.add(e.ContentBlock.Text)
	case "content_block_delta":
		r.add(e.Delta.Text)
		if k, ok := r.calls[e.Index]; ok {
			r.reply.Calls[k].Arguments += e.Delta.PartialJSON
			r.size += len(e.Delta.PartialJSON)
		}
		r.size += len(e.Delta.Thinking)
	case "message_delta":
		u := e.Usage
		r.usage(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
		if u.OutputTokens != 0 {
			r.reply.Usage.Completion, r.reply.Usage.Known = int(u.OutputTokens), true
		}
		r.stop(string(e.Delta.StopReason))
	}
	if r.size > r.most || len(r.reply.Calls) > mostCalls {
		return transport.ErrOversized
	}
	return nil
}

func (r *reader) add(text string) {
	r.text.WriteString(text)
	r.size += len(text)
}

// usage notes what the prompt cost; an event that does not say it changes nothing.
func (r *reader) usage(prompt, cached, written int64) {
	u := &r.reply.Usage
	if prompt != 0 || cached != 0 || written != 0 {
		u.Prompt, u.Cached, u.Written, u.Known = int(prompt), int(cached), int(written), true
	}
}

func (r *reader) stop(reason string) {
	switch reason {
	case "":
	case "max_tokens", "model_context_window_exceeded":
		r.ended, r.reply.Stop = true, chat.Length
	case "refusal":
		r.ended, r.reply.Stop = true, chat.Refused
	default:
		r.ended, r.reply.Stop = true, chat.Finished
	}
}

// finish is the whole answer.
func (r *reader) finish() chat.Reply {
	r.reply.Text = r.text.String()
	for i := range r.reply.Calls {
		if r.reply.Calls[i].Arguments == "" {
			r.reply.Calls[i].Arguments = "{}"
		}
	}
	return r.reply
}
