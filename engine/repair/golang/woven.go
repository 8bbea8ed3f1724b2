package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// woven is the module's code with the changes woven in as clones.
func (e *evaluation) woven(changes []*change) (layer, error) {
	byFile := map[*file][]*change{}
	for _, c := range changes {
		byFile[c.file] = append(byFile[c.file], c)
	}
	l := layer{}
	for _, path := range e.own {
		for _, f := range e.sources[path].files {
			content, err := e.weave(f, byFile[f])
			if err != nil {
				return nil, fmt.Errorf("weave %s: %w", f.path, err)
			}
			l[e.absolute(f.path)] = content
		}
	}
	return l, nil
}

// weave weaves ticks and clones into one file.
func (e *evaluation) weave(f *file, changes []*change) ([]byte, error) {
	w := e.begin(f)
	var order []*ast.FuncDecl
	byFunction := map[*ast.FuncDecl][]*change{}
	var imports []string
	for _, c := range changes {
		imports = append(imports, c.adds...)
		if c.fn != nil && byFunction[c.fn] == nil {
			order = append(order, c.fn)
		}
		byFunction[c.fn] = append(byFunction[c.fn], c)
	}
	tail := useRuntime + e.variables(f, byFunction[nil])
	for _, fn := range order {
		if bound(fn) {
			continue
		}
		list := clones(f, fn, byFunction[fn], func(*change) bool { return false })
		w.dispatch(fn, list)
		for _, c := range list {
			tail += c.text + "\n"
		}
	}
	w.ticks(f.syntax)
	for _, fn := range order {
		if bound(fn) {
			w.inPlace(f, fn, byFunction[fn])
		}
	}
	slices.Sort(imports)
	w.importRuntime(f.syntax, e.runtimePath(), slices.Compact(imports))
	w.insertAt(len(f.content), tail)
	return w.apply(f.content)
}

// variables is what gives variables of a file the values that changes give them, and
// their first ones back.
func (e *evaluation) variables(f *file, changes []*change) string {
	var b strings.Builder
	kept := slices.Clone(e.state.kept[f])
	for _, c := range changes {
		fmt.Fprintf(&b, "var _ = %s.Hook(%d, func() { %s = %s })\n", alias, c.ID, c.variable, c.text)
		kept = append(kept, c.variable)
	}
	slices.Sort(kept)
	for _, name := range slices.Compact(kept) {
		fmt.Fprintf(&b, "var _ = %s.Kept(&%s)\n", alias, name)
	}
	return b.String()
}

// replaced is the module's code with one file as a change makes it.
func (e *evaluation) replaced(c *change) (layer, error) {
	l, err := e.woven(nil)
	if err != nil {
		return nil, err
	}
	_, syntax, err := parseFile(c.Path, c.content)
	if err != nil {
		return nil, err
	}
	w := &weaver{offset: func(p token.Pos) int { return int(p - syntax.FileStart) }}
	w.ticks(syntax)
	w.importRuntime(syntax, e.runtimePath(), nil)
	w.insertAt(len(c.content), useRuntime)
	content, err := w.apply(c.content)
	if err != nil {
		return nil, err
	}
	l[e.absolute(c.Path)] = content
	return l, nil
}
