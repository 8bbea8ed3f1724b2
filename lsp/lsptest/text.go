package lsptest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// units counts a text's characters as the encoding does.
func (e *Editor) units(text string) int {
	if e.options.UTF8 {
		return len(text)
	}
	return len(utf16.Encode([]rune(text)))
}

// lines splits a text, ends of lines included.
func lines(text string) []string { return strings.SplitAfter(text, "\n") }

// offset returns the byte before which a position stands, or says why it stands
// in no text.
func (e *Editor) offset(text string, p Position) (int, error) {
	all := lines(text)
	if p.Line < 0 || p.Line >= len(all) {
		return 0, fmt.Errorf("line %d of %d", p.Line, len(all))
	}
	at := 0
	for _, l := range all[:p.Line] {
		at += len(l)
	}
	line := strings.TrimRight(all[p.Line], "\r\n")
	for i := 0; ; {
		switch n := e.units(line[:i]); {
		case n == p.Character:
			return at + i, nil
		case n > p.Character || i == len(line):
			return 0, fmt.Errorf("character %d of line %d, %q", p.Character, p.Line, line)
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		i += size
	}
}

// position is the inverse of offset.
func (e *Editor) position(text string, offset int) Position {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	return Position{Line: strings.Count(text[:offset], "\n"), Character: e.units(text[start:offset])}
}

// applyEdits makes the edits of one file: all refer to the text as it is.
func (e *Editor) applyEdits(text string, edits []TextEdit) (string, error) {
	type span struct {
		start, end int
		text       string
	}
	var spans []span
	for _, edit := range edits {
		start, err := e.offset(text, edit.Range.Start)
		if err != nil {
			return "", err
		}
		end, err := e.offset(text, edit.Range.End)
		if err != nil {
			return "", err
		}
		if end < start {
			return "", fmt.Errorf("a range that ends before it starts: %v", edit.Range)
		}
		spans = append(spans, span{start, end, edit.NewText})
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.start < at {
			return "", fmt.Errorf("edits overlap at byte %d", s.start)
		}
		b.WriteString(text[at:s.start] + s.text)
		at = s.end
	}
	return b.String() + text[at:], nil
}
