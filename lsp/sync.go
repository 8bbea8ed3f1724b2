package lsp

import (
	"path/filepath"

	"autocoder/engine"
)

// move changes the documents, and with them what is shown of their projects: at one
// moment, so that nothing is shown for another text than the one it was made for.
// change tells which document moved, if one did, and whether its text is another one.
func (s *Server) move(change func() (doc document, moved, edited bool)) (doc document, moved bool) {
	s.mu.Lock()
	doc, moved, edited := change()
	different := moved && s.documentMoved(doc, edited)
	s.mu.Unlock()
	if different {
		s.publish()
	}
	return doc, moved
}

// didOpen takes a document. Nothing runs for it.
func (s *Server) didOpen(p *didOpen) {
	s.move(func() (document, bool, bool) {
		before, was := s.docs.at(pathOf(p.TextDocument.URI))
		doc, ok := s.docs.open(*p)
		if left, again := s.left[doc.path]; again {
			before, was = left, true
			delete(s.left, doc.path)
		}
		return doc, ok, was && before.text != doc.text || s.misplaced(doc)
	})
}

// misplaced reports whether something is shown in the file of a document that was made
// for another text: the file changed before it was opened. s.mu is held.
func (s *Server) misplaced(doc document) bool {
	for _, p := range s.projects {
		for _, m := range p.marks {
			if m.path == doc.path && !m.fits(doc.text, s.caps.encoding) {
				return true
			}
		}
	}
	return false
}

// didChange makes the changes of a document.
func (s *Server) didChange(p *didChange) {
	_, open := s.move(func() (document, bool, bool) {
		doc, open := s.docs.change(*p, s.caps.encoding)
		return doc, open, true
	})
	if !open && !isUntitled(p.TextDocument.URI) { // or it is to become no file, or its file is open
		s.cfg.Log.Warn("a document changed that is not open", "uri", string(p.TextDocument.URI))
	}
}

// didSave takes note of a document that is written to its file.
func (s *Server) didSave(p *didSave) {
	doc, open := s.move(func() (document, bool, bool) {
		before, _ := s.docs.at(pathOf(p.TextDocument.URI))
		doc, open := s.docs.saved(*p)
		return doc, open, before.text != doc.text
	})
	if open {
		s.afterSave(doc.path)
	}
}

// didClose forgets a document. What was not saved is lost with it: then its file is
// another one from now on.
func (s *Server) didClose(p *didClose) {
	s.move(func() (document, bool, bool) {
		doc, open := s.docs.close(p.TextDocument.URI)
		if open && doc.edited && s.base.Err() == nil {
			s.left[doc.path] = doc.settled()
			s.work.Go(func() { s.safely("look at a file", func() { s.leftBehind(doc.path) }) })
		}
		return doc, open, false
	})
}

// leftBehind holds what the editor showed of a file against what stands there, unless
// the file is open again.
func (s *Server) leftBehind(path string) {
	now, err := engine.ReadCurrent(filepath.Dir(path), filepath.Base(path))
	s.mu.Lock()
	doc, left := s.left[path]
	delete(s.left, path)
	another := left && (err != nil || bare(string(now.Content)) != bare(doc.text))
	different := another && s.touched(path, true)
	s.mu.Unlock()
	if different {
		s.publish()
	}
}

// documentMoved wakes who waits for a document, and what is shown of its project
// goes or is stale when its text is another one. It reports whether anything is shown
// differently. s.mu is held.
func (s *Server) documentMoved(doc document, edited bool) (different bool) {
	for _, p := range s.projects {
		if p.arriving != nil {
			p.arriving.note(doc)
		}
	}
	close(s.moved)
	s.moved = make(chan struct{})
	return s.touched(doc.path, edited)
}

// touch takes note of a file that is another one than before.
func (s *Server) touch(path string) {
	s.mu.Lock()
	different := s.touched(path, true)
	s.mu.Unlock()
	if different {
		s.publish()
	}
}

// touched takes note of a file that is shown anew, or is another one than before. It
// reports whether anything is shown differently. s.mu is held.
func (s *Server) touched(path string, edited bool) (different bool) {
	for root, p := range s.projects {
		if _, in := within(root, path); !in {
			continue
		}
		if p.concerns(path) && s.base.Err() == nil {
			different = edited && p.unmark(path) || different
			s.work.Go(func() { s.safely("look at an edit", func() { s.look(root, path) }) })
			continue
		}
		if edited {
			s.missed(p, path)
		}
		different = edited && p.touched(path) || different
	}
	return different
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
