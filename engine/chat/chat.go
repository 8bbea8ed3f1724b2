// Package chat is the vocabulary of talking to language models: messages, tool
// calls and their results, replies, what they cost in tokens, and how a call can
// fail.
//
// It is pure and knows no provider: each provider translates its own protocol to
// and from these values. No value of it holds a key.
package chat

import (
	"encoding/json"
	"fmt"
)

// Role says who speaks.
type Role uint8

// The roles.
const (
	InvalidRole Role = iota
	System
	User
	Assistant
	// ToolResults is the answer to an Assistant's calls.
	ToolResults
)

// String returns the name that records use.
func (r Role) String() string {
	switch r {
	case System:
		return "system"
	case User:
		return "user"
	case Assistant:
		return "assistant"
	case ToolResults:
		return "tool"
	case InvalidRole:
		return "invalid"
	default:
		return fmt.Sprintf("Role(%d)", uint8(r))
	}
}

// Message is one message of a conversation.
type Message struct {
	Role Role
	Text string
	// Stable means that everything up to the end of this message is the same in the
	// next calls: a provider may keep it.
	Stable bool
	// Calls are those of an Assistant, Results what ToolResults answers.
	Calls   []Call
	Results []Result
}

// Tool is something that a model may call.
type Tool struct {
	Name, Description string
	// Parameters are texts by name; those in Required must be given.
	Parameters []Parameter
}

// Parameter is one argument of a Tool.
type Parameter struct {
	Name, Description string
	// Number means a whole number, else it is a text.
	Number, Required bool
}

// Schema is the JSON schema of the tool's arguments.
func (t Tool) Schema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range t.Parameters {
		kind := "string"
		if p.Number {
			kind = "integer"
		}
		properties[p.Name] = map[string]any{"type": kind, "description": p.Description}
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// Call is a model's wish to call a tool.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is what the model wrote; it need not be valid JSON.
	Arguments string `json:"arguments"`
}

// Result is what became of a Call. Every call has one, also of a tool that does
// not exist.
type Result struct {
	ID        string `json:"call_id"`
	Name      string `json:"name"`
	Output    string `json:"output"`
	Error     string `json:"error,omitempty"`
	ExitCode  int    `json:"exit_code"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Text is the result as a model reads it.
func (r Result) Text() string {
	text, err := json.Marshal(struct {
		Output    string `json:"output"`
		Error     string `json:"error,omitempty"`
		ExitCode  int    `json:"exit_code"`
		Truncated bool   `json:"truncated,omitempty"`
	}{r.Output, r.Error, r.ExitCode, r.Truncated})
	if err != nil {
		return r.Output + r.Error // texts can be marshalled
	}
	return string(text)
}

// Request is one call of a model.
type Request struct {
	Model    string
	Messages []Message
	Tools    []Tool
	// MaxTokens bounds the answer.
	MaxTokens int
	// Context is the size of the context that the server should make, for servers
	// that have to be told.
	Context int
	// Estimate is how many tokens the prompt is thought to have at least.
	Estimate int
}

// Stop says why a model stopped.
type Stop uint8

// The reasons to stop.
const (
	InvalidStop Stop = iota
	// Finished is an answer that is whole, tool calls included.
	Finished
	// Length means that the answer was cut at MaxTokens.
	Length
	// Refused means that the model, or its provider, declined to answer.
	Refused
)

// String returns the name that records use.
func (s Stop) String() string {
	switch s {
	case Finished:
		return "finished"
	case Length:
		return "length"
	case Refused:
		return "refused"
	case InvalidStop:
		return "invalid"
	default:
		return fmt.Sprintf("Stop(%d)", uint8(s))
	}
}

// MarshalText writes the name.
func (s Stop) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name written by MarshalText; an unknown one is invalid.
func (s *Stop) UnmarshalText(text []byte) error {
	*s = InvalidStop
	for x := Finished; x <= Refused; x++ {
		if x.String() == string(text) {
			*s = x
		}
	}
	return nil
}

// Usage is what one call cost in tokens, as the provider tells it. The groups
// are disjoint: Prompt does not have what was read from or written to a cache.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Cached     int `json:"cached_tokens"`
	Written    int `json:"cache_written_tokens"`
	Completion int `json:"completion_tokens"`
	// Known means that the provider told it at all.
	Known bool `json:"known"`
}

// Total is the sum of all groups.
func (u Usage) Total() int { return u.Prompt + u.Cached + u.Written + u.Completion }

// Reply is a model's answer.
type Reply struct {
	Text  string `json:"text"`
	Calls []Call `json:"calls,omitempty"`
	Stop  Stop   `json:"stop"`
	Usage Usage  `json:"usage"`
	// Refusal is the provider's own words when Stop is Refused.
	Refusal string `json:"refusal,omitempty"`
}

// Info is what can be learnt of a model without asking it anything.
type Info struct {
	// Context is the most tokens of prompt and answer; 0 when nobody says.
	Context int
	// Known are models that the server has, a few of them.
	Known []string
}
