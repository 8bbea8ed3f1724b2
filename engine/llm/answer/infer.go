package answer

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/textedit"
)

// definitionLine is the head of what a file defines at its top level.
var definitionLine = regexp.MustCompile(`^(?:export\s+|default\s+|async\s+|pub\s+)*(?:def|class|func|function\s*\*?|type|const|let|var|fn|struct|interface)\s+(?:\([^)]*\)\s*)?(\w+)`)

// receiver is the type of a Go method.
var receiver = regexp.MustCompile(`^func\s+\([^)]*?(\w+)(?:\[[^\]]*\])?\)`)

// defined are the names that a text defines at its top level; methods of Go are
// qualified.
func defined(text string) []string {
	var names []string
	for line := range strings.SplitSeq(text, "\n") {
		m := definitionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		if of := receiver.FindStringSubmatch(line); of != nil {
			name = of[1] + "." + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// languages are the extensions of the languages that a fence may name.
var languages = map[string][]string{
	"python": {".py", ".pyi"}, "py": {".py", ".pyi"}, "python3": {".py", ".pyi"},
	"go": {".go"}, "golang": {".go"},
	"javascript": {".js", ".mjs", ".cjs", ".jsx"}, "js": {".js", ".mjs", ".cjs", ".jsx"}, "jsx": {".jsx", ".js"}, "node": {".js", ".mjs", ".cjs"},
	"typescript": {".ts", ".tsx", ".mts"}, "ts": {".ts", ".tsx", ".mts"}, "tsx": {".tsx", ".ts"},
}

// content is the text of a file; empty for what is none.
func (t Tree) content(file string) string {
	if t.Read == nil {
		return ""
	}
	f, err := t.Read(file)
	if err != nil || f.Kind != textedit.Regular {
		return ""
	}
	return unix(string(f.Content))
}

// owner is the likely file that defines the most of what a text defines, when there
// is one such file: what a block is of that says it by its content alone.
func (t Tree) owner(language, text string) (string, bool) {
	names := defined(text)
	word, _, _ := strings.Cut(strings.ToLower(language), " ")
	kinds := languages[word]
	best, most, ties := "", 0, 0
	for _, f := range t.Likely {
		if len(kinds) > 0 && !slices.Contains(kinds, path.Ext(f)) {
			continue
		}
		n := 0
		for _, name := range defined(t.content(f)) {
			if slices.Contains(names, name) {
				n++
			}
		}
		switch {
		case n > most:
			best, most, ties = f, n, 0
		case n == most:
			ties++
		}
	}
	return best, most > 0 && ties == 0
}

// holder is the likely file in which a piece stands, when it is the only one.
func (t Tree) holder(old, repl string) (string, bool) {
	found := ""
	for _, f := range t.Likely {
		if !fits(t.content(f), old, repl) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = f
	}
	return found, found != ""
}

// orphan is a block whose file nobody named.
type orphan struct {
	language string
	body     []string
}

// adopt makes changes of blocks without a name. They count only in an answer that
// has no other edit: beside one they are examples.
func (p *parser) adopt() {
	if len(p.changes) > 0 || p.spoilt {
		return
	}
	for _, o := range p.orphans {
		o.body = withoutNumbers(o.body, "")
		body := strings.Join(o.body, "\n")
		file, ok := p.tree.owner(o.language, body)
		if !ok {
			continue
		}
		p.path, p.function = file, ""
		if !p.quoted(o.body) {
			p.add(body)
		}
	}
}

// settle gives changes whose file can't be meant the file that is: one that stands
// in no file of that name, and in one that the model was shown.
func (t Tree) settle(changes []Change) []Change {
	var kept []Change
	for _, c := range changes {
		if _, known := slices.BinarySearch(t.Files, c.Path); c.Path == Example && !known && len(changes) > 1 {
			continue // it repeats what it was told
		}
		if !slices.Contains(t.Likely, c.Path) {
			c.Path = t.meant(c, changes)
		}
		kept = append(kept, c)
	}
	return kept
}

// meant is the file that a change of another one is for, or that other one.
func (t Tree) meant(c Change, all []Change) string {
	text := t.content(c.Path)
	file, ok := "", false
	switch c.Kind {
	case Whole:
		file, ok = t.owner("", c.New)
		ours := defined(c.New)
		same := slices.ContainsFunc(defined(text), func(name string) bool { return slices.Contains(ours, name) })
		// A file of its own may well move code out of another one, which it then edits, too.
		ok = ok && !same && path.Ext(file) == path.Ext(c.Path) && !slices.ContainsFunc(all, func(other Change) bool { return other.Path == file })
	case Replace:
		if strings.TrimSpace(c.Old) != "" && !fits(text, c.Old, c.New) {
			file, ok = t.holder(c.Old, c.New)
		}
	case Function, InvalidKind:
	}
	if !ok {
		return c.Path
	}
	return file
}

// quoted reports whether a block of the file that was named only shows lines as
// they are there: it is no edit, and the next block may be what they should be.
func (p *parser) quoted(body []string) bool {
	text := p.tree.content(p.path)
	old := trimmed(body)
	if len(old) == 0 || filled(text) <= len(old) {
		return false
	}
	return len(places(split(text), old, equalBlanks)) > 0
}

// trimmed is lines without the blank ones around them.
func trimmed(lines []string) []string {
	blank := func(l string) bool { return strings.TrimSpace(l) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// alike reports whether a block is another form of one that was shown before it: it
// begins or ends much as that does, and is no file of its own.
func (p *parser) alike(old, repl []string) bool {
	old, repl = trimmed(old), trimmed(repl)
	whole := strings.Join(repl, "\n")
	if len(old) == 0 || len(repl) == 0 || len(repl) > 3*len(old)+5 || !muchShorter(whole, p.tree.content(p.path)) {
		return false
	}
	if onlyFunction(whole, p.path) != "" && onlyFunction(strings.Join(old, "\n"), p.path) == "" {
		return false // a function says by itself where it belongs
	}
	near := func(a, b string) bool { return similar(strings.TrimSpace(a), strings.TrimSpace(b)) >= 0.5 }
	return near(old[0], repl[0]) || near(old[len(old)-1], repl[len(repl)-1])
}

// Looped is a text without the end that a model repeated until it was stopped, and
// whether there was such an end.
func Looped(text string) (string, bool) {
	const least, longest = 400, 200
	whole := strings.TrimRight(text, " \n")
	for period := 1; period <= longest && 4*period <= len(whole); period++ {
		from := len(whole) - period
		for from > 0 && whole[from-1] == whole[from-1+period] {
			from--
		}
		if size := len(whole) - from; size >= least && size >= 4*period {
			return strings.ToValidUTF8(whole[:from+period], ""), true // it may begin with the end of the answer
		}
	}
	return text, false
}
