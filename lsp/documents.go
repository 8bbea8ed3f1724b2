package lsp

import (
	"maps"
	"slices"
	"strings"
	"unsafe"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// document is what an editor shows of a file. It is a value: a change makes
// another one.
type document struct {
	uri  uri.URI
	path string
	// version is the editor's; versioned is false when it gave none.
	version   int32
	versioned bool
	text      string
	// pending are changes that are not in text yet. A text is made anew for many at
	// once: one for each letter that is typed would leave the garbage collector more to
	// do than all else. Whoever holds documents that don't change has none.
	pending []change
	enc     encoding
	// edited means that the user changed it since it was opened or saved.
	edited bool
	// untouched means that it was neither changed nor saved since it was opened.
	untouched bool
	// lost means that a change made no sense: what the editor shows is unknown until
	// it sends the whole text.
	lost bool
}

// documents are the open documents by path.
type documents map[string]document

// didOpen, didChange and the others are the protocol's, with what editors leave
// out left out.
type didOpen struct {
	TextDocument struct {
		URI     uri.URI `json:"uri"`
		Version *int32  `json:"version"`
		Text    string  `json:"text"`
	} `json:"textDocument"`
}

type didChange struct {
	TextDocument   versioned `json:"textDocument"`
	ContentChanges []change  `json:"contentChanges"`
}

type versioned struct {
	URI     uri.URI `json:"uri"`
	Version *int32  `json:"version"`
}

// change replaces a range, or everything when it has none.
type change struct {
	Range *protocol.Range `json:"range"`
	Text  string          `json:"text"`
}

type didClose struct {
	TextDocument versioned `json:"textDocument"`
}

type didSave struct {
	TextDocument versioned `json:"textDocument"`
	Text         *string   `json:"text"`
}

// untitled is how some editors call a buffer that was never saved. One that is to
// become a certain file has that file's path.
const untitled = "untitled:"

// pathOf returns the file that a URI names, or that is to be made of it; "" when it
// names none.
func pathOf(u uri.URI) string {
	switch {
	case u.IsFile():
		return u.FsPath()
	case isUntitled(u) && strings.HasPrefix(u.Path(), "/"):
		return uri.File(u.Path()).FsPath()
	default:
		return ""
	}
}

func isUntitled(u uri.URI) bool { return strings.HasPrefix(string(u), untitled) }

// open takes a document that an editor opened. Its text is copied: it shares the
// memory of the whole message.
func (d documents) open(p didOpen) (document, bool) {
	path := pathOf(p.TextDocument.URI)
	if path == "" {
		return document{}, false
	}
	doc := document{uri: p.TextDocument.URI, path: path, text: strings.Clone(p.TextDocument.Text), untouched: true}
	doc.setVersion(p.TextDocument.Version)
	d[path] = doc
	return doc, true
}

func (d *document) setVersion(v *int32) {
	d.versioned = v != nil
	if v != nil {
		d.version = *v
	}
}

// mostPending is how many changes wait at most.
const mostPending = 32

// change takes the changes of one message, in order.
func (d documents) change(p didChange, e encoding) (document, bool) {
	doc, open := d.of(p.TextDocument.URI)
	if !open {
		return document{}, false
	}
	for _, c := range p.ContentChanges {
		c.Text = strings.Clone(c.Text)
		doc.pending = append(doc.pending, c)
	}
	doc.enc = e
	doc.setVersion(p.TextDocument.Version)
	doc.edited, doc.untouched = true, false
	if len(doc.pending) > mostPending {
		doc = doc.settled()
	}
	d[doc.path] = doc
	return doc, true
}

// settled is the document with all its changes in its text.
func (d document) settled() document {
	if len(d.pending) == 0 {
		return d
	}
	s := splicer{text: []byte(d.text), enc: d.enc}
	for _, c := range d.pending {
		switch {
		case c.Range == nil:
			s, d.lost = splicer{text: []byte(c.Text), enc: d.enc}, false
		case !s.splice(*c.Range, c.Text):
			d.lost = true
		}
	}
	d.text, d.pending = string(s.text), nil
	return d
}

// at is the document at a path, settled.
func (d documents) at(path string) (document, bool) {
	doc, open := d[path]
	if open && len(doc.pending) > 0 {
		doc = doc.settled()
		d[path] = doc
	}
	return doc, open
}

// splicer makes changes in a text, in place.
type splicer struct {
	text []byte
	enc  encoding
	// line starts at the byte start: it is one before the last change, so that what
	// stands before it is as it was.
	line, start int
}

// splice replaces a range; false means that there is no such range.
func (s *splicer) splice(r protocol.Range, put string) bool {
	start := s.offset(r.Start)
	after := *s
	end := after.offset(r.End)
	if start > end {
		return false
	}
	s.text = slices.Replace(s.text, start, end, []byte(put)...)
	return true
}

// offset is the byte that a position stands before. It begins to count where the
// last change was: mostly the next one is near.
func (s *splicer) offset(p protocol.Position) int {
	text := unsafe.String(unsafe.SliceData(s.text), len(s.text)) // not kept: the bytes change
	if int64(p.Line) <= int64(s.line) {
		s.line, s.start = 0, 0
	}
	for int64(s.line)+1 < int64(p.Line) {
		end, next := s.enc.lineEnd(text, s.start)
		if end == next {
			break
		}
		s.line, s.start = s.line+1, next
	}
	p.Line -= uint32(s.line)
	return s.start + s.enc.offset(text[s.start:], p)
}

// of is the document that an editor calls so. When a buffer that was never saved is,
// its file is opened before it is emptied and closed itself.
func (d documents) of(u uri.URI) (document, bool) {
	doc, open := d[pathOf(u)]
	return doc, open && isUntitled(doc.uri) == isUntitled(u)
}

// close forgets a document; the file is what stands on disk again.
func (d documents) close(u uri.URI) (document, bool) {
	doc, open := d.of(u)
	if open {
		delete(d, doc.path)
	}
	return doc, open
}

// saved takes the text that an editor says it saved, which heals a document that
// was lost.
func (d documents) saved(p didSave) (document, bool) {
	doc, open := d.of(p.TextDocument.URI)
	if !open {
		return doc, false
	}
	doc = doc.settled()
	doc.edited, doc.untouched = false, false
	if p.Text != nil && bare(*p.Text) != bare(doc.text) {
		doc.text, doc.lost = strings.Clone(*p.Text), false
	}
	d[doc.path] = doc
	return doc, true
}

// snapshot returns the documents as they are now, settled.
func (d documents) snapshot() documents {
	for path := range d {
		d.at(path)
	}
	return maps.Clone(d)
}
