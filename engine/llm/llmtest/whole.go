package llmtest

import (
	"encoding/json"

	"autocoder/engine/chat"
)

// indented is JSON as servers print it that mean it to be read.
func indented(v object) string {
	if _, lines := v["created_at"]; lines {
		return marshal(v) + "\n" // its protocol has an object a line
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // the values are ours
	}
	return string(text)
}

func openaiWhole(t Turn) object {
	message := object{"role": "assistant", "content": t.Text}
	var calls []any
	for _, c := range t.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	prompt := t.Usage.Prompt + t.Usage.Cached
	return object{
		"id": "x", "object": "chat.completion", "choices": []any{object{"index": 0, "message": message, "finish_reason": openaiStop(t)}},
		"usage": object{
			"prompt_tokens": prompt, "completion_tokens": t.Usage.Completion, "total_tokens": prompt + t.Usage.Completion,
			"prompt_tokens_details": object{"cached_tokens": t.Usage.Cached},
		},
	}
}

func anthropicWhole(t Turn) object {
	content := []any{}
	if t.Text != "" {
		content = append(content, object{"type": "text", "text": t.Text})
	}
	for _, c := range t.Calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	u := t.Usage
	return object{
		"id": "x", "type": "message", "role": "assistant", "content": content, "stop_reason": anthropicStop(t),
		"usage": object{"input_tokens": u.Prompt, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": u.Written, "output_tokens": u.Completion},
	}
}

func ollamaWhole(t Turn) object {
	message := object{"role": "assistant", "content": t.Text}
	var calls []any
	for _, c := range t.Calls {
		calls = append(calls, object{"function": object{"name": c.Name, "arguments": json.RawMessage(c.Arguments)}})
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return object{
		"created_at": "2026-01-01T00:00:00Z", "message": message, "done": true, "done_reason": ollamaStop(t),
		"prompt_eval_count": t.Usage.Prompt, "eval_count": t.Usage.Completion,
	}
}

func openaiStop(t Turn) string {
	if len(t.Calls) > 0 {
		return "tool_calls"
	}
	return map[chat.Stop]string{chat.Finished: "stop", chat.Length: "length", chat.Refused: "content_filter"}[t.Stop]
}

func anthropicStop(t Turn) string {
	if len(t.Calls) > 0 {
		return "tool_use"
	}
	return map[chat.Stop]string{chat.Finished: "end_turn", chat.Length: "max_tokens", chat.Refused: "refusal"}[t.Stop]
}

func ollamaStop(t Turn) string {
	return map[chat.Stop]string{chat.Finished: "stop", chat.Length: "length", chat.Refused: "stop"}[t.Stop]
}
