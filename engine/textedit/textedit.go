// Package textedit describes changes to a tree of files: byte-range edits,
// patches made of ordered operations, and the state that patches lead to.
//
// It is pure: it reads the tree through a Reader that its caller gives it and
// writes nothing. Paths are relative to the workspace and use slashes; offsets
// are bytes. Contents are kept byte for byte: line ends, byte order marks and a
// missing final newline survive.
package textedit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
)

// Hash is the SHA-256 of a file's content in hex, or of a link's target with
// the prefix "link:"; the empty Hash stands for a path that is absent.
type Hash string

// HashContent returns the Hash of a regular file's content.
func HashContent(content []byte) Hash {
	sum := sha256.Sum256(content)
	return Hash(hex.EncodeToString(sum[:]))
}

// Edit replaces the bytes [Start, End) of a file by New.
type Edit struct {
	Start, End int
	New        string
}

// OpKind says what an Op does.
type OpKind uint8

// The kinds of operation.
const (
	InvalidOp OpKind = iota
	// OpEdit changes the content of an existing regular file by its Edits.
	OpEdit
	// OpCreate makes a regular file with Content, or replaces one wholly.
	OpCreate
	// OpDelete removes a file or link.
	OpDelete
	// OpRename moves Path to To.
	OpRename
	// OpSymlink makes a symbolic link at Path that points at Target.
	OpSymlink
)

// String returns the name used in reports.
func (k OpKind) String() string {
	switch k {
	case OpEdit:
		return "edit"
	case OpCreate:
		return "create"
	case OpDelete:
		return "delete"
	case OpRename:
		return "rename"
	case OpSymlink:
		return "symlink"
	case InvalidOp:
		return "invalid"
	default:
		return fmt.Sprintf("OpKind(%d)", uint8(k))
	}
}

// Op is one operation of a Patch.
type Op struct {
	Kind OpKind
	Path string
	// To is the new path of a rename.
	To string
	// Target is what a new link points at, as written.
	Target string
	// Base is the hash of what was at Path when the operation was made. Apply
	// refuses when it differs. It is empty when Path was absent, and ignored when
	// AnyBase is set.
	Base    Hash
	AnyBase bool
	// Edits of an OpEdit: sorted, not overlapping, offsets into the old content.
	Edits []Edit
	// Content and Mode of an OpCreate; a Mode of 0 keeps the mode of the file
	// that is replaced, or means 0644 for a new one.
	Content []byte
	Mode    fs.FileMode
}

// Patch is an ordered list of operations that is taken whole or not at all.
type Patch struct{ Ops []Op }

// Paths returns every path that the patch names, sorted, without repetition.
func (p Patch) Paths() []string {
	var paths []string
	for _, op := range p.Ops {
		paths = append(paths, op.Path)
		if op.Kind == OpRename {
			paths = append(paths, op.To)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// ApplyEdits returns content with the edits made. Edits must be sorted, inside
// content and must not overlap; two insertions at one place are made in order.
func ApplyEdits(content []byte, edits []Edit) ([]byte, error) {
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(content) {
			return nil, fmt.Errorf("edit [%d,%d) does not fit: previous edit ends at %d, the file at %d", e.Start, e.End, at, len(content))
		}
		out = append(out, content[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, content[at:]...), nil
}
