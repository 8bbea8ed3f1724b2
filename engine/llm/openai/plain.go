package openai

import (
	"encoding/json"

	"autocoder/engine/llm/transport"
)

// events are those of a whole answer: one with all that was said, which is no message
// then but what is new in it, and the end.
func events(piece []byte) []transport.Event {
	var answer map[string]any
	if json.Unmarshal(piece, &answer) != nil {
		return nil
	}
	choices, ok := answer["choices"].([]any)
	if !ok {
		return nil
	}
	for _, c := range choices {
		choice, ok := c.(map[string]any)
		if !ok {
			return nil
		}
		message, ok := choice["message"].(map[string]any)
		if !ok {
			return nil
		}
		calls, _ := message["tool_calls"].([]any)
		for i, call := range calls {
			if c, ok := call.(map[string]any); ok {
				c["index"] = i
			}
		}
		choice["delta"] = message
		delete(choice, "message")
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil
	}
	return []transport.Event{{Data: data}, {Data: []byte("[DONE]")}}
}
