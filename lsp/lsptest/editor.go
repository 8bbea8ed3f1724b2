package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Editor is a running editor.
type Editor struct {
	options Options
	stream  io.ReadWriteCloser
	done    chan struct{}

	write sync.Mutex // guards what is written to stream

	mu sync.Mutex
	// all below is guarded by mu
	moved       chan struct{} // closed and replaced whenever something happens
	nextID      int
	waiting     map[string]*request
	life        life
	buffers     map[string]*Buffer
	closed      map[string]int // the last versions of buffers, by path
	heard       hearing
	undo        []map[string]string
	apply       Apply
	hidden      map[string]string // by path
	answer      string
	asked       []string
	typeBefore  func()
	diagnostics map[string][]Diagnostic
	progress    map[string]*Progress
	messages    []Message
	logs        []string
	statuses    []Status
	shown       []string
	watches     bool
	requests    []string
	edits       []WorkspaceEdit
	violations  []string
	gone        error
}

// life is where the conversation is.
type life uint8

const (
	_ life = iota
	fresh
	initialized
	shutDown
	exited
)

// Buffer is an open document.
type Buffer struct {
	Path string
	// URI is what the editor calls it.
	URI     string
	Text    string
	Version int
	// Saved is whether the file on disk has the text.
	Saved bool
}

// Progress is one progress of the server's.
type Progress struct {
	Title            string
	Reports          []string
	End              string
	Begun, Ended     bool
	CancelledByUser  bool
	reportsByArrival []time.Time
}

// URI is the URI of a path.
func URI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// untitled is the scheme of what was never saved.
const untitled = "untitled"

// Path is the path of a URI.
func Path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" && u.Scheme != untitled {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// Start connects an editor with a server. It says nothing yet.
func Start(stream io.ReadWriteCloser, o Options) *Editor {
	if o.Timeout == 0 {
		o.Timeout = 3 * time.Minute
	}
	e := &Editor{
		options: o, stream: stream, done: make(chan struct{}), moved: make(chan struct{}), waiting: map[string]*request{},
		life: fresh, buffers: map[string]*Buffer{}, closed: map[string]int{}, heard: newHearing(), apply: Take, diagnostics: map[string][]Diagnostic{}, progress: map[string]*Progress{},
	}
	go e.read()
	return e
}

// read takes the server's messages until there are no more.
func (e *Editor) read() {
	defer close(e.done)
	r := bufio.NewReader(e.stream)
	for {
		body, err := readFrame(r)
		if err != nil {
			e.update(func() {
				e.gone = err
				for id, r := range e.waiting {
					close(r.answer)
					delete(e.waiting, id)
				}
			})
			return
		}
		e.take(body)
	}
}

// update changes the state and wakes everyone who waits for something.
func (e *Editor) update(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.moved)
	e.moved = make(chan struct{})
}

// violation notes that the server broke a rule. e.mu is held.
func (e *Editor) violation(format string, args ...any) {
	e.violations = append(e.violations, fmt.Sprintf(format, args...))
}

// Violations are the rules that the server broke so far.
func (e *Editor) Violations() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.violations)
}

// Wait waits until a condition holds, which is looked at after every message. It
// returns an error when that takes too long, or the server is gone.
func (e *Editor) Wait(what string, holds func() bool) error {
	late := time.NewTimer(e.options.Timeout)
	defer late.Stop()
	for {
		e.mu.Lock()
		ok, moved, gone := holds(), e.moved, e.gone
		e.mu.Unlock()
		switch {
		case ok:
			return nil
		case gone != nil:
			return fmt.Errorf("wait for %s: the server is gone: %w", what, gone)
		}
		select {
		case <-moved:
		case <-late.C:
			return fmt.Errorf("wait for %s: it did not happen; %s", what, e.Situation())
		}
	}
}

// Situation tells how things are, for the error of a test.
func (e *Editor) Situation() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(e.diagnostics)) {
		for _, d := range e.diagnostics[path] {
			fmt.Fprintf(&b, "\n%s:%d: %d %v %q", filepath.Base(path), d.Range.Start.Line+1, d.Severity, d.Code, d.Message)
		}
	}
	for _, m := range e.messages {
		fmt.Fprintf(&b, "\nmessage %d %q", m.Type, m.Message)
	}
	for token, p := range e.progress {
		fmt.Fprintf(&b, "\nprogress %s %q: %q, ended %t %q", token, p.Title, p.Reports, p.Ended, p.End)
	}
	for _, l := range e.logs {
		fmt.Fprintf(&b, "\nlog %q", l)
	}
	return b.String()
}

// send writes a message. A server that is gone is noticed by who reads.
func (e *Editor) send(m message) {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("lsptest: encode a message: %v", err))
	}
	e.Raw(Frame(body))
}

// Raw writes bytes as they are.
func (e *Editor) Raw(frame []byte) {
	e.write.Lock()
	defer e.write.Unlock()
	_, _ = e.stream.Write(frame)
}

// Notify sends a notification. params may be nil for none.
func (e *Editor) Notify(method string, params any) {
	e.send(message{Method: method, Params: raw(params)})
}

// Call sends a request, waits for the answer and decodes it into result, which
// may be nil.
func (e *Editor) Call(method string, params, result any) error {
	return e.End(e.Begin(method, params), result)
}

// Answer is the answer of a request to be.
type Answer <-chan message

// Begin sends a request with an id of the editor's own.
func (e *Editor) Begin(method string, params any) Answer {
	var id int
	e.update(func() {
		e.nextID++
		id = e.nextID
	})
	return e.BeginAs(id, method, params)
}

// BeginAs sends a request with that id, a number or a text.
func (e *Editor) BeginAs(id any, method string, params any) Answer {
	answer := make(chan message, 1)
	e.update(func() {
		if e.gone != nil {
			close(answer)
			return
		}
		e.waiting[string(raw(id))] = &request{answer: answer, method: method, after: e.versions()}
	})
	e.send(message{ID: raw(id), Method: method, Params: raw(params)})
	return answer
}

// End waits for the answer of a request that was begun.
func (e *Editor) End(answer Answer, result any) error {
	late := time.NewTimer(e.options.Timeout)
	defer late.Stop()
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return errors.New("the server is gone")
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-late.C:
		return errors.New("a request was not answered")
	}
}

func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("lsptest: encode %T: %v", v, err))
	}
	return b
}

// Initialize begins the conversation.
func (e *Editor) Initialize() error {
	folders := []map[string]string{}
	for _, f := range e.options.Folders {
		folders = append(folders, map[string]string{"uri": URI(f), "name": filepath.Base(f)})
	}
	can := maps.Clone(e.options.Can)
	if e.options.UTF8 {
		if can == nil {
			can = map[string]any{}
		}
		can["general"] = map[string]any{"positionEncodings": []string{"utf-8", "utf-16"}}
	}
	params := map[string]any{
		"processId": os.Getpid(), "rootUri": nil, "capabilities": can, "workspaceFolders": folders,
		"initializationOptions": e.options.Initial,
	}
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	if err := e.Call("initialize", params, &result); err != nil {
		return err
	}
	e.update(func() {
		e.life = initialized
		if want := map[bool]string{true: "utf-8", false: "utf-16"}[e.options.UTF8]; result.Capabilities.PositionEncoding != want {
			e.violation("positions are counted in %q, want %q", result.Capabilities.PositionEncoding, want)
		}
	})
	e.Notify("initialized", map[string]any{})
	return nil
}

// Quit ends the conversation as the protocol wants, and looks that the server
// left nothing behind.
func (e *Editor) Quit() error {
	if err := e.Call("shutdown", nil, nil); err != nil {
		return err
	}
	e.update(func() {
		e.life = shutDown
		for token, p := range e.progress {
			if p.Begun && !p.Ended {
				e.violation("the progress %s (%s) was never ended", token, p.Title)
			}
		}
		for path, list := range e.diagnostics {
			if len(list) > 0 {
				e.violation("diagnostics of %s were left behind", path)
			}
		}
	})
	e.Notify("exit", nil)
	e.update(func() { e.life = exited })
	<-e.done
	return nil
}

// Hang up ends the conversation without a word.
func (e *Editor) HangUp() error {
	err := e.stream.Close()
	<-e.done
	return err
}
