package propose

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"autocoder/engine/textedit"
)

// scriptOrigin marks the proposals of a script.
const scriptOrigin = "script"

// scriptEdit is one edit of a script. Other keys are ignored.
type scriptEdit struct {
	Write   map[string]string `json:"write"`
	Delete  []string          `json:"delete"`
	Symlink map[string]string `json:"symlink"`
	Title   string            `json:"title"`
	Why     string            `json:"why"`
}

// Scripted returns the proposer that replays a script: a JSON list of edits, or
// one, {"write": {path: text}, "delete": [path], "symlink": {path: target}}, one
// an attempt. name is the script's file, for messages.
func Scripted(name string, script []byte) (Proposer, error) {
	script = bytes.TrimPrefix(script, []byte("\ufeff"))
	edits, err := parseScript(script)
	if err != nil {
		return nil, fmt.Errorf("read script %s%w", name, position(script, err))
	}
	return Func("script:"+name, func(_ context.Context, _ View, history []Attempt) (Proposal, error) {
		n := 0
		for _, a := range history {
			if a.Proposal.Origin == scriptOrigin {
				n++
			}
		}
		if n >= len(edits) {
			return Proposal{}, ErrNothingLeft
		}
		return edits[n].proposal(), nil
	}), nil
}

func parseScript(script []byte) ([]scriptEdit, error) {
	if trimmed := bytes.TrimSpace(script); len(trimmed) > 0 && trimmed[0] == '{' {
		var one scriptEdit
		err := json.Unmarshal(script, &one)
		return []scriptEdit{one}, err
	}
	var many []scriptEdit
	err := json.Unmarshal(script, &many)
	return many, err
}

// position says where in the script an error is.
func position(script []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: not valid JSON: %w", lineColumn(script, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %q is a JSON %s, and must be a %s", lineColumn(script, kind.Offset), kind.Field, kind.Value, wanted(kind.Field))
	default:
		return fmt.Errorf(": %w", err)
	}
}

func wanted(field string) string {
	switch {
	case field == "":
		return "list of edits or one edit"
	case field == "write" || field == "symlink":
		return "map from paths to texts"
	case field == "delete":
		return "list of paths"
	default:
		return "text"
	}
}

// lineColumn is the place of a byte offset, counted from 1.
func lineColumn(text []byte, offset int64) string {
	before := text[:max(0, min(offset-1, int64(len(text))))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fmt.Sprintf(":%d:%d", line, column)
}

func (e scriptEdit) proposal() Proposal {
	p := Proposal{Title: e.Title, Why: e.Why, Origin: scriptOrigin}
	for _, path := range slices.Sorted(maps.Keys(e.Write)) {
		p.Patch.Ops = append(p.Patch.Ops, textedit.Op{
			Kind: textedit.OpCreate, Path: path, AnyBase: true, Content: []byte(e.Write[path]),
		})
	}
	for _, path := range e.Delete {
		p.Patch.Ops = append(p.Patch.Ops, textedit.Op{Kind: textedit.OpDelete, Path: path, AnyBase: true})
	}
	for _, path := range slices.Sorted(maps.Keys(e.Symlink)) {
		p.Patch.Ops = append(p.Patch.Ops, textedit.Op{Kind: textedit.OpSymlink, Path: path, AnyBase: true, Target: e.Symlink[path]})
	}
	return p
}
