package answer

import (
	"fmt"
	"slices"
	"strings"
)

// Substitute puts replacement in the place of search in text. It looks for the
// exact bytes first, then for the same lines without regard to blanks at their
// ends, then for lines that are all indented by the same more or less, then with
// elided middles. A search that fits nowhere, or in several places, is a *Problem
// with the candidates.
func Substitute(text, search, replacement string) (string, error) {
	next, found, err := substitute(text, search, replacement)
	if err == nil && !found {
		return "", notFound(split(text), split(strings.Trim(search, "\n")))
	}
	return next, err
}

// fits reports whether a piece stands at one place of a text; it is cheaper than to
// say why not.
func fits(text, search, replacement string) bool {
	_, found, err := substitute(text, unix(search), unix(replacement))
	return found && err == nil
}

// substitute is Substitute, and says only that nothing was found.
func substitute(text, search, replacement string) (next string, found bool, err error) {
	if strings.TrimSpace(search) == "" {
		return "", false, problem("the part to search for is empty")
	}
	switch strings.Count(text, search) {
	case 1:
		return strings.Replace(text, search, replacement, 1), true, nil
	case 0:
	default:
		if wholeLines(text, search) != 1 {
			return "", false, ambiguous(lineStarts(text, search))
		}
	}
	lines, old := split(text), split(strings.Trim(search, "\n"))
	repl := split(strings.Trim(replacement, "\n"))
	if strings.TrimSpace(replacement) == "" {
		repl = nil
	}
	for _, same := range []func(a, b string) bool{equalEnds, equalBlanks} {
		at := places(lines, old, same)
		switch len(at) {
		case 0:
			continue
		case 1:
			there := lines[at[0] : at[0]+len(old)]
			return join(lines[:at[0]], shift(repl, old, there), lines[at[0]+len(old):]), true, nil
		default:
			return "", false, ambiguous(oneBased(at))
		}
	}
	if next, ok, err := withDots(text, old, repl); ok || err != nil {
		return next, ok, err
	}
	for _, width := range []int{4, 2, 8} {
		for _, other := range []func([]string, int) []string{blanks, tabs} {
			if at := places(lines, other(old, width), equalEnds); len(at) == 1 {
				return join(lines[:at[0]], other(repl, width), lines[at[0]+len(old):]), true, nil
			}
		}
	}
	return "", false, nil
}

// blanks indents lines by blanks, and tabs by tabs of that width.
func blanks(lines []string, width int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		in := indent(l)
		out[i] = strings.ReplaceAll(in, "\t", strings.Repeat(" ", width)) + l[len(in):]
	}
	return out
}

func tabs(lines []string, width int) []string {
	out := blanks(lines, width)
	for i, l := range out {
		in := indent(l)
		out[i] = strings.ReplaceAll(in, strings.Repeat(" ", width), "\t") + l[len(in):]
	}
	return out
}

// wholeLines counts the places of search that begin at the start of a line: a
// piece of a line elsewhere is no candidate then.
func wholeLines(text, search string) int {
	n := strings.Count("\n"+text, "\n"+strings.TrimPrefix(search, "\n"))
	if n != 1 {
		return n
	}
	return len(places(split(text), split(strings.Trim(search, "\n")), equalEnds))
}

func split(text string) []string { return strings.Split(text, "\n") }

func join(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "\n") }

func equalEnds(a, b string) bool {
	return strings.TrimRight(a, " \t\r") == strings.TrimRight(b, " \t\r")
}
func equalBlanks(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// places are the lines, from 0, at which old stands in lines. Lines that differ in
// their indentation must all differ by the same.
func places(lines, old []string, same func(a, b string) bool) []int {
	var at []int
	if len(old) == 0 || len(strings.Join(old, "")) == 0 {
		return nil
	}
	for i := 0; i+len(old) <= len(lines); i++ {
		fits := true
		for j := range old {
			if !same(lines[i+j], old[j]) {
				fits = false
				break
			}
		}
		if fits && uniform(lines[i:i+len(old)], old) {
			at = append(at, i)
		}
	}
	return at
}

// uniform reports whether a becomes b by taking the same indentation from, or
// giving it to, each line that is not blank.
func uniform(a, b []string) bool {
	first := true
	var more, less string
	for i := range a {
		if strings.TrimSpace(a[i]) == "" {
			continue
		}
		x, y := indent(a[i]), indent(b[i])
		m, l := "", ""
		switch {
		case strings.HasSuffix(x, y):
			m = x[:len(x)-len(y)]
		case strings.HasSuffix(y, x):
			l = y[:len(y)-len(x)]
		default:
			return false
		}
		if !first && (m != more || l != less) {
			return false
		}
		first, more, less = false, m, l
	}
	return true
}

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// shift gives lines, which were written for old, the indentation of what was
// found in its place.
func shift(lines, old, found []string) []string {
	for i := range old {
		if strings.TrimSpace(old[i]) == "" {
			continue
		}
		x, y := indent(found[i]), indent(old[i])
		out := make([]string, len(lines))
		for k, l := range lines {
			switch {
			case strings.TrimSpace(l) == "":
				out[k] = l
			case strings.HasSuffix(x, y):
				out[k] = x[:len(x)-len(y)] + l
			default:
				out[k] = strings.TrimPrefix(l, y[:len(y)-len(x)])
			}
		}
		return out
	}
	return lines
}

// withDots understands a search whose middle is elided by a line of dots: the
// replacement must elide as often, and what was elided stays.
func withDots(text string, old, repl []string) (string, bool, error) {
	dots := func(l string) bool { return strings.TrimSpace(l) == "..." || strings.TrimSpace(l) == "…" }
	count := func(ls []string) int {
		n := 0
		for _, l := range ls {
			if dots(l) {
				n++
			}
		}
		return n
	}
	n := count(old)
	if n == 0 {
		return "", false, nil
	}
	if count(repl) != n {
		return "", false, problem("the part to search for leaves lines out with ... and the replacement does not leave out the same")
	}
	next := text
	for i, piece := range cut(old, dots) {
		search := strings.Join(piece, "\n")
		with := strings.Join(cut(repl, dots)[i], "\n")
		if strings.TrimSpace(search) == "" {
			if strings.TrimSpace(with) != "" {
				return "", false, problem("it is not clear where the lines around ... belong")
			}
			continue
		}
		var err error
		if next, err = Substitute(next, search, with); err != nil {
			return "", false, err
		}
	}
	return next, true, nil
}

func cut(lines []string, at func(string) bool) [][]string {
	out := [][]string{nil}
	for _, l := range lines {
		if at(l) {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], l)
	}
	return out
}

// lineStarts are the lines, from 1, at which search begins in text.
func lineStarts(text, search string) []int {
	var at []int
	for from := 0; ; {
		i := strings.Index(text[from:], search)
		if i < 0 || len(at) > mostShown {
			return at
		}
		at = append(at, strings.Count(text[:from+i], "\n")+1)
		from += i + max(1, len(search))
	}
}

func oneBased(at []int) []int {
	out := make([]int, len(at))
	for i, x := range at {
		out[i] = x + 1
	}
	return out
}

// mostShown is how many candidates are named.
const mostShown = 6

func ambiguous(lines []int) error {
	var list []string
	for _, l := range lines[:min(len(lines), mostShown)] {
		list = append(list, fmt.Sprint(l))
	}
	more := ""
	if len(lines) > mostShown {
		more = " and more"
	}
	return problem("the part to search for stands at several places, at lines %s%s: search for more lines, so that only one place fits",
		strings.Join(list, ", "), more)
}

// notFound says what the nearest lines are.
func notFound(lines, old []string) error {
	best, at := 0.0, -1
	if len(lines) <= 5000 && len(old) <= 200 {
		for i := range lines {
			score := 0.0
			for j := range old {
				if i+j < len(lines) && strings.TrimSpace(old[j]) != "" {
					score += similar(strings.TrimSpace(lines[i+j]), strings.TrimSpace(old[j]))
				}
			}
			if score > best {
				best, at = score, i
			}
		}
	}
	filled := 0
	for _, l := range old {
		if strings.TrimSpace(l) != "" {
			filled++
		}
	}
	if at < 0 || best < 0.5*float64(filled) {
		return problem("the part to search for does not stand in the file")
	}
	end := min(len(lines), at+len(old))
	return problem("the part to search for does not stand in the file; the nearest is, at line %d:\n%s", at+1, strings.Join(lines[at:end], "\n"))
}

// similar is how alike two lines are, from 0 to 1, by the pairs of letters that
// they share.
func similar(a, b string) float64 {
	if a == b {
		return 1
	}
	if len(a) < 2 || len(b) < 2 || len(a) > 500 || len(b) > 500 {
		return 0
	}
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	shared := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b)-2)
}
