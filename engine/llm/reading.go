package llm

import (
	"errors"
	"strings"

	"autocoder/engine/llm/answer"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
)

// read is the patch that an answer comes to, and whether there is an edit in it at
// all. One that does not fit the files as they are may fit them as they were before
// edits of the model's that did nothing: it remembers those.
func (m *Model) read(view propose.View, text string) (patch textedit.Patch, edits bool, err error) {
	tree := answer.Tree{Files: view.Files, Root: m.options.Root, Read: view.Read, Likely: m.likely}
	text = withoutData(text, m.options.Mark)
	patch, edits, err = changes(tree, text)
	if !isProblem(err) || len(m.kept.before) == 0 {
		return patch, edits, err
	}
	tree.Read = m.kept.without(view.Read)
	earlier, found, again := changes(tree, text)
	if again != nil || !found {
		return patch, edits, err
	}
	earlier, again = m.kept.instead(view.Read, earlier)
	if again != nil {
		return patch, edits, err
	}
	return earlier, true, nil
}

// withoutData is an answer without what it repeats of the data in the question, which
// is no edit, whatever it looks like.
func withoutData(text, mark string) string {
	if mark == "" || !strings.Contains(text, mark) {
		return text
	}
	var kept []string
	inside := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "END "+mark && !inside:
			kept = nil // its beginning was cut off
		case bare == "END "+mark:
			inside = false
		case strings.HasPrefix(bare, "DATA "+mark):
			inside = true
		case !inside:
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func changes(tree answer.Tree, text string) (patch textedit.Patch, edits bool, err error) {
	changes, err := answer.Parse(tree, text)
	if err != nil {
		return patch, false, err
	}
	patch, err = answer.Apply(tree, changes)
	return patch, len(changes) > 0, err
}

func isProblem(err error) bool {
	var p *answer.Problem
	return errors.As(err, &p)
}

// why is what the model says of its edit: its first sentences before any block.
func (m *Model) why(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "<<<<<") {
			break
		}
		if line != "" && !strings.HasPrefix(line, "#") && strings.Contains(line, " ") {
			words = append(words, line)
		}
	}
	if len(words) == 0 {
		return "proposed by " + m.Name()
	}
	return oneLine(strings.Join(words, " "), 240)
}
