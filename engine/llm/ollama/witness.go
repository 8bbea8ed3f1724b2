package ollama

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// witness notes what a call got: the headers, the error that ended reading, and the
// end of the answer.
type witness struct {
	next   http.RoundTripper
	header http.Header
	failed error
	tail   []byte
}

// mostTail is how much of an answer's end is kept.
const mostTail = 4096

// RoundTrip sends a request.
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	w.header, w.failed, w.tail = nil, nil, nil
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.header = response.Header
	response.Body = watched{response.Body, w}
	return response, nil
}

// complained reports whether the server itself said that something is wrong.
func (w *witness) complained() bool { return bytes.Contains(w.tail, []byte(`"error"`)) }

type watched struct {
	io.ReadCloser
	by *witness
}

// Read reads on, and notes why that ended.
func (b watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.by.tail = append(b.by.tail, p[:n]...)
	b.by.tail = b.by.tail[max(0, len(b.by.tail)-mostTail):]
	if err != nil && !errors.Is(err, io.EOF) {
		b.by.failed = err
	}
	return n, err
}
