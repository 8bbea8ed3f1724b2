package anthropic

import (
	"encoding/json"

	"autocoder/engine/llm/transport"
)

// events are those of a whole answer: a block begins with all that is in it, but for
// the input of a tool, which a stream brings behind it.
func events(piece []byte) []transport.Event {
	var answer struct {
		Type    string           `json:"type"`
		Content []map[string]any `json:"content"`
		Stop    string           `json:"stop_reason"`
		Usage   json.RawMessage  `json:"usage"`
	}
	if json.Unmarshal(piece, &answer) != nil || answer.Type != "message" {
		return nil
	}
	var out []transport.Event
	add := func(kind string, fields map[string]any) {
		fields["type"] = kind
		if data, err := json.Marshal(fields); err == nil {
			out = append(out, transport.Event{Name: kind, Data: data})
		}
	}
	type object = map[string]any
	add("message_start", object{"message": object{"type": "message", "role": "assistant", "content": []any{}, "usage": answer.Usage}})
	for i, block := range answer.Content {
		input, has := block["input"]
		if has {
			block["input"] = object{}
		}
		add("content_block_start", object{"index": i, "content_block": block})
		if text, err := json.Marshal(input); has && err == nil {
			add("content_block_delta", object{"index": i, "delta": object{"type": "input_json_delta", "partial_json": string(text)}})
		}
		add("content_block_stop", object{"index": i})
	}
	add("message_delta", object{"delta": object{"stop_reason": answer.Stop}, "usage": answer.Usage})
	add("message_stop", object{})
	return out
}
