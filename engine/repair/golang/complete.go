package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"

	"autocoder/engine/textedit"
)

// known are the packages that an edit may need an import of, by name.
var known = map[string]string{
	"bytes": "bytes", "cmp": "cmp", "errors": "errors", "fmt": "fmt", "maps": "maps", "math": "math", "bits": "math/bits",
	"slices": "slices", "sort": "sort", "strconv": "strconv", "strings": "strings", "time": "time", "unicode": "unicode", "utf8": "unicode/utf8",
}

// knownPaths lists the paths of known.
func knownPaths() []string {
	var out []string
	for _, p := range known {
		out = append(out, p)
	}
	return out
}

// complete returns the edits that make the imports of a file right after edits.
func complete(content []byte, edits []textedit.Edit) []textedit.Edit {
	gained, lost := qualified(content, edits)
	if len(gained)+len(lost) == 0 {
		return nil
	}
	before, err := parser.ParseFile(token.NewFileSet(), "", content, parser.ImportsOnly)
	if err != nil || !concerned(before, content, gained, lost) {
		return nil
	}
	changed, err := textedit.ApplyEdits(content, edits)
	if err != nil {
		return nil
	}
	// Unresolved identifiers are what the parser's own resolution leaves.
	after, err := parser.ParseFile(token.NewFileSet(), "", changed, 0)
	if err != nil {
		return nil
	}
	return importEdits(before, edits, usedPackages(after))
}

// qualified tells the names before a dot that edits put in, and those that they take
// out, with how often they do. An edit may cut "strings.ToLower" into pieces: whole
// lines are looked at.
func qualified(content []byte, edits []textedit.Edit) (gained, lost map[string]int) {
	start, end := edits[0].Start, edits[len(edits)-1].End
	for start > 0 && content[start-1] != '\n' {
		start--
	}
	for end < len(content) && content[end] != '\n' {
		end++
	}
	within := slices.Clone(edits)
	for i := range within {
		within[i].Start -= start
		within[i].End -= start
	}
	after, err := textedit.ApplyEdits(content[start:end], within)
	if err != nil {
		return nil, nil
	}
	gained, lost = qualifiers(after), qualifiers(content[start:end])
	for name, n := range gained {
		m := lost[name]
		gained[name], lost[name] = n-m, m-n
	}
	none := func(_ string, n int) bool { return n <= 0 }
	maps.DeleteFunc(gained, none)
	maps.DeleteFunc(lost, none)
	return gained, lost
}

// qualifiers counts the names that stand before a dot and not behind one.
func qualifiers(text []byte) map[string]int {
	out := map[string]int{}
	for i, c := range text {
		start := i
		for c == '.' && start > 0 && (text[start-1] == '_' || text[start-1] >= 0x80 || isAlphanumeric(text[start-1])) {
			start--
		}
		if start < i && (start == 0 || text[start-1] != '.') {
			out[string(text[start:i])]++
		}
	}
	return out
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// concerned reports whether a file may need an import that it does not have, or have
// one that it no longer needs.
func concerned(f *ast.File, content []byte, gained, lost map[string]int) bool {
	have := map[string]bool{}
	for _, s := range f.Imports {
		have[importName(s)] = true
	}
	for name := range gained {
		if known[name] != "" && !have[name] {
			return true
		}
	}
	var all map[string]int
	for name, n := range lost {
		if !have[name] {
			continue
		}
		if all == nil {
			all = qualifiers(content)
		}
		if all[name] <= n {
			return true
		}
	}
	return false
}

// usedPackages are the unresolved names that stand before a dot.
func usedPackages(f *ast.File) map[string]bool {
	unresolved := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved {
		unresolved[id] = true
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && unresolved[id] {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}

// importEdits drops the imports that are not used and adds those that are missing.
// Edits of imports that the given edits overlap are left out.
func importEdits(before *ast.File, edits []textedit.Edit, used map[string]bool) []textedit.Edit {
	var out []textedit.Edit
	offset := func(p token.Pos) int { return int(p - before.FileStart) }
	have := map[string]bool{}
	for _, d := range before.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			spec, ok := s.(*ast.ImportSpec)
			if !ok {
				continue
			}
			name := importName(spec)
			have[name] = true
			if name == "_" || name == "." || name == "C" || used[name] || spec.Name == nil && !plainName(spec) {
				continue
			}
			start, end := offset(spec.Pos()), offset(spec.End())
			if !g.Lparen.IsValid() {
				start, end = offset(g.Pos()), offset(g.End())
			}
			if !overlaps(edits, start, end) {
				out = append(out, textedit.Edit{Start: start, End: end})
			}
		}
	}
	add := missing(used, have)
	at := offset(before.Name.End())
	if len(before.Imports) > 0 && len(add) > 0 {
		return addBeside(before, out, add, offset)
	}
	for _, p := range add {
		out = append(out, textedit.Edit{Start: at, End: at, New: "\n\nimport " + strconv.Quote(p)})
	}
	return out
}

// addBeside adds imports before the first one, in its own declaration.
func addBeside(f *ast.File, out []textedit.Edit, add []string, offset func(token.Pos) int) []textedit.Edit {
	first := f.Imports[0]
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		text := ""
		for _, p := range add {
			if g.Lparen.IsValid() {
				text += strconv.Quote(p) + "\n\t"
			} else {
				text += "import " + strconv.Quote(p) + "\n"
			}
		}
		at := offset(g.Pos())
		if g.Lparen.IsValid() {
			at = offset(first.Pos())
		}
		return append([]textedit.Edit{{Start: at, End: at, New: text}}, out...)
	}
	return out
}

func missing(used, have map[string]bool) []string {
	var add []string
	for name, p := range known {
		if used[name] && !have[name] {
			add = append(add, p)
		}
	}
	return add
}

func overlaps(edits []textedit.Edit, start, end int) bool {
	for _, e := range edits {
		if e.Start < end && start < e.End {
			return true
		}
	}
	return false
}

var version = regexp.MustCompile(`^v[0-9]+$`)

// importName is the name by which a file knows an import, as far as its path tells.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	p, _ := strconv.Unquote(spec.Path.Value)
	base := path.Base(p)
	if version.MatchString(base) {
		base = path.Base(path.Dir(p))
	}
	return base
}

// plainName reports whether a path tells the package's name: gopkg.in/yaml.v3 and
// go-cmp do not.
func plainName(spec *ast.ImportSpec) bool {
	return token.IsIdentifier(importName(spec))
}
