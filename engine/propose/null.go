package propose

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"autocoder/engine/textedit"
)

// Null returns the proposer that stands in when there is none: each attempt is
// a different edit that changes nothing, a comment at the end of the source file
// that is nearest to a failing test. It shows that a run without ideas ends.
func Null() Proposer { return Func("null", null) }

const nullWhy = "no model configured"

func null(_ context.Context, view View, history []Attempt) (Proposal, error) {
	for _, p := range nearest(view) {
		f, err := view.Read(p)
		if err != nil || f.Kind != textedit.Regular || view.Editable(p) != nil {
			continue
		}
		return Proposal{
			Patch: textedit.Patch{Ops: []textedit.Op{{
				Kind: textedit.OpEdit, Path: p, Base: f.Hash(),
				Edits: []textedit.Edit{{Start: len(f.Content), End: len(f.Content), New: harmless(p, f.Content, len(history)+1)}},
			}}},
			Title: "an edit that changes nothing", Why: nullWhy, Origin: "null",
		}, nil
	}
	return Proposal{}, fmt.Errorf("%s, and there is no source file to edit: %w", nullWhy, ErrNothingLeft)
}

// nearest orders the files by how near they are to a failing test: those of its
// traceback first, the deepest frame leading, then those whose names are like
// the test file's, then those in its folder, then the rest.
func nearest(view View) []string {
	var order, tests []string
	for _, id := range view.Targets {
		t := view.Result.Lookup(id)
		if t.Failure != nil {
			for _, frame := range slices.Backward(t.Failure.Frames) {
				order = append(order, frame.File)
			}
			tests = append(tests, t.Failure.At.File)
		}
		tests = append(tests, t.Part)
	}
	rest := slices.Clone(view.Files)
	rank := func(p string) int {
		best := 3
		for _, test := range tests {
			switch {
			case comment(p) == "" || test == "":
			case stem(p) == stem(test) && p != test:
				best = min(best, 0)
			case path.Dir(p) == path.Dir(test):
				best = min(best, 1)
			default:
				best = min(best, 2)
			}
		}
		return best
	}
	slices.SortStableFunc(rest, func(a, b string) int { return rank(a) - rank(b) })
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(append(order, rest...), func(p string) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// stem is a file's name without what marks a test.
func stem(p string) string {
	base, _, _ := strings.Cut(path.Base(p), ".")
	return strings.TrimSuffix(strings.TrimPrefix(base, "test_"), "_test")
}

// comment is what begins a comment to the end of the line in a file of that
// name, or nothing.
func comment(p string) string {
	switch path.Ext(p) {
	case ".py", ".rb", ".sh", ".pl", ".r", ".yaml", ".yml", ".toml":
		return "#"
	case ".go", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".java", ".c", ".h", ".cc", ".cpp", ".hpp",
		".rs", ".kt", ".swift", ".php", ".cs", ".scala", ".dart":
		return "//"
	case ".lua", ".sql", ".hs":
		return "--"
	default:
		return ""
	}
}

// harmless is what to add at the end of a file so that nothing changes. It keeps
// the file's line ends, and does not end a file that had no final newline with
// one.
func harmless(p string, content []byte, n int) string {
	eol := "\n"
	if bytes.Contains(content, []byte("\r\n")) {
		eol = "\r\n"
	}
	mark := comment(p)
	if mark == "" {
		return strings.Repeat(eol, n)
	}
	line := fmt.Sprintf("%s %s (%d)", mark, nullWhy, n)
	if len(content) == 0 || content[len(content)-1] == '\n' {
		return line + eol
	}
	return eol + line
}
