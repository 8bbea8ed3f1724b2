package anthropic

import (
	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
)

// reader reads the events of one answer: which blocks are tool calls was said when
// they began.
type reader struct{ calls map[int64]bool }

func newReader() reader { return reader{calls: map[int64]bool{}} }

// take adds one event to the answer.
func (r reader) take(a *transport.Answer, e anthropic.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		prompt(a, u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	case "content_block_start":
		if e.ContentBlock.Type == "tool_use" {
			r.calls[e.Index] = true
			a.Call(e.Index, e.ContentBlock.ID, e.ContentBlock.Name, "")
		}
		a.Say(e.ContentBlock.Text)
	case "content_block_delta":
		a.Say(e.Delta.Text)
		if r.calls[e.Index] {
			a.Call(e.Index, "", "", e.Delta.PartialJSON)
		}
		a.Think(e.Delta.Thinking)
	case "message_delta":
		u := e.Usage
		prompt(a, u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
		if u.OutputTokens != 0 {
			all := a.Usage()
			all.Completion, all.Known = int(u.OutputTokens), true
			a.Use(all)
		}
		stop(a, string(e.Delta.StopReason))
	}
}

// prompt notes what the prompt cost; an event that does not say it changes nothing.
func prompt(a *transport.Answer, fresh, cached, written int64) {
	if fresh == 0 && cached == 0 && written == 0 {
		return
	}
	u := a.Usage()
	u.Prompt, u.Cached, u.Written, u.Known = int(fresh), int(cached), int(written), true
	a.Use(u)
}

func stop(a *transport.Answer, reason string) {
	switch reason {
	case "":
	case "max_tokens", "model_context_window_exceeded":
		a.End(chat.Length)
	case "refusal":
		a.End(chat.Refused)
	default:
		a.End(chat.Finished)
	}
}
