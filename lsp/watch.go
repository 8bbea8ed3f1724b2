package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine"
	"autocoder/engine/report"

	"go.lsp.dev/protocol"
)

// didChangeWatchedFiles takes note of files that changed on disk.
func (s *Server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) {
	s.mu.Lock()
	for _, c := range p.Changes {
		if path := pathOf(c.URI); path != "" {
			s.heard = append(s.heard, path)
		}
	}
	s.mu.Unlock()
	s.wakeWatch()
}

// wakeWatch has watchDisk look at what is to be watched, and what was heard of.
func (s *Server) wakeWatch() {
	select {
	case s.watchWake <- struct{}{}:
	default:
	}
}

// watchFrom begins to watch a project, as soon as something is asked of it. s.mu is
// held.
func (s *Server) watchFrom(root string) {
	s.project(root).watch = true
	// What can't be watched is looked at now.
	s.heard = append(s.heard, filepath.Join(root, gitIndex))
	s.wakeWatch()
}

// askToWatch asks the editor to tell of files that change on disk. One that does
// not after all is done without.
func (s *Server) askToWatch() {
	options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}},
	})
	if err != nil {
		s.cfg.Log.Error("encode a registration", "error", err)
		return
	}
	err = s.call(s.answering, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "autocoder-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}}, nil)
	if err != nil {
		if s.answering.Err() == nil {
			s.cfg.Log.Warn("the editor watches no files", "error", err)
		}
		s.mu.Lock()
		s.caps.watchFiles = false
		s.mu.Unlock()
		s.wakeWatch()
	}
}

// look is a request to look at a project's folder.
type look struct {
	root string
	done chan struct{}
}

// lookAt returns when it is known what changed in a project's folder. Who watches it
// tells of that later, or of a part only.
func (s *Server) lookAt(root string) {
	s.mu.Lock()
	watching := s.watching
	s.mu.Unlock()
	if !watching {
		return
	}
	l := look{root, make(chan struct{})}
	select {
	case s.looks <- l:
	case <-s.base.Done():
		return
	}
	select {
	case <-l.done:
	case <-s.base.Done():
	}
}

// catchUp has a job begin with the folder as it is: what changed before, and would be
// told of later, is nothing that the job missed.
func (s *Server) catchUp(j *job) {
	s.mu.Lock()
	before := s.project(j.root).disk
	s.mu.Unlock()
	s.lookAt(j.root)
	s.mu.Lock()
	j.disk += s.project(j.root).disk - before
	s.mu.Unlock()
}

// matters reports whether a file may be one that tests are about, by its path in
// the project. Tools write theirs all the time.
func matters(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") || element == "__pycache__" || element == "node_modules" {
			return false
		}
	}
	switch filepath.Ext(name) {
	case ".pyc", ".log", ".tmp", ".swp":
		return false
	}
	return true
}

// diskChanged takes note of a file that changed on disk. What is open is as the
// editor shows it, and what an edit of ours made of a file is no news.
func (s *Server) diskChanged(root, name string) {
	s.mu.Lock()
	p := s.project(root)
	path := p.absolute(name)
	doc, open := s.docs.at(path)
	landed := p.landed
	if a := p.arriving; a != nil {
		_, ours := a.texts[path]
		open = open || ours
	}
	s.mu.Unlock()
	if open && doc.untouched { // it may have changed before it was opened
		now, err := engine.ReadCurrent(root, name)
		open = err != nil || bare(string(now.Content)) != bare(doc.text)
	}
	ours := slices.ContainsFunc(landed, func(f engine.OfferedFile) bool {
		now, err := engine.ReadCurrent(root, name)
		return f.Path == name && err == nil && isMade(f, now)
	})
	if open || ours {
		return
	}
	s.mu.Lock()
	p.disk++
	p.onDisk = name
	s.mu.Unlock()
	s.touch(path)
}

// awaited is an edit that the editor says it made, and that is to be seen nowhere
// yet: some editors change files that are not open in buffers that they don't tell
// of, until they are saved.
type awaited struct {
	job    *job
	report report.Report
	offer  offer
}

// await keeps an edit in mind until its files show it.
func (s *Server) await(j *job, r report.Report, o offer) {
	s.mu.Lock()
	s.project(j.root).awaited = &awaited{j, r, o}
	s.mu.Unlock()
	s.wakeWatch()
}

// concerns reports whether a file is one of an awaited edit. s.mu is held.
func (p *project) concerns(path string) bool {
	if p.awaited == nil {
		return false
	}
	for _, f := range p.awaited.offer.files {
		if p.absolute(f.Path) == path {
			return true
		}
	}
	return false
}

// look looks whether an awaited edit is there, after one of its files changed.
func (s *Server) look(root, path string) {
	s.mu.Lock()
	p := s.project(root)
	a := p.awaited
	s.mu.Unlock()
	if a == nil {
		return
	}
	switch now, _ := a.offer.standingIn(shown(root, s.documents(root))); now {
	case done:
		s.mu.Lock()
		p.awaited = nil
		s.mu.Unlock()
		s.drop(root, a.offer)
		s.showEnd(a.job, a.report, &a.offer)
		s.rests(root, a.report.Outcome.String()+": applied to "+plural(len(a.offer.files), "file"))
	case changed: // for good, or in the middle of being written
		s.mu.Lock()
		different := p.touched(path)
		s.mu.Unlock()
		if different {
			s.publish()
		}
	case ready:
	default:
		panic(fmt.Sprintf("lsp: standing %d", now))
	}
}
