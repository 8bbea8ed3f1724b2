package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// Changes returns the files and links that commands wrote since Set and Write.
func (f *Layered) Changes() ([]Change, error) {
	now, err := scan(context.Background(), filepath.Join(f.layer, upperName))
	if err != nil {
		return nil, fmt.Errorf("list the changes of a fork: %w", clipped(err))
	}
	var list []Change
	for p, st := range now {
		if old, ok := f.laid[p]; ok && old == st {
			continue
		}
		list = append(list, f.changed(p, st)...)
	}
	for p := range f.laid {
		if _, ok := now[p]; !ok && f.stood(p) {
			list = append(list, Change{p, Deleted})
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(list), nil
}

// changed says what an entry of the upper folder means.
func (f *Layered) changed(p string, st stamp) []Change {
	switch {
	case st.mode&fs.ModeCharDevice != 0: // a whiteout
		return f.below(p)
	case st.mode.IsDir():
		list := f.folder(p)
		if f.stood(p) {
			list = append(list, Change{p, Deleted}) // the folder is in its place
		}
		return list
	case f.stood(p):
		return []Change{{p, Modified}}
	default:
		return append(f.below(p), Change{p, Created})
	}
}

// folder says what a folder of the upper one has changed beside its own entries:
// it hides what the base has there, or is a folder of the base by a new name.
func (f *Layered) folder(p string) []Change {
	hides, from := folderMarks(f.upper(p))
	var list []Change
	if hides || from != "" {
		list = f.below(p)
	}
	if from == "" {
		return list
	}
	if !strings.HasPrefix(from, "/") {
		from = path.Join("/", path.Dir(p), from)
	}
	from = strings.TrimPrefix(from, "/")
	for q, n := range f.s.tree.nodes {
		rest, ok := strings.CutPrefix(q, from+"/")
		if !ok || n.kind == workspace.Folder {
			continue
		}
		if _, err := os.Lstat(f.upper(path.Join(p, rest))); err != nil {
			list = append(list, Change{path.Join(p, rest), Created})
		}
	}
	return list
}

// below lists as deleted what the base has at a path or below it, and what is
// there no more.
func (f *Layered) below(p string) []Change {
	var list []Change
	for q, n := range f.s.tree.nodes {
		if (q != p && !strings.HasPrefix(q, p+"/")) || n.kind == workspace.Folder || !f.stood(q) {
			continue
		}
		if info, err := os.Lstat(f.upper(q)); err != nil || info.Mode()&fs.ModeCharDevice != 0 {
			list = append(list, Change{q, Deleted})
		}
	}
	return list
}

// stood reports whether there was a file or a link before the commands.
func (f *Layered) stood(p string) bool {
	if st, ok := f.laid[p]; ok {
		return st.mode&fs.ModeCharDevice == 0
	}
	if f.written[p] {
		return false // Write has deleted it
	}
	if file, ok := f.files[p]; ok && file.Kind == textedit.Absent {
		return false
	}
	kind := f.s.tree.nodes[p].kind
	return kind == workspace.File || kind == workspace.Symlink
}
