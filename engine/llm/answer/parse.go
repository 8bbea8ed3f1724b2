package answer

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Parse reads the edits out of an answer. An answer in which there is no edit has
// none and no error; one that has something like an edit that can't be read is a
// *Problem.
func Parse(t Tree, text string) ([]Change, error) {
	text = tidy(unix(withoutThoughts(text)))
	if changes := t.inJSON(text); len(changes) > 0 {
		return changes, nil
	}
	p := &parser{tree: t, lines: split(text)}
	p.run()
	p.adopt()
	if len(p.changes) == 0 && !p.spoilt {
		p.changes = t.jsonWithin(text)
	}
	if p.trouble != nil && (p.spoilt || len(p.changes) == 0) {
		return nil, p.trouble
	}
	return t.settle(p.changes), nil
}

var thought = regexp.MustCompile(`(?s)<(think|thinking|thought|reasoning)>.*?(</(think|thinking|thought|reasoning)>|$)`)

// withoutThoughts takes out what a model says to itself: edits there are none.
func withoutThoughts(text string) string {
	if i := strings.LastIndex(text, "</think>"); i >= 0 && !strings.Contains(text[:i], "<think>") {
		text = text[i+len("</think>"):]
	}
	return thought.ReplaceAllString(text, "")
}

type parser struct {
	tree    Tree
	lines   []string
	changes []Change
	// trouble is the first thing that looks like an edit and is none; spoilt means
	// that it spoils the whole answer: half of an edit is none.
	trouble *Problem
	spoilt  bool
	// path is the file that was named last, at the line where.
	path, function string
	where          int
	// quote is the block before, when it only showed lines of the file.
	quote []string
	// orphans are the blocks that have no name.
	orphans []orphan
}

var (
	fenceLine   = regexp.MustCompile("^\\s{0,3}(?:[-*>]\\s+)?(`{3,}|~{3,})\\s*(.*)$")
	searchLine  = regexp.MustCompile(`^\s*<{5,}\s*(?:SEARCH|ORIGINAL|HEAD|OLD|BEFORE)?\s*(\S.*)?$`)
	middleLine  = regexp.MustCompile(`^\s*={5,}\s*$`)
	replaceLine = regexp.MustCompile(`^\s*>{5,}\s*(?:REPLACE|UPDATED|NEW|AFTER|HEAD)?.*$`)
	hunkLine    = regexp.MustCompile(`^@@.*@@`)
)

func (p *parser) run() {
	for i := 0; i < len(p.lines); {
		l := p.lines[i]
		switch {
		case p.envelope(i):
			i++ // what is in it is the answer
		case fenceLine.MatchString(l):
			i = p.fence(i)
		case searchLine.MatchString(l):
			i = p.blocks(i, len(p.lines))
		case strings.HasPrefix(l, "--- ") && i+1 < len(p.lines) && strings.HasPrefix(p.lines[i+1], "+++ "):
			end := i
			for end < len(p.lines) && !fenceLine.MatchString(p.lines[end]) {
				end++
			}
			p.diff(p.lines[i:end])
			i = end
		default:
			p.name(i)
			i++
		}
	}
}

// name takes a file's name from a line of prose.
func (p *parser) name(i int) {
	if file, function, ok := p.tree.named(p.lines[i]); ok {
		p.path, p.function, p.where = file, function, i
	}
}

// fence reads the fenced block that begins at line i and returns the line after.
func (p *parser) fence(i int) int {
	m := fenceLine.FindStringSubmatch(p.lines[i])
	mark, info := m[1], strings.TrimSpace(m[2])
	end, closed := p.fenceEnd(i+1, mark)
	body := outdented(p.lines[i+1:max(i+1, min(end, len(p.lines)))], indent(p.lines[i])) // it may hold nothing
	after := min(end+1, len(p.lines))
	if file, function, ok := p.tree.inInfo(info); ok {
		p.path, p.function, p.where = file, function, i
	}
	inside := slices.IndexFunc(body, searchLine.MatchString)
	if changes := p.tree.inJSON(strings.Join(body, "\n")); len(changes) > 0 && path.Ext(p.path) != ".json" {
		p.changes = append(p.changes, changes...)
		return after
	}
	switch {
	case inside >= 0:
		p.blocksIn(i+1, min(end, len(p.lines)))
	case isDiff(info, body):
		p.diff(body)
	case !p.near(i) && !p.namedInside(&body):
		if len(body) > 0 && !command(info) {
			p.orphan(info, body, closed)
		}
	case !closed:
		p.fail(problem("the block for %s does not end", p.path))
	case p.function == "" && p.quoted(body) && !p.before(after):
		p.quote, p.where = body, after-1
		return after
	case p.function == "" && p.before(after):
		return p.pair(body, after)
	default:
		p.add(strings.Join(body, "\n"))
	}
	p.where, p.function, p.quote = -10, "", nil // a name is for one block
	return after
}

// orphan notes a block without a name.
func (p *parser) orphan(info string, body []string, closed bool) {
	if p.trouble == nil {
		p.trouble = problem("a fenced block has no file name on the line before it")
	}
	if closed {
		p.orphans = append(p.orphans, orphan{info, body})
	}
}

// envelope reports whether line i opens a fence around a whole answer.
func (p *parser) envelope(i int) bool {
	m := fenceLine.FindStringSubmatch(p.lines[i])
	if m == nil || !slices.Contains([]string{"markdown", "md"}, strings.ToLower(strings.TrimSpace(m[2]))) || p.near(i) && path.Ext(p.path) == ".md" {
		return false
	}
	next := indexFrom(p.lines, i+1, len(p.lines), fenceLine)
	return next >= 0 && strings.TrimSpace(fenceLine.FindStringSubmatch(p.lines[next])[2]) != ""
}

// before reports whether the block that ends before line i is the old one of two:
// "replace this … with this …".
func (p *parser) before(i int) bool {
	i = p.filled(i)
	if i < 0 || !instead.MatchString(p.lines[i]) {
		return false
	}
	i = p.filled(i + 1)
	return i >= 0 && fenceLine.MatchString(p.lines[i])
}

// filled is the first line from i on that is not blank, or -1.
func (p *parser) filled(i int) int {
	for ; i < len(p.lines); i++ {
		if strings.TrimSpace(p.lines[i]) != "" {
			return i
		}
	}
	return -1
}

// pair reads the new one of two blocks, and returns the line after it.
func (p *parser) pair(old []string, i int) int {
	at := p.filled(p.filled(i) + 1)
	end, closed := p.fenceEnd(at+1, fenceLine.FindStringSubmatch(p.lines[at])[1])
	if !closed {
		p.fail(problem("the block for %s does not end", p.path))
		return end
	}
	repl := outdented(p.lines[at+1:end], indent(p.lines[at]))
	p.changes = append(p.changes, Change{Kind: Replace, Path: p.path, Old: text(old), New: text(repl)})
	p.where = -10
	return end + 1
}

// blocksIn reads the search and replace blocks of a fence, and the names between
// them.
func (p *parser) blocksIn(from, end int) {
	for i := from; i < end; {
		if searchLine.MatchString(p.lines[i]) {
			i = p.blocks(i, end)
			continue
		}
		p.name(i)
		i++
	}
}

// command reports whether a block shows what to run, or what was printed.
func command(info string) bool {
	word, _, _ := strings.Cut(strings.ToLower(info), " ")
	return slices.Contains([]string{"bash", "sh", "shell", "console", "text", "txt", "output", "plaintext", "zsh", "powershell", "log", "tool_output", "traceback"}, word)
}

// near reports whether the name that was found last stands close enough before a
// block to be its.
func (p *parser) near(i int) bool {
	if p.path == "" || p.where < 0 {
		return false
	}
	filled := 0
	for k := p.where + 1; k < i; k++ {
		if strings.TrimSpace(p.lines[k]) != "" {
			filled++
		}
	}
	return filled <= 2
}

// namedInside takes the name from the first line of a block: a comment that is a
// path, or a path alone.
func (p *parser) namedInside(body *[]string) bool {
	if len(*body) < 2 {
		return false
	}
	first := strings.TrimSpace((*body)[0])
	bare := strings.TrimSpace(strings.Trim(first, "#/*-<!>;% "))
	bare = strings.TrimSpace(trimLabel(bare))
	file, ok := p.tree.resolve(bare)
	if !ok || strings.ContainsAny(bare, " (") {
		return false
	}
	p.path, p.function = file, ""
	*body = (*body)[1:]
	return true
}

// fenceEnd is the line of the closing fence. A block in a block of the same mark,
// which a language after it shows to be opening, is stepped over.
func (p *parser) fenceEnd(from int, mark string) (end int, closed bool) {
	depth := 0
	for i := from; i < len(p.lines); i++ {
		m := fenceLine.FindStringSubmatch(p.lines[i])
		if m == nil || m[1][0] != mark[0] || len(m[1]) < len(mark) {
			continue
		}
		switch {
		case strings.TrimSpace(m[2]) == "" && depth == 0:
			return i, true
		case strings.TrimSpace(m[2]) == "":
			depth--
		default:
			// An opening fence inside: a document's own, or a block that was not closed.
			if path.Ext(p.path) != ".md" {
				return i - 1, false
			}
			depth++
		}
	}
	return len(p.lines), false
}

// add takes a block as the change of the file that was named.
func (p *parser) add(body string) {
	body = strings.Join(withoutNumbers(split(body), p.path), "\n")
	c := Change{Kind: Whole, Path: p.path, New: body + "\n"}
	switch {
	case p.function != "":
		c = Change{Kind: Function, Path: p.path, Name: p.function, New: body}
	case p.quote != nil && p.alike(p.quote, split(body)):
		c = Change{Kind: Replace, Path: p.path, Old: text(trimmed(p.quote)), New: text(trimmed(split(body)))}
	}
	p.changes = append(p.changes, c)
}

// blocks reads the search and replace blocks from line i on, up to end, and
// returns the line after them.
func (p *parser) blocks(i, end int) int {
	if m := searchLine.FindStringSubmatch(p.lines[i]); len(m) > 1 && m[1] != "" {
		if file, ok := p.tree.resolve(trimLabel(m[1])); ok {
			p.path = file
		}
	}
	middle := indexFrom(p.lines, i+1, end, middleLine)
	last := indexFrom(p.lines, i+1, end, replaceLine)
	next := indexFrom(p.lines, i+1, end, searchLine)
	if middle < 0 || last >= 0 && last < middle || next >= 0 && next < middle {
		p.fail(problem("a search block has no ======= after it"))
		return i + 1
	}
	stop := last
	if last < 0 || next >= 0 && next < last {
		if next < 0 && end < len(p.lines) {
			// The fence ends it: only the mark is missing.
			for stop = end; stop > middle+1 && strings.TrimSpace(p.lines[stop-1]) == ""; {
				stop--
			}
		} else {
			p.fail(problem("a search and replace block does not end with >>>>>>> REPLACE"))
			return middle + 1
		}
	}
	if indexFrom(p.lines, middle+1, stop, middleLine) >= 0 {
		p.fail(problem("a search and replace block has more than one ======="))
		return stop + 1
	}
	old, repl := withoutNumbers(p.lines[i+1:middle], p.path), withoutNumbers(p.lines[middle+1:stop], p.path)
	if p.path == "" {
		p.path, _ = p.tree.holder(text(old), text(repl))
	}
	if p.path == "" {
		p.fail(problem("a search and replace block has no file name before it"))
		return stop + 1
	}
	c := Change{Kind: Replace, Path: p.path, Old: text(old), New: text(repl)}
	p.changes = append(p.changes, c)
	return min(stop+1, end)
}

// fail notes a trouble that spoils the whole answer.
func (p *parser) fail(trouble *Problem) {
	if !p.spoilt {
		p.trouble, p.spoilt = trouble, true
	}
}

// text is lines with their line ends.
func text(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func indexFrom(lines []string, from, to int, re *regexp.Regexp) int {
	for i := from; i < to; i++ {
		if re.MatchString(lines[i]) {
			return i
		}
	}
	return -1
}

func isDiff(info string, body []string) bool {
	word, _, _ := strings.Cut(strings.ToLower(info), " ")
	for i := range len(body) - 1 {
		if strings.HasPrefix(body[i], "--- ") && strings.HasPrefix(body[i+1], "+++ ") {
			return true
		}
	}
	return word == "diff" || word == "patch" || slices.ContainsFunc(body, hunkLine.MatchString)
}

// diff reads a unified diff as search and replace: the numbers of lines in it are
// not to be relied on.
func (p *parser) diff(body []string) {
	file := p.path
	var old, repl []string
	flush := func() {
		if len(old)+len(repl) > 0 && strings.Join(old, "\n") != strings.Join(repl, "\n") {
			in := file
			if in == "" {
				in, _ = p.tree.holder(text(old), text(repl))
			}
			if in == "" {
				p.fail(problem("a diff has no file name"))
			} else {
				p.changes = append(p.changes, Change{Kind: Replace, Path: in, Old: text(old), New: text(repl)})
			}
		}
		old, repl = nil, nil
	}
	for _, l := range body {
		switch {
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "diff --git"), strings.HasPrefix(l, "index "), strings.HasPrefix(l, `\ No newline`):
		case strings.HasPrefix(l, "+++ "):
			flush()
			name, _, _ := strings.Cut(strings.TrimPrefix(l, "+++ "), "\t")
			if f, ok := p.tree.resolve(strings.TrimSpace(name)); ok {
				file = f
			}
		case hunkLine.MatchString(l), strings.HasPrefix(l, "@@"):
			flush()
		case strings.HasPrefix(l, "-"):
			old = append(old, l[1:])
		case strings.HasPrefix(l, "+"):
			repl = append(repl, l[1:])
		default:
			bare := strings.TrimPrefix(l, " ")
			old, repl = append(old, bare), append(repl, bare)
		}
	}
	flush()
	p.path = file
}
