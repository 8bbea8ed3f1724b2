package lsp

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
)

// didOpen takes a document. Nothing runs for it.
func (s *Server) didOpen(p *didOpen) {
	s.mu.Lock()
	before, was := s.docs[pathOf(p.TextDocument.URI)]
	doc, ok := s.docs.open(*p)
	s.mu.Unlock()
	if ok {
		s.documentMoved(doc, was && before.text != doc.text)
	}
}

// didChange makes the changes of a document.
func (s *Server) didChange(p *didChange) {
	s.mu.Lock()
	doc, open := s.docs.change(*p, s.caps.encoding)
	s.mu.Unlock()
	if !open {
		s.cfg.Log.Warn("a document changed that is not open", "uri", string(p.TextDocument.URI))
		return
	}
	if doc.lost {
		s.cfg.Log.Warn("a change made no sense: the document is left out until its whole text comes", "uri", string(doc.uri))
	}
	s.documentMoved(doc, true)
}

// didSave takes note of a document that is written to its file.
func (s *Server) didSave(p *didSave) {
	s.mu.Lock()
	before := s.docs[pathOf(p.TextDocument.URI)]
	doc, open := s.docs.saved(*p)
	s.mu.Unlock()
	if open {
		s.documentMoved(doc, before.text != doc.text)
		s.afterSave(doc.path)
	}
}

// didClose forgets a document.
func (s *Server) didClose(p *didClose) {
	s.mu.Lock()
	doc, open := s.docs.close(p.TextDocument.URI)
	s.mu.Unlock()
	if open {
		s.documentMoved(doc, false)
	}
}

// documentMoved wakes who waits for a document, and what is shown of its project
// goes or is stale when its text is another one.
func (s *Server) documentMoved(doc document, edited bool) {
	s.mu.Lock()
	for _, p := range s.projects {
		if p.arriving != nil {
			p.arriving.note(doc)
		}
	}
	close(s.moved)
	s.moved = make(chan struct{})
	s.mu.Unlock()
	if edited {
		s.touch(doc.path)
	}
}

// touch takes note that a file is another one than before.
func (s *Server) touch(path string) {
	s.mu.Lock()
	different := false
	for root, p := range s.projects {
		if _, in := within(root, path); in && p.touched(path) {
			different = true
		}
	}
	s.mu.Unlock()
	if different {
		s.publish()
	}
}

// didChangeWatchedFiles takes note of files that changed on disk. What is open is
// as the editor shows it.
func (s *Server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) {
	for _, c := range p.Changes {
		path := pathOf(c.URI)
		s.mu.Lock()
		_, open := s.docs[path]
		s.mu.Unlock()
		if path != "" && !open && matters(path) {
			s.touch(path)
		}
	}
}

// matters reports whether a file may be one that tests are about, by its path.
// Tools write theirs all the time.
func matters(path string) bool {
	for _, element := range strings.Split(filepath.ToSlash(path), "/") {
		switch {
		case strings.HasPrefix(element, "."), element == "__pycache__", element == "node_modules":
			return false
		}
	}
	switch filepath.Ext(path) {
	case ".pyc", ".log", ".tmp", ".swp":
		return false
	}
	return true
}

// watchFiles asks the editor to tell of files that change on disk.
func (s *Server) watchFiles() {
	options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}},
	})
	if err != nil {
		s.cfg.Log.Error("encode a registration", "error", err)
		return
	}
	err = s.call(s.base, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "autocoder-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}}, nil)
	if err != nil {
		s.cfg.Log.Warn("watch files", "error", err)
	}
}
