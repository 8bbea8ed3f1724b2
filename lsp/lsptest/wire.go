package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
)

// message is any message of JSON-RPC.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the error of a request.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns code and message.
func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// Frame puts the header before a message.
func Frame(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// readFrame reads one message.
func readFrame(r *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(header.Get("Content-Length")))
	if err != nil {
		return nil, fmt.Errorf("a message without a length: %w", err)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return body, err
}

// Position, Range and the others are the protocol's.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is from Start up to End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range        Range  `json:"range"`
	NewText      string `json:"newText"`
	AnnotationID string `json:"annotationId,omitempty"`
}

// Location is a range in a file.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// Diagnostic is what is shown at a place.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity"`
	Code     any             `json:"code"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Tags     []int           `json:"tags,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Related  []struct {
		Location Location `json:"location"`
		Message  string   `json:"message"`
	} `json:"relatedInformation,omitempty"`
}

// Command is what an action or a lens does.
type Command struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// Action is a code action.
type Action struct {
	Title       string          `json:"title"`
	Kind        string          `json:"kind"`
	Diagnostics []Diagnostic    `json:"diagnostics,omitempty"`
	Edit        *WorkspaceEdit  `json:"edit,omitempty"`
	Command     *Command        `json:"command,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
	IsPreferred bool            `json:"isPreferred,omitempty"`
	Tags        []int           `json:"tags,omitempty"`
}

// Lens is a code lens.
type Lens struct {
	Range   Range    `json:"range"`
	Command *Command `json:"command"`
}

// WorkspaceEdit is an edit of several files.
type WorkspaceEdit struct {
	Changes           map[string][]TextEdit `json:"changes,omitempty"`
	DocumentChanges   []DocumentChange      `json:"documentChanges,omitempty"`
	ChangeAnnotations map[string]Annotation `json:"changeAnnotations,omitempty"`
}

// Annotation says what changes are for.
type Annotation struct {
	Label             string `json:"label"`
	Description       string `json:"description,omitempty"`
	NeedsConfirmation bool   `json:"needsConfirmation,omitempty"`
}

// DocumentChange is a text edit, or an operation on a file when it has a Kind.
type DocumentChange struct {
	Kind         string `json:"kind,omitempty"`
	URI          string `json:"uri,omitempty"`
	AnnotationID string `json:"annotationId,omitempty"`
	TextDocument *struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument,omitempty"`
	Edits []TextEdit `json:"edits,omitempty"`
	// unversioned: it comes of an edit that can't have versions.
	unversioned bool
}

// Status is the content of autocoder/status.
type Status struct {
	Root     string `json:"root"`
	State    string `json:"state"`
	Outcome  string `json:"outcome"`
	Message  string `json:"message"`
	Run      string `json:"run"`
	Job      string `json:"job"`
	Attempts int    `json:"attempts"`
	Spent    string `json:"spent"`
	Ready    bool   `json:"ready"`
}

// Message is what the server shows to the user.
type Message struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}
