package lsp

import (
	"path/filepath"

	"autocoder/engine"
)

// didOpen takes a document. Nothing runs for it.
func (s *Server) didOpen(p *didOpen) {
	s.mu.Lock()
	before, was := s.docs.at(pathOf(p.TextDocument.URI))
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
		if !isUntitled(p.TextDocument.URI) { // or it is to become no file, or its file is open
			s.cfg.Log.Warn("a document changed that is not open", "uri", string(p.TextDocument.URI))
		}
		return
	}
	s.documentMoved(doc, true)
}

// didSave takes note of a document that is written to its file.
func (s *Server) didSave(p *didSave) {
	s.mu.Lock()
	before, _ := s.docs.at(pathOf(p.TextDocument.URI))
	doc, open := s.docs.saved(*p)
	s.mu.Unlock()
	if open {
		s.documentMoved(doc, before.text != doc.text)
		s.afterSave(doc.path)
	}
}

// didClose forgets a document. What was not saved is lost with it: then its file is
// another one from now on.
func (s *Server) didClose(p *didClose) {
	s.mu.Lock()
	doc, open := s.docs.close(p.TextDocument.URI)
	if open && doc.edited && s.base.Err() == nil {
		s.work.Go(func() { s.safely("look at a file", func() { s.leftBehind(doc.settled()) }) })
	}
	s.mu.Unlock()
	if open {
		s.documentMoved(doc, false)
	}
}

// leftBehind holds what the editor showed of a file against what stands there.
func (s *Server) leftBehind(doc document) {
	now, err := engine.ReadCurrent(filepath.Dir(doc.path), filepath.Base(doc.path))
	s.mu.Lock()
	_, open := s.docs[doc.path]
	s.mu.Unlock()
	if !open && (err != nil || bare(string(now.Content)) != bare(doc.text)) {
		s.touch(doc.path, true)
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
	s.touch(doc.path, edited)
}

// touch takes note of a file that is shown anew, or is another one than before.
func (s *Server) touch(path string, edited bool) {
	s.mu.Lock()
	different := false
	for root, p := range s.projects {
		if _, in := within(root, path); !in {
			continue
		}
		if p.concerns(path) && s.base.Err() == nil {
			s.work.Go(func() { s.safely("look at an edit", func() { s.look(root, path) }) })
			continue
		}
		if edited {
			s.missed(p, path)
		}
		different = edited && p.touched(path) || different
	}
	s.mu.Unlock()
	if different {
		s.publish()
	}
}

// missed takes note of a document that was not open when a job took those that are: for
// the job a file changed on disk, as which nobody will hear of it. s.mu is held.
func (s *Server) missed(p *project, path string) {
	if a := p.arriving; a != nil {
		if _, ours := a.texts[path]; ours {
			return
		}
	}
	for _, j := range s.jobs {
		if _, took := j.docs[path]; j.root == p.root && j.rank != beside && !took {
			p.disk++
			p.onDisk, _ = within(p.root, path)
			return
		}
	}
}
