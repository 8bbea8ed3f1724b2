package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"autocoder/engine/report"

	"github.com/fsnotify/fsnotify"
	"go.lsp.dev/protocol"
)

// didChangeWatchedFiles takes note of files that changed on disk.
func (s *Server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) {
	for _, c := range p.Changes {
		s.diskChanged(pathOf(c.URI))
	}
}

// diskChanged takes note of a file that changed on disk. What is open is as the
// editor shows it.
func (s *Server) diskChanged(path string) {
	s.mu.Lock()
	_, open := s.docs[path]
	s.mu.Unlock()
	if path != "" && !open && matters(path) {
		s.touch(path, true)
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

// askToWatch asks the editor to tell of files that change on disk.
func (s *Server) askToWatch() {
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

// watchDisk watches by itself, for an editor that can't, the folders of the files
// that something is shown in or offered for. Until there are any it costs nothing.
func (s *Server) watchDisk() {
	var w *fsnotify.Watcher
	defer func() {
		if w != nil {
			w.Close()
		}
	}()
	watched := map[string]bool{}
	for {
		var events chan fsnotify.Event
		var failures chan error
		if w != nil {
			events, failures = w.Events, w.Errors
		}
		select {
		case <-s.base.Done():
			return
		case e := <-events:
			if !e.Has(fsnotify.Chmod) {
				s.diskChanged(e.Name)
			}
		case err := <-failures:
			s.cfg.Log.Warn("watch files", "error", err)
		case <-s.shownMoved:
			folders := s.shownFolders()
			if w == nil && len(folders) > 0 {
				var err error
				if w, err = fsnotify.NewWatcher(); err != nil {
					s.cfg.Log.Warn("watch files", "error", err)
					return
				}
			}
			follow(w, watched, folders)
		}
	}
}

// follow has w watch folders and no others. A folder that can't be watched is not.
func follow(w *fsnotify.Watcher, watched, folders map[string]bool) {
	for dir := range watched {
		if !folders[dir] {
			_ = w.Remove(dir)
			delete(watched, dir)
		}
	}
	for dir := range folders {
		if !watched[dir] && w.Add(dir) == nil {
			watched[dir] = true
		}
	}
}

// shownFolders are the folders of the files that matter to what is shown.
func (s *Server) shownFolders() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := map[string]bool{}
	for _, p := range s.projects {
		for _, m := range p.marks {
			dirs[filepath.Dir(m.path)] = true
		}
		offers := p.offers
		if p.awaited != nil {
			offers = append(offers[:len(offers):len(offers)], p.awaited.offer)
		}
		for _, o := range offers {
			for _, f := range o.files {
				dirs[filepath.Dir(p.absolute(f.Path))] = true
			}
		}
	}
	return dirs
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

// wakeWatch has watchDisk look at what is shown now.
func (s *Server) wakeWatch() {
	select {
	case s.shownMoved <- struct{}{}:
	default:
	}
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
		s.out.send(MethodStatus, s.idle(root, a.report.Outcome.String()+": applied to "+plural(len(a.offer.files), "file")))
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
