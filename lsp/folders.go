package lsp

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"autocoder/engine"
	"autocoder/engine/textedit"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// folder is one that the editor has opened.
type folder struct {
	uri  uri.URI
	path string
}

// foldersOf returns the folders that an editor opens at its start: none, one or
// several. Old editors name one only.
func foldersOf(p *protocol.InitializeParams) []folder {
	if list, ok := p.WorkspaceFolders.Get(); ok && len(list) > 0 {
		return addFolders(nil, list)
	}
	//lint:ignore SA1019 it is what old editors give
	old, oldest := p.RootURI, p.RootPath
	if old != nil {
		if path := pathOf(*old); path != "" {
			return []folder{{*old, path}}
		}
	}
	if path, ok := oldest.Get(); ok && filepath.IsAbs(path) {
		return []folder{{uri.File(path), path}}
	}
	return nil
}

func addFolders(folders []folder, list []protocol.WorkspaceFolder) []folder {
	for _, f := range list {
		path := pathOf(f.URI)
		if path == "" || slices.ContainsFunc(folders, func(g folder) bool { return g.path == path }) {
			continue
		}
		folders = append(folders, folder{f.URI, path})
	}
	return folders
}

// changedFolders is the protocol's DidChangeWorkspaceFoldersParams. Some editors put
// things into the lists that are no folders.
type changedFolders struct {
	Event struct {
		Added   []protocol.LSPAny `json:"added"`
		Removed []protocol.LSPAny `json:"removed"`
	} `json:"event"`
}

// foldersIn are the folders in a list of such.
func foldersIn(list []protocol.LSPAny) (folders []protocol.WorkspaceFolder) {
	for _, raw := range list {
		var f protocol.WorkspaceFolder
		if protocol.Unmarshal(raw, &f) == nil {
			folders = append(folders, f)
		}
	}
	return folders
}

// didChangeFolders takes folders that come and go. A job of a folder that goes
// is cancelled.
func (s *Server) didChangeFolders(p *changedFolders) {
	s.mu.Lock()
	gone := map[string]bool{}
	for _, f := range foldersIn(p.Event.Removed) {
		gone[pathOf(f.URI)] = true
	}
	s.folders = slices.DeleteFunc(slices.Clone(s.folders), func(f folder) bool { return gone[f.path] })
	s.folders = addFolders(s.folders, foldersIn(p.Event.Added))
	for root := range gone {
		if p := s.projects[root]; p != nil {
			p.forget()
			p.watch = false
		}
	}
	s.mu.Unlock()
	s.wakeWatch()
	s.cancelJobs(func(j *job) bool { return gone[j.root] })
	s.publish()
}

// rootOf returns the root of the project that a file belongs to: the innermost
// folder of the editor's that holds it, or what looks like its project. A file of ours
// belongs to the project that it tells of.
func (s *Server) rootOf(path string) string {
	s.mu.Lock()
	about, ours := s.written[path]
	root := s.folderOf(path)
	s.mu.Unlock()
	switch _, own := within(s.cfg.Own, path); {
	case ours:
		return about
	case root != "" || path == "":
		return root
	case own:
		return s.onlyRoot("") // a report of an earlier server's
	default:
		return engine.FindRoot(path, s.cfg.Home)
	}
}

// folderOf is rootOf for the editor's folders only. s.mu is held.
func (s *Server) folderOf(path string) string {
	best := ""
	for _, f := range s.folders {
		if _, in := within(f.path, path); in && len(f.path) > len(best) {
			best = f.path
		}
	}
	return best
}

// within returns a file's path relative to a folder, with slashes, when it lies
// in it.
func within(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// resolved is path with links followed as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}

// placed are the open documents of a project by their path in it, with slashes. A
// document may be reached by a link; what the editor calls it stays in it.
func (d documents) placed(root string) documents {
	in := documents{}
	real := resolved(root)
	for path, doc := range d {
		rel, ok := within(root, path)
		if !ok {
			rel, ok = within(real, resolved(path))
		}
		if ok && !doc.lost {
			in[rel] = doc
		}
	}
	return in
}

// buffers are the texts of placed documents, to be laid over the files. A file in
// another encoding than UTF-8 that was not edited is left as it is: the editor
// shows a translation of it.
func (d documents) buffers(root string) map[string][]byte {
	texts := map[string][]byte{}
	for rel, doc := range d {
		if text, ok := doc.saved(root, rel); ok {
			texts[rel] = []byte(text)
		}
	}
	return texts
}

// orderMark begins some files. Editors keep it to themselves, and write it again.
const orderMark = "\ufeff"

// bare is a text as editors show it.
func bare(text string) string { return strings.TrimPrefix(text, orderMark) }

// differs reports whether a document shows another text than its file has. An empty
// buffer that was never saved is none yet.
func (d document) differs(root, rel string) bool {
	if d.edited {
		return true
	}
	text, ok := d.saved(root, rel)
	if !ok {
		return false
	}
	f, err := engine.ReadCurrent(root, rel)
	return err != nil || text != string(f.Content) && (f.Kind != textedit.Absent || strings.TrimSpace(text) != "")
}

// saved is what the file of a document would be if it were saved. ok is false for the
// translation of a file that was not edited.
func (d document) saved(root, rel string) (text string, ok bool) {
	f, err := engine.ReadCurrent(root, rel)
	switch {
	case err != nil:
		return d.text, true // what is to become of it is not known
	case !d.edited && !utf8.Valid(f.Content):
		return "", false
	case bytes.HasPrefix(f.Content, []byte(orderMark)):
		return orderMark + bare(d.text), true
	default:
		return d.text, true
	}
}
