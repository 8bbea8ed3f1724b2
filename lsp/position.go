package lsp

import (
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// encoding is how an editor counts the characters of a line, and what it takes for the
// end of one.
type encoding uint8

const (
	_ encoding = iota
	// utf16 counts UTF-16 code units, which every editor can.
	utf16
	// utf8Bytes counts bytes.
	utf8Bytes
	// onlyFeeds is added to the others for an editor that ends lines with "\n" alone: a
	// "\r" is a character to it.
	onlyFeeds encoding = 0x80
)

// kind is the protocol's name of the encoding.
func (e encoding) kind() protocol.PositionEncodingKind {
	if e&^onlyFeeds == utf8Bytes {
		return protocol.PositionEncodingKindUTF8
	}
	return protocol.PositionEncodingKindUTF16
}

// lineEnd returns where the line that starts at start ends, without and with its
// end of line: "\n", "\r\n" or "\r".
func (e encoding) lineEnd(text string, start int) (end, next int) {
	line, more := text[start:], 0
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line, more = line[:i], 1
	}
	if e&onlyFeeds != 0 {
		return start + len(line), start + len(line) + more
	}
	// Two searches for one byte each are much faster than one for either.
	i := strings.IndexByte(line, '\r')
	switch {
	case i < 0:
		return start + len(line), start + len(line) + more
	case i == len(line)-1:
		return start + i, start + len(line) + more
	default:
		return start + i, start + i + 1
	}
}

// lineStart returns where a line starts, from 0; the end of the text for a line
// after the last.
func (e encoding) lineStart(text string, line int) int {
	at := 0
	for ; line > 0; line-- {
		end, next := e.lineEnd(text, at)
		if end == next {
			return len(text)
		}
		at = next
	}
	return at
}

// offset returns the byte that a position stands before. A position that is not
// in the text is the nearest one that is; one inside a character stands before
// it.
func (e encoding) offset(text string, p protocol.Position) int {
	at := e.lineStart(text, int(p.Line))
	end, _ := e.lineEnd(text, at)
	for units := 0; at < end; {
		r, size := utf8.DecodeRuneInString(text[at:end])
		units += e.units(r, size)
		if units > int(p.Character) {
			break
		}
		at += size
	}
	return at
}

func (e encoding) units(r rune, size int) int {
	switch {
	case e&^onlyFeeds == utf8Bytes:
		return size
	case r >= 0x10000:
		return 2
	default:
		return 1
	}
}

// position returns the position that stands before a byte.
func (e encoding) position(text string, offset int) protocol.Position {
	offset = min(offset, len(text))
	line, start := 0, 0
	for {
		end, next := e.lineEnd(text, start)
		if end == next || next > offset {
			break
		}
		line, start = line+1, next
	}
	end, _ := e.lineEnd(text, start)
	units := 0
	for at := start; at < min(offset, end); {
		r, size := utf8.DecodeRuneInString(text[at:])
		units += e.units(r, size)
		at += size
	}
	return protocol.Position{Line: uint32(line), Character: uint32(units)}
}

// lineRange is the text of a line, from 1, without its indentation; the whole
// first line when the line is not known.
func (e encoding) lineRange(text string, line int) protocol.Range {
	start := e.lineStart(text, max(0, line-1))
	end, _ := e.lineEnd(text, start)
	end = start + len(strings.TrimRight(text[start:end], "\r"))
	words := start + len(text[start:end]) - len(strings.TrimLeft(text[start:end], " \t"))
	return protocol.Range{Start: e.position(text, words), End: e.position(text, end)}
}
