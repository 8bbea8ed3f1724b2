package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"autocoder/engine/chat"
)

// protocol is how a kind of server answers.
type protocol struct {
	kind string
	// parts are the pieces of a streamed answer, whole is one that is not.
	parts func(Request, Turn) []string
	whole func(Turn) object
}

func protocols() map[string]*protocol {
	return map[string]*protocol{
		"/v1/chat/completions": {"text/event-stream", openaiParts, openaiWhole},
		"/v1/messages":         {"text/event-stream", anthropicParts, anthropicWhole},
		"/api/chat":            {"application/x-ndjson", ollamaParts, ollamaWhole},
	}
}

// pieces cuts a text into small ones, not at the bounds of characters.
func pieces(text string) []string {
	const size = 40
	var out []string
	for len(text) > size {
		end := size
		for end < len(text) && text[end]&0xC0 == 0x80 {
			end++
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return append(out, text)
}

type object = map[string]any

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are ours
	}
	return string(text)
}

func openaiParts(r Request, t Turn) []string {
	var out []string
	send := func(v object) {
		v["id"], v["object"], v["model"] = "x", "chat.completion.chunk", r.Model
		out = append(out, "data: "+marshal(v)+"\n\n")
	}
	delta := func(d object, finish any) {
		send(object{"choices": []any{object{"index": 0, "delta": d, "finish_reason": finish}}})
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(t.Text) {
		delta(object{"content": p}, nil)
	}
	for i, c := range t.Calls {
		delta(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments) {
			delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	delta(object{}, openaiStop(t))
	if !t.NoUsage {
		u := t.Usage
		prompt := u.Prompt + u.Cached
		send(object{"choices": []any{}, "usage": object{
			"prompt_tokens": prompt, "completion_tokens": u.Completion, "total_tokens": prompt + u.Completion,
			"prompt_tokens_details": object{"cached_tokens": u.Cached},
		}})
	}
	return append(out, "data: [DONE]\n\n")
}

func anthropicParts(r Request, t Turn) []string {
	var out []string
	send := func(kind string, v object) {
		v["type"] = kind
		out = append(out, "event: "+kind+"\ndata: "+marshal(v)+"\n\n")
	}
	u := *t.Usage
	if t.NoUsage {
		u = chat.Usage{}
	}
	send("message_start", object{"message": object{
		"id": "x", "type": "message", "role": "assistant", "model": r.Model, "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": u.Prompt, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": u.Written, "output_tokens": 1},
	}})
	index := 0
	block := func(start object, deltas []object) {
		send("content_block_start", object{"index": index, "content_block": start})
		for _, d := range deltas {
			send("content_block_delta", object{"index": index, "delta": d})
		}
		send("content_block_stop", object{"index": index})
		index++
	}
	if t.Text != "" {
		var deltas []object
		for _, p := range pieces(t.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": p})
		}
		block(object{"type": "text", "text": ""}, deltas)
	}
	for _, c := range t.Calls {
		var deltas []object
		for _, p := range pieces(c.Arguments) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas)
	}
	send("message_delta", object{"delta": object{"stop_reason": anthropicStop(t)}, "usage": object{"output_tokens": u.Completion}})
	send("message_stop", object{})
	return out
}

func ollamaParts(r Request, t Turn) []string {
	var out []string
	send := func(v object) {
		v["model"], v["created_at"] = r.Model, "2026-01-01T00:00:00Z"
		out = append(out, marshal(v)+"\n")
	}
	for _, p := range pieces(t.Text) {
		send(object{"message": object{"role": "assistant", "content": p}, "done": false})
	}
	for _, c := range t.Calls {
		var arguments any = json.RawMessage(c.Arguments)
		if !json.Valid([]byte(c.Arguments)) {
			arguments = c.Arguments // as a text it can be sent
		}
		send(object{"message": object{"role": "assistant", "content": "", "tool_calls": []any{
			object{"function": object{"name": c.Name, "arguments": arguments}},
		}}, "done": false})
	}
	last := object{"message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": ollamaStop(t)}
	if !t.NoUsage {
		last["prompt_eval_count"], last["eval_count"] = t.Usage.Prompt, t.Usage.Completion
	}
	send(last)
	return out
}

// list answers what is no question for a model.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	var data, tags []any
	for _, m := range s.models {
		data = append(data, object{"id": m, "type": "model", "display_name": m, "created_at": "2026-01-01T00:00:00Z", "context_length": 32768})
		tags = append(tags, object{"name": m, "model": m})
	}
	switch {
	case r.URL.Path == "/v1/models":
		io.WriteString(w, marshal(object{"object": "list", "data": data, "has_more": false}))
	case strings.HasPrefix(r.URL.Path, "/v1/models/"):
		name := strings.TrimPrefix(r.URL.Path, "/v1/models/")
		if len(s.models) > 0 && !contains(s.models, name) {
			http.Error(w, fmt.Sprintf(`{"type":"error","error":{"type":"not_found_error","message":"model: %s not found"}}`, name), http.StatusNotFound)
			return
		}
		io.WriteString(w, marshal(object{"id": name, "type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z", "max_input_tokens": 200000}))
	case r.URL.Path == "/api/tags":
		io.WriteString(w, marshal(object{"models": tags}))
	case r.URL.Path == "/api/show":
		io.WriteString(w, marshal(object{"model_info": object{"general.architecture": "llama", "llama.context_length": 8192}, "capabilities": []any{"completion", "tools"}}))
	default:
		http.Error(w, "404 page not found", http.StatusNotFound)
	}
}

// quiet logs nothing: that a handshake fails is what a test wants.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
