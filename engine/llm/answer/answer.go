// Package answer reads the edits out of what a language model wrote, and lays
// them onto the files that they are for.
//
// It is pure and forgiving in form, never in substance: a file name followed by a
// fenced block is always understood, as are search and replace blocks, whole
// functions and unified diffs, with the slips that models make. But a place that
// is not found, or found twice, is a Problem that says so and never a guess, and
// a file from which parts were left out is none. Which file a block is for may
// follow from its content, when only one of those that the model was shown has
// what it has.
package answer

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"autocoder/engine/textedit"
)

// Kind says how a Change is put.
type Kind uint8

// The kinds of change.
const (
	InvalidKind Kind = iota
	// Whole is the new content of a whole file.
	Whole
	// Replace is a piece of a file and what to put in its place.
	Replace
	// Function is the new text of one function.
	Function
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case Whole:
		return "whole file"
	case Replace:
		return "search and replace"
	case Function:
		return "whole function"
	case InvalidKind:
		return "invalid"
	default:
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
}

// Change is one edit as the model put it.
type Change struct {
	Kind Kind
	Path string
	// Name is the function's, as "area" or "Circle.area".
	Name string
	// Old is the piece to replace, New the new text.
	Old, New string
}

// Problem is an edit, or a whole answer, that can't be taken, in words that the
// model is told.
type Problem struct{ Text string }

// Error returns the words.
func (p *Problem) Error() string { return p.Text }

func problem(format string, args ...any) *Problem { return &Problem{fmt.Sprintf(format, args...)} }

// Tree is what an answer is about.
type Tree struct {
	// Files are the known files, sorted.
	Files []string
	// Root is the absolute path that models may see and repeat.
	Root string
	Read textedit.Reader
	// Likely are the files that the model was shown and that may be edited: what an
	// answer is about that names no file, or one that can't be meant.
	Likely []string
}

// Example is the file in the examples of how to answer: models repeat them.
const Example = "src/example.py"

// Apply makes a patch of changes, on the files as they are now. Several changes of
// a file build on each other in their order. Its error is a *Problem, or that of
// reading a file.
func Apply(t Tree, changes []Change) (textedit.Patch, error) {
	var patch textedit.Patch
	now := map[string]string{}
	was := map[string]textedit.File{}
	var order []string
	for _, c := range changes {
		if _, known := was[c.Path]; !known {
			f, err := t.Read(c.Path)
			if err != nil {
				return patch, fmt.Errorf("read %q: %w", c.Path, err)
			}
			if f.Kind != textedit.Regular && f.Kind != textedit.Absent {
				return patch, problem("%s is not a regular file", c.Path)
			}
			was[c.Path], now[c.Path] = f, string(f.Content)
			order = append(order, c.Path)
		}
		next, err := change(now[c.Path], was[c.Path].Kind == textedit.Regular, c)
		if err != nil {
			return patch, problem("%s: %v", c.Path, err)
		}
		now[c.Path] = next
	}
	for _, path := range order {
		f := was[path]
		op := textedit.Op{Path: path, Base: f.Hash(), Kind: textedit.OpCreate, Content: []byte(now[path])}
		if f.Kind == textedit.Regular {
			if now[path] == string(f.Content) {
				continue
			}
			op = textedit.Op{Path: path, Base: f.Hash(), Kind: textedit.OpEdit, Edits: textedit.Minimal(f.Content, []byte(now[path]))}
		}
		patch.Ops = append(patch.Ops, op)
	}
	return patch, nil
}

// change makes one change of a text, which keeps its line ends, its byte order
// mark and whether it ends with a line end.
func change(text string, exists bool, c Change) (string, error) {
	crlf := strings.Contains(text, "\r\n")
	mark := strings.HasPrefix(text, "\ufeff")
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	c.Old, c.New = unix(c.Old), unix(c.New)
	if !strings.Contains(plain, "\u00a0") {
		c.Old, c.New = strings.ReplaceAll(c.Old, "\u00a0", " "), strings.ReplaceAll(c.New, "\u00a0", " ")
	}
	next, err := changePlain(plain, exists, c)
	if old := html.UnescapeString(c.Old); err != nil && c.Kind == Replace && old != c.Old {
		c.Old, c.New = old, html.UnescapeString(c.New) // it was written for a web page
		if unescaped, again := changePlain(plain, exists, c); again == nil {
			next, err = unescaped, nil
		}
	}
	if err != nil {
		return "", err
	}
	if exists && plain != "" && !strings.HasSuffix(plain, "\n") && c.Kind == Whole {
		next = strings.TrimSuffix(next, "\n")
	}
	if crlf {
		next = strings.ReplaceAll(next, "\n", "\r\n")
	}
	if mark {
		next = "\ufeff" + next
	}
	return next, nil
}

// Piece puts replacement in the place of search in a file's text, as a Replace does.
func Piece(text string, exists bool, search, replacement string) (string, error) {
	next, err := change(text, exists, Change{Kind: Replace, Old: search, New: replacement})
	return next, err
}

func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func changePlain(text string, exists bool, c Change) (string, error) {
	switch c.Kind {
	case Whole:
		if line := elision(c.New, text); line != "" {
			return "", problem("the new content leaves parts out (%q): write the whole file", line)
		}
		if strings.TrimSpace(c.New) == "" && exists {
			return "", problem("the new content is empty")
		}
		if name := onlyFunction(c.New, c.Path); exists && name != "" && fewer(c.New, text) {
			return replaceFunction(text, c.Path, name, c.New)
		}
		if next, ok := someFunctions(text, c.Path, c.New); exists && ok {
			return next, nil
		}
		if exists && (muchShorter(c.New, text) || shorter(c.New, text) && leavesDefinition(c.New, text)) {
			return "", problem("the new content is much shorter than the file: write the whole file, or only the part that changes as a search and replace block")
		}
		return c.New, nil
	case Replace:
		if strings.TrimSpace(c.Old) == "" {
			if exists && strings.TrimSpace(text) != "" {
				return "", problem("the part to search for is empty, and the file is not")
			}
			return c.New, nil
		}
		if !exists {
			return "", problem("there is no such file")
		}
		return Substitute(text, c.Old, c.New)
	case Function:
		if !exists {
			return "", problem("there is no such file")
		}
		if line := elision(c.New, text); line != "" {
			return "", problem("the new function leaves parts out (%q): write all of it", line)
		}
		return replaceFunction(text, c.Path, c.Name, c.New)
	case InvalidKind:
		return "", problem("a change without a kind")
	default:
		return "", problem("a change of kind %v", c.Kind)
	}
}

// fewer, shorter and muchShorter compare texts by their lines: a whole file that lost
// most of its lines is a piece of it.
func fewer(a, b string) bool { return filled(a) < filled(b) }

func muchShorter(a, b string) bool { return filled(b) >= 8 && 3*filled(a) < filled(b) }

func shorter(a, b string) bool { return filled(b) >= 8 && 3*filled(a) < 2*filled(b) }

// leavesDefinition reports whether a does not define all that b does.
func leavesDefinition(a, b string) bool {
	names := defined(a)
	return slices.ContainsFunc(defined(b), func(name string) bool { return !slices.Contains(names, name) })
}

func filled(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// elision is the line by which a model leaves out what it did not change, or
// nothing. A line that the old text has, too, is none.
func elision(text, old string) string {
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		if !leavesOut(bare) || strings.Contains(old, bare) {
			continue
		}
		return bare
	}
	return ""
}

// elided are the words of such lines.
var elided = []string{"rest", "existing", "unchanged", "remain", "same as", "omitted", "previous", "other", "as before", "keep"}

func leavesOut(line string) bool {
	bare := strings.TrimSpace(strings.TrimLeft(line, "#/*-;<! "))
	bare = strings.TrimSpace(strings.TrimRight(bare, "*/->"))
	dots := strings.HasPrefix(bare, "...") || strings.HasPrefix(bare, "…") || strings.HasSuffix(bare, "...") || strings.HasSuffix(bare, "…")
	comment := bare != line
	switch {
	case bare == "..." || bare == "…":
		return comment || bare == "…"
	case !dots && !(strings.HasPrefix(bare, "(") && comment):
		return false
	default:
		lower := strings.ToLower(bare)
		return comment && slices.ContainsFunc(elided, func(w string) bool { return strings.Contains(lower, w) })
	}
}
