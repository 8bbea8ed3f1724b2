package answer

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

// wish is an edit as models put it in JSON, whatever they call its parts.
type wish struct {
	Path     string          `json:"path"`
	File     string          `json:"file"`
	FilePath string          `json:"file_path"`
	Filename string          `json:"filename"`
	Content  *string         `json:"content"`
	Search   *string         `json:"search"`
	Old      *string         `json:"old"`
	OldText  *string         `json:"old_string"`
	Replace  *string         `json:"replace"`
	New      *string         `json:"new"`
	NewText  *string         `json:"new_string"`
	Edits    []wish          `json:"edits"`
	Changes  []wish          `json:"changes"`
	Files    []wish          `json:"files"`
	Call     json.RawMessage `json:"arguments"`
	Input    json.RawMessage `json:"parameters"`
}

var toolCall = regexp.MustCompile(`(?s)<(?:tool_call|function_call|tool_use)>\s*(.*?)\s*</(?:tool_call|function_call|tool_use)>`)

// inJSON are the edits of a text that is JSON, or has it where a tool would be
// called.
func (t Tree) inJSON(text string) []Change {
	text = strings.TrimSpace(text)
	var all []Change
	for _, m := range toolCall.FindAllStringSubmatch(text, -1) {
		all = append(all, t.inJSON(m[1])...)
	}
	if len(all) > 0 || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return all
	}
	var list []wish
	var one wish
	if json.Unmarshal([]byte(text), &list) != nil {
		if json.Unmarshal([]byte(text), &one) != nil {
			return nil
		}
		list = []wish{one}
	}
	for _, w := range list {
		all = append(all, t.wished(w, "")...)
	}
	return all
}

// wished are the changes of an edit and those in it; above is the file that was
// named around it.
func (t Tree) wished(w wish, above string) []Change {
	file := cmp.Or(w.Path, w.File, w.FilePath, w.Filename, above)
	var all []Change
	for _, inner := range [][]wish{w.Edits, w.Changes, w.Files} {
		for _, x := range inner {
			all = append(all, t.wished(x, file)...)
		}
	}
	for _, inner := range []json.RawMessage{w.Call, w.Input} {
		text := string(inner)
		var quoted string
		if json.Unmarshal(inner, &quoted) == nil {
			text = quoted
		}
		all = append(all, t.inJSON(text)...)
	}
	resolved, ok := t.resolve(file)
	old, repl := first(w.Search, w.Old, w.OldText), first(w.Replace, w.New, w.NewText)
	switch {
	case !ok || len(all) > 0:
	case old != nil && repl != nil:
		all = append(all, Change{Kind: Replace, Path: resolved, Old: *old, New: *repl})
	case w.Content != nil && old == nil:
		all = append(all, Change{Kind: Whole, Path: resolved, New: *w.Content})
	}
	return all
}

func first(texts ...*string) *string {
	for _, t := range texts {
		if t != nil {
			return t
		}
	}
	return nil
}

// mostStarts is how many places of a text are tried as the beginning of JSON.
const mostStarts = 50

// jsonWithin are the edits of the first piece of JSON in a text that has some.
func (t Tree) jsonWithin(text string) []Change {
	starts := 0
	for i := range len(text) {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		if starts++; starts > mostStarts {
			break
		}
		var piece json.RawMessage
		if json.NewDecoder(strings.NewReader(text[i:])).Decode(&piece) != nil {
			continue
		}
		if changes := t.inJSON(string(piece)); len(changes) > 0 {
			return changes
		}
	}
	return nil
}
