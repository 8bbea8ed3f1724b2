package workspace

import (
	"bytes"
	"path"
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
	parent *ignores
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
	return &ignores{dir: dir, rules: rules, parent: g}
}

// ignored reports whether the rules ignore a path whose folder is not ignored.
// The last rule of the deepest file that says something decides.
func (g *ignores) ignored(p string, isDir bool) bool {
	for ; g != nil; g = g.parent {
		below := path.Join(g.prefix, p)
		if g.dir != "" {
			below = strings.TrimPrefix(below, g.dir+"/")
		}
		last := []string{path.Base(p)}
		for i := len(g.rules) - 1; i >= 0; i-- {
			r := g.rules[i]
			if r.dirOnly && !isDir {
				continue
			}
			name := last
			if !r.anywhere {
				rest, ok := strings.CutPrefix(below, r.literal)
				if !ok {
					continue
				}
				name = strings.Split(rest, "/")
			}
			if wildmatch(r.pattern, name) {
				return !r.negated
			}
		}
	}
	return false
}

// below returns the rules as they apply to paths below a folder.
func (g *ignores) below(prefix string) *ignores {
	if g == nil {
		return nil
	}
	return &ignores{dir: g.dir, prefix: prefix, rules: g.rules, parent: g.parent.below(prefix)}
}
