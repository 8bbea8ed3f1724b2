package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Open opens a file, which need not exist: then its buffer is empty and not saved.
func (e *Editor) Open(path string) {
	text, saved := load(path)
	e.OpenText(path, text, saved)
}

// orderMark begins some files. Editors don't show it, and write it again.
const orderMark = "\ufeff"

// load is the text of a file, as editors show it.
func load(path string) (text string, exists bool) {
	content, err := os.ReadFile(path)
	return strings.TrimPrefix(string(content), orderMark), err == nil
}

// store writes a text to a file.
func store(path, text string) error {
	if before, _ := os.ReadFile(path); strings.HasPrefix(string(before), orderMark) {
		text = orderMark + text
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// OpenText opens a buffer with a text that may not be the file's.
func (e *Editor) OpenText(path, text string, saved bool) { e.openAs(URI(path), path, text, saved) }

// OpenUntitled opens a buffer that is to become a file, as some editors call what
// was never saved.
func (e *Editor) OpenUntitled(path, text string) {
	e.openAs(untitled+":"+strings.TrimPrefix(URI(path), "file://"), path, text, false)
}

// SaveUntitled saves such a buffer: the file is opened in its place, and then the
// buffer is emptied and closed.
func (e *Editor) SaveUntitled(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[path]
	if b == nil {
		return fmt.Errorf("%s is not open", path)
	}
	if err := os.WriteFile(path, []byte(b.Text), 0o644); err != nil {
		return err
	}
	e.closed[path] = max(e.closed[path], b.Version+1)
	e.open(URI(path), path, b.Text).Saved = true
	e.Notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": b.URI, "version": b.Version + 1}, "contentChanges": []any{map[string]any{"text": ""}},
	})
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.URI}})
	return nil
}

func (e *Editor) openAs(uri, path, text string, saved bool) {
	e.update(func() { e.open(uri, path, text).Saved = saved })
}

// open makes a buffer. Its versions are other ones than those of all earlier buffers of
// the file, so that what is for one of these is not taken for its own. e.mu is held.
func (e *Editor) open(uri, path, text string) *Buffer {
	b := &Buffer{Path: path, URI: uri, Text: text, Version: 1 + e.closed[path]}
	e.buffers[path] = b
	e.Notify("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": "plaintext", "version": b.Version, "text": text},
	})
	return b
}

// close forgets a buffer. e.mu is held.
func (e *Editor) close(b *Buffer) {
	delete(e.buffers, b.Path)
	e.closed[b.Path] = max(e.closed[b.Path], b.Version)
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.URI}})
}

// Text is what the buffer, or else the file, has.
func (e *Editor) Text(path string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.textOf(path)
}

// Texts is Text for several files at one moment.
func (e *Editor) Texts(paths ...string) (texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, path := range paths {
		text, _ := e.textOf(path)
		texts = append(texts, text)
	}
	return texts
}

// Replace makes the bytes [start, end) of a buffer text, and tells the server the
// range.
func (e *Editor) Replace(path string, start, end int, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[path]
	if b == nil || start > end || end > len(b.Text) {
		return fmt.Errorf("no bytes [%d,%d) in %s", start, end, path)
	}
	e.remember(map[string]string{path: b.Text})
	e.replace(b, start, end, text)
	return nil
}

// mostUndo is how many changes the editor can take back.
const mostUndo = 100

// remember keeps the texts before a change. e.mu is held.
func (e *Editor) remember(before map[string]string) {
	e.undo = append(e.undo, before)
	if len(e.undo) > mostUndo {
		e.undo = slices.Delete(e.undo, 0, 1)
	}
}

// replace is Replace with e.mu held, so that changes are told in order.
func (e *Editor) replace(b *Buffer, start, end int, text string) {
	at := Range{e.position(b.Text, start), e.position(b.Text, end)}
	b.Text = b.Text[:start] + text + b.Text[end:]
	b.Version++
	b.Saved = false
	e.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": b.URI, "version": b.Version},
		"contentChanges": []any{map[string]any{"range": at, "text": text}},
	})
}

// Save writes a buffer to its file.
func (e *Editor) Save(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[path]
	if b == nil {
		return fmt.Errorf("%s is not open", path)
	}
	if err := store(path, b.Text); err != nil {
		return err
	}
	b.Saved = true
	e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": URI(path)}, "text": b.Text})
	return nil
}

// Close closes a buffer; what was not saved is lost.
func (e *Editor) Close(path string) {
	e.update(func() {
		if b := e.buffers[path]; b != nil {
			e.close(b)
		}
	})
}

// Undo takes the last change back: of the user's, or a whole edit of the server's.
func (e *Editor) Undo() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.undo) == 0 {
		return errors.New("there is nothing to undo")
	}
	last := e.undo[len(e.undo)-1]
	e.undo = e.undo[:len(e.undo)-1]
	for _, path := range slices.Sorted(maps.Keys(last)) {
		if b := e.buffers[path]; b != nil {
			e.replace(b, 0, len(b.Text), last[path])
		}
	}
	return nil
}

// Make makes an edit of the server's as a strict editor does: all of it, or
// nothing and an error. A file that is not open is opened for it and not saved.
func (e *Editor) Make(w WorkspaceEdit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	texts, made, gone, err := e.planned(w)
	if err != nil {
		return err
	}
	return e.carryOut(texts, made, gone)
}

// hide makes an edit of texts in buffers that the server is not told of.
func (e *Editor) hide(w WorkspaceEdit) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hidden, _, _, err = e.planned(w)
	return err
}

// SaveHidden writes the buffers that the server was not told of.
func (e *Editor) SaveHidden() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for path, text := range e.hidden {
		if err := store(path, text); err != nil {
			return err
		}
	}
	return nil
}

// errBehind is that of an edit for what was there before the user typed. It is
// refused, and no rule is broken unless the server had heard of the change.
var errBehind = errors.New("an edit for an earlier text")

// planned checks an edit and returns what it makes of the files.
func (e *Editor) planned(w WorkspaceEdit) (texts map[string]string, made, gone map[string]bool, err error) {
	if len(w.Changes) > 0 && len(w.DocumentChanges) > 0 {
		return nil, nil, nil, errors.New("an edit has changes and documentChanges")
	}
	changes := w.DocumentChanges
	for uri, edits := range w.Changes {
		var c DocumentChange
		if err := json.Unmarshal(raw(map[string]any{"textDocument": map[string]any{"uri": uri}, "edits": edits}), &c); err != nil {
			return nil, nil, nil, err
		}
		c.unversioned = true
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil, nil, nil, errors.New("an empty edit")
	}
	if err := e.annotated(w, changes); err != nil {
		return nil, nil, nil, err
	}
	texts, made, gone = map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		if err := e.plan(c, texts, made, gone); err != nil {
			return nil, nil, nil, err
		}
	}
	return texts, made, gone, nil
}

// annotated checks that every change has an annotation that the edit has, if the
// editor said that it knows them, and else none.
func (e *Editor) annotated(w WorkspaceEdit, changes []DocumentChange) error {
	can, _ := e.options.Can["workspace"].(map[string]any)
	edits, _ := can["workspaceEdit"].(map[string]any)
	_, knows := edits["changeAnnotationSupport"]
	if !knows && len(w.ChangeAnnotations) > 0 {
		return errors.New("the editor never said that it knows annotations")
	}
	var ids []string
	for _, c := range changes {
		if c.Kind != "" {
			ids = append(ids, c.AnnotationID)
		}
		for _, edit := range c.Edits {
			ids = append(ids, edit.AnnotationID)
		}
	}
	for _, id := range ids {
		if a, is := w.ChangeAnnotations[id]; is != knows || is && a.Label == "" {
			return fmt.Errorf("a change with the annotation %q, of %v", id, w.ChangeAnnotations)
		}
	}
	e.edits = append(e.edits, w)
	return nil
}

// Edits are the server's edits so far.
func (e *Editor) Edits() []WorkspaceEdit {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.edits)
}

// plan checks one change and notes what it makes of its file.
func (e *Editor) plan(c DocumentChange, texts map[string]string, made, gone map[string]bool) error {
	switch c.Kind {
	case "create":
		if _, exists := e.textOf(Path(c.URI)); exists {
			return fmt.Errorf("%s exists", c.URI)
		}
		made[Path(c.URI)], texts[Path(c.URI)] = true, e.empty()
		return nil
	case "delete":
		if _, exists := e.textOf(Path(c.URI)); !exists {
			return fmt.Errorf("%s does not exist", c.URI)
		}
		gone[Path(c.URI)] = true
		return nil
	case "":
	default:
		return fmt.Errorf("an operation %q", c.Kind)
	}
	if c.TextDocument == nil {
		return errors.New("a change of no document")
	}
	path := Path(c.TextDocument.URI)
	b := e.buffers[path]
	if b != nil && b.URI != c.TextDocument.URI {
		return fmt.Errorf("an edit of %s, which is open as %s", c.TextDocument.URI, b.URI)
	}
	switch v := c.TextDocument.Version; {
	case c.unversioned || v == nil && b == nil || v != nil && b != nil && *v == b.Version:
	case v == nil && e.heard.settled[b] > 0:
		return fmt.Errorf("an edit for %s on disk, after the server had heard that it is open", path)
	case v == nil:
		return fmt.Errorf("%w: %s was opened", errBehind, path)
	case b != nil && *v < e.heard.settled[b]:
		return fmt.Errorf("an edit for version %d of %s, after the server had heard of version %d", *v, path, e.heard.settled[b])
	case b != nil && 0 < *v && *v < b.Version, 0 < *v && *v <= e.closed[path]:
		return fmt.Errorf("%w: version %d of %s", errBehind, *v, path)
	default:
		return fmt.Errorf("an edit for version %d of %s, which is another one", *v, path)
	}
	text, planned := texts[path]
	if !planned {
		var exists bool
		if text, exists = e.textOf(path); !exists {
			return fmt.Errorf("an edit of %s, which does not exist", path)
		}
	}
	if made[path] && text == "" {
		c.Edits = clamped(c.Edits)
	}
	text, err := e.applyEdits(text, c.Edits)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if made[path] && e.options.Lines && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	texts[path] = text
	return nil
}

// empty is the text of an empty file.
func (e *Editor) empty() string {
	if e.options.Lines {
		return "\n"
	}
	return ""
}

// clamped are edits of an empty text: where they lead behind it, all editors take its
// end.
func clamped(edits []TextEdit) []TextEdit {
	all := slices.Clone(edits)
	for i := range all {
		all[i].Range = Range{}
	}
	return all
}

// carryOut makes the planned changes, and remembers how to undo them as one.
func (e *Editor) carryOut(texts map[string]string, made, gone map[string]bool) error {
	before := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if made[path] {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
		}
		b := e.buffers[path]
		if b == nil {
			text, _ := e.textOf(path)
			b = e.open(URI(path), path, text)
		}
		before[path] = b.Text
		e.replace(b, 0, len(b.Text), texts[path])
	}
	for path := range gone {
		if err := os.Remove(path); err != nil {
			return err
		}
		if b := e.buffers[path]; b != nil {
			e.close(b)
		}
	}
	e.remember(before)
	return nil
}
