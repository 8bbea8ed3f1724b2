package lsp

import (
	"maps"
	"strings"

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
	// edited means that the user changed it since it was opened or saved.
	edited bool
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
	doc := document{uri: p.TextDocument.URI, path: path, text: strings.Clone(p.TextDocument.Text)}
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

// change makes the changes of one message, in order.
func (d documents) change(p didChange, e encoding) (document, bool) {
	doc, open := d[pathOf(p.TextDocument.URI)]
	if !open {
		return document{}, false
	}
	for _, c := range p.ContentChanges {
		doc = doc.changed(c, e)
	}
	doc.setVersion(p.TextDocument.Version)
	doc.edited = true
	d[doc.path] = doc
	return doc, true
}

func (d document) changed(c change, e encoding) document {
	if c.Range == nil {
		d.text, d.lost = strings.Clone(c.Text), false
		return d
	}
	start, end := e.offset(d.text, c.Range.Start), e.offset(d.text, c.Range.End)
	if start > end {
		d.lost = true
		return d
	}
	d.text = d.text[:start] + c.Text + d.text[end:]
	return d
}

// close forgets a document; the file is what stands on disk again. When a buffer
// that was never saved is, its file is opened before it is closed itself.
func (d documents) close(u uri.URI) (document, bool) {
	doc, open := d[pathOf(u)]
	if !open || isUntitled(doc.uri) != isUntitled(u) {
		return document{}, false
	}
	delete(d, doc.path)
	return doc, true
}

// saved takes the text that an editor says it saved, which heals a document that
// was lost.
func (d documents) saved(p didSave) (document, bool) {
	doc, open := d[pathOf(p.TextDocument.URI)]
	if !open {
		return doc, false
	}
	doc.edited = false
	if p.Text != nil && *p.Text != doc.text {
		doc.text, doc.lost = strings.Clone(*p.Text), false
	}
	d[doc.path] = doc
	return doc, true
}

// snapshot returns the documents as they are now.
func (d documents) snapshot() documents { return maps.Clone(d) }
