package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// mostMessage is how long a message may be: no text that anyone edits is longer.
	mostMessage = 64 << 20
	// mostHeader is how long the header of a message may be.
	mostHeader = 8 << 10
)

// inlet is the stream from an editor without what is too long: the library behind
// makes room for as much as a header says, and a message can say anything.
type inlet struct {
	in *bufio.Reader
	io.WriteCloser
	// tooLong is told of a message that is left out.
	tooLong func(length int64)
	// header is what is left of one to be passed on, body how much of its message.
	header []byte
	body   int64
}

func newInlet(stream io.ReadWriteCloser, tooLong func(int64)) *inlet {
	return &inlet{in: bufio.NewReader(stream), WriteCloser: stream, tooLong: tooLong}
}

// Read passes on what is not too long.
func (l *inlet) Read(p []byte) (int, error) {
	for len(l.header) == 0 && l.body == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	if len(l.header) > 0 {
		n := copy(p, l.header)
		l.header = l.header[n:]
		return n, nil
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.body)])
	l.body -= int64(n)
	return n, err
}

// next reads the header of the next message that is not too long.
func (l *inlet) next() error {
	header, err := l.readHeader()
	if err != nil {
		return err
	}
	length, err := contentLength(string(header))
	if err != nil {
		return err
	}
	if length <= mostMessage {
		l.header, l.body = header, length
		return nil
	}
	l.tooLong(length)
	_, err = io.CopyN(io.Discard, l.in, length)
	return err
}

// readHeader reads up to an empty line.
func (l *inlet) readHeader() (header []byte, err error) {
	for {
		line, err := l.in.ReadSlice('\n')
		header = append(header, line...)
		switch {
		case len(header) > mostHeader || errors.Is(err, bufio.ErrBufferFull):
			return nil, errors.New("a header without an end")
		case err == io.EOF && len(header) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case len(strings.TrimRight(string(line), "\r\n")) == 0:
			return header, nil
		}
	}
}

// contentLength reads how long a message is.
func contentLength(header string) (int64, error) {
	length := int64(0)
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(name, "content-length") {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if err != nil {
			return 0, fmt.Errorf("the length of a message: %w", err)
		}
		length = int64(n)
	}
	if length == 0 {
		return 0, fmt.Errorf("a message without a length: %q", header[:min(len(header), 200)])
	}
	return length, nil
}
