package repair

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/repair/localise"
	"autocoder/engine/repair/mutate"
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

const (
	// mostFiles is how many files are parsed and edited, the most suspicious ones.
	mostFiles = 40
	// largest is the size of a file that is still edited.
	largest = 1 << 20
	// mostStrings is how many strings of the tests are kept.
	mostStrings = 200
)

// prepare finds the suspicious lines and makes the stream of edits on them.
func (h *hunt) prepare(ctx context.Context, view propose.View, session Session) error {
	if len(h.spectrum.Rows) == 0 {
		spectrum, err := session.Spectrum(ctx)
		if err != nil {
			return fmt.Errorf("trace the tests of %s: %w", place(h.unit), err)
		}
		h.spectrum = spectrum
	}
	h.lines = map[line]*seen{}
	h.files = map[string]*source{}
	h.suspicious, h.places = map[int]bool{}, map[int]float64{}
	suspects := h.rank(ctx, view)
	if len(suspects) == 0 {
		suspects = h.named(ctx, view, session)
	}
	if len(h.search.ranking) == 0 {
		h.search.ranking = ranking(suspects)
	}
	scores := map[string]map[int]float64{}
	var order []string
	for _, s := range suspects {
		if scores[s.File] == nil {
			scores[s.File] = map[int]float64{}
			order = append(order, s.File)
		}
		scores[s.File][s.Line] = s.Score
	}
	var files []mutate.File
	for _, p := range order[:min(len(order), mostFiles)] {
		info, err := h.parse(ctx, view, session, p)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			h.search.notes = append(h.search.notes, err.Error())
			continue
		}
		extend(info, scores[p])
		if h.unraised(view) {
			guards(info, scores[p])
		}
		files = append(files, mutate.File{Path: p, Info: info, Score: scores[p]})
	}
	if len(files) == 0 {
		h.done = true
	}
	o := options(view, h.near(view))
	o.Asserted = h.asserted(view)
	o.Errors, o.Hints = h.errors(view), h.hints(view)
	o.Differing, o.Missing = h.wanted(view), h.missing(view)
	h.stream = mutate.NewStream(files, o)
	h.offerReverts(ctx, view, files)
	return nil
}

// rank localises the fault, among files that may be edited.
func (h *hunt) rank(ctx context.Context, view propose.View) []localise.Suspect {
	editable := map[string]bool{}
	return localise.Rank(h.spectrum, localise.Options{
		Keep: func(file string) bool {
			ok, known := editable[file]
			if !known {
				ok = view.Editable(file) == nil
				editable[file] = ok
			}
			return ok
		},
		Recent: func(file string) []int {
			if view.Recent == nil {
				return nil
			}
			return view.Recent(ctx, file)
		},
	})
}

func ranking(suspects []localise.Suspect) []propose.Suspect {
	var out []propose.Suspect
	for _, s := range suspects[:min(len(suspects), shownSuspects)] {
		out = append(out, propose.Suspect{File: s.File, Line: s.Line, Score: s.Score, Why: s.Why})
	}
	return out
}

// parse reads and parses a file and remembers what it was.
func (h *hunt) parse(ctx context.Context, view propose.View, session Session, p string) (*node.Info, error) {
	f, err := view.Read(p)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", p, err)
	}
	if f.Kind != textedit.Regular || len(f.Content) > largest {
		return nil, fmt.Errorf("%q is no source file of a size to edit", p)
	}
	root, err := session.Parse(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("parse %q: %w", p, err)
	}
	info := node.NewInfo(root, f.Content, h.language.Dialect())
	h.files[p] = &source{info: info, hash: f.Hash()}
	h.search.files[p] = f.Hash()
	return info, nil
}

// named suspects the functions that the failing tests mention, for when nothing is
// known of what they ran.
func (h *hunt) named(ctx context.Context, view propose.View, session Session) []localise.Suspect {
	words := map[string]bool{}
	kind := ""
	for _, f := range h.testFiles(view) {
		kind = path.Ext(f)
		for _, w := range strings.FieldsFunc(h.text(view, f), func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) {
			words[w] = true
		}
	}
	var out []localise.Suspect
	parsed := 0
	for _, f := range view.Files {
		if path.Ext(f) != kind || kind == "" || parsed == mostFiles || view.Editable(f) != nil {
			continue
		}
		parsed++
		root, err := session.Parse(ctx, f)
		if err != nil {
			continue
		}
		node.Walk(root, func(n *node.Node) bool {
			if n.Kind == node.Function && words[n.Name] {
				for l := n.Line; l <= n.EndLine; l++ {
					out = append(out, localise.Suspect{Place: localise.Place{File: f, Line: l}, Score: 1, Why: "the failing test names " + n.Name})
				}
			}
			return true
		})
	}
	return out
}

// testFiles are the files of the failing tests, as far as their failures tell.
func (h *hunt) testFiles(view propose.View) []string {
	var out []string
	for _, id := range h.targets {
		t := view.Result.Lookup(id)
		for _, f := range []string{failureFile(t.Failure), t.Part, path.Join(h.unit.Root, t.Part)} {
			if f != "" && slices.Contains(view.Files, f) && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// text reads a file of the current state; what can't be read is empty.
func (h *hunt) text(view propose.View, p string) string {
	f, err := view.Read(p)
	if err != nil || f.Kind != textedit.Regular || len(f.Content) > largest {
		return ""
	}
	return string(f.Content)
}

// near are the strings that the failing tests' files mention.
func (h *hunt) near(view propose.View) []string {
	var out []string
	for _, f := range h.testFiles(view) {
		for _, s := range quoted(h.text(view, f)) {
			if len(out) < mostStrings && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// beginsTest is how a test begins, in the words of the usual libraries.
var beginsTest = regexp.MustCompile(`^\s*(?:async\s+)?(?:def\s+test|func\s+Test|(?:test|it)\s*(?:\.\w+)?\()`)

// mostLines is how much of a failing test is read for its names.
const mostLines = 40

// asserted is the code of the failing tests, from where each begins to where it fails.
func (h *hunt) asserted(view propose.View) string {
	var out strings.Builder
	for _, id := range h.targets {
		f := view.Result.Lookup(id).Failure
		if f == nil || f.At.Line == 0 || !slices.Contains(view.Files, f.At.File) || view.Editable(f.At.File) == nil {
			continue
		}
		lines := strings.Split(h.text(view, f.At.File), "\n")
		for at := min(f.At.Line, len(lines)) - 1; at >= 0 && at > f.At.Line-mostLines; at-- {
			out.WriteString(lines[at] + "\n")
			if beginsTest.MatchString(lines[at]) {
				break
			}
		}
	}
	return out.String()
}

// expects finds the errors that tests expect, in the words of the usual libraries,
// with what their messages must match.
var expects = regexp.MustCompile(`(?:raises|assertRaises|assertRaisesRegex|toThrow|throws)\(\s*(?:\(\) *=> *[^,]+,\s*)?(?:[A-Za-z_]\w*\.)*([A-Z]\w*)(?:\s*,\s*(?:match\s*=\s*)?r?["']([^"'\\]*)["'])?`)

// mostErrors is how many kinds of errors are kept.
const mostErrors = 8

// errors are the kinds of errors that the tests expect, and those that the targets
// end with.
func (h *hunt) errors(view propose.View) []mutate.Error {
	var out []mutate.Error
	add := func(e mutate.Error) {
		if len(out) < mostErrors && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	for _, id := range h.targets {
		if f := view.Result.Lookup(id).Failure; f != nil && (strings.HasSuffix(f.Kind, "Error") || strings.HasSuffix(f.Kind, "Exception")) && f.Kind != "AssertionError" {
			kind := f.Kind[strings.LastIndexByte(f.Kind, '.')+1:]
			add(mutate.Error{Class: kind, Thrown: true})
		}
	}
	for _, f := range h.testFiles(view) {
		for _, m := range expects.FindAllStringSubmatch(h.text(view, f), -1) {
			add(mutate.Error{Class: m[1], Message: m[2]})
		}
	}
	return out
}

// quoted returns the short texts between quotes.
func quoted(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		for i := 0; i < len(l); i++ {
			if l[i] != '"' && l[i] != '\'' {
				continue
			}
			end := strings.IndexByte(l[i+1:], l[i])
			if end < 0 {
				break
			}
			if s := l[i+1 : i+1+end]; len(s) > 2 && len(s) < 40 && !strings.Contains(s, `\`) {
				out = append(out, s)
			}
			i += end + 1
		}
	}
	return out
}
