package workspace

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"autocoder/engine/textedit"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Refusal says that an edit may not touch a path, and why.
type Refusal struct {
	Path string
	// Pattern is the pattern that matched, when one did.
	Pattern string
	Class   Class
	// Why is for people and for proposers.
	Why string
}

// Error is one sentence.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%q may not be edited: %s", r.Path, r.Why)
	if r.Pattern != "" {
		text += fmt.Sprintf(" (%s, %s)", r.Class, r.Pattern)
	}
	return text
}

// Guard decides what edits may touch. It looks at names, never at the disk.
type Guard struct {
	list  []Pattern
	match matcher
	allow []string // folded
}

// NewGuard returns a guard of the default list, of the user's own patterns to
// protect, and without what the user allows. A *PatternError names a malformed
// pattern. Allowing takes no check of a path's form or of links away.
func NewGuard(protect, allow []string) (*Guard, error) {
	if err := validPatterns(append(append([]string{}, protect...), allow...)); err != nil {
		return nil, err
	}
	g := &Guard{list: Patterns()}
	for _, p := range protect {
		for _, glob := range []string{userGlob(p), userGlob(p) + "/**"} { // a folder means all in it
			g.list = append(g.list, Pattern{Glob: glob, Class: Protected, Why: "your settings protect it"})
		}
	}
	for _, a := range allow {
		g.allow = append(g.allow, fold(userGlob(a)))
	}
	g.match = newMatcher(g.list)
	return g, nil
}

// userGlob reads a pattern as users write them: "./" in front and a slash at the
// end are no part of it.
func userGlob(p string) string {
	return strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
}

// fold brings a path or pattern to the one spelling that is compared: file
// systems may take several spellings of a name for the same file.
func fold(p string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(p))) }

// Editable returns nil, or a *Refusal. Links are followed by Check alone.
func (g *Guard) Editable(p string) error {
	if why := badForm(p); why != "" {
		class := Name
		if path.IsAbs(p) || p == ".." || strings.HasPrefix(path.Clean(p), "../") {
			class = Outside
		}
		return &Refusal{Path: p, Class: class, Why: why}
	}
	if hit, ok := g.find(p); ok {
		return &Refusal{Path: p, Pattern: hit.Glob, Class: hit.Class, Why: hit.Why}
	}
	return nil
}

// Protected reports whether the path is one that edits may not touch, so that
// verification takes it from the user's folder.
func (g *Guard) Protected(p string) bool {
	_, ok := g.find(p)
	return ok
}

// find returns the pattern that forbids a path, unless the user allows it.
func (g *Guard) find(p string) (Pattern, bool) {
	p = fold(p)
	i, ok := g.match.find(p)
	if !ok {
		return Pattern{}, false
	}
	for q := p; q != "." && q != "/"; q = path.Dir(q) {
		for _, a := range g.allow {
			if ok, _ := doublestar.Match(a, q); ok {
				return Pattern{}, false
			}
		}
	}
	return g.list[i], true
}

// shortName is the form that Windows gives to long names: GIT~1, TESTS~2.PY.
var shortName = regexp.MustCompile(`^[^.]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$`)

// badForm says what is wrong with the form of a path: whatever some file system
// would take for another name, or is not simply a path below the workspace.
func badForm(p string) string {
	switch {
	case p == "" || p == ".":
		return "it names no file"
	case path.IsAbs(p):
		return "it is not relative to the workspace"
	case path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return "it is not a plain path below the workspace"
	case strings.ContainsRune(p, '\\'):
		return "it has a backslash, which is a separator on some systems"
	}
	for element := range strings.SplitSeq(p, "/") {
		switch {
		case strings.ContainsRune(element, ':'):
			return fmt.Sprintf("%q has a colon, which names a drive or a stream on some systems", element)
		case strings.TrimRight(element, ". ") != element:
			return fmt.Sprintf("%q ends in a dot or space, which some systems drop", element)
		case shortName.MatchString(element):
			return fmt.Sprintf("%q has the form of a short alias of another name", element)
		case strings.ContainsFunc(element, invisible):
			return fmt.Sprintf("%q has an invisible character, which some systems drop", element)
		}
	}
	return ""
}

func invisible(r rune) bool {
	return r == 0 || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// Check returns nil when the patch may be applied, or the *Refusal of the first
// operation that may not. read returns what is there now; resolve follows the
// links of a path and returns where it really lies, relative to the workspace,
// or an error when that is not one of the workspace's own files.
func (g *Guard) Check(read textedit.Reader, resolve func(string) (string, error), p textedit.Patch) error {
	made := map[string]bool{} // what the operations before made or removed
	over := func(path string) (bool, error) {
		if exists, ok := made[path]; ok {
			return exists, nil
		}
		f, err := read(path)
		return f.Kind != textedit.Absent, err
	}
	for _, op := range p.Ops {
		if err := g.checkOp(read, resolve, over, op); err != nil {
			return err
		}
		made[op.Path] = op.Kind != textedit.OpDelete && op.Kind != textedit.OpRename
		if op.Kind == textedit.OpRename {
			made[op.To] = true
		}
	}
	return nil
}

func (g *Guard) checkOp(read textedit.Reader, resolve func(string) (string, error), exists func(string) (bool, error), op textedit.Op) error {
	if err := g.checkPath(resolve, op.Path); err != nil {
		return err
	}
	if op.Kind == textedit.OpSymlink {
		return &Refusal{Path: op.Path, Class: Link, Why: "edits may not make symbolic links"}
	}
	target := op.Path
	if op.Kind == textedit.OpRename {
		target = op.To
		if err := g.checkPath(resolve, op.To); err != nil {
			return err
		}
		f, err := read(op.Path)
		if err != nil {
			return fmt.Errorf("read %q: %w", op.Path, err)
		}
		if f.Kind == textedit.Symlink {
			return &Refusal{Path: op.Path, Class: Link, Why: "edits may not move symbolic links"}
		}
	}
	if op.Kind == textedit.OpDelete || op.Kind == textedit.OpEdit {
		return nil
	}
	there, err := exists(target)
	if err != nil {
		return fmt.Errorf("read %q: %w", target, err)
	}
	if there {
		return nil
	}
	return checkNew(target, exists)
}

// checkPath checks a path as it is written and where it really leads.
func (g *Guard) checkPath(resolve func(string) (string, error), p string) error {
	if err := g.Editable(p); err != nil {
		return err
	}
	where, err := resolve(p)
	if err != nil {
		return &Refusal{Path: p, Class: Outside, Why: err.Error()}
	}
	if where == p {
		return nil
	}
	err = g.Editable(where)
	if r := (*Refusal)(nil); errors.As(err, &r) {
		r.Path, r.Why = p, fmt.Sprintf("it leads to %q: %s", where, r.Why)
	}
	return err
}
