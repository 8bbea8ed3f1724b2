package shadow

import (
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// FS returns the base as a file system for reading, with the shared folders in
// their places. Names that are not UTF-8, which package fs can't express, are
// not shown.
func (s *Shadow) FS() fs.FS { return treeFS{s} }

type treeFS struct{ s *Shadow }

// place returns the file system that holds a name, and the name there.
func (t treeFS) place(op, name string) (fs.FS, string, error) {
	if !fs.ValidPath(name) {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	sh, in := t.s.tree.share(name)
	if !in {
		return os.DirFS(t.s.base()), name, nil
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(name, sh.Path), "/")
	if rest == "" {
		rest = "."
	}
	return os.DirFS(sh.Source), rest, nil
}

// Open opens a file of the base or of a shared folder.
func (t treeFS) Open(name string) (fs.File, error) {
	sub, rest, err := t.place("open", name)
	if err != nil {
		return nil, err
	}
	return sub.Open(rest)
}

// Stat follows links.
func (t treeFS) Stat(name string) (fs.FileInfo, error) {
	sub, rest, err := t.place("stat", name)
	if err != nil {
		return nil, err
	}
	return fs.Stat(sub, rest)
}

// ReadFile reads a whole file.
func (t treeFS) ReadFile(name string) ([]byte, error) {
	sub, rest, err := t.place("read", name)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(sub, rest)
}

// ReadDir lists a folder.
func (t treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	sub, rest, err := t.place("readdir", name)
	if err != nil {
		return nil, err
	}
	list, err := fs.ReadDir(sub, rest)
	var shown []fs.DirEntry
	for _, d := range list {
		if utf8.ValidString(d.Name()) {
			shown = append(shown, d)
		}
	}
	return shown, err
}
