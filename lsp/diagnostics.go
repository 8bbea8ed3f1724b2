package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/textedit"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// source is the owner of our diagnostics, as editors show it.
const source = "autocoder"

// codes of diagnostics that are no outcome.
const (
	codeFailing = "failing_test"
	codeBug     = "internal_error"
)

// Data is the data of a diagnostic.
type Data struct {
	Root string `json:"root"`
	// Run is the run whose end it shows, and Test the failing test.
	Run  string `json:"run,omitempty"`
	Test string `json:"test,omitempty"`
}

// marker makes marks: it knows the texts that they stand in.
type marker struct {
	s    *Server
	p    *project
	docs documents
	enc  encoding
	// disk is how often files had changed on disk.
	disk int
}

func (s *Server) marker(root string) marker {
	docs := s.documents(root)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.project(root)
	return marker{s: s, p: p, docs: docs, enc: s.caps.encoding, disk: p.disk}
}

// meanwhile leaves out the marks of files that are shown with another text by now, in
// which they would stand elsewhere. changed reports whether there are such, or anything
// else changed in the project. s.mu is held.
func (m marker) meanwhile(marks []mark) (kept []mark, changed bool) {
	changed = m.p.disk != m.disk
	gone := map[string]bool{}
	for _, was := range m.docs {
		now, open := m.s.docs.at(was.path)
		gone[was.path] = open && now.text != was.text || !open && was.edited
		changed = changed || gone[was.path]
	}
	for _, k := range marks {
		now, open := m.s.docs.at(k.path)
		if gone[k.path] || open && !k.fits(now.text, m.enc) {
			changed = true
			continue
		}
		kept = append(kept, k)
	}
	return kept, changed
}

// changedSince reports whether documents changed since they were as before, in
// other files than those of an edit that was applied.
func (m marker) changedSince(before documents, applied *offer) bool {
	for name, doc := range m.docs {
		old, was := before[doc.path]
		if was && old.text == doc.text || !was && !doc.edited {
			continue
		}
		ours := applied != nil && slices.ContainsFunc(applied.files, func(f engine.OfferedFile) bool {
			return f.Path == name && isMade(f, textedit.File{Kind: textedit.Regular, Content: []byte(doc.text)})
		})
		if !ours {
			return true
		}
	}
	return false
}

// text is what stands in a file, as the editor shows it.
func (m marker) text(name string) string {
	if doc, open := m.docs[name]; open {
		return doc.text
	}
	f, err := engine.ReadCurrent(m.p.root, name)
	if err != nil {
		return "" // a diagnostic at the start of a file that can't be read is in order
	}
	return bare(string(f.Content))
}

// mark makes a mark at a line, from 1, of a file of the project.
func (m marker) mark(name string, line int, severity protocol.DiagnosticSeverity, code, message string, data Data) mark {
	path := m.p.absolute(name)
	if doc, open := m.docs[name]; open {
		path = doc.path
	}
	data.Root = m.p.root
	raw, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("lsp: encode %+v: %v", data, err))
	}
	return mark{path: path, line: line, test: data.Test, diagnostic: protocol.Diagnostic{
		Range: m.enc.lineRange(m.text(name), line), Severity: severity, Code: protocol.String(code),
		Source: protocol.NewOptional(source), Message: protocol.String(message), Data: raw,
	}}
}

// tests marks each failing test at its assertion, and each part that can't be run
// where its source is at fault.
func (m marker) tests(t report.Tests) (marks []mark) {
	for _, f := range t.Failing {
		name, line := f.File, f.Line
		if name == "" {
			name, line = frame(f.Frame)
		}
		if name == "" {
			continue
		}
		marks = append(marks, m.mark(name, line, protocol.DiagnosticSeverityError, codeFailing, failureText(f), Data{Test: f.ID}))
	}
	for _, u := range t.Unusable {
		if u.File == "" {
			continue
		}
		marks = append(marks, m.mark(u.File, u.Line, protocol.DiagnosticSeverityError, u.Reason.String(),
			joined(": ", u.Reason.String(), u.Detail), Data{}))
	}
	return marks
}

// frame reads "file:line".
func frame(text string) (string, int) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", 0
	}
	line := 0
	if _, err := fmt.Sscan(text[i+1:], &line); err != nil {
		return "", 0
	}
	return text[:i], line
}

// failureText is what is known of a failing test, for people.
func failureText(f report.Failing) string {
	text := joined(": ", f.ID, f.Message)
	if f.Message == "" {
		text = joined(": ", f.ID, f.Kind)
	}
	if f.Expected != "" && f.Actual != "" && !strings.Contains(f.Message, f.Expected) {
		text += fmt.Sprintf("\nexpected %s, got %s", f.Expected, f.Actual)
	}
	if f.Setting != "" {
		text += "\nallow it by the setting " + f.Setting
	}
	return text
}

func joined(sep string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, sep)
}

// end marks the end of a run: at the edit when it is in the editor, else where
// the source is at fault, else at the first failing test, else at the top of
// the document that the user was in. from is that document, as a path.
func (m marker) end(r report.Report, applied *offer, from string) (mark, bool) {
	name, line := m.endPlace(r, applied, from)
	if name == "" {
		return mark{}, false
	}
	mk := m.mark(name, line, severityOf(r.Outcome), r.Outcome.String(),
		joined("\n", fmt.Sprintf("%s: %s", r.Outcome, r.Reason), nextOf(r)), Data{Run: r.Run})
	for _, a := range r.Attempts {
		if len(a.Files) == 0 {
			continue
		}
		mk.diagnostic.RelatedInformation = append(mk.diagnostic.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: uriOf(m.p.root, a.Files[0], m.docs)},
			Message:  joined(" ", fmt.Sprintf("#%d", a.N), a.Verdict.String(), a.Result, a.Note),
		})
	}
	return mk, true
}

func (m marker) endPlace(r report.Report, applied *offer, from string) (string, int) {
	if applied != nil {
		f := applied.files[0]
		return f.Path, firstChange(string(f.Base.Content), string(f.New.Content))
	}
	for _, u := range r.Baseline.Unusable {
		if u.File != "" && r.Outcome == outcome.Unrunnable {
			return u.File, u.Line
		}
	}
	for _, tests := range []report.Tests{r.Final, r.Baseline} {
		for _, f := range tests.Failing {
			if f.File != "" && r.Outcome != outcome.Fixed {
				return f.File, f.Line
			}
		}
	}
	return m.open(from), 1
}

// open is the document at a path, or else some other one of the project that the
// user has open: somewhere the end of a run must stand. "" is none.
func (m marker) open(path string) string {
	names := slices.Sorted(maps.Keys(m.docs))
	for _, name := range names {
		if m.docs[name].path == path {
			return name
		}
	}
	if len(names) > 0 {
		return names[0]
	}
	return ""
}

// firstChange is the line, from 1, at which two texts begin to differ.
func firstChange(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + strings.Count(b[:n], "\n")
}

func severityOf(o outcome.Outcome) protocol.DiagnosticSeverity {
	switch o {
	case outcome.Fixed, outcome.AlreadyGreen, outcome.Cancelled:
		return protocol.DiagnosticSeverityInformation
	case outcome.NoProgress, outcome.Budget, outcome.GaveUp:
		return protocol.DiagnosticSeverityWarning
	case outcome.Unrunnable, outcome.Invalid:
		return protocol.DiagnosticSeverityError
	default:
		panic(fmt.Sprintf("lsp: outcome %v", o))
	}
}

// showFailure marks a job that came to nothing by a fault of autocoder's or its
// surroundings.
func (s *Server) showFailure(j *job, err error) {
	m := s.marker(j.root)
	name := m.open(j.from)
	if name == "" {
		return
	}
	mk := m.mark(name, 1, protocol.DiagnosticSeverityError, codeBug, fmt.Sprintf("%s: %v", j.title, err), Data{})
	s.mu.Lock()
	marks, _ := m.meanwhile([]mark{mk})
	m.p.marks = append(m.p.marks, marks...)
	s.mu.Unlock()
	s.publish()
}

// publish shows the marks of all projects, and takes back what is no longer to be
// shown. It is the only place that publishes diagnostics, and tells whether a fix waits.
func (s *Server) publish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[uri.URI][]protocol.Diagnostic{}
	for _, p := range s.projects {
		for _, m := range p.marks {
			u := s.calls(m.path)
			now[u] = append(now[u], m.shown(s.caps))
		}
	}
	for u := range s.published {
		if _, still := now[u]; !still {
			s.publishOne(u, []protocol.Diagnostic{})
		}
	}
	for u, list := range now {
		s.publishOne(u, list)
	}
	s.tellReady()
	s.wakeWatch()
}

// publishOne sends the diagnostics of one file unless they are shown already.
// s.mu is held.
func (s *Server) publishOne(u uri.URI, list []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: list}
	raw, err := protocol.Marshal(params)
	if err != nil {
		s.cfg.Log.Error("encode diagnostics", "error", err)
		return
	}
	if s.published[u] == string(raw) {
		return
	}
	if len(list) == 0 {
		delete(s.published, u)
	} else {
		s.published[u] = string(raw)
	}
	if doc, open := s.docs[pathOf(u)]; open && doc.versioned && s.caps.versionedErrors {
		params.Version = protocol.NewOptional(doc.version)
	}
	s.out.send(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// calls is what the editor calls a file. s.mu is held.
func (s *Server) calls(path string) uri.URI {
	if doc, open := s.docs[path]; open {
		return doc.uri
	}
	return uri.File(path)
}

// shown is the mark as the editor can show it.
func (m mark) shown(caps clientCaps) protocol.Diagnostic {
	d := m.diagnostic
	if !caps.related {
		d.RelatedInformation = nil
	}
	if m.stale {
		text, _ := d.Message.(protocol.String)
		d.Message = protocol.String("files changed since: " + string(text))
		d.Severity = protocol.DiagnosticSeverityHint
		if caps.diagnosticTags {
			d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
		}
	}
	return d
}

// clearDiagnostics takes everything back that is shown.
func (s *Server) clearDiagnostics() {
	s.mu.Lock()
	for _, p := range s.projects {
		p.forget()
	}
	s.mu.Unlock()
	s.publish()
}
