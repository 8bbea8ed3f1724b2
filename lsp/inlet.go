package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

const (
	// mostMessage is how long a message may be: no text that anyone edits is longer.
	mostMessage = 64 << 20
	// mostHeader is how long the header of a message may be.
	mostHeader = 8 << 10
	// mostKept is how much room is kept from message to message.
	mostKept = 1 << 20
)

// frames are messages as they are on the wire. Streams of the library have them
// beside what they show, and it looks for them: batches come by no other way.
type frames interface {
	ReadFrame(ctx context.Context) ([]byte, int64, error)
	WriteFrame(ctx context.Context, data []byte) (int64, error)
}

// inlet is the stream from an editor without what the library behind does not survive.
// It makes room for as much as a header says, and a message can say anything; and it
// ends the connection over a message that is none.
type inlet struct {
	jsonrpc2.Stream
	out frames
	in  *bufio.Reader
	// tooLong is told of a message that is left out.
	tooLong func(length int64)
	body    []byte
}

func newInlet(stream io.ReadWriteCloser, tooLong func(int64)) *inlet {
	out := jsonrpc2.NewStream(stream)
	return &inlet{Stream: out, out: out.(frames), in: bufio.NewReader(stream), tooLong: tooLong}
}

// Read returns the next message.
func (l *inlet) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	body, n, err := l.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(body)
	return m, n, err
}

// WriteFrame writes a message.
func (l *inlet) WriteFrame(ctx context.Context, data []byte) (int64, error) {
	return l.out.WriteFrame(ctx, data)
}

// ReadFrame returns the next message that is one, up to the next call. Those that are
// none are answered as such.
func (l *inlet) ReadFrame(ctx context.Context) ([]byte, int64, error) {
	for {
		length, err := l.next()
		if err != nil {
			return nil, 0, err
		}
		if length > mostMessage {
			l.tooLong(length)
			if _, err := io.CopyN(io.Discard, l.in, length); err != nil {
				return nil, 0, err
			}
			continue
		}
		body, err := l.read(int(length))
		if err != nil {
			return nil, 0, err
		}
		fault := faultOf(body)
		if fault == nil {
			return body, length, nil
		}
		if _, err := l.WriteFrame(ctx, jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, fault)); err != nil {
			return nil, 0, err
		}
	}
}

// faultOf says why a message is none, nil when it is one.
func faultOf(body []byte) error {
	for _, c := range body {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '[':
			_, err := jsonrpc2.ParseRequests(body)
			return err
		}
		break
	}
	_, err := jsonrpc2.DecodeMessage(body)
	return err
}

// read reads the body of a message.
func (l *inlet) read(length int) ([]byte, error) {
	if cap(l.body) < length || cap(l.body) > mostKept {
		l.body = make([]byte, length)
	}
	body := l.body[:length]
	if _, err := io.ReadFull(l.in, body); err != nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return body, nil
}

// next reads the header of the next message, and returns its length.
func (l *inlet) next() (int64, error) {
	header, err := l.readHeader()
	if err != nil {
		return 0, err
	}
	return contentLength(string(header))
}

// readHeader reads up to an empty line.
func (l *inlet) readHeader() (header []byte, err error) {
	for {
		line, err := l.in.ReadSlice('\n')
		empty := len(strings.TrimRight(string(line), "\r\n")) == 0
		switch {
		case len(header)+len(line) > mostHeader || errors.Is(err, bufio.ErrBufferFull):
			return nil, errors.New("a header without an end")
		case err == io.EOF && len(header)+len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case empty && len(header) > 0:
			return header, nil
		case !empty: // an empty line behind the last message is nobody's
			header = append(header, line...)
		}
	}
}

// contentLength reads how long a message is.
func contentLength(header string) (int64, error) {
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "content-length") {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if err != nil {
			return 0, fmt.Errorf("the length of a message: %w", err)
		}
		return int64(n), nil
	}
	return 0, fmt.Errorf("a message without a length: %q", header[:min(len(header), 200)])
}
