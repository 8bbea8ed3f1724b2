package lsp

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// stream is what an editor sent, as it comes.
type stream struct{ io.Reader }

func (stream) Write(p []byte) (int, error) { return len(p), nil }
func (stream) Close() error                { return nil }

// zeros is a body of any length, which takes no memory.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func message(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// TestInletLeavesOutWhatIsTooLong reads messages around one of nearly a gigabyte.
//
// It is not parallel, so that nothing else allocates.
func TestInletLeavesOutWhatIsTooLong(t *testing.T) {
	const length = 1<<30 - 1
	var left []int64
	l := newInlet(stream{io.MultiReader(
		strings.NewReader(message("first")+fmt.Sprintf("content-length:%d\r\nOther: x\r\n\r\n", length)),
		io.LimitReader(zeros{}, length), strings.NewReader(message("last")),
	)}, func(n int64) { left = append(left, n) })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := io.ReadAll(l)
	runtime.ReadMemStats(&after)
	if want := message("first") + message("last"); err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if len(left) != 1 || left[0] != length {
		t.Errorf("left out: %d", left)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d MB were allocated", used>>20)
	}
}

func TestInletRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"half a header", "Content-Length: 5\r\n", "unexpected EOF"},
		{"no length", "Other: 5\r\n\r\nabcde", "without a length"},
		{"no number", "Content-Length: five\r\n\r\nabcde", "invalid syntax"},
		{"less than nothing", "Content-Length: -5\r\n\r\nabcde", "invalid syntax"},
		{"more than there is", "Content-Length: 99999999999999999999\r\n\r\n", "out of range"},
		{"a long line", strings.Repeat("x", 1<<20), "without an end"},
		{"a header without an end", strings.Repeat("X: y\n", 1<<20), "without an end"},
	} {
		_, err := io.ReadAll(newInlet(stream{strings.NewReader(c.text)}, func(int64) {}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzInlet passes on well-formed messages as they are, however they are cut.
func FuzzInlet(f *testing.F) {
	f.Add([]byte("abc"), []byte("{}"), 3)
	f.Fuzz(func(t *testing.T, a, b []byte, size int) {
		if len(a) == 0 || len(b) == 0 || size < 1 || size > 1<<16 {
			return
		}
		text := message(string(a)) + message(string(b))
		l := newInlet(stream{strings.NewReader(text)}, func(int64) { t.Error("left out") })
		var got bytes.Buffer
		if _, err := io.CopyBuffer(&got, struct{ io.Reader }{l}, make([]byte, size)); err != nil || got.String() != text {
			t.Errorf("%q, %v, want %q", got.String(), err, text)
		}
	})
}
