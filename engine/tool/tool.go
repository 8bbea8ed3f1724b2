// Package tool is what a language model may do in a cell: read and search the
// project, edit a file exactly, run a command.
//
// Everything happens on a private fork of the current state. Each call is decided
// by the policy gate first and has a result, whatever it was: a tool that does not
// exist, that fails or that panics is a result with exit code 1, and never the end
// of a run. What the tools leave is a patch, which the loop judges like any other.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/llm/answer"
	"autocoder/engine/policy"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
)

// The names of the tools.
const (
	Read   = "read"
	Search = "search"
	Edit   = "edit_file_exact"
	Bash   = "bash"
)

const (
	// mostOutput is how many bytes of an output a model is given, mostLines how many
	// lines of a file when it does not say, mostHits how many hits of a search.
	mostOutput = 16 << 10
	mostLines  = 400
	mostHits   = 60
	// largestFile is the size of a file that tools work on.
	largestFile = 1 << 20
)

// Vault keeps the user's secrets from commands: however these write a file anew, there
// is no secret in it.
type Vault interface {
	// Hide puts names in the place of the secrets in a text.
	Hide(text string) string
	// Restore puts the secrets back.
	Restore(text string) string
}

// Box holds the tools of one attempt.
type Box struct {
	view  propose.View
	gate  policy.Gate
	cell  *propose.Cell
	vault Vault
	// now are the files that the tools changed, by what they are now.
	now map[string]textedit.File
	// veiled is whether the files in the cell have names in the place of secrets.
	veiled bool
}

// Open leases a cell for the tools. Close gives it back.
func Open(ctx context.Context, view propose.View, vault Vault) (*Box, error) {
	cell, err := view.Cell(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a cell for the model's tools: %w", err)
	}
	return &Box{
		view: view, cell: cell, vault: vault, now: map[string]textedit.File{},
		gate: policy.Gate{Root: cell.Root, Scratch: cell.Scratch, Editable: view.Editable},
	}, nil
}

// Close ends everything that the tools started.
func (b *Box) Close() error { return b.cell.Close() }

// Tools describes the tools for a model.
func Tools() []chat.Tool {
	text := func(name, description string) chat.Parameter {
		return chat.Parameter{Name: name, Description: description, Required: true}
	}
	return []chat.Tool{
		{Name: Read, Description: "Read a file of the project, or some lines of it.", Parameters: []chat.Parameter{
			text("path", "the file, relative to the project"),
			{Name: "start", Description: "the first line, from 1", Number: true},
			{Name: "end", Description: "the last line", Number: true},
		}},
		{Name: Search, Description: "Search all files of the project for a regular expression.", Parameters: []chat.Parameter{
			text("pattern", "a regular expression in RE2 syntax"), {Name: "path", Description: "only files whose path contains this"},
		}},
		{Name: Edit, Description: "Replace one piece of a file by another. The old piece must stand in the file exactly once; an empty one makes a new file.", Parameters: []chat.Parameter{
			text("path", "the file, relative to the project"), text("old", "the lines as they are now"), text("new", "the lines to put there"),
		}},
		{Name: Bash, Description: "Run a command by bash in a copy of the project. There is no network.", Parameters: []chat.Parameter{text("command", "the command")}},
	}
}

// arguments are those of all tools.
type arguments struct {
	Path    string `json:"path"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Pattern string `json:"pattern"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Command string `json:"command"`
}

// Do carries out a call. Whatever goes wrong is in the result.
func (b *Box) Do(ctx context.Context, call chat.Call) (result chat.Result) {
	defer func() {
		if x := recover(); x != nil {
			result = failed(fmt.Sprintf("the tool panicked: %v", x))
		}
		result.ID, result.Name = call.ID, call.Name
		result.Output = strings.ToValidUTF8(result.Output, "?")
		if len(result.Output) > mostOutput {
			half := mostOutput / 2
			result.Output = result.Output[:half] + "\n[left out]\n" + result.Output[len(result.Output)-half:]
			result.Output, result.Truncated = strings.ToValidUTF8(result.Output, ""), true
		}
	}()
	var args arguments
	if err := json.Unmarshal([]byte(orObject(call.Arguments)), &args); err != nil {
		return failed(fmt.Sprintf("the arguments are not the JSON that the tool takes: %v", err))
	}
	switch call.Name {
	case Read:
		return b.read(args)
	case Search:
		return b.search(ctx, args)
	case Edit:
		return b.edit(args)
	case Bash:
		return b.bash(ctx, args)
	default:
		return failed(fmt.Sprintf("there is no tool %q: the tools are %s, %s, %s and %s", call.Name, Read, Search, Edit, Bash))
	}
}

func orObject(arguments string) string {
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	return arguments
}

func failed(why string) chat.Result { return chat.Result{Error: why, ExitCode: 1} }

// denied is the result of a call that the policy does not let through.
func denied(d policy.Decision) chat.Result {
	switch d.Verdict {
	case policy.Ask:
		return failed("denied: " + d.Reason + ", and there is nobody to ask")
	case policy.Deny, policy.InvalidVerdict, policy.Allow:
		return failed("denied: " + d.Reason)
	default:
		return failed("denied: " + d.Reason)
	}
}

// file is what stands at a path now.
func (b *Box) file(p string) (string, textedit.File, error) {
	p = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(p), strings.TrimSuffix(b.cell.Root, "/")+"/"), "./")
	if f, ok := b.now[p]; ok {
		return p, f, nil
	}
	f, err := b.view.Read(p)
	return p, f, err
}

func (b *Box) read(a arguments) chat.Result {
	p, f, err := b.file(a.Path)
	switch {
	case err != nil:
		return failed(err.Error())
	case f.Kind == textedit.Absent:
		return failed(fmt.Sprintf("there is no file %q", p))
	case f.Kind != textedit.Regular || len(f.Content) > largestFile || slices.Contains(f.Content, 0):
		return failed(fmt.Sprintf("%q is no text that can be read", p))
	}
	lines := strings.SplitAfter(string(f.Content), "\n")
	from := max(1, a.Start)
	to := len(lines)
	if a.End > 0 {
		to = min(to, a.End)
	}
	if from > to {
		return failed(fmt.Sprintf("%q has %d lines", p, len(lines)))
	}
	cut := to-from+1 > mostLines
	to = min(to, from+mostLines-1)
	return chat.Result{Output: strings.Join(lines[from-1:to], ""), Truncated: cut}
}

func (b *Box) search(ctx context.Context, a arguments) chat.Result {
	re, err := regexp.Compile(a.Pattern)
	if err != nil {
		return failed(fmt.Sprintf("the pattern can't be used: %v", err))
	}
	var out strings.Builder
	hits := 0
	for _, p := range b.view.Files {
		if !strings.Contains(p, a.Path) {
			continue
		}
		if ctx.Err() != nil {
			return failed("there is no time left")
		}
		_, f, err := b.file(p)
		if err != nil || f.Kind != textedit.Regular || len(f.Content) > largestFile || slices.Contains(f.Content, 0) {
			continue
		}
		n := 0
		for line := range strings.Lines(string(f.Content)) {
			n++
			if !re.MatchString(line) {
				continue
			}
			if hits++; hits > mostHits {
				return chat.Result{Output: out.String(), Truncated: true}
			}
			fmt.Fprintf(&out, "%s:%d: %s\n", p, n, clip(strings.TrimSpace(line), 200))
		}
	}
	if hits == 0 {
		return chat.Result{Output: "nothing was found"}
	}
	return chat.Result{Output: out.String()}
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (b *Box) edit(a arguments) chat.Result {
	p, f, err := b.file(a.Path)
	if err != nil {
		return failed(err.Error())
	}
	if d := b.gate.Edit(p); d.Verdict != policy.Allow {
		return denied(d)
	}
	if f.Kind != textedit.Regular && f.Kind != textedit.Absent || len(f.Content) > largestFile {
		return failed(fmt.Sprintf("%q can't be edited", p))
	}
	next, err := answer.Piece(string(f.Content), f.Kind == textedit.Regular, a.Old, a.New)
	var problem *answer.Problem
	if errors.As(err, &problem) {
		return failed(p + ": " + problem.Text)
	}
	if err != nil {
		return failed(err.Error())
	}
	seen := next
	if b.veiled {
		seen = b.vault.Hide(next)
	}
	if err := b.cell.Write(p, []byte(seen)); err != nil {
		return failed(err.Error())
	}
	b.now[p] = textedit.File{Kind: textedit.Regular, Content: []byte(next), Mode: f.Mode}
	return chat.Result{Output: "edited " + p}
}

// Patch is what the tools changed, on the current state.
func (b *Box) Patch() (textedit.Patch, error) {
	var patch textedit.Patch
	var paths []string
	for p := range b.now {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		was, err := b.view.Read(p)
		if err != nil {
			return patch, fmt.Errorf("read %q: %w", p, err)
		}
		now := b.now[p]
		if was.Hash() == now.Hash() {
			continue
		}
		op := textedit.Op{Kind: textedit.OpCreate, Path: p, Base: was.Hash(), Content: now.Content}
		switch {
		case now.Kind == textedit.Absent:
			op = textedit.Op{Kind: textedit.OpDelete, Path: p, Base: was.Hash()}
		case was.Kind == textedit.Regular:
			op = textedit.Op{Kind: textedit.OpEdit, Path: p, Base: was.Hash(), Edits: textedit.Minimal(was.Content, now.Content)}
		}
		patch.Ops = append(patch.Ops, op)
	}
	return patch, nil
}
