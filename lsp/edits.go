package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
	"autocoder/engine/textedit"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// answer is what became of an edit that was brought to the editor.
type answer uint8

const (
	_ answer = iota
	// applied: every file of the edit is as it should be.
	applied
	// declined: the editor or its user did not want it.
	declined
	// unknown: the editor says that it made the edit, or nothing, and the files don't
	// show it.
	unknown
	// stale: the files are no longer what the edit was made for. It was not sent.
	stale
	// impossible: the editor can't make such an edit. It was not sent.
	impossible
)

// brought is an answer with what is to be said of it.
type brought struct {
	answer answer
	text   string
}

// applyWait is how long an editor may think about an edit; it may have to ask its
// user. What it does later is seen by its files.
const applyWait = 10 * time.Minute

// bring brings an edit to the editor. The files are held against what the edit was
// made for right before, and against what it makes of them afterwards: editors
// say that they applied what they skipped.
func (s *Server) bring(o offer, root, label string) brought {
	docs := s.documents(root)
	switch now, names := o.standingIn(shown(root, docs)); now {
	case done:
		return brought{applied, "it is in the files already"}
	case changed:
		return outdated(names)
	case ready:
	default:
		panic(fmt.Sprintf("lsp: standing %d", now))
	}
	s.mu.Lock()
	caps, confirm := s.caps, s.project(root).confirm
	s.project(root).arriving = s.expect(o, root, docs)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.project(root).arriving = nil
		s.mu.Unlock()
	}()
	edit, err := editOf(o, root, docs, caps, confirm)
	if err != nil {
		return brought{impossible, err.Error()}
	}
	if !caps.applyEdit {
		how := "autocoder fix --apply can"
		if caps.literals {
			how = "apply it by the code action"
		}
		return brought{impossible, "the editor takes no edits from a server: " + how}
	}
	return s.ask(o, root, &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: *edit})
}

// names are the files of an offer.
func (o offer) names() string {
	var names []string
	for _, f := range o.files {
		names = append(names, f.Path)
	}
	return strings.Join(names, ", ")
}

func outdated(names []string) brought {
	return brought{stale, "it is stale: " + strings.Join(names, ", ") + " changed meanwhile; run it again"}
}

// ask asks the editor to make an edit, and looks what became of it. The job's own
// end does not end that: an edit that is sent may be made.
func (s *Server) ask(o offer, root string, params *protocol.ApplyWorkspaceEditParams) brought {
	ctx, cancel := context.WithTimeout(s.answering, applyWait)
	defer cancel()
	var result protocol.ApplyWorkspaceEditResult
	err := s.call(ctx, protocol.MethodWorkspaceApplyEdit, params, &result)
	if err == nil && !result.Applied {
		if now, names := o.standingIn(shown(root, s.documents(root))); now == changed {
			return outdated(names)
		}
		why := "the editor did not apply it"
		if result.FailureReason != nil && *result.FailureReason != "" {
			why += ": " + *result.FailureReason
		}
		return brought{declined, why}
	}
	if s.arrived(o, root) {
		return brought{applied, "applied to " + plural(len(o.files), "file")}
	}
	if err != nil {
		return brought{unknown, "it is not known whether the editor applied it"}
	}
	_, names := o.standingIn(shown(root, s.documents(root)))
	if len(names) == 0 {
		return brought{unknown, "the editor says that it applied it, and the files don't show it: save " + o.names() + ", or apply it again"}
	}
	return brought{unknown, "the editor applied it, and " + strings.Join(names, ", ") + " differs from what was tested"}
}

// arrival is an edit on its way to the editor: what becomes of each document, and
// which have been so. The user may type on at once.
type arrival struct {
	names map[string]string // by the document's path
	texts map[string]string
	seen  map[string]bool // by name
}

// expect is the arrival of an offer. s.mu is held.
func (s *Server) expect(o offer, root string, docs documents) *arrival {
	a := &arrival{names: map[string]string{}, texts: map[string]string{}, seen: map[string]bool{}}
	for _, f := range o.files {
		path := s.project(root).absolute(f.Path)
		if doc, open := docs[f.Path]; open {
			path = doc.path
		}
		a.names[path], a.texts[path] = f.Path, string(f.New.Content)
	}
	return a
}

// note takes note of a document that changed.
func (a *arrival) note(doc document) {
	if text, expected := a.texts[doc.path]; expected && bare(text) == bare(doc.settled().text) {
		a.seen[a.names[doc.path]] = true
	}
}

// reader reads files as shown, and those that have been as they should as such.
func (s *Server) reader(o offer, root string) textedit.Reader {
	now := shown(root, s.documents(root))
	s.mu.Lock()
	seen := maps.Clone(s.project(root).arriving.seen)
	s.mu.Unlock()
	return func(name string) (textedit.File, error) {
		for _, f := range o.files {
			if f.Path == name && seen[name] {
				return f.New, nil
			}
		}
		return now(name)
	}
}

// arrived waits until the files are, or have been, as an offer makes them.
func (s *Server) arrived(o offer, root string) bool {
	late := time.NewTimer(s.cfg.Patience)
	defer late.Stop()
	for {
		s.mu.Lock()
		moved := s.moved
		s.mu.Unlock()
		if now, _ := o.standingIn(s.reader(o, root)); now == done {
			return true
		}
		select {
		case <-moved:
		case <-late.C:
			return false
		case <-s.answering.Done():
			return false
		}
	}
}

// editOf is an offer in the protocol's words. It is for files that are as the
// offer was made for.
func editOf(o offer, root string, docs documents, caps clientCaps, confirm bool) (*protocol.WorkspaceEdit, error) {
	w := &writer{root: root, docs: docs, caps: caps, edit: &protocol.WorkspaceEdit{}}
	if caps.annotations {
		w.edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{annotation: o.annotation(confirm)}
	}
	for _, f := range o.files {
		if err := w.file(f); err != nil {
			return nil, fmt.Errorf("%w: autocoder fix --apply can", err)
		}
	}
	return w.edit, nil
}

// annotation is the name, in an edit, of what the edit is for.
const annotation protocol.ChangeAnnotationIdentifier = "autocoder"

// annotation says what the edit is for, and whether the editor is to show it to its
// user before it is made.
func (o offer) annotation(confirm bool) protocol.ChangeAnnotation {
	a := protocol.ChangeAnnotation{Label: o.label()}
	if byModel(o.report) {
		a.Label += " (written by a language model)"
	}
	if o.report.Why != "" {
		a.Description = &o.report.Why
	}
	if confirm {
		a.NeedsConfirmation = &confirm
	}
	return a
}

// byModel reports whether a language model wrote the edit of a run.
func byModel(r report.Report) bool {
	return slices.ContainsFunc(r.Attempts, func(a report.Attempt) bool {
		maker, _, _ := strings.Cut(a.Origin, ":")
		return a.Verdict == outcome.Applied && r.Usage.Model != "" && !slices.Contains([]string{"", "script", "repair", "null", "chosen"}, maker)
	})
}

// writer writes a WorkspaceEdit as an editor can take it.
type writer struct {
	root string
	docs documents
	caps clientCaps
	edit *protocol.WorkspaceEdit
}

func (w *writer) file(f engine.OfferedFile) error {
	u := uriOf(w.root, f.Path, w.docs)
	switch {
	case f.Base.Kind == textedit.Regular && f.New.Kind == textedit.Regular:
		old, now := string(f.Base.Content), string(f.New.Content)
		if doc, open := w.docs[f.Path]; !open || doc.text == bare(doc.text) {
			old, now = bare(old), bare(now)
		}
		w.text(f, w.edits(old, now))
	case f.Base.Kind == textedit.Absent && f.New.Kind == textedit.Regular:
		if !w.caps.create {
			return fmt.Errorf("the editor can't make the file %s", f.Path)
		}
		w.add(&protocol.CreateFile{ResourceOperation: w.operation("create"), Kind: "create", URI: u})
		w.text(f, []protocol.TextEdit{{Range: emptyFile, NewText: string(f.New.Content)}})
	case f.Base.Kind == textedit.Regular && f.New.Kind == textedit.Absent:
		if !w.caps.remove {
			return fmt.Errorf("the editor can't delete the file %s", f.Path)
		}
		w.add(&protocol.DeleteFile{ResourceOperation: w.operation("delete"), Kind: "delete", URI: u})
	default:
		return fmt.Errorf("an editor can't change the link %s", f.Path)
	}
	return nil
}

// emptyFile is all of a file that was just made: nothing, or for some editors an empty
// line, which would else stand behind the text.
var emptyFile = protocol.Range{End: protocol.Position{Line: 1}}

func (w *writer) operation(kind string) protocol.ResourceOperation {
	op := protocol.ResourceOperation{Kind: kind}
	if w.caps.annotations {
		op.AnnotationID = annotation
	}
	return op
}

func (w *writer) add(c protocol.DocumentChange) {
	w.edit.DocumentChanges = append(w.edit.DocumentChanges, c)
}

// edits are the edits that lead from one text to another.
func (w *writer) edits(old, now string) []protocol.TextEdit {
	var list []protocol.TextEdit
	for _, e := range textedit.Minimal([]byte(old), []byte(now)) {
		list = append(list, protocol.TextEdit{
			Range:   protocol.Range{Start: w.caps.encoding.position(old, e.Start), End: w.caps.encoding.position(old, e.End)},
			NewText: e.New,
		})
	}
	return list
}

// text adds the edits of one file: with the version that they are for when the
// document is open, with none when the file on disk is meant.
func (w *writer) text(f engine.OfferedFile, list []protocol.TextEdit) {
	u := uriOf(w.root, f.Path, w.docs)
	if !w.caps.documentChanges {
		if w.edit.Changes == nil {
			w.edit.Changes = map[uri.URI][]protocol.TextEdit{}
		}
		w.edit.Changes[u] = list
		return
	}
	change := &protocol.TextDocumentEdit{}
	change.TextDocument.URI = u
	if doc, open := w.docs[f.Path]; open && doc.versioned {
		change.TextDocument.Version = ptr(doc.version)
	}
	for i := range list {
		if w.caps.annotations {
			change.Edits = append(change.Edits, &protocol.AnnotatedTextEdit{TextEdit: list[i], AnnotationID: annotation})
			continue
		}
		change.Edits = append(change.Edits, &list[i])
	}
	w.add(change)
}
