package neighbours

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/scratch"
)

// most is how large an answer may be.
const most = 16 << 20

// program is a program of ours that works in a cell: it reads a request and writes an
// answer, each a file of JSON.
type program struct {
	cell    Cell
	request map[string]any
}

// run lays the program into a folder and runs it there.
func (p program) run(ctx context.Context, lay func(dir string) error, spec func(dir, request, answer string) command.Spec) ([]Function, error) {
	dir, err := os.MkdirTemp(p.cell.Scratch(), "neighbours-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for what is near the tests' inputs: %w", err)
	}
	if err := lay(dir); err != nil {
		return nil, fmt.Errorf("lay the program that asks near the tests' inputs: %w", err)
	}
	request, answer := filepath.Join(dir, "request.json"), filepath.Join(dir, "answer.json")
	data, err := json.Marshal(p.request)
	if err == nil {
		err = os.WriteFile(request, data, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("write what to ask near the tests' inputs: %w", err)
	}
	out, err := command.Run(ctx, p.cell, spec(dir, request, answer), 1<<16)
	if err != nil {
		return nil, fmt.Errorf("ask near the tests' inputs: %w", err)
	}
	return p.read(answer, out)
}

// read reads what a program has answered.
func (p program) read(answer string, out command.Output) ([]Function, error) {
	f, err := scratch.Open(p.cell.Scratch(), filepath.Join(filepath.Base(filepath.Dir(answer)), filepath.Base(answer)))
	if err != nil {
		return nil, fmt.Errorf("ask near the tests' inputs: %v: %s", out.Exit, strings.TrimSpace(string(out.Stderr)))
	}
	defer f.Close()
	var told struct {
		Functions []Function `json:"functions"`
	}
	if err := json.NewDecoder(io.LimitReader(f, most)).Decode(&told); err != nil {
		return nil, fmt.Errorf("read what was asked near the tests' inputs: %w", err)
	}
	return told.Functions, nil
}
