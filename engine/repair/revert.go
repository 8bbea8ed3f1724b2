package repair

import (
	"context"
	"fmt"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/repair/mutate"
	"autocoder/engine/textedit"
)

const (
	// takenBack is what taking back a part of the last change costs, and wholly what a
	// whole piece of it costs more than one of its lines.
	takenBack, wholly = 0.5, 0.1
	// largestPiece is how many lines a piece may have that is taken back, and
	// mostPieces how many pieces of a file are.
	largestPiece, mostPieces = 60, 40
)

// offerReverts adds to the stream what takes back parts of the last change.
func (h *hunt) offerReverts(ctx context.Context, view propose.View, files []mutate.File) {
	if view.Changes == nil {
		return
	}
	for _, f := range files {
		for k, c := range view.Changes(ctx, f.Path) {
			if k == mostPieces {
				break
			}
			for _, e := range reverts(f, c) {
				h.stream.Offer(f.Path, e)
			}
		}
	}
}

// reverts are the edits that take a piece back: as a whole, and line by line where
// each line has one in its place.
func reverts(f mutate.File, c propose.Change) []mutate.Edit {
	before, after := strings.SplitAfter(c.Before, "\n"), strings.SplitAfter(c.After, "\n")
	if len(before) > largestPiece || len(after) > largestPiece {
		return nil
	}
	content := string(f.Info.Content)
	start := lineOffset(content, c.Line)
	if c.After == "" {
		start = lineOffset(content, c.Line+1)
	}
	if start < 0 || !strings.HasPrefix(content[start:], c.After) {
		return nil // it has changed again since
	}
	whole := mutate.Edit{
		Edits: []textedit.Edit{{Start: start, End: start + len(c.After), New: c.Before}}, Template: "revert", Cost: takenBack,
		Suspicious: strings.TrimSpace(c.Before) == "", Why: fmt.Sprintf("the last change of line %d should be taken back", max(1, c.Line)),
	}
	whole.Line = suspected(f, c.Line, len(after))
	out := []mutate.Edit{whole}
	if len(before) != len(after) || len(before) < 3 {
		return out
	}
	out[0].Cost += wholly
	for k := range before {
		if before[k] != after[k] {
			line := whole
			line.Edits = []textedit.Edit{{Start: start, End: start + len(after[k]), New: before[k]}}
			line.Line, line.Suspicious = c.Line+k, strings.TrimSpace(before[k]) == ""
			line.Why = fmt.Sprintf("the last change of line %d should be taken back", c.Line+k)
			out = append(out, line)
		}
		start += len(after[k])
	}
	return out
}

// suspected is the most suspicious of some lines and their neighbours.
func suspected(f mutate.File, line, n int) int {
	best := line
	for l := line - 1; l <= line+n; l++ {
		if f.Score[l] > f.Score[best] {
			best = l
		}
	}
	return best
}

// lineOffset is where a line (from 1) begins, -1 when there is none.
func lineOffset(content string, line int) int {
	at := 0
	for range line - 1 {
		k := strings.IndexByte(content[at:], '\n')
		if k < 0 {
			return -1
		}
		at += k + 1
	}
	return at
}
