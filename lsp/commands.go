package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The commands. Each takes one Arguments object, or a URI, and returns at once.
const (
	CommandFix      = "autocoder.fix"
	CommandRunTests = "autocoder.runTests"
	CommandApply    = "autocoder.apply"
	CommandDiscard  = "autocoder.discard"
	CommandCancel   = "autocoder.cancel"
	CommandReport   = "autocoder.report"
	CommandDoctor   = "autocoder.doctor"
)

// Arguments say what a command is about. A command without a place is about the
// only project that the editor has open.
type Arguments struct {
	// URI is a document or folder of the project, Root its folder as a path.
	URI  string `json:"uri,omitempty"`
	Root string `json:"root,omitempty"`
	// Only are the failing tests to repair; none means all.
	Only []string `json:"only,omitempty"`
	// Larger tries with a larger budget than the settings give.
	Larger bool `json:"larger,omitempty"`
	// Run is the run that the command is about, the last one when it is "".
	Run string `json:"run,omitempty"`
	// Partial applies the partial fix of the run; Alternative is the id of an
	// alternative to verify and apply.
	Partial     bool   `json:"partial,omitempty"`
	Alternative string `json:"alternative,omitempty"`
	// Job is the job to cancel.
	Job string `json:"job,omitempty"`
}

// place is what a command is about.
type place struct {
	Arguments
	// root is the project's folder, and from the document that the user was in.
	root, from string
	docs       documents
	// rebased is how often the fix was made anew for what the user typed.
	rebased int
}

// command is what a command does: it starts a job or answers at once.
type command func(s *Server, ctx context.Context, at place) (any, error)

// commands are all commands by name.
func commands() map[string]command {
	return map[string]command{
		CommandFix: (*Server).fix, CommandRunTests: (*Server).runTests, CommandApply: (*Server).apply,
		CommandDiscard: (*Server).discard, CommandCancel: (*Server).cancelCommand, CommandReport: (*Server).showReport,
		CommandDoctor: (*Server).doctor,
	}
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands())) }

// executeCommand starts what the user asked for.
func (s *Server) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	run, known := commands()[p.Command]
	if !known {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%q is not a command of this server", p.Command)
	}
	args, err := argumentsOf(p.Arguments)
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", p.Command, err)
	}
	s.mu.Lock()
	at := place{Arguments: args, docs: s.docs.snapshot()}
	s.mu.Unlock()
	if err := s.locate(&at); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", p.Command, err)
	}
	answer, err := run(s, ctx, at)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer of %s: %w", p.Command, err)
	}
	return protocol.LSPAny(raw), nil
}

// argumentsOf reads the arguments of a command: an object, or a URI.
func argumentsOf(list []protocol.LSPAny) (a Arguments, err error) {
	if len(list) == 0 || string(list[0]) == "null" {
		return a, nil
	}
	if list[0].Kind() == '"' {
		return a, json.Unmarshal(list[0], &a.URI)
	}
	var all []any
	if json.Unmarshal(list[0], &all) == nil && len(all) == 0 {
		return a, nil // Lua knows no difference between an empty list and an empty table
	}
	return a, json.Unmarshal(list[0], &a)
}

// locate finds the project that a command is about; none is no error.
func (s *Server) locate(at *place) error {
	switch {
	case at.Root != "":
		if !filepath.IsAbs(at.Root) {
			return fmt.Errorf("root %q is not an absolute path", at.Root)
		}
		at.root = filepath.Clean(at.Root)
	case at.URI != "":
		u, err := uri.Parse(at.URI)
		if err != nil {
			return fmt.Errorf("uri %q: %w", at.URI, err)
		}
		path := pathOf(u)
		if path == "" {
			return fmt.Errorf("%q is not a file", at.URI)
		}
		at.root, at.from = s.rootOf(path), path
	default:
		at.root = s.onlyRoot(at.Run)
	}
	return nil
}

// onlyRoot is the project that is meant when none is named: that of the run, or
// the only one there is.
func (s *Server) onlyRoot(run string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for root, p := range s.projects {
		if run != "" && p.last != nil && p.last.Run == run {
			return root
		}
	}
	if len(s.folders) == 1 {
		return s.folders[0].path
	}
	if len(s.folders) == 0 && len(s.projects) == 1 {
		for root := range s.projects {
			return root
		}
	}
	return ""
}

// needsRoot is the error of a command that must be about a project.
func (at place) needsRoot() error {
	if at.root == "" {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "say which project: give a uri or a root")
	}
	return nil
}

// cancelCommand ends jobs: the one that is named, those of a root, or all.
func (s *Server) cancelCommand(_ context.Context, at place) (any, error) {
	n := s.cancelJobs(func(j *job) bool {
		switch {
		case at.Job != "":
			return j.id == at.Job
		case at.URI != "" || at.Root != "":
			return j.root == at.root
		default:
			return true
		}
	})
	return map[string]int{"cancelled": n}, nil
}

// discard throws away what was found and shown: of a project, or of all.
func (s *Server) discard(_ context.Context, at place) (any, error) {
	s.mu.Lock()
	for root, p := range s.projects {
		if at.root == "" || root == at.root {
			p.forget()
		}
	}
	s.mu.Unlock()
	s.publish()
	return nil, nil
}

// argument is Arguments as a command takes them.
func argument(a Arguments) []protocol.LSPAny {
	raw, err := json.Marshal(a)
	if err != nil {
		panic(fmt.Sprintf("lsp: encode %+v: %v", a, err))
	}
	return []protocol.LSPAny{raw}
}

// plural is "1 file" or "2 files".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, strings.TrimSuffix(noun, "s")+"s")
}
