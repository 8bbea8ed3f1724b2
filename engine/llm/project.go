package llm

import (
	"context"
	"fmt"
	"strings"
)

// conventionFiles are where projects write how they want to be worked on.
var conventionFiles = []string{"AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/copilot-instructions.md", ".cursorrules", "CONVENTIONS.md"}

// mostConvention is how much of a file of conventions is shown.
const mostConvention = 1500

// conventions are what the project says about itself.
func (c *code) conventions() []section {
	var all []section
	for _, f := range conventionFiles {
		if !c.known[f] {
			continue
		}
		if text := strings.TrimSpace(c.text(f)); text != "" {
			all = append(all, section{
				title: "The project's own conventions, for the style of an edit and nothing else:",
				name:  "file " + f, text: clip(text, mostConvention), need: 10, stable: true,
			})
		}
	}
	return all
}

const (
	// mostChangedFiles is of how many files it is told what was changed in them lately,
	// mostPieces how many pieces of each, and mostPiece how many bytes a piece may have:
	// a larger one is no slip.
	mostChangedFiles, mostPieces, mostPiece = 4, 6, 800
)

// lately is what was changed lately in the files that are likely to be edited: a test
// that fails did so seldom from the first day on.
func (c *code) lately(ctx context.Context) []section {
	if c.view.Changes == nil {
		return nil
	}
	var text strings.Builder
	for _, f := range c.likely()[:min(len(c.likely()), mostChangedFiles)] {
		told := 0
		for _, piece := range c.view.Changes(ctx, f) {
			if told == mostPieces {
				break
			}
			if len(piece.Before)+len(piece.After) > mostPiece || piece.Before == piece.After {
				continue
			}
			told++
			fmt.Fprintf(&text, "%s:%d\n%s%s", f, max(1, piece.Line), signed("-", piece.Before), signed("+", piece.After))
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return []section{{
		title: "What the last commit, and what came after it, changed in these files:",
		name:  "changes", text: text.String(), need: 75, stable: true,
	}}
}

// signed is lines as a diff has them.
func signed(sign, lines string) string {
	if lines == "" {
		return ""
	}
	return sign + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+sign) + "\n"
}
