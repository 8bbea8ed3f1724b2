package workspace

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	literal  string   // what a path begins with before the pattern applies
	pattern  []string // elements of the pattern
	negated  bool     // "!": takes an earlier match back
	dirOnly  bool     // trailing slash
	anywhere bool     // no slash inside: matched against the last element
}

// ignores are the rules in force in a folder: those of its own file and,
// through parent, those of the folders above it.
type ignores struct {
	dir    string // the folder of the file, "" for the top
	prefix string // what to put before paths, for files above the workspace
	rules  []ignoreRule
	index  ruleIndex
	parent *ignores
}

// ruleIndex finds the last of the rules that matches. Most rules are a name or an
// ending, and are looked up instead of being tried.
type ruleIndex struct {
	names, endings       map[string]int // the last rule that says so
	dirNames, dirEndings map[string]int // those for folders only
	rest                 []int          // all others
}

func indexed(rules []ignoreRule) ruleIndex {
	x := ruleIndex{names: map[string]int{}, endings: map[string]int{}, dirNames: map[string]int{}, dirEndings: map[string]int{}}
	for i, r := range rules {
		names, endings := x.names, x.endings
		if r.dirOnly {
			names, endings = x.dirNames, x.dirEndings
		}
		ending, star := strings.CutPrefix(r.pattern[0], "*")
		switch {
		case !r.anywhere || strings.ContainsAny(ending, `*?[\`):
			x.rest = append(x.rest, i)
		case !star:
			names[r.pattern[0]] = i
		case strings.LastIndexByte(ending, '.') == 0:
			endings[ending] = i
		default:
			x.rest = append(x.rest, i)
		}
	}
	return x
}

// last returns the last indexed rule that matches a name, -1 for none.
func (x ruleIndex) last(name string, isDir bool) int {
	best := -1
	look := func(rules map[string]int, key string) {
		if i, ok := rules[key]; ok {
			best = max(best, i)
		}
	}
	look(x.names, name)
	look(x.endings, path.Ext(name))
	if isDir {
		look(x.dirNames, name)
		look(x.dirEndings, path.Ext(name))
	}
	return best
}

// parseIgnores reads the text of a .gitignore file.
func parseIgnores(text []byte) []ignoreRule {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var rules []ignoreRule
	for line := range strings.SplitSeq(string(text), "\n") {
		if r, ok := parseIgnoreLine(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	if strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	line = trimSpaces(line)
	var r ignoreRule
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anywhere = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return ignoreRule{}, false
	}
	line = strings.ReplaceAll(line, `\/`, "/")
	if !r.anywhere {
		r.literal, line = literalPrefix(line)
	}
	r.pattern = strings.Split(line, "/")
	return r, true
}

// literalPrefix splits "a**/b" into "a" and "**/b". Git compares what stands
// before the first wildcard as it is, and so takes stars right after it for
// those that stand for whole elements.
func literalPrefix(line string) (literal, pattern string) {
	i := strings.IndexAny(line, `*?[\`)
	if i <= 0 || line[i-1] == '/' {
		return "", line
	}
	stars, _, _ := strings.Cut(line[i:], "/")
	if len(stars) < 2 || strings.Trim(stars, "*") != "" {
		return "", line
	}
	return line[:i], line[i:]
}

// trimSpaces removes trailing spaces that no backslash protects.
func trimSpaces(line string) string {
	short := strings.TrimRight(line, " ")
	slashes := len(short) - len(strings.TrimRight(short, `\`))
	if len(short) < len(line) && slashes%2 == 1 {
		return short + " "
	}
	return short
}

// with returns the rules in force in dir, given the text of its own file.
func (g *ignores) with(dir string, text []byte) *ignores {
	rules := parseIgnores(text)
	if len(rules) == 0 {
		return g
	}
	return &ignores{dir: dir, rules: rules, index: indexed(rules), parent: g}
}

// ignored reports whether the rules ignore a path whose folder is not ignored.
// The last rule of the deepest file that says something decides.
func (g *ignores) ignored(p string, isDir bool) bool {
	for ; g != nil; g = g.parent {
		if i := g.decides(p, isDir); i >= 0 {
			return !g.rules[i].negated
		}
	}
	return false
}

// decides returns the last rule of one file that matches a path, -1 for none.
func (g *ignores) decides(p string, isDir bool) int {
	base := path.Base(p)
	best := g.index.last(base, isDir)
	last, below := []string{base}, ""
	for _, i := range slices.Backward(g.index.rest) {
		r := g.rules[i]
		if i < best {
			break
		}
		if r.dirOnly && !isDir {
			continue
		}
		name := last
		if !r.anywhere {
			if below == "" {
				below = g.seen(p)
			}
			rest, ok := strings.CutPrefix(below, r.literal)
			if !ok {
				continue
			}
			name = strings.Split(rest, "/")
		}
		if wildmatch(r.pattern, name) {
			return i
		}
	}
	return best
}

// seen is a path as the file's rules see it.
func (g *ignores) seen(p string) string {
	below := path.Join(g.prefix, p)
	if g.dir != "" {
		below = strings.TrimPrefix(below, g.dir+"/")
	}
	return below
}

// below returns the rules as they apply to paths below a folder.
func (g *ignores) below(prefix string) *ignores {
	if g == nil {
		return nil
	}
	return &ignores{dir: g.dir, prefix: prefix, rules: g.rules, index: g.index, parent: g.parent.below(prefix)}
}
