package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// overlay is what lies over the base, by the path where it really lies.
type overlay map[string]textedit.File

func (o overlay) paths() []string { return slices.Sorted(maps.Keys(o)) }

// overlay places the files of a state. A regular file at the place of a link is
// written through it, as an editor would.
func (s *Shadow) overlay(state textedit.State) (overlay, error) {
	files := overlay{}
	for _, p := range state.Paths() {
		file, _ := state.Lookup(p)
		// The links that count are those of the base: the file itself must not be
		// taken for what it replaces.
		at, err := s.tree.resolve(textedit.State{}, p, file.Kind == textedit.Regular)
		if err != nil {
			return nil, misfit(p, err)
		}
		if old, ok := files[at]; ok && !equal(old, file) {
			return nil, misfit(p, fmt.Errorf("it is %q by another name, which has another content", at))
		}
		files[at] = file
	}
	for at := range files {
		if err := s.fits(files, at); err != nil {
			return nil, misfit(at, err)
		}
	}
	return files, nil
}

func misfit(p string, err error) error {
	return fmt.Errorf("%w: %q: %v", textedit.ErrNotApplicable, p, err)
}

// fits says why a file can't stand where the overlay puts it.
func (s *Shadow) fits(files overlay, at string) error {
	file := files[at]
	if file.Kind == textedit.Other {
		return errors.New("it is no file and no link")
	}
	if sh, in := s.tree.share(at); in {
		return fmt.Errorf("it lies in the shared folder %q", sh.Path)
	}
	if file.Kind == textedit.Absent {
		return nil
	}
	if s.tree.nodes[at].kind == workspace.Folder {
		return errors.New("there is a folder")
	}
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		over, ok := files[dir]
		if ok && over.Kind != textedit.Absent {
			return fmt.Errorf("%q is a file, not a folder", dir)
		}
		if kind := s.tree.nodes[dir].kind; !ok && (kind == workspace.File || kind == workspace.Symlink) {
			return fmt.Errorf("%q is a file, not a folder", dir)
		}
	}
	return nil
}

// with returns files with another one among them, if it fits.
func (s *Shadow) with(files overlay, at string, file textedit.File) (overlay, error) {
	next := maps.Clone(files)
	next[at] = file
	return next, s.fits(next, at)
}

// mode returns the mode that a file has, or a new one gets.
func (s *Shadow) mode(files overlay, p string) fs.FileMode {
	if file, ok := files[p]; ok && file.Kind == textedit.Regular {
		return file.Mode
	}
	if n := s.tree.nodes[p]; n.kind == workspace.File {
		return n.mode.Perm()
	}
	return 0o644
}

func equal(a, b textedit.File) bool {
	return a.Kind == b.Kind && a.Target == b.Target && a.Mode.Perm() == b.Mode.Perm() && string(a.Content) == string(b.Content)
}

// wanted returns what should stand at a path of base plus overlay. implied are
// the folders that only the overlay's files need.
func (s *Shadow) wanted(files overlay, implied map[string]bool, p string) workspace.Kind {
	if file, ok := files[p]; ok {
		switch file.Kind {
		case textedit.Regular:
			return workspace.File
		case textedit.Symlink:
			return workspace.Symlink
		case textedit.Absent, textedit.Other:
			if implied[p] {
				return workspace.Folder
			}
			return workspace.InvalidKind
		}
	}
	if n, ok := s.tree.nodes[p]; ok {
		return n.kind
	}
	if implied[p] {
		return workspace.Folder
	}
	return workspace.InvalidKind
}

// implied returns the folders above the overlay's files.
func (o overlay) implied() map[string]bool {
	dirs := map[string]bool{}
	for p, file := range o {
		if file.Kind == textedit.Absent {
			continue
		}
		for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p[:i], '/') {
			dirs[p[:i]] = true
		}
	}
	return dirs
}
