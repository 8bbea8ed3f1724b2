package textedit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// FileKind says what stands at a path.
type FileKind uint8

// The kinds of file that a State knows. A folder is implied by its files.
const (
	Absent FileKind = iota
	Regular
	Symlink
	// Other is a folder, FIFO, socket or device: it can be seen, never edited.
	Other
)

// File is what stands at one path.
type File struct {
	Kind    FileKind
	Content []byte      // of a Regular file
	Mode    fs.FileMode // permission bits of a Regular file
	Target  string      // of a Symlink
}

// Hash returns the hash of what stands there; the empty Hash when Absent.
func (f File) Hash() Hash {
	switch f.Kind {
	case Absent:
		return ""
	case Regular:
		return HashContent(f.Content)
	case Symlink:
		return Hash("link:" + f.Target)
	case Other:
		return "other"
	default:
		panic(fmt.Sprintf("textedit: file kind %d", f.Kind))
	}
}

func (f File) same(g File) bool {
	return f.Hash() == g.Hash() && (f.Kind != Regular || f.Mode.Perm() == g.Mode.Perm())
}

// Reader returns what stands at a path of the base tree. A path that does not
// exist is a File of kind Absent, not an error.
type Reader func(path string) (File, error)

// State is an immutable set of files that differ from a base tree. The zero
// State is the base itself. Rolling back is going back to an earlier State.
type State struct{ files map[string]File }

// ErrNotApplicable is what Apply's errors wrap when the patch itself does not
// fit the state, as opposed to the base not being readable.
var ErrNotApplicable = errors.New("patch does not apply")

// Empty reports whether the state is the base tree.
func (s State) Empty() bool { return len(s.files) == 0 }

// Paths returns the paths that differ from the base, sorted.
func (s State) Paths() []string { return slices.Sorted(maps.Keys(s.files)) }

// Lookup returns what the state puts at path, and whether it differs from the
// base there.
func (s State) Lookup(path string) (File, bool) {
	f, ok := s.files[path]
	return f, ok
}

// Over returns a Reader of the state laid over base.
func (s State) Over(base Reader) Reader {
	return func(path string) (File, error) {
		if f, ok := s.files[path]; ok {
			return f, nil
		}
		return base(path)
	}
}

// Without returns the state with the paths that drop names as they are in the
// base.
func (s State) Without(drop func(path string) bool) State {
	kept := maps.Clone(s.files)
	maps.DeleteFunc(kept, func(path string, _ File) bool { return drop(path) })
	return State{files: kept}
}

// Hash identifies the state: it is the same for two states that make the same
// of the same files, however they were reached.
func (s State) Hash() Hash {
	h := sha256.New()
	for _, p := range s.Paths() {
		f := s.files[p]
		fmt.Fprintf(h, "%q %s %o\n", p, f.Hash(), f.Mode.Perm())
	}
	return Hash(hex.EncodeToString(h.Sum(nil)))
}

// Apply returns the state after the patch. An error that wraps ErrNotApplicable
// says which operation does not fit and why; the state is then unchanged. Files
// that end as they are in the base drop out of the state.
func (s State) Apply(base Reader, p Patch) (State, error) {
	next := State{files: maps.Clone(s.files)}
	if next.files == nil {
		next.files = map[string]File{}
	}
	for i, op := range p.Ops {
		if err := next.apply(base, op); err != nil {
			return s, fmt.Errorf("operation %d, %s %q: %w", i+1, op.Kind, op.Path, err)
		}
	}
	for _, path := range next.Paths() {
		f, err := base(path)
		if err != nil {
			return s, fmt.Errorf("read %q: %w", path, err)
		}
		if f.same(next.files[path]) {
			delete(next.files, path)
		}
	}
	return next, nil
}

func misfit(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotApplicable, fmt.Sprintf(format, args...))
}

// apply makes one operation in place.
func (s State) apply(base Reader, op Op) error {
	if err := validPath(op.Path); err != nil {
		return err
	}
	old, err := s.Over(base)(op.Path)
	if err != nil {
		return err
	}
	if !op.AnyBase && old.Hash() != op.Base {
		return misfit("the file is not the one the operation was made for")
	}
	if old.Kind == Other {
		return misfit("it is not a regular file")
	}
	if op.Kind == OpCreate || op.Kind == OpSymlink {
		if err := s.room(base, op.Path); err != nil {
			return err
		}
	}
	switch op.Kind {
	case OpEdit:
		if old.Kind != Regular {
			return misfit("there is no regular file to edit")
		}
		content, err := ApplyEdits(old.Content, op.Edits)
		if err != nil {
			return misfit("%v", err)
		}
		s.files[op.Path] = File{Kind: Regular, Content: content, Mode: old.Mode}
	case OpCreate:
		mode := op.Mode
		if mode == 0 {
			mode = 0o644
			if old.Kind == Regular {
				mode = old.Mode
			}
		}
		s.files[op.Path] = File{Kind: Regular, Content: bytes.Clone(op.Content), Mode: mode}
	case OpDelete:
		if old.Kind == Absent {
			return misfit("there is nothing to delete")
		}
		s.files[op.Path] = File{Kind: Absent}
	case OpRename:
		return s.rename(base, op, old)
	case OpSymlink:
		if op.Target == "" {
			return misfit("a link needs a target")
		}
		s.files[op.Path] = File{Kind: Symlink, Target: op.Target}
	case InvalidOp:
		return misfit("it has no kind")
	default:
		return misfit("unknown kind %v", op.Kind)
	}
	return nil
}

// rename moves what stands at op.Path, which is old.
func (s State) rename(base Reader, op Op, old File) error {
	if err := validPath(op.To); err != nil {
		return err
	}
	if old.Kind == Absent {
		return misfit("there is nothing to rename")
	}
	to, err := s.Over(base)(op.To)
	if err != nil {
		return err
	}
	if to.Kind != Absent {
		return misfit("%q exists", op.To)
	}
	if err := s.room(base, op.To); err != nil {
		return err
	}
	s.files[op.To] = old
	s.files[op.Path] = File{Kind: Absent}
	return nil
}

// room refuses a path that can't be a file: one below something that is a file,
// and one that is a folder because of other files of the state.
func (s State) room(base Reader, p string) error {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		f, err := s.Over(base)(dir)
		if err != nil {
			return err
		}
		if f.Kind == Regular {
			return misfit("%q is a file and not a folder", dir)
		}
	}
	for other, f := range s.files {
		if f.Kind != Absent && strings.HasPrefix(other, p+"/") {
			return misfit("it is a folder")
		}
	}
	return nil
}

// validPath refuses what cannot name a file below the root. It is a matter of
// form only: what may be edited is decided by the guard.
func validPath(p string) error {
	switch {
	case p == "" || p == ".":
		return misfit("a path is empty")
	case path.IsAbs(p) || strings.ContainsRune(p, 0):
		return misfit("path %q is not relative to the workspace", p)
	case path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return misfit("path %q is not in its simplest form below the workspace", p)
	default:
		return nil
	}
}

// Patch returns one patch that leads from the base to the state, a deletion or
// a whole new content a file, with the base hashes of the files.
func (s State) Patch(base Reader) (Patch, error) {
	var p Patch
	for _, path := range s.Paths() {
		old, err := base(path)
		if err != nil {
			return Patch{}, fmt.Errorf("read %q: %w", path, err)
		}
		f := s.files[path]
		op := Op{Path: path, Base: old.Hash()}
		switch f.Kind {
		case Absent:
			op.Kind = OpDelete
		case Regular:
			op.Kind, op.Content, op.Mode = OpCreate, f.Content, f.Mode
			if old.Kind == Regular && old.Mode.Perm() == f.Mode.Perm() {
				op = Op{Kind: OpEdit, Path: path, Base: old.Hash(), Edits: Minimal(old.Content, f.Content)}
			}
		case Symlink:
			op.Kind, op.Target = OpSymlink, f.Target
		case Other:
			return Patch{}, fmt.Errorf("state holds %q, which is not a file or link", path)
		default:
			return Patch{}, fmt.Errorf("state holds %q of unknown kind %d", path, f.Kind)
		}
		p.Ops = append(p.Ops, op)
	}
	return p, nil
}
