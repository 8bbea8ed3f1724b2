// Package transcript holds what test programs print: it keeps both ends of
// long output within a cap, and takes out what must not reach people's screens
// and editors.
package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Buffer keeps the first and the last part of what is written to it, each up to
// half of Cap bytes. The zero Buffer keeps nothing.
type Buffer struct {
	Cap        int
	head, tail []byte
	// dropped counts the bytes between head and tail.
	dropped int
}

// WriteString adds text.
func (b *Buffer) WriteString(text string) {
	half := b.Cap / 2
	if room := half - len(b.head); room > 0 {
		n := min(room, len(text))
		b.head = append(b.head, text[:n]...)
		text = text[n:]
	}
	b.tail = append(b.tail, text...)
	// Cutting at twice the size keeps the cost of a byte constant.
	if len(b.tail) > 2*half {
		b.dropped += len(b.tail) - half
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-half:]...)
	}
}

// Len returns how many bytes were written.
func (b *Buffer) Len() int { return len(b.head) + b.dropped + len(b.tail) }

// Reset forgets what was written.
func (b *Buffer) Reset() { b.head, b.tail, b.dropped = nil, nil, 0 }

// String returns what was kept, with a line in the place of what was not.
func (b *Buffer) String() string {
	tail, dropped := b.tail, b.dropped
	if over := len(tail) - b.Cap/2; over > 0 {
		tail, dropped = tail[over:], dropped+over
	}
	if dropped == 0 {
		return string(b.head) + string(tail)
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", b.head, dropped, tail)
}

// Clip returns text cut to at most limit bytes, at a rune, with "…" for the rest.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := text[:limit]
	for len(cut) > 0 && !utf8.RuneStart(text[len(cut)]) {
		cut = cut[:len(cut)-1]
	}
	return cut + "…"
}

// Clean returns text as valid UTF-8 without terminal escapes and without
// control characters but newline and tab.
func Clean(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == 0x1b {
			i += escape(text[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n' || r == '\t' || r >= 0x20 && r != 0x7f && (r < 0x80 || r > 0x9f):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape returns the length of the escape sequence that text begins with.
func escape(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[': // CSI: parameters, then a final byte
		for i := 2; i < len(text); i++ {
			if text[i] >= 0x40 && text[i] <= 0x7e {
				return i + 1
			}
			if text[i] < 0x20 || text[i] > 0x7e {
				return i // broken off
			}
		}
		return len(text)
	case ']', 'P', '_', '^', 'X': // strings, up to BEL or ESC \
		for i := 2; i < len(text); i++ {
			if text[i] == 0x07 {
				return i + 1
			}
			if text[i] == 0x1b {
				if i+1 < len(text) && text[i+1] == '\\' {
					return i + 2
				}
				return i
			}
			if text[i] == '\n' {
				return i // never closed: the rest is text
			}
		}
		return len(text)
	default:
		return 2
	}
}
