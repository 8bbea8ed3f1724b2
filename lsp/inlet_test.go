package lsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// stream is what an editor sent, as it comes, and what it is answered.
type stream struct {
	io.Reader
	io.Writer
}

func (stream) Close() error { return nil }

// sent is an inlet for what an editor sent.
func sent(r io.Reader, tooLong func(int64)) (l *inlet, answers *bytes.Buffer) {
	answers = &bytes.Buffer{}
	return newInlet(stream{r, answers}, tooLong), answers
}

// all are the messages that come through.
func (l *inlet) all(ctx context.Context) (list []string, err error) {
	for {
		body, _, err := l.ReadFrame(ctx)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, string(body))
	}
}

// zeros is a body of any length, which takes no memory.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func message(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// note is a message with a name.
func note(name string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, name) }

// TestInletLeavesOutWhatIsTooLong reads messages around one of nearly a gigabyte.
//
// It is not parallel, so that nothing else allocates.
func TestInletLeavesOutWhatIsTooLong(t *testing.T) {
	const length = 1<<30 - 1
	var left []int64
	l, _ := sent(io.MultiReader(
		strings.NewReader(message(note("first"))+fmt.Sprintf("content-length:%d\r\nOther: x\r\n\r\n", length)),
		io.LimitReader(zeros{}, length), strings.NewReader(message(note("last"))),
	), func(n int64) { left = append(left, n) })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := l.all(t.Context())
	runtime.ReadMemStats(&after)
	if want := []string{note("first"), note("last")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if len(left) != 1 || left[0] != length {
		t.Errorf("left out: %d", left)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d MB were allocated", used>>20)
	}
}

// TestInletAnswersWhatIsNoMessage: the message behind it comes through.
func TestInletAnswersWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	const parse, invalid = -32700, -32600
	for body, code := range map[string]int{
		"":                               parse,
		"null":                           parse,
		"7":                              parse,
		`"x"`:                            parse,
		`{"jsonrpc"`:                     parse,
		"\xef\xbb\xbf{}":                 parse,
		note("x") + "x":                  parse,
		strings.Repeat("[", 1<<20):       invalid,
		"{}":                             invalid,
		`{"method":"x"}`:                 invalid,
		`{"jsonrpc":"1.0","method":"x"}`: invalid,
		`{"jsonrpc":"2.0","method":7}`:   invalid,
		`{"jsonrpc":"2.0","id":1e400,"method":"x"}`:                           invalid,
		`{"jsonrpc":"2.0","id":1.5,"method":"x"}`:                             invalid,
		`{"jsonrpc":"2.0","id":{},"method":"x"}`:                              invalid,
		`{"jsonrpc":"2.0","id":1,"error":"bad"}`:                              invalid,
		`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`: invalid,
	} {
		l, answers := sent(strings.NewReader(message(body)+"\r\n"+message(note("last"))), nil)
		got, err := l.all(t.Context())
		if err != nil || !slices.Equal(got, []string{note("last")}) {
			t.Errorf("%.50q: %q, %v", body, got, err)
		}
		if text := answers.String(); !strings.Contains(text, fmt.Sprintf(`"code":%d`, code)) || !strings.Contains(text, `"id":null`) {
			t.Errorf("%.50q is answered by %q", body, text)
		}
	}
	for _, body := range []string{note("x"), " " + note("x") + "\r\n", "[" + note("x") + ",7]", "[]", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`} {
		l, answers := sent(strings.NewReader(message(body)), nil)
		if got, err := l.all(t.Context()); err != nil || !slices.Equal(got, []string{body}) || answers.Len() > 0 {
			t.Errorf("%q: %q, %v, answered %q", body, got, err, answers)
		}
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
		l, _ := sent(strings.NewReader(c.text), nil)
		_, err := l.all(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzInlet passes on messages as they are, however they come in, and answers all
// others.
func FuzzInlet(f *testing.F) {
	f.Add([]byte("abc"), []byte("{}"))
	f.Add([]byte(note("x")), []byte("["+note("x")+"]"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		l, answers := sent(iotest.OneByteReader(strings.NewReader(message(string(a))+message(string(b)))), nil)
		var want []string
		for _, body := range [][]byte{a, b} {
			if faultOf(body) == nil {
				want = append(want, string(body))
			}
		}
		got, err := l.all(t.Context())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		if n := bytes.Count(answers.Bytes(), []byte("Content-Length")); n != 2-len(want) {
			t.Errorf("%d answers: %q", n, answers)
		}
	})
}
