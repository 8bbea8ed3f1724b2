package lsp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codec speaks the protocol's unions, which JSON alone does not.
type codec struct{}

// Marshal encodes a message.
func (codec) Marshal(v any) ([]byte, error) { return protocol.Marshal(v) }

// Unmarshal decodes a message.
func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }

// method is how one kind of message is answered. decode reads its parameters and
// what it needs of the state before the next message is read; the function that
// it returns answers.
type method struct {
	handle func(ctx context.Context, params jsonrpc2.RawMessage) (any, error)
	// slow lets later messages overtake the answer.
	slow bool
}

// with makes a method of a function that takes decoded parameters. Parameters
// that are missing are empty ones.
func with[P any](f func(ctx context.Context, params *P) (any, error)) method {
	return method{handle: func(ctx context.Context, raw jsonrpc2.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := protocol.Unmarshal(raw, &p); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid parameters: %v", err)
			}
		}
		return f(ctx, &p)
	}}
}

// slowly makes a method that may take time.
func slowly(m method) method {
	m.slow = true
	return m
}

// on makes a method of a notification, which has no answer.
func on[P any](f func(params *P)) method {
	return with(func(_ context.Context, p *P) (any, error) {
		f(p)
		return nil, nil
	})
}

// none is the parameters of a message that has none.
type none struct{}

// methods are all messages that the server knows.
func (s *Server) methods() map[string]method {
	return map[string]method{
		protocol.MethodInitialize:  with(s.initialize),
		protocol.MethodInitialized: on(s.initialized),
		protocol.MethodShutdown:    with(s.shutdown), // its answer must be out before an exit is read
		protocol.MethodExit:        on(s.exit),

		protocol.MethodTextDocumentDidOpen:   on(s.didOpen),
		protocol.MethodTextDocumentDidChange: on(s.didChange),
		protocol.MethodTextDocumentDidSave:   on(s.didSave),
		protocol.MethodTextDocumentDidClose:  on(s.didClose),

		protocol.MethodTextDocumentCodeAction:       with(s.codeAction),
		protocol.MethodCodeActionResolve:            with(s.resolveCodeAction),
		protocol.MethodTextDocumentCodeLens:         with(s.codeLens),
		protocol.MethodWorkspaceExecuteCommand:      with(s.executeCommand),
		protocol.MethodWindowWorkDoneProgressCancel: on(s.cancelProgress),

		protocol.MethodWorkspaceDidChangeConfiguration:    on(s.didChangeConfiguration),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: on(s.didChangeFolders),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     on(s.didChangeWatchedFiles),

		MethodReport: slowly(with(s.reportRequest)),
	}
}

// receive answers one message. It is called for one message after the other, in
// the order of their arrival, and the next is read when it returns or has called
// jsonrpc2.Async. ctx is used for nothing else: the library reuses its memory
// when the answer is sent, and a context that is derived from it then crashes the
// process.
func (s *Server) receive(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	name := req.Method()
	defer func() {
		// A panic that reaches the library closes the connection, and so does an error
		// of a notification.
		if r := recover(); r != nil {
			s.cfg.Log.Error("panic", "method", name, "value", r, "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "autocoder has a bug: %v", r)
		}
		if !req.IsCall() {
			result, err = nil, nil
		}
	}()
	if name == protocol.MethodCancelRequest {
		return nil, s.cancelRequest(req.Params())
	}
	m, known := s.known[name]
	if err := s.admit(name, known); err != nil {
		return nil, err
	}
	if !known {
		return nil, nil // a notification that means nothing to us
	}
	own, done := s.begin(req.ID(), req.IsCall())
	defer done()
	if m.slow {
		jsonrpc2.Async(ctx)
	}
	result, err = m.handle(own, req.Params())
	if err != nil && !req.IsCall() {
		s.cfg.Log.Warn("notification", "method", name, "error", err)
	}
	return result, wireError(err)
}

// admit says whether a message may come now, and is one that we know. It is here
// that a shutdown begins, because its answer takes time.
func (s *Server) admit(name string, known bool) error {
	s.mu.Lock()
	now := s.phase
	if now == running && name == protocol.MethodShutdown {
		s.phase = leaving
	}
	s.mu.Unlock()
	first := name == protocol.MethodInitialize
	switch now {
	case created:
		if !first && name != protocol.MethodExit {
			return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "the server is not initialized")
		}
	case running:
		if first {
			return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the server is initialized already")
		}
	case leaving:
		if name != protocol.MethodExit {
			return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the server is shut down")
		}
	default:
		panic(fmt.Sprintf("lsp: phase %d", now))
	}
	if !known {
		return jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not a method of this server", name)
	}
	return nil
}

// begin gives a request a context of its own that $/cancelRequest ends.
func (s *Server) begin(id jsonrpc2.ID, call bool) (context.Context, func()) {
	if !call {
		return s.base, func() {}
	}
	ctx, cancel := context.WithCancel(context.WithValue(s.base, requestKey{}, id))
	s.mu.Lock()
	s.requests[id] = cancel
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		delete(s.requests, id)
		s.mu.Unlock()
		cancel()
	}
}

// requestKey is the key of a request's id in its context.
type requestKey struct{}

// cancelRequest ends a request, or the job that it started.
func (s *Server) cancelRequest(raw jsonrpc2.RawMessage) error {
	var p protocol.CancelParams
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return err
	}
	var id jsonrpc2.ID
	switch v := p.ID.(type) {
	case protocol.Integer:
		id = jsonrpc2.NewNumberID(int64(v))
	case protocol.String:
		id = jsonrpc2.NewStringID(string(v))
	}
	s.mu.Lock()
	cancel := s.requests[id]
	for _, j := range s.jobs {
		if j.request == id && id.IsValid() {
			j.ending, cancel = true, j.cancel
		}
	}
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	return nil
}

// wireError is an error with a code of the protocol.
func wireError(err error) error {
	var wire *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wire):
		return wire
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	default:
		return jsonrpc2.Errorf(jsonrpc2.InternalError, "%v", err)
	}
}
