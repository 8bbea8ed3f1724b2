// Package llmtest is a server of language models for tests: a real HTTP server
// on loopback that speaks the protocols of OpenAI, Anthropic and Ollama, streams
// its answers, and answers as a script says. It can also be slow, broken and
// hostile.
//
// It records every byte that it is sent.
package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"autocoder/engine/chat"
)

// Turn is one answer.
type Turn struct {
	Text  string
	Calls []chat.Call
	// Stop is Finished when it is left out, Usage an honest one.
	Stop  chat.Stop
	Usage *chat.Usage
	// Status makes it an error with that Body and Header.
	Status int
	Body   string
	Header map[string]string
	// Raw is sent in the place of an answer, as an answer.
	Raw string
	// Cut ends the connection after so many parts of the answer, and Stall holds it
	// open there until the client goes.
	Cut   int
	Stall bool
	// Flood repeats the Text, or Raw, for as long as the client reads.
	Flood bool
	// NoUsage leaves out what it cost.
	NoUsage bool
	// Whole sends the answer as one piece, as servers do that never stream.
	Whole bool
}

// Request is what a client sent.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
	// Model is the model that was asked, System and Texts what all messages say, and
	// Tools the names of the tools that were offered.
	Model  string
	Texts  []string
	Tools  []string
	Fields map[string]any
}

// Prompt is everything that the messages say.
func (r Request) Prompt() string { return strings.Join(r.Texts, "\n") }

// Server is a running server.
type Server struct {
	*httptest.Server
	// Models are those that it has; it takes any when there are none.
	models []string
	answer func(n int, r Request) Turn

	mu sync.Mutex
	// guarded by mu
	requests []Request
	asked    int
}

// Script answers with the given turns, and with the last one for ever.
func Script(turns ...Turn) func(int, Request) Turn {
	return func(n int, _ Request) Turn { return turns[min(n, len(turns)-1)] }
}

// Start starts a server that answers the n-th question, from 0, as answer says.
// It is on plain HTTP.
func Start(answer func(n int, r Request) Turn, models ...string) *Server {
	s := &Server{answer: answer, models: models}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// StartTLS is Start with a certificate that nobody trusts.
func StartTLS(answer func(n int, r Request) Turn, models ...string) *Server {
	s := &Server{answer: answer, models: models}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = quiet()
	s.Server.StartTLS()
	return s
}

// Requests are the questions that were asked, the oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests...)
}

// Sent is every byte of every question, headers included.
func (s *Server) Sent() []byte {
	var b bytes.Buffer
	for _, r := range s.Requests() {
		b.WriteString(r.Path + "\n")
		if err := r.Header.Write(&b); err != nil {
			panic(err) // a buffer takes everything
		}
		b.Write(r.Body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// serve finds the protocol by the path.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: content}
	if len(content) > 0 && json.Unmarshal(content, &req.Fields) == nil {
		req.read()
	}
	protocol := protocols()[r.URL.Path]
	if protocol == nil {
		s.note(req)
		s.list(w, r)
		return
	}
	n := s.note(req)
	if len(s.models) > 0 && !contains(s.models, req.Model) {
		http.Error(w, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`, http.StatusNotFound)
		return
	}
	turn := s.answer(n, req)
	for k, v := range turn.Header {
		w.Header().Set(k, v)
	}
	switch {
	case turn.Status != 0:
		w.WriteHeader(turn.Status)
		io.WriteString(w, turn.Body)
	case turn.Raw != "":
		w.Header().Set("Content-Type", protocol.kind)
		for {
			if _, err := io.WriteString(w, turn.Raw); err != nil || !turn.Flood || r.Context().Err() != nil {
				return
			}
		}
	case turn.Whole:
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, indented(protocol.whole(complete(turn, req))))
	default:
		w.Header().Set("Content-Type", protocol.kind)
		s.stream(w, r, turn, protocol.parts(req, complete(turn, req)))
	}
}

// stream sends the parts of an answer one by one.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, t Turn, parts []string) {
	flusher := w.(http.Flusher)
	send := func(part string) bool {
		_, err := io.WriteString(w, part)
		flusher.Flush()
		return err == nil && r.Context().Err() == nil
	}
	for i, part := range parts {
		if t.Stall && i == t.Cut {
			<-r.Context().Done()
			return
		}
		if t.Cut > 0 && i == t.Cut {
			panic(http.ErrAbortHandler)
		}
		if !send(part) {
			return
		}
		for t.Flood && i == 1 && send(part) {
		}
	}
}

// note records a question and returns its number among those for an answer.
func (s *Server) note(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if protocols()[r.Path] == nil {
		return 0
	}
	s.asked++
	return s.asked - 1
}

// complete fills in what a turn leaves out.
func complete(t Turn, r Request) Turn {
	if t.Stop == chat.InvalidStop {
		t.Stop = chat.Finished
	}
	if t.Usage == nil {
		size := len(t.Text)
		for _, c := range t.Calls {
			size += len(c.Arguments)
		}
		t.Usage = &chat.Usage{Prompt: len(r.Prompt())/4 + 1, Completion: size/4 + 1}
	}
	return t
}

func contains(list []string, x string) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// read takes the texts out of a question of any protocol.
func (r *Request) read() {
	r.Model, _ = r.Fields["model"].(string)
	r.Texts = append(r.Texts, texts(r.Fields["system"])...)
	messages, _ := r.Fields["messages"].([]any)
	for _, m := range messages {
		if m, ok := m.(map[string]any); ok {
			r.Texts = append(r.Texts, texts(m["content"])...)
		}
	}
	tools, _ := r.Fields["tools"].([]any)
	for _, t := range tools {
		t, _ := t.(map[string]any)
		if f, ok := t["function"].(map[string]any); ok {
			t = f
		}
		if name, ok := t["name"].(string); ok {
			r.Tools = append(r.Tools, name)
		}
	}
}

// texts are the texts of a content: one, or a list of blocks.
func texts(content any) []string {
	switch c := content.(type) {
	case string:
		return []string{c}
	case []any:
		var out []string
		for _, block := range c {
			b, _ := block.(map[string]any)
			if t, ok := b["text"].(string); ok {
				out = append(out, t)
			}
			out = append(out, texts(b["content"])...)
		}
		return out
	default:
		return nil
	}
}
