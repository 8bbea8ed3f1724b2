package transport

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Streamed returns what SDKs let stand between them and a server, and what puts an
// answer that came as one piece in the form of the stream that was asked for: some
// servers never stream. events makes the events of the piece; what it makes nothing of
// stays as it is, as every other answer does.
func Streamed(events func(piece []byte) []Event) func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	return func(r *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		response, err := next(r)
		if err != nil {
			return response, err
		}
		return streamed(response, events)
	}
}

func streamed(response *http.Response, events func(piece []byte) []Event) (*http.Response, error) {
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if response.StatusCode != http.StatusOK || strings.TrimSpace(kind) != "application/json" {
		return response, nil
	}
	piece, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if all := events(piece); len(all) > 0 {
		piece = stream(all)
		response.Header.Set("Content-Type", "text/event-stream")
	}
	response.Header.Set("Content-Length", strconv.Itoa(len(piece)))
	response.ContentLength = int64(len(piece))
	response.Body = io.NopCloser(bytes.NewReader(piece))
	return response, nil
}

// Event is an event of a stream. Its data has no line ends.
type Event struct {
	// Name may be empty.
	Name string
	Data []byte
}

func stream(events []Event) []byte {
	var b bytes.Buffer
	for _, e := range events {
		if e.Name != "" {
			fmt.Fprintf(&b, "event: %s\n", e.Name)
		}
		fmt.Fprintf(&b, "data: %s\n\n", e.Data)
	}
	return b.Bytes()
}
