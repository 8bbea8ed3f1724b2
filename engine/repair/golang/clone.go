package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/textedit"
)

// perClone is how many candidates share a copy of a function. The compiler takes
// more than twice as long for a function of twice the size.
const perClone = 16

// clone is a copy of a function that holds one or several candidates, each
// chosen by its number.
type clone struct {
	fn      *ast.FuncDecl
	name    string
	text    string
	changes []*change
}

// clones makes copies of a function for changes. Those for which alone holds get
// a copy of their own.
func clones(f *file, fn *ast.FuncDecl, changes []*change, alone func(*change) bool) []*clone {
	base := newBody(string(f.content[f.offset(fn.Pos()):f.offset(fn.End())]))
	var out []*clone
	var dense []placed
	for _, c := range changes {
		p, ok := base.place(c)
		if !ok || alone(c) {
			out = append(out, single(f, fn, c))
			continue
		}
		dense = append(dense, p)
	}
	for part := range slices.Chunk(dense, perClone) {
		if len(part) == 1 {
			out = append(out, single(f, fn, part[0].change))
			continue
		}
		c := &clone{fn: fn, name: cloneName(fn, part[0].ID)}
		for _, p := range part {
			c.changes = append(c.changes, p.change)
		}
		c.text = rename(base, c.name, base.render(part))
		out = append(out, c)
	}
	return out
}

func cloneName(fn *ast.FuncDecl, id int) string {
	return "autocoder" + strconv.Itoa(id) + "_" + fn.Name.Name
}

// single is the copy for one change.
func single(f *file, fn *ast.FuncDecl, c *change) *clone {
	b := newBody(c.text)
	name := cloneName(fn, c.ID)
	return &clone{fn: fn, name: name, changes: []*change{c}, text: rename(b, name, b.piece(0, len(b.text)))}
}

// rename puts another name into the text of a function, which begins as b's does.
func rename(b *body, name, text string) string {
	return text[:b.name[0]] + name + text[b.name[1]:]
}

// body is the text of a function with where its statements are.
type body struct {
	text string
	// name is where the function's name is.
	name [2]int
	// stmts are the statements of its blocks, and ticks the offsets at which fuel is
	// burnt.
	stmts []statement
	ticks []int
	// plain is false when the statements must not be copied: a label can be there
	// once only.
	plain bool
}

type statement struct {
	start, end int
	declares   bool
}

// preamble stands before a function that is parsed by itself.
const preamble = "package p\n"

// newBody takes apart the text of one function, which parses.
func newBody(text string) *body {
	b := &body{text: text, plain: true}
	parsed, err := parser.ParseFile(token.NewFileSet(), "", preamble+text, parser.SkipObjectResolution)
	if err != nil || len(parsed.Decls) != 1 {
		return &body{text: text}
	}
	offset := func(p token.Pos) int { return int(p-parsed.FileStart) - len(preamble) }
	fn, ok := parsed.Decls[0].(*ast.FuncDecl)
	if !ok {
		return &body{text: text}
	}
	b.name = [2]int{offset(fn.Name.Pos()), offset(fn.Name.End())}
	list := func(stmts []ast.Stmt) {
		for _, s := range stmts {
			b.stmts = append(b.stmts, statement{offset(s.Pos()), offset(s.End()), declares(s)})
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if !clauses(n) {
				list(n.List)
			}
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		case *ast.LabeledStmt:
			b.plain = false
		}
		return true
	})
	w := weaver{offset: offset}
	w.ticks(fn)
	for _, e := range w.edits {
		b.ticks = append(b.ticks, e.Start)
	}
	slices.Sort(b.ticks)
	return b
}

func declares(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.DeclStmt, *ast.LabeledStmt:
		return true
	default:
		return false
	}
}

// placed is a change with the statement that it changes, and what it makes of it.
type placed struct {
	*change
	start, end int
	text       string
}

// place finds the innermost statement that holds all of a change and can stand in
// a block of its own.
func (b *body) place(c *change) (placed, bool) {
	if !b.plain {
		return placed{}, false
	}
	// Where the texts differ is all that matters.
	start := 0
	for start < len(b.text) && start < len(c.text) && b.text[start] == c.text[start] {
		start++
	}
	end := len(b.text)
	grown := len(c.text) - len(b.text)
	for end > start && end+grown > start && b.text[end-1] == c.text[end+grown-1] {
		end--
	}
	after := newBody(c.text)
	if !after.plain {
		return placed{}, false
	}
	best := statement{-1, len(b.text) + 1, false}
	for _, s := range b.stmts {
		holds := s.start <= start && end <= s.end && s.end-s.start <= best.end-best.start
		if holds && !s.declares && after.standsAlone(s.start, s.end+grown) {
			best = s
		}
	}
	if best.start < 0 {
		return placed{}, false
	}
	return placed{c, best.start, best.end, after.piece(best.start, best.end+grown)}, true
}

// standsAlone reports whether a range holds whole statements that can stand in a block of
// their own: none of them declares what those behind it may use.
func (b *body) standsAlone(start, end int) bool {
	covered := start
	for _, s := range b.stmts { // those around others come first
		switch {
		case s.end <= start || s.start >= end || s.start <= start && s.end >= end && !(s.start == start && s.end == end):
		case s.start < start || s.end > end:
			return false
		case s.start >= covered:
			if s.declares {
				return false
			}
			covered = s.end
		}
	}
	return true
}

const tick = " " + alias + ".Tick(); "

// piece is a part of the text with the ticks in it.
func (b *body) piece(start, end int) string {
	var out strings.Builder
	at := start
	for _, t := range b.ticks {
		if t > start && t <= end {
			out.WriteString(b.text[at:t])
			out.WriteString(tick)
			at = t
		}
	}
	out.WriteString(b.text[at:end])
	return out.String()
}

// render is the text with each changed statement as a choice between what the
// changes make of it and what it is.
func (b *body) render(changes []placed) string {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(x, y placed) int {
		if x.start != y.start {
			return x.start - y.start
		}
		return y.end - x.end
	})
	return b.within(0, len(b.text), sorted)
}

// within renders a range. changes are sorted, the outer ones first.
func (b *body) within(start, end int, changes []placed) string {
	var out strings.Builder
	at := start
	for len(changes) > 0 {
		first := changes[0]
		n := 1
		for n < len(changes) && changes[n].start < first.end {
			n++
		}
		same := 1
		for same < n && changes[same].start == first.start && changes[same].end == first.end {
			same++
		}
		out.WriteString(b.piece(at, first.start))
		for _, c := range changes[:same] {
			fmt.Fprintf(&out, "if %s.M == %d {\n%s.Reach()\n%s\n} else ", alias, c.ID, alias, c.text)
		}
		out.WriteString("{\n")
		out.WriteString(b.within(first.start, first.end, changes[same:n]))
		out.WriteString("\n}")
		at = first.end
		changes = changes[n:]
	}
	out.WriteString(b.piece(at, end))
	return out.String()
}

// dispatch weaves into a function the choice of its clones, before anything else.
// It names parameters that have no name.
func (w *weaver) dispatch(fn *ast.FuncDecl, clones []*clone) {
	var args []string
	n := 0
	for _, field := range fn.Type.Params.List {
		_, variadic := field.Type.(*ast.Ellipsis)
		for _, name := range w.named(field, &n) {
			if variadic {
				name += "..."
			}
			args = append(args, name)
		}
	}
	call := ""
	if fn.Recv != nil {
		call = w.named(fn.Recv.List[0], &n)[0] + "."
	}
	var b strings.Builder
	fmt.Fprintf(&b, " if %s.M != 0 { switch %s.M { ", alias, alias)
	for _, c := range clones {
		ids := make([]string, len(c.changes))
		for i, ch := range c.changes {
			ids[i] = strconv.Itoa(ch.ID)
		}
		full := call + c.name + typeArguments(fn) + "(" + strings.Join(args, ", ") + ")"
		if fn.Type.Results.NumFields() > 0 {
			full = "return " + full
		} else {
			full += "; return"
		}
		if len(c.changes) == 1 { // the others tell it at the place of each
			full = alias + ".Reach(); " + full
		}
		fmt.Fprintf(&b, "case %s: %s; ", strings.Join(ids, ", "), full)
	}
	b.WriteString("} }; ")
	w.insert(fn.Body.Lbrace+1, b.String())
}

// named returns the names of a field, after giving it one where it has none.
func (w *weaver) named(field *ast.Field, n *int) []string {
	fresh := func() string {
		*n++
		return "autocoderP" + strconv.Itoa(*n)
	}
	if len(field.Names) == 0 {
		name := fresh()
		w.insert(field.Type.Pos(), name+" ")
		return []string{name}
	}
	var out []string
	for _, id := range field.Names {
		name := id.Name
		if name == "_" {
			name = fresh()
			w.replace(id, name)
		}
		out = append(out, name)
	}
	return out
}

func typeArguments(fn *ast.FuncDecl) string {
	if fn.Type.TypeParams == nil {
		return ""
	}
	var names []string
	for _, f := range fn.Type.TypeParams.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// inPlace weaves changes into the function itself. All of them can be placed.
func (w *weaver) inPlace(f *file, fn *ast.FuncDecl, changes []*change) {
	start, end := f.offset(fn.Pos()), f.offset(fn.End())
	base := newBody(string(f.content[start:end]))
	var dense []placed
	for _, c := range changes {
		if p, ok := base.place(c); ok {
			dense = append(dense, p)
		}
	}
	w.edits = slices.DeleteFunc(w.edits, func(e textedit.Edit) bool { return start <= e.Start && e.End <= end })
	w.edits = append(w.edits, textedit.Edit{Start: start, End: end, New: base.render(dense)})
}

// bound reports whether a function can't be run as a copy that it calls: recover
// works only in the function that is deferred itself.
func bound(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}
