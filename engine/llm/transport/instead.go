package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// errPage is the error of a server that answers with a web page.
var errPage = errors.New("the answer is a web page")

// insteadError is the error of a server that says what is wrong and calls it a success.
type insteadError struct{ body string }

func (e *insteadError) Error() string { return "the answer is an error" }

// looked is the body of a successful answer of that type, which ends at once when it is
// something else: a page of a portal on the way, or an error.
func looked(inner io.ReadCloser, contentType string) io.ReadCloser {
	switch kind, _, _ := strings.Cut(contentType, ";"); strings.TrimSpace(kind) {
	case "text/html":
		return &look{ReadCloser: inner, begins: '<', judge: func([]byte) error { return errPage }}
	case "application/json":
		return &look{ReadCloser: inner, begins: '{', most: largestInstead, judge: complaint}
	default:
		return inner
	}
}

// largestInstead is the most bytes of an error that comes as a success.
const largestInstead = 64 << 10

// complaint is the error that an answer is, nil when it is none.
func complaint(body []byte) error {
	var form struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &form) != nil || len(form.Error) == 0 || string(form.Error) == "null" {
		return nil
	}
	return &insteadError{string(body)}
}

// look judges what a body begins with, when that begins as it should not.
type look struct {
	io.ReadCloser
	begins byte
	// most is how much of it is judged, beside what came first.
	most  int64
	judge func([]byte) error
	begun bool
	// read is what was judged, and failed how reading it ended.
	read   bytes.Reader
	failed error
}

// Read reads on.
func (l *look) Read(p []byte) (int, error) {
	if !l.begun {
		l.begun = true
		if err := l.first(len(p)); err != nil {
			return 0, err
		}
	}
	if l.read.Len() > 0 {
		return l.read.Read(p)
	}
	if l.failed != nil {
		return 0, l.failed
	}
	return l.ReadCloser.Read(p)
}

// first reads and judges the beginning.
func (l *look) first(size int) error {
	content := make([]byte, size)
	n, err := l.ReadCloser.Read(content)
	content, l.failed = content[:n], err
	if begin := bytes.TrimSpace(content); len(begin) > 0 && begin[0] == l.begins {
		if l.failed == nil && l.most > 0 {
			more, err := io.ReadAll(io.LimitReader(l.ReadCloser, l.most))
			content, l.failed = append(content, more...), err
		}
		if err := l.judge(content); err != nil {
			return err
		}
	}
	l.read.Reset(content)
	return nil
}
