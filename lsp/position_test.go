package lsp

import (
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

func TestPositions(t *testing.T) {
	t.Parallel()
	const text = "é𝒳a\r\n\n𝒳\rend"
	for _, c := range []struct {
		enc             encoding
		line, character uint32
		offset          int
	}{
		{utf16, 0, 0, 0},
		{utf16, 0, 1, 2},
		{utf16, 0, 2, 2}, // inside of a pair
		{utf16, 0, 3, 6},
		{utf16, 0, 4, 7},
		{utf16, 0, 99, 7}, // before the end of the line, not in the next
		{utf16, 1, 0, 9},
		{utf16, 1, 5, 9},
		{utf16, 2, 2, 14},
		{utf16, 3, 3, 18},
		{utf16, 4, 0, 18}, // after the last line
		{utf8Bytes, 0, 1, 0},
		{utf8Bytes, 0, 2, 2},
		{utf8Bytes, 0, 6, 6},
		{utf8Bytes, 2, 4, 14},
		{utf16 | onlyFeeds, 2, 3, 15}, // behind a "\r" that ends no line
		{utf16 | onlyFeeds, 3, 0, 18},
		{utf8Bytes | onlyFeeds, 0, 7, 7},
	} {
		got := c.enc.offset(text, protocol.Position{Line: c.line, Character: c.character})
		if got != c.offset {
			t.Errorf("%s %d:%d is byte %d, want %d", c.enc.kind(), c.line, c.character, got, c.offset)
		}
	}
}

// FuzzPositions holds a byte's position against the byte, both ways.
func FuzzPositions(f *testing.F) {
	for _, text := range []string{"", "a\nb", "é𝒳\r\n𝒳é", "\r\r\n\n", "a\rb"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		if !utf8.ValidString(text) || at < 0 || at > len(text) || at < len(text) && !utf8.RuneStart(text[at]) {
			return
		}
		if at > 0 && at < len(text) && text[at-1] == '\r' && text[at] == '\n' {
			return // no position stands between the two
		}
		for _, enc := range []encoding{utf16, utf8Bytes, utf16 | onlyFeeds} {
			if got := enc.offset(text, enc.position(text, at)); got != at {
				t.Errorf("%s: byte %d of %q is %v, which is byte %d", enc.kind(), at, text, enc.position(text, at), got)
			}
		}
	})
}

// FuzzChanges makes any change of any text: nothing panics, and the rest stays.
func FuzzChanges(f *testing.F) {
	f.Add("a\nb\n", uint32(0), uint32(1), uint32(1), uint32(0), "x")
	f.Fuzz(func(t *testing.T, text string, l1, c1, l2, c2 uint32, put string) {
		at := protocol.Range{Start: protocol.Position{Line: l1 % 100, Character: c1}, End: protocol.Position{Line: l2 % 100, Character: c2}}
		d := document{text: text, enc: utf16, pending: []change{{Range: &at, Text: put}}}.settled()
		if d.lost != (d.text == text && utf16.offset(text, at.Start) > utf16.offset(text, at.End)) {
			t.Errorf("lost is %t for %v in %q", d.lost, at, text)
		}
	})
}

// FuzzManyChanges makes changes all at once as one after the other.
func FuzzManyChanges(f *testing.F) {
	f.Add("a\r\nb\rc\n", []byte("\x01\x00\x01\x01x\x02\x00\x02\x00\n\x01\x00\x01\x00\n"))
	f.Fuzz(func(t *testing.T, text string, whims []byte) {
		for _, enc := range []encoding{utf16, utf8Bytes, utf16 | onlyFeeds} {
			d, want := document{text: text, enc: enc}, text
			for len(whims) >= 5 {
				r := protocol.Range{
					Start: protocol.Position{Line: uint32(whims[0] % 8), Character: uint32(whims[1] % 8)},
					End:   protocol.Position{Line: uint32(whims[2] % 8), Character: uint32(whims[3] % 8)},
				}
				put := string(whims[4:5])
				whims = whims[5:]
				d.pending = append(d.pending, change{Range: &r, Text: put})
				if start, end := enc.offset(want, r.Start), enc.offset(want, r.End); start <= end {
					want = want[:start] + put + want[end:]
				}
			}
			if got := d.settled().text; got != want {
				t.Errorf("%s: %q, want %q", enc.kind(), got, want)
			}
		}
	})
}
