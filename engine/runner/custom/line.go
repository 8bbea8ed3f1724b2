package custom

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Line is the setting "test_command", read.
type Line struct {
	// Args is what runs it in the workspace's folder: its words, or a shell when it
	// has pipes, variables or substitutions.
	Args []string
	// Words, Dir and Env are those of a line that is one command without anything
	// for a shell to do but to set variables and to change to a folder first: Words
	// is nil for any other, and Dir is relative to the workspace with slashes.
	Words []string
	Dir   string
	Env   []string
}

// Parse reads a command as a shell would, and runs nothing.
func Parse(text string) (Line, error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return Line{}, fmt.Errorf("test_command is %q: %w", text, err)
	}
	if len(file.Stmts) == 0 {
		return Line{}, errors.New("test_command is empty: give the command that runs the tests")
	}
	shell := Line{Args: []string{"sh", "-c", text}}
	if len(file.Stmts) > 1 {
		return shell, nil
	}
	stmt, dir := file.Stmts[0], "."
	if into, then, ok := afterCd(stmt); ok {
		stmt, dir = then, into
	}
	words, env, ok := plain(stmt)
	if !ok || len(words) == 0 {
		return shell, nil
	}
	line := Line{Args: words, Words: words, Dir: dir, Env: env}
	if dir != "." || len(env) > 0 {
		line.Args = shell.Args
	}
	return line, nil
}

// afterCd takes "cd DIR && COMMAND" apart.
func afterCd(s *syntax.Stmt) (dir string, then *syntax.Stmt, ok bool) {
	both, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || both.Op != syntax.AndStmt || !simple(s) {
		return "", nil, false
	}
	words, env, ok := plain(both.X)
	if !ok || len(env) > 0 || len(words) != 2 || words[0] != "cd" || !filepath.IsLocal(words[1]) {
		return "", nil, false
	}
	return path.Clean(filepath.ToSlash(words[1])), both.Y, true
}

func simple(s *syntax.Stmt) bool {
	return len(s.Redirs) == 0 && !s.Negated && !s.Background && !s.Coprocess
}

// plain returns the words and variables of a single command of literal and quoted
// words.
func plain(s *syntax.Stmt) (words, env []string, ok bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || !simple(s) {
		return nil, nil, false
	}
	for _, a := range call.Assigns {
		text, ok := word(a.Value)
		if !ok || a.Append || a.Naked || a.Index != nil || a.Array != nil {
			return nil, nil, false
		}
		env = append(env, a.Name.Value+"="+text)
	}
	for _, w := range call.Args {
		text, ok := word(w)
		if !ok {
			return nil, nil, false
		}
		words = append(words, text)
	}
	return words, env, true
}

// word is the text of a word that a shell takes as it stands.
func word(w *syntax.Word) (string, bool) {
	var text strings.Builder
	if w == nil {
		return "", true
	}
	for _, part := range w.Parts {
		t, ok := literal(part)
		if !ok {
			return "", false
		}
		text.WriteString(t)
	}
	return text.String(), true
}

func literal(part syntax.WordPart) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		return unescape(p.Value), !strings.ContainsAny(p.Value, "*?[~{")
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		var text strings.Builder
		for _, inner := range p.Parts {
			lit, ok := inner.(*syntax.Lit)
			if !ok || strings.Contains(lit.Value, `\`) {
				return "", false
			}
			text.WriteString(lit.Value)
		}
		return text.String(), !p.Dollar
	default:
		return "", false
	}
}

// unescape takes away the backslashes that stand for the next character.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\n' {
				continue // a line that goes on
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
