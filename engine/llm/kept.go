package llm

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
)

// leftovers are what earlier edits of a model left in the files without repairing
// anything. The loop keeps such edits for the next proposal; a model that then finds
// the right edit has seldom a use for them.
type leftovers struct {
	// before are the files as they were without them, by path, and proposed those that
	// the last proposal touches, as they were before it.
	before, proposed map[string]textedit.File
	seen             int
}

// learn takes in what became of the attempts since.
func (l *leftovers) learn(history []propose.Attempt, improved bool) {
	for ; l.seen < len(history); l.seen++ {
		a := history[l.seen]
		switch a.Verdict {
		case outcome.RolledBack:
			l.before = nil
		case outcome.Applied:
			if improved {
				l.before = nil
				continue
			}
			for _, p := range a.Proposal.Patch.Paths() {
				l.add(p)
			}
		case outcome.Refused, outcome.NotApplicable, outcome.InvalidVerdict:
		}
	}
	l.proposed = nil
}

func (l *leftovers) add(p string) {
	f, ours := l.proposed[p]
	if _, known := l.before[p]; known || !ours {
		return
	}
	if l.before == nil {
		l.before = map[string]textedit.File{}
	}
	l.before[p] = f
}

// propose notes the files that a proposal touches.
func (l *leftovers) propose(read textedit.Reader, p textedit.Patch) {
	l.proposed = map[string]textedit.File{}
	for _, path := range p.Paths() {
		if f, err := read(path); err == nil {
			l.proposed[path] = f
		}
	}
}

// without reads files as they were without the leftovers.
func (l *leftovers) without(read textedit.Reader) textedit.Reader {
	return func(path string) (textedit.File, error) {
		if f, ok := l.before[path]; ok {
			return f, nil
		}
		return read(path)
	}
}

// wanted are the files without the leftovers; there may be none.
func (l *leftovers) wanted() map[string]textedit.File {
	want := map[string]textedit.File{}
	maps.Copy(want, l.before)
	return want
}

// instead is a patch of the current files that takes the leftovers out and makes
// another patch, which is one of the files without them.
func (l *leftovers) instead(read textedit.Reader, p textedit.Patch) (textedit.Patch, error) {
	state, err := textedit.State{}.Apply(l.without(read), p)
	if err != nil {
		return textedit.Patch{}, err
	}
	want := l.wanted()
	for _, path := range state.Paths() {
		want[path], _ = state.Lookup(path)
	}
	return towards(read, want)
}

// lean is a patch of the current files that takes the leftovers out as well; where
// it edits the same lines it stays as it is.
func (l *leftovers) lean(read textedit.Reader, p textedit.Patch) (textedit.Patch, error) {
	state, err := textedit.State{}.Apply(read, p)
	if err != nil {
		return textedit.Patch{}, err
	}
	want := l.wanted()
	for _, path := range state.Paths() {
		next, _ := state.Lookup(path)
		before, left := l.before[path]
		now, err := read(path)
		if err != nil {
			return textedit.Patch{}, err
		}
		want[path] = next
		if left && before.Kind == textedit.Regular && now.Kind == textedit.Regular && next.Kind == textedit.Regular {
			want[path] = both(now, before, next)
		}
	}
	return towards(read, want)
}

// both is a file with what leads from now to a and to b; b where these touch.
func both(now, a, b textedit.File) textedit.File {
	edits := append(textedit.Minimal(now.Content, a.Content), textedit.Minimal(now.Content, b.Content)...)
	slices.SortFunc(edits, func(x, y textedit.Edit) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End)) })
	for i := 1; i < len(edits); i++ {
		if edits[i].Start <= edits[i-1].End {
			return b
		}
	}
	content, err := textedit.ApplyEdits(now.Content, edits)
	if err != nil {
		return b
	}
	b.Content = content
	return b
}

// towards is the patch that makes files what they should be.
func towards(read textedit.Reader, want map[string]textedit.File) (textedit.Patch, error) {
	var patch textedit.Patch
	for _, path := range slices.Sorted(maps.Keys(want)) {
		now, err := read(path)
		if err != nil {
			return patch, err
		}
		next := want[path]
		op := textedit.Op{Path: path, Base: now.Hash(), Kind: textedit.OpCreate, Content: next.Content}
		switch {
		case now.Hash() == next.Hash():
			continue
		case next.Kind == textedit.Absent:
			op = textedit.Op{Path: path, Base: now.Hash(), Kind: textedit.OpDelete}
		case now.Kind == textedit.Regular:
			op.Kind, op.Content, op.Edits = textedit.OpEdit, nil, textedit.Minimal(now.Content, next.Content)
		}
		patch.Ops = append(patch.Ops, op)
	}
	return patch, nil
}

// lean takes out of a proposal what earlier ones left behind, if the tests pass
// without it as well.
func (m *Model) lean(ctx context.Context, view propose.View, p textedit.Patch) textedit.Patch {
	if len(m.kept.before) == 0 || len(p.Ops) == 0 || view.Evaluate == nil {
		return p
	}
	lean, err := m.kept.lean(view.Read, p)
	if err != nil || len(lean.Ops) == 0 {
		return p
	}
	results, err := view.Evaluate(ctx, []textedit.Patch{lean}, propose.Targets)
	if err != nil || len(results) != 1 || len(results[0].NotPassing(view.Targets)) > 0 {
		return p // the loop says what is wrong
	}
	return lean
}
