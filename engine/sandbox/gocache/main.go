package gocache

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// The commands of the protocol.
const (
	cmdGet   = "get"
	cmdPut   = "put"
	cmdClose = "close"
)

// request is what the go command asks. A put with BodySize > 0 is followed by a
// line with the body as a JSON string in base64.
type request struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	BodySize int64
}

// response answers the request with its ID; the one with ID 0 comes first and
// says what is known.
type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

// Main serves one go command until it closes the cache. args are the user's
// cache, the private folder and, perhaps, one with what was built before; stdout carries the protocol, stderr is shown by
// the go command. It returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 2 && len(args) != 3 {
		fmt.Fprintln(stderr, "autocoder: the build cache needs the user's cache and a private folder")
		return 2
	}
	c := Cache{User: args[0], Private: args[1]}
	if len(args) == 3 {
		c.Built = args[2]
	}
	if err := Serve(c, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, "autocoder: build cache:", err)
		return 1
	}
	return 0
}

// Serve answers requests from r on w until the close request or the end of r.
// Requests are answered one by one: each takes microseconds, and the go command
// sends the next ones meanwhile.
func Serve(c Cache, r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 64<<10), bufio.NewWriterSize(w, 64<<10)
	say := json.NewEncoder(out)
	next := response{KnownCommands: []string{cmdGet, cmdPut, cmdClose}}
	for {
		if err := say.Encode(next); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		if drained(in) {
			if err := out.Flush(); err != nil {
				return fmt.Errorf("answer: %w", err)
			}
		}
		req, err := readRequest(in)
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err != nil {
			return err
		}
		if next, err = answer(c, req, in); err != nil {
			return err
		}
		if req.Command == cmdClose {
			if err := say.Encode(next); err != nil {
				return fmt.Errorf("answer: %w", err)
			}
			return out.Flush()
		}
	}
}

// drained skips empty lines and reports whether no request is waiting, so that
// what has been answered must be sent before we wait for more.
func drained(in *bufio.Reader) bool {
	for in.Buffered() > 0 {
		b, err := in.Peek(1)
		if err != nil || b[0] != '\n' {
			return false
		}
		_, _ = in.Discard(1) // it is buffered
	}
	return true
}

// readRequest reads the next line that is not empty.
func readRequest(in *bufio.Reader) (request, error) {
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var req request
			if err := json.Unmarshal(line, &req); err != nil {
				return request{}, fmt.Errorf("read request: %w", err)
			}
			return req, nil
		}
		if err != nil {
			return request{}, err
		}
	}
}

// answer does what req asks. Its error ends the service: the stream can't be
// understood any more. Everything else is told to the go command.
func answer(c Cache, req request, in *bufio.Reader) (response, error) {
	res := response{ID: req.ID}
	switch req.Command {
	case cmdGet:
		e, ok := c.Get(req.ActionID)
		if !ok {
			res.Miss = true
			return res, nil
		}
		res.OutputID, res.Size, res.Time, res.DiskPath = e.Output, e.Size, &e.Time, e.Path
	case cmdPut:
		body, err := openBody(in, req.BodySize)
		if err != nil {
			return res, err
		}
		e, err := c.Put(req.ActionID, req.OutputID, body, req.BodySize)
		if err != nil {
			res.Err = err.Error()
		}
		res.DiskPath = e.Path
		if err := closeBody(in, body, req.BodySize); err != nil {
			return res, err
		}
	case cmdClose:
	default:
		res.Err = fmt.Sprintf("unknown command %q", req.Command)
	}
	return res, nil
}

// openBody returns a reader of the body that comes next; it is not read into
// memory.
func openBody(in *bufio.Reader, size int64) (io.Reader, error) {
	if size <= 0 {
		return io.LimitReader(in, 0), nil
	}
	for {
		b, err := in.ReadByte()
		if err != nil {
			return nil, fmt.Errorf("read body: %w", err)
		}
		if b == '"' {
			break
		}
		if b != '\n' {
			return nil, fmt.Errorf("read body: unexpected %q before it", b)
		}
	}
	encoded := io.LimitReader(in, (size+2)/3*4) // EncodedLen wants an int
	return base64.NewDecoder(base64.StdEncoding, encoded), nil
}

// closeBody skips what Put left of the body, and the closing quote.
func closeBody(in *bufio.Reader, body io.Reader, size int64) error {
	if size <= 0 {
		return nil
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	if b, err := in.ReadByte(); err != nil || b != '"' {
		return fmt.Errorf("read body: it does not end where it should (%q, %v)", b, err)
	}
	return nil
}
