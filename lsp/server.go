package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/report"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Config is what a program gives the server: its ways to the world outside.
type Config struct {
	// Open opens the project in a folder for one job.
	Open func(ctx context.Context, req OpenRequest) (*engine.Workspace, error)
	// Background returns what the settings want on a save. nil is nothing.
	Background func(req OpenRequest) (config.BackgroundMode, error)
	// Report returns the report of an earlier run, and SaveReport writes the text of
	// a report to a file that an editor can show.
	Report     func(run string) (report.Report, error)
	SaveReport func(run, markdown string) (path string, err error)
	// SaveDoctor writes what is to be said of how the tests are run to such a file.
	SaveDoctor func(text string) (path string, err error)
	// Allow records that the user lets the tests of a folder run in the weakest
	// sandbox.
	Allow func(root string) error
	// Now is the clock.
	Now func() time.Time
	Log *slog.Logger
	// Home is the user's home folder, which is no project, and Own the folder of
	// autocoder's own files, in which none is.
	Home, Own, Version string
	// Patience is how long the editor may take to do what it answered that it did;
	// zero means five seconds.
	Patience time.Duration
	// Quiet is how long nothing may be saved before something runs in the
	// background; zero means a second.
	Quiet time.Duration
}

// OpenRequest says which project to open, and with which settings of the editor.
type OpenRequest struct {
	Root string
	// Layers are the editor's settings.
	Layers []config.Layer
	// Adjust changes the settings for this job; nil changes nothing.
	Adjust func(*config.Settings)
	// Unasked: nobody asked for the job, so nobody consents to a weak sandbox.
	Unasked bool
	Sink    event.Sink
	// Warn takes what is odd about the settings.
	Warn func(text string)
}

// phase is where the server is in its life.
type phase uint8

const (
	_ phase = iota
	created
	running
	leaving
)

// Server serves one editor.
type Server struct {
	cfg   Config
	known map[string]method
	conn  jsonrpc2.Conn
	out   *outbox
	// base is the context of the connection: the parent of those of all requests and
	// jobs.
	base context.Context
	// answering ends when the editor wants to end: then it answers nothing more, because its
	// answers are read behind the request to shut down.
	answering context.Context
	closing   context.CancelFunc
	// exited is closed when the editor says exit.
	exited chan struct{}
	// work are the jobs, and watch what ends with the connection only.
	work, watch sync.WaitGroup

	mu sync.Mutex
	// all below is guarded by mu
	phase   phase
	caps    clientCaps
	options editorSettings
	folders []folder
	docs    documents
	// left are the documents that were closed and not saved, until their files are looked
	// at or opened again.
	left     documents
	projects map[string]*project
	// written are the projects that files of ours tell of, by their paths.
	written  map[string]string
	jobs     map[string]*job
	lastJob  int
	watching bool
	requests map[jsonrpc2.ID]context.CancelFunc
	// published are the diagnostics that the editor shows, as they were sent.
	published map[uri.URI]string
	// heard are files that may have changed on disk, to be looked at.
	heard []string
	// moved is closed and replaced when a document changes.
	moved chan struct{}
	// watchWake has room for one: there is something to watch or to look at.
	watchWake chan struct{}
	// looks are projects to be looked at as a whole.
	looks chan look
}

// errNoShutdown is how a server ends whose editor said exit without shutdown.
var errNoShutdown = errors.New("the editor said exit without a shutdown before")

// lastWords is how long an editor may take to read what is left to say at the end.
const lastWords = 2 * time.Second

// Serve speaks the protocol on a stream until the editor says exit, closes it, or
// ctx ends. It returns nil when the editor left as the protocol wants.
func Serve(ctx context.Context, stream io.ReadWriteCloser, cfg Config) error {
	base, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(base, cfg)
	s.conn = jsonrpc2.NewConn(newInlet(stream, s.tooLong), jsonrpc2.WithCodec(codec{}))
	s.out = newOutbox(s.conn.Notify, cfg.Log)
	go s.out.run(base)
	s.conn.Go(base, s.receive)
	select {
	case <-s.conn.Done():
	case <-s.exited:
	case <-ctx.Done():
	}
	cancel()
	s.closing()
	s.stopJobs()
	s.out.close()
	closed := stream.Close()
	select {
	case <-s.out.done:
	case <-time.After(lastWords): // an editor that reads nothing more
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.ended(closed)
}

func newServer(base context.Context, cfg Config) *Server {
	cfg.Patience = cmp.Or(cfg.Patience, 5*time.Second)
	cfg.Quiet = cmp.Or(cfg.Quiet, time.Second)
	s := &Server{
		cfg: cfg, base: base, exited: make(chan struct{}), phase: created, caps: capsOf(protocol.ClientCapabilities{}),
		docs: documents{}, left: documents{}, projects: map[string]*project{}, written: map[string]string{}, jobs: map[string]*job{},
		requests: map[jsonrpc2.ID]context.CancelFunc{}, published: map[uri.URI]string{}, moved: make(chan struct{}), watchWake: make(chan struct{}, 1), looks: make(chan look),
	}
	s.answering, s.closing = context.WithCancel(base)
	s.known = s.methods()
	return s
}

// ended says how the server ended. The library reports the end of a stream in the
// middle of a message, and a message that is no JSON, as the connection's error.
func (s *Server) ended(closed error) error {
	s.mu.Lock()
	now := s.phase
	s.mu.Unlock()
	select {
	case <-s.exited:
		if now != leaving {
			return errNoShutdown
		}
		return nil
	default:
	}
	select {
	case <-s.conn.Done():
		if err := s.conn.Err(); err != nil {
			return fmt.Errorf("read what the editor sends: %w", err)
		}
	default:
		if closed != nil {
			return fmt.Errorf("close the connection: %w", closed)
		}
	}
	if now != leaving {
		return errors.New("the editor is gone")
	}
	return nil
}

// initialize tells the editor what the server can do.
func (s *Server) initialize(_ context.Context, p *protocol.InitializeParams) (any, error) {
	caps := capsOf(p.Capabilities)
	if endsLinesWithFeeds(p.ClientInfo.Name) {
		caps.encoding |= onlyFeeds
	}
	s.mu.Lock()
	s.phase, s.caps = running, caps
	s.options.initial = settingsIn(p.InitializationOptions)
	s.folders = foldersOf(p)
	s.mu.Unlock()
	return &protocol.InitializeResult{
		ServerInfo:   protocol.ServerInfo{Name: "autocoder", Version: protocol.NewOptional(s.cfg.Version)},
		Capabilities: capabilities(caps),
	}, nil
}

func capabilities(caps clientCaps) protocol.ServerCapabilities {
	return protocol.ServerCapabilities{
		PositionEncoding: caps.encoding.kind(),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true), Change: ptr(protocol.TextDocumentSyncKindIncremental),
			Save: &protocol.SaveOptions{IncludeText: ptr(true)},
		},
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, kindFixTests},
			ResolveProvider: ptr(caps.resolveEdit),
		},
		CodeLensProvider:       &protocol.CodeLensOptions{},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: ptr(true), ChangeNotifications: protocol.Boolean(true),
		}},
	}
}

// initialized begins to watch the files that change outside of the editor.
func (s *Server) initialized(*none) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base.Err() != nil || s.watching {
		return
	}
	s.watching = true
	if s.caps.watchFiles {
		s.work.Go(s.askToWatch)
	}
	s.watch.Go(s.watchDisk)
}

// shutdown ends all jobs, and answers when they have ended.
func (s *Server) shutdown(ctx context.Context, _ *none) (any, error) {
	s.closing()
	s.cancelJobs(func(*job) bool { return true })
	s.work.Wait()
	s.clearDiagnostics()
	s.out.flush(ctx)
	return nil, nil
}

// tooLong takes note of a message that was left out because of its length: it may
// have been about any document that is nearly as long.
func (s *Server) tooLong(length int64) {
	s.note("a message of %d bytes is too long and was left out: files of that size are taken as they are on disk", length)
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.docs {
		doc, _ := s.docs.at(path)
		if len(doc.text) > mostMessage/16 {
			doc.lost = true
			s.docs[path] = doc
		}
	}
}

// exit ends the server.
func (s *Server) exit(*none) {
	select {
	case <-s.exited:
	default:
		close(s.exited)
	}
}

// stopJobs ends all jobs and waits for them.
func (s *Server) stopJobs() {
	s.cancelJobs(func(*job) bool { return true })
	s.work.Wait()
	s.watch.Wait()
}

// call asks the editor. Only jobs may: an answer is read by the goroutine that
// reads requests.
func (s *Server) call(ctx context.Context, method string, params, result any) error {
	if _, err := s.conn.Call(ctx, method, params, result); err != nil {
		return fmt.Errorf("ask the editor (%s): %w", method, err)
	}
	return nil
}

// say shows a message to the user. It is for what the user asked for only.
func (s *Server) say(kind protocol.MessageType, format string, args ...any) {
	s.out.send(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: fmt.Sprintf(format, args...)})
}

// note writes a line to the editor's log of the server.
func (s *Server) note(format string, args ...any) {
	s.out.send(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: protocol.MessageTypeInfo, Message: fmt.Sprintf(format, args...)})
}
