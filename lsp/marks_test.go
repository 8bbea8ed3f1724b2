package lsp

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/report"
	"autocoder/engine/textedit"

	"go.lsp.dev/uri"
)

// TestMarksOfEarlierTexts has something happen between the moment at which diagnostics
// are made and that at which they are shown.
func TestMarksOfEarlierTexts(t *testing.T) {
	t.Parallel()
	var version int32
	open := func(s *Server, path, text string) {
		p := &didOpen{}
		p.TextDocument.URI, p.TextDocument.Text = uri.File(path), text
		s.didOpen(p)
	}
	replace := func(s *Server, path, text string) {
		version++
		s.didChange(&didChange{TextDocument: versioned{uri.File(path), &version}, ContentChanges: []change{{Text: text}}})
	}
	closeFile := func(s *Server, path string) { s.didClose(&didClose{TextDocument: versioned{URI: uri.File(path)}}) }
	reopen := func(s *Server, path, saved string) {
		if err := os.WriteFile(path, []byte(saved), 0o600); err != nil {
			t.Fatal(err)
		}
		closeFile(s, path)
		open(s, path, saved)
	}
	awaiting := func(name, before, after string) *awaited {
		file := func(text string) textedit.File {
			return textedit.File{Kind: textedit.Regular, Content: []byte(text)}
		}
		return &awaited{offer: offer{files: []engine.OfferedFile{{Path: name, Base: file(before), New: file(after)}}}}
	}
	for _, c := range []struct {
		name string
		late bool // it happens when they are shown already
		do   func(s *Server, root string)
		// shown are the marks in the end, and stale says whether they are stale.
		shown int
		stale bool
	}{
		{"nothing", false, func(*Server, string) {}, 2, false}, // the control
		{"the file is edited", false, func(s *Server, root string) { replace(s, filepath.Join(root, "open.txt"), "o\n") }, 1, true},
		{"another one is edited", false, func(s *Server, root string) { replace(s, filepath.Join(root, "other.txt"), "o\n") }, 2, true},
		{"the file is closed, not saved", false, func(s *Server, root string) {
			closeFile(s, filepath.Join(root, "open.txt"))
		}, 1, true},
		{"a file that is shown is closed, not saved, and opened as it was", true, func(s *Server, root string) {
			reopen(s, filepath.Join(root, "open.txt"), "a longer text\n")
		}, 2, false},
		{"a file that is shown is closed, not saved, and opened with other lines below", true, func(s *Server, root string) {
			reopen(s, filepath.Join(root, "open.txt"), "a longer text\nand more\n")
		}, 1, true},
		{"the file is edited while an edit is on its way", true, func(s *Server, root string) {
			s.project(root).arriving = &arrival{}
			replace(s, filepath.Join(root, "open.txt"), "o\n")
		}, 1, false},
		{"the file is edited, and an edit of it is awaited that is not there", true, func(s *Server, root string) {
			s.project(root).awaited = awaiting("open.txt", "o\n", "other\n")
			replace(s, filepath.Join(root, "open.txt"), "o\n")
		}, 1, false},
		{"a file is opened", false, func(s *Server, root string) { open(s, filepath.Join(root, "closed.txt"), "text\n") }, 2, false},
		{"a file is opened with another text", false, func(s *Server, root string) { open(s, filepath.Join(root, "closed.txt"), "t\n") }, 1, true},
		{"a file that is shown is opened with another text", true, func(s *Server, root string) { open(s, filepath.Join(root, "closed.txt"), "t\n") }, 1, true},
		{"a file that is shown is opened", true, func(s *Server, root string) { open(s, filepath.Join(root, "closed.txt"), "text\n") }, 2, false},
		{"a file changes on disk", false, func(s *Server, root string) { s.diskChanged(root, "third.txt") }, 2, true},
		{"an open file changes on disk", false, func(s *Server, root string) { s.diskChanged(root, "other.txt") }, 2, false},
		{"a file is opened, and heard of its change on disk before", false, func(s *Server, root string) {
			open(s, filepath.Join(root, "closed.txt"), "text\n")
			s.diskChanged(root, "closed.txt")
		}, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "closed.txt"), []byte("text\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			log := slog.New(slog.NewTextHandler(io.Discard, nil))
			s := newServer(t.Context(), Config{Now: time.Now, Log: log})
			s.out = newOutbox(func(context.Context, string, any) error { return nil }, log)
			open(s, filepath.Join(root, "open.txt"), "a long text\n")
			replace(s, filepath.Join(root, "open.txt"), "a longer text\n")
			open(s, filepath.Join(root, "other.txt"), "other\n")
			s.mu.Lock()
			j := &job{jobSpec: jobSpec{root: root, docs: s.docs.snapshot()}}
			s.mu.Unlock()
			m := s.marker(root)
			marks := m.tests(report.Tests{Failing: []report.Failing{{ID: "a", File: "open.txt", Line: 1}, {ID: "b", File: "closed.txt", Line: 1}}})
			if c.late {
				s.show(m, j, marks, nil)
				c.do(s, root)
			} else {
				c.do(s, root)
				s.show(m, j, marks, nil)
			}
			s.work.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			left := s.project(root).marks
			if len(left) != c.shown {
				t.Errorf("%d marks are shown, want %d: %+v", len(left), c.shown, left)
			}
			for _, mk := range left {
				if mk.stale != c.stale {
					t.Errorf("stale is %t of %+v", mk.stale, mk)
				}
			}
		})
	}
}
