package transcript

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext":                "plain\n\ttext",
		"\x1b[31mred\x1b[0m \x00 \xff": "red  \ufffd",
		"\x1b]0;title\x07after":        "after",
		"\x1b]8;;http://x\x1b\\link":   "link",
		"\x1b]never closed\nnext":      "\nnext",
		"\x1bMup":                      "up",
		"cut\x1b":                      "cut",
		"cut\x1b[3":                    "cut",
		"naïve 🎉 日本":                   "naïve 🎉 日本",
		"a\rb\u0085c\x7f":              "abc",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m \x00 \xff")
	f.Add("\x1b]0;t\x1b\\x")
	f.Fuzz(func(t *testing.T, in string) {
		got := Clean(in)
		if !utf8.ValidString(got) || strings.ContainsRune(got, 0x1b) || Clean(got) != got {
			t.Errorf("Clean(%q) = %q", in, got)
		}
	})
}

func TestBufferKeepsBothEnds(t *testing.T) {
	t.Parallel()
	b := Buffer{Cap: 10}
	b.WriteString("abc")
	if got := b.String(); got != "abc" {
		t.Errorf("short text became %q", got)
	}
	for range 100 {
		b.WriteString("0123456789")
	}
	b.WriteString("vwxyz")
	if got, want := b.String(), "abc01\n… 998 bytes left out …\nvwxyz"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if b.Len() != 1008 {
		t.Errorf("Len() = %d, want 1008", b.Len())
	}
}

func TestClipCutsAtARune(t *testing.T) {
	t.Parallel()
	if got := Clip("aüb", 2); got != "a…" {
		t.Errorf("got %q", got)
	}
	if got := Clip("ab", 2); got != "ab" {
		t.Errorf("got %q", got)
	}
}
