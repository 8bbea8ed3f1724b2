package workspace

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// matcher finds the first pattern of a list that a folded path matches. Most
// patterns are plain names and are looked up instead of being tried.
type matcher struct {
	names   map[string]int // **/name
	folders map[string]int // **/name/**
	globs   []globPattern  // everything else
}

type globPattern struct {
	glob     string
	baseOnly bool // the pattern says something about the last element only
	index    int
}

func newMatcher(list []Pattern) matcher {
	m := matcher{names: map[string]int{}, folders: map[string]int{}}
	for i, p := range list {
		glob := fold(p.Glob)
		name, anywhere := strings.CutPrefix(glob, "**/")
		folder, isFolder := strings.CutSuffix(name, "/**")
		switch {
		case anywhere && isFolder && !strings.ContainsAny(folder, `*?[]{}\/`):
			m.folders[folder] = i
		case anywhere && !strings.ContainsAny(name, `*?[]{}\/`):
			m.names[name] = i
		case anywhere && !strings.Contains(name, "/"):
			m.globs = append(m.globs, globPattern{glob: name, baseOnly: true, index: i})
		default:
			m.globs = append(m.globs, globPattern{glob: glob, index: i})
		}
	}
	return m
}

func (m matcher) find(p string) (int, bool) {
	if i, ok := m.names[path.Base(p)]; ok {
		return i, true
	}
	for element := range strings.SplitSeq(p, "/") {
		if i, ok := m.folders[element]; ok {
			return i, true
		}
	}
	for _, g := range m.globs {
		name := p
		if g.baseOnly {
			name = path.Base(p)
		}
		if ok, _ := doublestar.Match(g.glob, name); ok {
			return g.index, true
		}
	}
	return 0, false
}
