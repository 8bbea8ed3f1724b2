package lsp

import (
	"path"
	"path/filepath"
	"slices"

	"autocoder/engine"
	"autocoder/engine/report"
	"autocoder/engine/textedit"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// project is what the server knows of one root: what the last run showed. It is
// guarded by the server's mutex.
type project struct {
	root string
	// last is the report of the last run that was asked for.
	last *report.Report
	// offers are the edits that can be applied.
	offers []offer
	marks  []mark
	// saved counts saves. seen is the fingerprint of the tree that a run in the
	// background looked at last, and tests how its tests went, nil when only a fix was
	// looked for. prepared are the fixes that were found, by fingerprints.
	saved    int
	seen     string
	tests    *report.Tests
	prepared map[string]offer
	// toldReady: the status line tells that a fix is ready.
	toldReady bool
	// arriving is the edit that is on its way to the editor, nil for none: changes
	// are its.
	arriving *arrival
	// awaited is an edit that the editor has made where it can't be seen yet, and
	// landed are the files of the last one that is there.
	awaited *awaited
	landed  []engine.OfferedFile
	// confirm: the user wants to see each edit before it is made.
	confirm bool
	// watch: its folder on disk is watched. disk counts the changes of files that are
	// not open, of which onDisk is the last.
	watch  bool
	disk   int
	onDisk string
}

// offer is an edit that can be applied by a code action.
type offer struct {
	run     string
	partial bool
	// unasked: it was prepared in the background.
	unasked bool
	title   string
	report  report.Report
	files   []engine.OfferedFile
}

// mark is a diagnostic before it is shown. Its range is that of the text it was
// made for.
type mark struct {
	path string
	line int // from 1
	// test is the failing test that it shows, "" for others.
	test       string
	diagnostic protocol.Diagnostic
	// hint: it tells of an edit that was prepared in the background.
	hint bool
	// stale: files changed since.
	stale bool
}

// fits reports whether a mark stands in a text as in that it was made for.
func (m mark) fits(text string, enc encoding) bool {
	return enc.lineRange(text, m.line) == m.diagnostic.Range
}

// project returns what is known of a root. s.mu is held.
func (s *Server) project(root string) *project {
	p := s.projects[root]
	if p == nil {
		p = &project{root: root}
		s.projects[root] = p
	}
	return p
}

// forget throws away what was found.
func (p *project) forget() {
	p.last, p.offers, p.marks, p.awaited, p.tests, p.prepared = nil, nil, nil, nil, nil, nil
}

// touched takes note that a file of the project changed: what is shown in it goes
// away, and what is shown in other files is stale, unless an edit of ours arrives, whose
// changes these are. It reports whether anything is shown differently.
func (p *project) touched(path string) bool {
	changed := p.unmark(path)
	if p.arriving != nil {
		return changed
	}
	before := len(p.marks) + len(p.offers)
	p.withdraw()
	changed = changed || len(p.marks)+len(p.offers) != before
	for i := range p.marks {
		changed = changed || !p.marks[i].stale
		p.marks[i].stale = true
	}
	return changed
}

// unmark throws away what is shown in a file that changed, because it stands elsewhere
// now. It reports whether there was anything.
func (p *project) unmark(path string) bool {
	before := len(p.marks)
	p.marks = slices.DeleteFunc(p.marks, func(m mark) bool { return m.path == path })
	return len(p.marks) != before
}

// ready reports whether a fix that nobody asked for waits to be taken.
func (p *project) ready() bool {
	return slices.ContainsFunc(p.offers, func(o offer) bool { return o.unasked })
}

// withdraw takes back what was prepared in the background: it was verified with
// all files as they were.
func (p *project) withdraw() {
	p.offers = slices.DeleteFunc(p.offers, func(o offer) bool { return o.unasked })
	p.marks = slices.DeleteFunc(p.marks, func(m mark) bool { return m.hint })
}

// movedSince names the files of a project that are other ones than when a job took
// its documents.
func (s *Server) movedSince(j *job, at place) []string {
	s.lookAt(at.root)
	var names []string
	before, now := at.docs.placed(at.root), s.documents(at.root)
	for name, doc := range now {
		was, open := before[name]
		if open && was.text != doc.text || !open && doc.differs(at.root, name) {
			names = append(names, name)
		}
	}
	for name, was := range before {
		if _, open := now[name]; open {
			continue
		}
		if f, err := engine.ReadCurrent(at.root, name); err != nil || bare(string(f.Content)) != bare(was.text) {
			names = append(names, name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.project(at.root); p.disk != j.disk && !slices.Contains(names, p.onDisk) {
		names = append(names, p.onDisk)
	}
	slices.Sort(names)
	return names
}

// absolute is the path of a file of the project as the editor knows it.
func (p *project) absolute(name string) string {
	return filepath.Join(p.root, filepath.FromSlash(name))
}

// standing is how the files of an offer are now.
type standing uint8

const (
	_ standing = iota
	// ready: every file is as it was when the offer was made.
	ready
	// done: every file is as the offer makes it.
	done
	// changed: some file is neither.
	changed
)

// standingIn compares an offer with files. It names those that are neither as
// before nor as after.
func (o offer) standingIn(read func(name string) (textedit.File, error)) (standing, []string) {
	before, after := true, true
	var other []string
	for _, f := range o.files {
		now, err := read(f.Path)
		isBase, isNew := err == nil && same(now, f.Base), err == nil && isMade(f, now)
		before, after = before && isBase, after && isNew
		if !isBase && !isNew {
			other = append(other, f.Path)
		}
	}
	switch {
	case after:
		return done, nil
	case before:
		return ready, nil
	default:
		return changed, other
	}
}

// isMade reports whether a file is as an offer makes it. Some editors end the last line
// of a new file that has no end.
func isMade(f engine.OfferedFile, now textedit.File) bool {
	if same(now, f.New) {
		return true
	}
	ended := f.New
	ended.Content = append(slices.Clone(f.New.Content), '\n')
	return f.Base.Kind == textedit.Absent && same(now, ended)
}

// same compares contents only: an editor does not tell a file's mode, nor the mark
// that it begins with.
func same(a, b textedit.File) bool {
	return a.Kind == b.Kind && a.Target == b.Target && bare(string(a.Content)) == bare(string(b.Content))
}

// shown reads files as the editor shows them: an open document, or what stands on
// disk. docs are placed in root.
func shown(root string, docs documents) func(name string) (textedit.File, error) {
	return func(name string) (textedit.File, error) {
		doc, open := docs[name]
		if !open {
			return engine.ReadCurrent(root, name)
		}
		text, ok := doc.saved(root, name)
		if !ok {
			text = doc.text
		}
		return textedit.File{Kind: textedit.Regular, Content: []byte(text)}, nil
	}
}

// uriOf is what the editor calls a file of a project.
func uriOf(root, name string, docs documents) uri.URI {
	if doc, open := docs[name]; open {
		return doc.uri
	}
	return uri.File(filepath.Join(root, filepath.FromSlash(path.Clean(name))))
}

// documents are the open documents as they are now, by their path in a root.
func (s *Server) documents(root string) documents {
	s.mu.Lock()
	docs := s.docs.snapshot()
	s.mu.Unlock()
	return docs.placed(root)
}
