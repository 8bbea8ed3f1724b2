package openai

import (
	"strconv"

	"autocoder/engine/chat"
	"autocoder/engine/llm/transport"

	openai "github.com/openai/openai-go/v3"
)

// filtered is what a content filter says by ending an answer.
const filtered = "the provider's content filter ended the answer. "

// take adds one part of an answer.
func take(a *transport.Answer, chunk openai.ChatCompletionChunk) {
	if u := chunk.Usage; u.TotalTokens != 0 || u.PromptTokens != 0 || u.CompletionTokens != 0 {
		cached, written := u.PromptTokensDetails.CachedTokens, int64(0)
		// Some servers tell apart what they wrote to their cache, which costs more.
		if n, err := strconv.ParseInt(u.PromptTokensDetails.JSON.ExtraFields["cache_write_tokens"].Raw(), 10, 64); err == nil {
			written = n
		}
		a.Use(chat.Usage{
			Prompt: int(u.PromptTokens - cached - written), Cached: int(cached), Written: int(written), Completion: int(u.CompletionTokens), Known: true,
		})
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		a.Say(choice.Delta.Content)
		a.Refuse(choice.Delta.Refusal)
		for _, c := range choice.Delta.ToolCalls {
			a.Call(c.Index, c.ID, c.Function.Name, c.Function.Arguments)
		}
		switch choice.FinishReason {
		case "":
		case "length":
			a.End(chat.Length)
		case "content_filter":
			a.Refuse(filtered)
			a.End(chat.Refused)
		default:
			a.End(chat.Finished)
		}
	}
}
