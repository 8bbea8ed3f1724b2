package scan

import (
	"path"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// callKind says what a call of a known function gives.
type callKind uint8

const (
	callNone   callKind = iota
	callImport          // the module that the first argument names
	callMember          // the member of the first argument that the second names
	callSame            // the first argument itself
	callObject          // the object whose method it is
	callOwn             // the member of the object whose method it is that the first argument names
	callGetter          // the member of the first argument that the getter was made for
)

// language is what the scan knows of a language.
type language struct {
	name       string
	extensions []string
	// slashes means that modules are named by paths.
	slashes bool
	// rules are the names that are capabilities.
	rules []rule
	calls map[string]callKind
	// prefixes are ways to the global names that say nothing, and same other names of
	// modules.
	prefixes []string
	same     map[string]string
	// overloads are methods that the language calls by itself to compare or convert.
	overloads map[string]bool
	// mutators are functions that change their first argument.
	mutators []string
	// values are built-in classes whose children still pass for values.
	values map[string]bool
	parse  func(name string, content []byte) (*syntax.Node, error) // nil where an interpreter parses
}

// rule is a name, or all names that begin with it, that stands for a capability.
type rule struct {
	cap    Capability
	level  Level
	prefix string
	// exact names no more than itself and its members; otherwise what merely begins
	// with the prefix counts too.
	exact bool
	// loading counts only while the file is loaded; importing counts where the module
	// is only imported.
	loading, importing bool
}

// table reads rules: words, each a name; "*" at the end means whatever begins so,
// "!" that no honest repair does it, "@" that it counts while the file is loaded,
// "+" that the import alone counts. A word that begins with "." is a member of
// whatever object.
func table(text map[Capability]string) []rule {
	var rules []rule
	for c := InvalidCapability; c < capabilities; c++ {
		for word := range strings.FieldsSeq(text[c]) {
			r := rule{cap: c, level: Warns, exact: true}
			for done := false; !done; {
				last := word[len(word)-1]
				switch last {
				case '!':
					r.level = Refuses
				case '@':
					r.loading = true
				case '+':
					r.importing = true
				case '*':
					r.exact = false
				default:
					done = true
					continue
				}
				word = word[:len(word)-1]
			}
			r.prefix = word
			rules = append(rules, r)
		}
	}
	// The longest name wins.
	slices.SortStableFunc(rules, func(a, b rule) int { return len(b.prefix) - len(a.prefix) })
	return rules
}

// matches reports whether a path is what the rule names, or a member of it.
func (r rule) matches(p string) bool {
	if strings.HasPrefix(r.prefix, ".") {
		return r.member(p)
	}
	rest, ok := strings.CutPrefix(p, r.prefix)
	return ok && (!r.exact || boundary(rest))
}

func boundary(rest string) bool {
	return rest == "" || rest[0] == '.' || rest[0] == '(' || rest[0] == '['
}

// member reports whether the path has the rule's member somewhere.
func (r rule) member(p string) bool {
	for from := 0; ; {
		i := strings.Index(p[from:], r.prefix)
		if i < 0 {
			return false
		}
		from += i + len(r.prefix)
		if boundary(p[from:]) || !r.exact {
			return true
		}
	}
}

// find returns the rule for a path.
func (l *language) find(p string) (rule, bool) {
	for _, r := range l.rules {
		if r.matches(p) {
			return r, true
		}
	}
	return rule{}, false
}

// all returns every rule for a path, the most special first.
func (l *language) all(p string) []rule {
	var out []rule
	for _, r := range l.rules {
		if r.matches(p) {
			out = append(out, r)
		}
	}
	return out
}

// normal brings a path to the one spelling that the rules know.
func (l *language) normal(p string) string {
	for again := true; again; {
		again = false
		for _, prefix := range l.prefixes {
			if rest, ok := strings.CutPrefix(p, prefix); ok && rest != "" && !l.ofTable(rest) {
				p, again = rest, true
			}
		}
	}
	p = strings.ReplaceAll(p, ".__dict__.", ".")
	p = strings.ReplaceAll(p, ".default.", ".")
	for from, to := range l.same {
		if rest, ok := strings.CutPrefix(p, from); ok && boundary(rest) {
			return to + rest
		}
	}
	return p
}

// ofTable reports whether what follows a table of names is a method of the table,
// and not one of the names.
func (l *language) ofTable(rest string) bool {
	name, _, _ := strings.Cut(strings.TrimSuffix(rest, "()"), ".")
	return l == python && tableMethods[strings.TrimSuffix(name, "()")]
}

var tableMethods = words("get pop setdefault items keys values copy update __getitem__")

// importPath is the path of a module that a call imports by name.
func (l *language) importPath(call, name string) string {
	if call == "__import__" {
		name, _, _ = strings.Cut(name, ".")
	}
	if name = strings.TrimPrefix(name, "node:"); name == "module" && l.slashes {
		return "Module" // not the module object of the file itself
	}
	return name
}

// languageOf is the language of a file by its name, nil for none.
func languageOf(name string) *language {
	ext := strings.ToLower(path.Ext(name))
	for _, l := range []*language{python, golang, javascript} {
		if slices.Contains(l.extensions, ext) {
			return l
		}
	}
	return nil
}

func words(text string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		m[word] = true
	}
	return m
}
