package engine

import (
	"errors"
	"fmt"
	"slices"

	"autocoder/engine/textedit"
)

// ErrOverlap is the error of an offered edit that touches what was changed since.
var ErrOverlap = errors.New("the edit and the changes since touch the same lines")

// Rebase makes the patch that does to files as they are now what an offered edit
// did to them as they were. now reads a file as it is; it must be as it was, or a
// text whose changes lie apart from those of the edit.
func Rebase(offered []OfferedFile, now textedit.Reader) (textedit.Patch, error) {
	var p textedit.Patch
	for _, f := range offered {
		current, err := now(f.Path)
		if err != nil {
			return p, err
		}
		merged := f.New
		if current.Hash() != f.Base.Hash() {
			if merged, err = merge(f, current); err != nil {
				return p, fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		op := textedit.Op{Path: f.Path, Base: current.Hash()}
		switch {
		case merged.Kind == textedit.Absent:
			op.Kind = textedit.OpDelete
		case merged.Kind == textedit.Symlink:
			op.Kind, op.Target = textedit.OpSymlink, merged.Target
		default:
			op.Kind, op.Content, op.Mode = textedit.OpCreate, merged.Content, merged.Mode
		}
		p.Ops = append(p.Ops, op)
	}
	return p, nil
}

// merge makes both changes of a file: that of the edit, and the one since.
func merge(f OfferedFile, current textedit.File) (textedit.File, error) {
	if f.Base.Kind != textedit.Regular || f.New.Kind != textedit.Regular || current.Kind != textedit.Regular {
		return textedit.File{}, ErrOverlap
	}
	ours := textedit.Minimal(f.Base.Content, f.New.Content)
	all := append(slices.Clone(ours), textedit.Minimal(f.Base.Content, current.Content)...)
	slices.SortStableFunc(all, func(a, b textedit.Edit) int { return a.Start - b.Start })
	for i := 1; i < len(all); i++ {
		// Edits that touch may depend on each other, too.
		if all[i].Start <= all[i-1].End {
			return textedit.File{}, ErrOverlap
		}
	}
	content, err := textedit.ApplyEdits(f.Base.Content, all)
	if err != nil {
		return textedit.File{}, fmt.Errorf("merge the edit with the changes since: %w", err)
	}
	return textedit.File{Kind: textedit.Regular, Content: content, Mode: f.New.Mode}, nil
}
