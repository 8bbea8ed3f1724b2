// Package python reads Python source for the scan, by the parser of the user's
// own interpreter. Nothing of the project is imported by it.
package python

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/verify/scan/syntax"
)

//go:embed read.py
var script []byte

// most is how much of an interpreter's own words is kept.
const most = 1 << 16

// Interpreter is a Python that can be started.
type Interpreter struct {
	command.Starter
	// Program is the interpreter, and Scratch a folder that both sides can write, at
	// the same path.
	Program, Scratch string
}

// Tree is a file's tree, or why there is none.
type Tree struct {
	Root    *syntax.Node
	Problem string
}

// Answer is what an interpreter says: a tree for each text, and those of the
// modules that it has without the project.
type Answer struct {
	Trees     []Tree
	Installed []string
}

// Read parses texts and looks for modules.
func (i Interpreter) Read(ctx context.Context, texts, modules []string) (Answer, error) {
	if len(texts) == 0 && len(modules) == 0 {
		return Answer{}, nil
	}
	dir, err := os.MkdirTemp(i.Scratch, "scan-")
	if err != nil {
		return Answer{}, fmt.Errorf("make a folder for the scan: %w", err)
	}
	defer os.RemoveAll(dir)
	request, err := json.Marshal(map[string][]string{"files": encoded(texts), "modules": append([]string{}, modules...)})
	if err != nil {
		return Answer{}, fmt.Errorf("write the scan's request: %w", err)
	}
	program, ask, reply := filepath.Join(dir, "read.py"), filepath.Join(dir, "request.json"), filepath.Join(dir, "answer.json")
	if err := errors.Join(os.WriteFile(program, script, 0o600), os.WriteFile(ask, request, 0o600)); err != nil {
		return Answer{}, fmt.Errorf("write the scan's request: %w", err)
	}
	out, err := command.Run(ctx, i, command.Spec{Args: []string{i.Program, "-I", program, ask, reply}}, most)
	if err != nil {
		return Answer{}, fmt.Errorf("read the Python files: %w", err)
	}
	answer, err := os.ReadFile(reply)
	if err != nil || !out.Exit.Success() {
		return Answer{}, fmt.Errorf("read the Python files by %s: %v: %s", i.Program, out.Exit, strings.TrimSpace(string(out.Stderr)))
	}
	return decode(answer)
}

// encoded hands files over byte for byte: they may be in any encoding.
func encoded(texts []string) []string {
	out := []string{}
	for _, text := range texts {
		out = append(out, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return out
}

func decode(answer []byte) (Answer, error) {
	var wire struct {
		Files []struct {
			Tree    *row   `json:"tree"`
			Problem string `json:"problem"`
		} `json:"files"`
		Installed []string `json:"installed"`
	}
	if err := json.Unmarshal(answer, &wire); err != nil {
		return Answer{}, fmt.Errorf("read the scan's answer: %w", err)
	}
	a := Answer{Installed: wire.Installed}
	for _, f := range wire.Files {
		t := Tree{Problem: f.Problem}
		if f.Tree != nil {
			t.Root = f.Tree.node
		}
		a.Trees = append(a.Trees, t)
	}
	return a, nil
}

// row reads a node as the script writes it.
type row struct{ node *syntax.Node }

var kinds = syntax.Kinds()

// UnmarshalJSON reads [kind, line, name, path, value, children].
func (r *row) UnmarshalJSON(data []byte) error {
	var kind string
	var value []string
	var kids []row
	r.node = &syntax.Node{}
	n := r.node
	if err := json.Unmarshal(data, &[]any{&kind, &n.Line, &n.Name, &n.Path, &value, &kids}); err != nil {
		return err
	}
	var ok bool
	if n.Kind, ok = kinds[kind]; !ok {
		return fmt.Errorf("unknown kind of node %q", kind)
	}
	if len(value) == 2 {
		n.Value = constant(value[0], value[1])
	}
	for _, kid := range kids {
		n.Kids = append(n.Kids, kid.node)
	}
	return nil
}

func constant(kind, text string) syntax.Value {
	switch kind {
	case "s":
		return syntax.Value{Kind: syntax.Text, Text: text}
	case "z":
		return syntax.Value{Kind: syntax.Null}
	}
	num, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return syntax.Value{Kind: syntax.Text, Text: text}
	}
	if kind == "b" {
		return syntax.Value{Kind: syntax.Bool, Num: num}
	}
	return syntax.Value{Kind: syntax.Number, Num: num}
}
