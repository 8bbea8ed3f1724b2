package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// ProjectFile is the name of a project's settings file, at its root.
const ProjectFile = ".autocoder.toml"

// environPrefix starts the name of each variable that is a setting.
const environPrefix = "AUTOCODER_"

// Kind is the place that a layer of settings comes from. A later kind wins over
// an earlier one.
type Kind uint8

// The kinds of layer, the weakest first.
const (
	_ Kind = iota
	// User is the user's own settings file.
	User
	// Project is the .autocoder.toml of the project.
	Project
	// Editor are the user's settings in an editor.
	Editor
	// EditorWorkspace are editor settings that the project's folder brought.
	EditorWorkspace
	// Environment are the AUTOCODER_ variables.
	Environment
	// Flags are those of the command line.
	Flags
)

// ofProject reports whether whoever wrote the project wrote the layer, too.
func (k Kind) ofProject() bool { return k == Project || k == EditorWorkspace }

// Layer is the settings that one place gives.
type Layer struct {
	Kind Kind
	// Source names the place for people: a path, or "the command line".
	Source string
	// Trusted says that the user trusts the folder with these restricted values.
	// It matters for Project and EditorWorkspace only.
	Trusted bool
	// Values by the name of the setting.
	Values map[string]Value
}

// Value is one value as it was given.
type Value struct {
	// Any is a string, int64, float64, bool, []any or map[string]any, as a file or
	// an editor gives it, or Texts.
	Any any
	// Written is the setting's name as the user wrote it, when that is not its own.
	Written string
	// Line is where it stands in Source, from 1; 0 when that is not known.
	Line int
}

// Texts are untyped words, as a command line or a variable gives them: one, or
// several for a list.
type Texts []string

// ParseFile reads the text of a settings file. An error names the file, and the
// line where there is one.
func ParseFile(kind Kind, file string, text []byte) (Layer, error) {
	l := Layer{Kind: kind, Source: file, Values: map[string]Value{}}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, _ := bad.Position()
			return l, fmt.Errorf("%s:%d: not a settings file: %s", file, line, strings.TrimPrefix(bad.Error(), "toml: "))
		}
		return l, fmt.Errorf("%s: not a settings file: %w", file, err)
	}
	lines := keyLines(text)
	for key, v := range values {
		l.Values[key] = Value{Any: v, Line: lines[key]}
	}
	return l, nil
}

// keyLines returns the line on which each top-level key of a valid file first
// stands.
func keyLines(text []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(text)
	inTable := false
	for p.NextExpression() {
		e := p.Expression()
		table := e.Kind == unstable.Table || e.Kind == unstable.ArrayTable
		inTable = inTable || table
		if inTable && !table {
			continue
		}
		key := e.Key()
		if !key.Next() {
			continue
		}
		name := string(key.Node().Data)
		if lines[name] == 0 {
			lines[name] = p.Shape(key.Node().Raw).Start.Line
		}
	}
	return lines
}

// FromEnvironment takes the settings among the variables of environ: the
// setting max_attempts is AUTOCODER_MAX_ATTEMPTS. Lists are split at commas.
func FromEnvironment(environ []string) Layer {
	l := Layer{Kind: Environment, Source: "the environment", Values: map[string]Value{}}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		key, ok := strings.CutPrefix(name, environPrefix)
		if !ok {
			continue
		}
		key = strings.ToLower(key)
		texts := Texts{value}
		if f, ok := lookup(key); ok && f.list() {
			texts = split(value)
		}
		l.Values[key] = Value{Any: texts, Written: name}
	}
	return l
}

// FromFlags takes the flags that were given, by the setting's name.
func FromFlags(given map[string][]string) Layer {
	l := Layer{Kind: Flags, Source: "the command line", Values: map[string]Value{}}
	for key, texts := range given {
		l.Values[key] = Value{Any: Texts(texts), Written: FlagName(key)}
	}
	return l
}

// FlagName returns the command line's name for a setting.
func FlagName(setting string) string { return "--" + strings.ReplaceAll(setting, "_", "-") }

func split(value string) Texts {
	texts := Texts{}
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			texts = append(texts, part)
		}
	}
	return texts
}

// keys returns the names that the layer gives, sorted.
func (l Layer) keys() []string { return slices.Sorted(maps.Keys(l.Values)) }

// place says where the layer gives a key, for people: "file:line", a variable,
// a flag.
func (l Layer) place(key string) string {
	v := l.Values[key]
	switch {
	case v.Line > 0:
		return fmt.Sprintf("%s:%d", l.Source, v.Line)
	case v.Written != "":
		return v.Written
	default:
		return l.Source
	}
}
