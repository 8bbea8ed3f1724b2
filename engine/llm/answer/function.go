package answer

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// span is a range of lines, from 0, the end not included.
type span struct{ from, to int }

// replaceFunction puts new in the place of the function or class called name,
// which may be qualified: "Circle.area".
func replaceFunction(text, file, name, replacement string) (string, error) {
	lines := split(text)
	found := functions(lines, file, name)
	switch len(found) {
	case 0:
		return "", problem("there is no function %q in it", name)
	case 1:
	default:
		var at []int
		for _, s := range found {
			at = append(at, s.from+1)
		}
		return "", problem("there are several functions %q in it, at lines %v: name the class or type, too", name, at)
	}
	s := found[0]
	repl := split(strings.Trim(replacement, "\n"))
	if len(repl) == 0 || strings.TrimSpace(replacement) == "" {
		return "", problem("the new function is empty")
	}
	if isPython(file) && strings.HasPrefix(strings.TrimSpace(repl[0]), "@") {
		for s.from > 0 && strings.HasPrefix(strings.TrimSpace(lines[s.from-1]), "@") {
			s.from--
		}
	}
	old := lines[s.from:s.to]
	return join(lines[:s.from], shift(repl, repl[:1], old[:1]), lines[s.to:]), nil
}

func isPython(file string) bool { return path.Ext(file) == ".py" || path.Ext(file) == ".pyi" }

// functions are where functions of that name stand.
func functions(lines []string, file, name string) []span {
	owner, last := "", name
	if i := strings.LastIndexAny(name, ".#:"); i >= 0 {
		owner, last = strings.Trim(name[:i], ".#:()*& "), name[i+1:]
	}
	last = strings.TrimSpace(strings.TrimSuffix(last, "()"))
	if last == "" {
		return nil
	}
	if isPython(file) {
		return pythonFunctions(lines, owner, last)
	}
	return bracedFunctions(lines, path.Ext(file), owner, last)
}

func pythonFunctions(lines []string, owner, name string) []span {
	within := span{0, len(lines)}
	if owner != "" {
		classes := pythonFunctions(lines, "", owner)
		if len(classes) != 1 {
			return nil
		}
		within = classes[0]
	}
	head := regexp.MustCompile(`^(\s*)(?:async\s+def|def|class)\s+` + regexp.QuoteMeta(name) + `\b`)
	var found []span
	for i := within.from; i < within.to; i++ {
		m := head.FindStringSubmatch(lines[i])
		if m == nil || owner != "" && i == within.from {
			continue
		}
		found = append(found, span{i, pythonEnd(lines, i, len(m[1]))})
	}
	return found
}

// pythonEnd is the line after a block whose head is at from, without the blank
// lines that follow it.
func pythonEnd(lines []string, from, depth int) int {
	end := from + 1
	open := brackets(lines[from])
	for i := from + 1; i < len(lines); i++ {
		l := lines[i]
		bare := strings.TrimSpace(l)
		// A head over several lines, and its closing bracket, belong to the block.
		inHead := open > 0
		open += brackets(l)
		if bare != "" && !inHead && len(indent(l)) <= depth && !strings.HasPrefix(bare, "#") {
			break
		}
		if bare != "" && (inHead || len(indent(l)) > depth) {
			end = i + 1
		}
	}
	return end
}

func brackets(l string) int {
	if i := strings.IndexByte(l, '#'); i >= 0 {
		l = l[:i]
	}
	return strings.Count(l, "(") + strings.Count(l, "[") - strings.Count(l, ")") - strings.Count(l, "]")
}

// bracedFunctions are functions whose body is in braces.
func bracedFunctions(lines []string, ext, owner, name string) []span {
	q := regexp.QuoteMeta(name)
	var head *regexp.Regexp
	switch ext {
	case ".go":
		receiver := `(?:\([^)]*\)\s*)?`
		if owner != "" {
			receiver = `\([^)]*\b` + regexp.QuoteMeta(owner) + `\b[^)]*\)\s*`
		}
		head = regexp.MustCompile(`^(?:func\s+` + receiver + q + `\s*[\[(]|type\s+` + q + `\b)`)
	default:
		head = regexp.MustCompile(`^\s*(?:(?:export|default|async|static|public|private|protected|final|fn|pub|override|get|set)\s+)*` +
			`(?:function\s*\*?\s*` + q + `\s*[(<]|(?:const|let|var)\s+` + q + `\s*=|class\s+` + q + `\b|fn\s+` + q + `\s*[(<]|` + q + `\s*\([^;]*\)\s*(?::\s*[^={]+)?\{|(?:[\w<>\[\],.]+\s+)+` + q + `\s*\([^;]*\)[^;]*\{?\s*$)`)
	}
	within := span{0, len(lines)}
	if owner != "" && ext != ".go" {
		classes := bracedFunctions(lines, ext, "", owner)
		if len(classes) != 1 {
			return nil
		}
		within = span{classes[0].from + 1, classes[0].to}
	}
	var found []span
	comment := comments(lines)
	for i := within.from; i < within.to; i++ {
		if head.MatchString(lines[i]) && !comment[i] && !strings.HasPrefix(strings.TrimSpace(lines[i]), "return ") {
			if to := braceEnd(lines, i); to > 0 {
				found = append(found, span{i, to})
				i = to - 1
			}
		}
	}
	return found
}

// comments marks the lines that begin in a comment, or with one: examples there look
// like heads of functions.
func comments(lines []string) []bool {
	out := make([]bool, len(lines))
	block := false
	for i, l := range lines {
		bare := strings.TrimSpace(l)
		out[i] = block || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "/*") || strings.HasPrefix(bare, "*")
		if !block && strings.HasPrefix(bare, "/*") {
			block, bare = true, bare[2:]
		}
		if block && strings.Contains(bare, "*/") {
			block = false
		}
	}
	return out
}

// braceEnd is the line after the body that begins at from, 0 when there is none.
// Braces in strings and comments don't count.
func braceEnd(lines []string, from int) int {
	depth, begun := 0, false
	var quote byte
	block := false
	for i := from; i < len(lines); i++ {
		l := lines[i]
		for j := 0; j < len(l); j++ {
			c := l[j]
			switch {
			case block:
				if strings.HasPrefix(l[j:], "*/") {
					block = false
					j++
				}
			case quote != 0:
				if c == '\\' && quote != '`' {
					j++
				} else if c == quote {
					quote = 0
				}
			case strings.HasPrefix(l[j:], "//"):
				j = len(l)
			case strings.HasPrefix(l[j:], "/*"):
				block = true
				j++
			case c == '"' || c == '\'' || c == '`':
				quote = c
			case c == '{':
				depth++
				begun = true
			case c == '}':
				depth--
			}
		}
		if quote != '`' {
			quote = 0 // only such a string goes over lines
		}
		if begun && depth <= 0 {
			return i + 1
		}
		if !begun && (i > from+20 || strings.HasSuffix(strings.TrimSpace(l), ";")) {
			return 0
		}
	}
	return 0
}

var anyFunction = regexp.MustCompile(`^\s*(?:export\s+|default\s+|async\s+|pub\s+|static\s+)*(?:def|func|function|fn)\s+(?:\([^)]*\b(\w+)[^)\w]*\)\s*)?(\w+)\s*[(\[<]`)

// onlyFunction is the name of the function that is all of a text, or nothing.
func onlyFunction(text, file string) string {
	lines := split(strings.Trim(text, "\n"))
	first := 0
	for first < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[first]), "@") {
		first++
	}
	if first == len(lines) {
		return ""
	}
	m := anyFunction.FindStringSubmatch(lines[first])
	if m == nil {
		return ""
	}
	name := m[2]
	if m[1] != "" {
		name = m[1] + "." + name
	}
	found := functions(lines[first:], file, name)
	if len(found) != 1 || found[0].from != 0 || found[0].to != len(lines)-first {
		return ""
	}
	return name
}

// mostFunctions is how many functions are replaced one by one.
const mostFunctions = 50

// someFunctions replaces the functions of a file that a text writes anew, when the
// text has nothing else, but for lines that the file has, too, and leaves out some of
// what the file defines, or all that is around the functions: a model that was asked
// for the whole file often gives only what changes.
func someFunctions(text, file, replacement string) (string, bool) {
	names := defined(replacement)
	known := defined(text)
	if len(names) == 0 || len(names) > mostFunctions || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(known, n) }) {
		return "", false
	}
	some := leavesDefinition(replacement, text)
	lines := split(replacement)
	taken := make([]bool, len(lines))
	for _, name := range names {
		found := functions(lines, file, name)
		if len(found) != 1 {
			return "", false
		}
		s := found[0]
		for s.from > 0 && strings.HasPrefix(lines[s.from-1], "@") {
			s.from--
		}
		for i := s.from; i < s.to; i++ {
			taken[i] = true
		}
		next, err := replaceFunction(text, file, name, strings.Join(lines[s.from:s.to], "\n"))
		if err != nil {
			return "", false
		}
		text = next
	}
	had := split(text)
	for i, l := range lines {
		if taken[i] || strings.TrimSpace(l) == "" {
			continue
		}
		if !some || !slices.ContainsFunc(had, func(h string) bool { return equalEnds(h, l) }) {
			return "", false
		}
	}
	return text, some || fewer(replacement, text)
}
