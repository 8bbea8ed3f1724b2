package repair

import (
	"cmp"
	"context"
	"slices"

	"autocoder/engine/propose"
	"autocoder/engine/textedit"
)

const (
	// singles is the share of the time after which two edits are tried together, when
	// one of them made more assertions pass.
	singles = 0.5
	// mostFailed is how many failed candidates are kept as partners, mostImproving how
	// many get partners, and mostPartners how many each gets.
	mostFailed, mostImproving, mostPartners = 1500, 6, 400
	// alike is how much less a pair costs whose edits are of one kind: several places
	// with one cause.
	alike = 1.0
)

// improved is a candidate that made more of the tests pass.
type improved struct {
	Candidate
	passed int
}

// remember keeps what may be one half of a repair.
func (h *hunt) remember(c Candidate, v Verdict) {
	if c.Patient || h.suspicious[c.ID] {
		return
	}
	if len(h.failed) < mostFailed {
		h.failed = append(h.failed, c)
	}
	if v.Passed > 0 || v.Further {
		h.improving = append(h.improving, improved{c, v.Passed})
	}
}

// pairs tries two edits together, once: those that made more assertions pass, each
// with others. What is found so is never sure.
func (h *hunt) pairs(ctx context.Context, view propose.View, session Session, c clock) ([]green, error) {
	if h.paired || len(h.improving) == 0 {
		return nil, nil
	}
	h.paired = true
	slices.SortStableFunc(h.improving, func(a, b improved) int {
		return cmp.Or(cmp.Compare(b.passed, a.passed), cmp.Compare(a.Cost, b.Cost))
	})
	h.double = map[int]bool{}
	var all []Candidate
	seen := map[[2]int]bool{}
	for _, first := range h.improving[:min(len(h.improving), mostImproving)] {
		all = append(all, h.partners(first.Candidate, seen)...)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	for part := range slices.Chunk(all, secondBatch) {
		if c.over() || h.ended || ctx.Err() != nil {
			break
		}
		for _, p := range part {
			h.double[p.ID] = true
		}
		if greens, err := h.try(ctx, view, session, part, c); err != nil || len(greens) > 0 {
			return greens, err
		}
	}
	return nil, ctx.Err()
}

// partners are the candidates made of one and another, each pair once.
func (h *hunt) partners(first Candidate, seen map[[2]int]bool) []Candidate {
	var out []Candidate
	for _, second := range h.failed {
		both := [2]int{min(first.ID, second.ID), max(first.ID, second.ID)}
		if seen[both] || second.ID == first.ID || second.Path != first.Path || touch(first.Edits, second.Edits) {
			continue
		}
		seen[both] = true
		cost := first.Cost + second.Cost
		if first.Template == second.Template {
			cost -= alike
		}
		edits := slices.Concat(first.Edits, second.Edits)
		slices.SortFunc(edits, func(a, b textedit.Edit) int { return cmp.Compare(a.Start, b.Start) })
		h.next++
		out = append(out, Candidate{
			ID: h.next, Path: first.Path, Edits: edits, Template: first.Template + " and " + second.Template,
			Line: first.Line, Cost: cost, Why: first.Why + ", and " + second.Why,
		})
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return out[:min(len(out), mostPartners)]
}

// touch reports whether some edits of two lists overlap, or stand side by side.
func touch(a, b []textedit.Edit) bool {
	return slices.ContainsFunc(a, func(x textedit.Edit) bool {
		return slices.ContainsFunc(b, func(y textedit.Edit) bool { return x.Start <= y.End && y.Start <= x.End })
	})
}
