package javascript

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/repair/localise"
	"autocoder/engine/textedit"
)

// What is woven into the project's code. The worker gives every module the object
// $autocoder.
const (
	burn      = "if(--$autocoder.n<0)$autocoder.x();"
	burnValue = "($autocoder.t(),"
)

// insert is a piece of text that is put into a source.
type insert struct {
	at   int
	text string
	// closes means that it belongs to what is before it, others to what is behind.
	closes bool
}

// woven is a source with what is woven into it.
type woven struct {
	name    string
	content []byte
	inserts []insert
	// units are the places that coverage counts, from which on.
	units []localise.Place
	base  int
}

// weaver walks a tree and collects what is to be inserted.
type weaver struct {
	tree *tsgo.Tree
	*woven
	// path is the file as coverage and calls name it; empty when only fuel is woven.
	path string
}

// fuelled weaves what ends loops and recursion into a source.
func fuelled(name string, content []byte) *woven {
	w := &weaver{tree: tsgo.Parse(name, content), woven: &woven{name: name, content: content}}
	w.walk(w.tree.Root)
	w.sort()
	return w.woven
}

// traced weaves in fuel, coverage and what notes calls. The first unit has the
// number base.
func traced(path string, content []byte, base int) *woven {
	w := &weaver{tree: tsgo.Parse(path, content), woven: &woven{name: path, content: content, base: base}, path: path}
	w.walk(w.tree.Root)
	w.list(w.tree.Root.Statements())
	w.calls()
	w.constructions()
	w.sort()
	w.inserts = append(w.inserts, insert{at: len(content), text: exposure(path, w.tree)})
	return w.woven
}

// exposed weaves in fuel and gives the worker the functions of the module.
func exposed(path string, content []byte) *woven {
	w := &weaver{tree: tsgo.Parse(path, content), woven: &woven{name: path, content: content}}
	w.walk(w.tree.Root)
	w.sort()
	w.inserts = append(w.inserts, insert{at: len(content), text: exposure(path, w.tree)})
	return w.woven
}

// sort brings the inserts into the order of the text: at the same place what
// closes comes before what opens, and the inner before the outer.
func (w *weaver) sort() {
	slices.SortStableFunc(w.inserts, func(a, b insert) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.closes && !b.closes:
			return -1
		case b.closes && !a.closes:
			return 1
		default:
			return 0
		}
	})
}

func (w *weaver) open(at int, text string) { w.inserts = append(w.inserts, insert{at: at, text: text}) }

// shut inserts behind what ends at; inner ones are shut later and come first.
func (w *weaver) shut(at int, text string) {
	w.inserts = append([]insert{{at: at, text: text, closes: true}}, w.inserts...)
}

func (w *weaver) walk(n *tsgo.Node) {
	switch n.Kind {
	case tsgo.KindForStatement, tsgo.KindForOfStatement, tsgo.KindForInStatement, tsgo.KindWhileStatement, tsgo.KindDoStatement:
		w.body(n.Statement(), burn)
	case tsgo.KindFunctionDeclaration, tsgo.KindFunctionExpression, tsgo.KindMethodDeclaration, tsgo.KindConstructor, tsgo.KindGetAccessor,
		tsgo.KindSetAccessor, tsgo.KindArrowFunction:
		w.function(n)
	case tsgo.KindIfStatement:
		if w.path != "" {
			s := n.AsIfStatement()
			w.body(s.ThenStatement, "")
			if s.ElseStatement != nil {
				w.body(s.ElseStatement, "")
			}
		}
	case tsgo.KindBlock, tsgo.KindCaseClause, tsgo.KindDefaultClause:
		w.list(n.Statements())
	case tsgo.KindConditionalExpression:
		c := n.AsConditionalExpression()
		w.value(c.WhenTrue)
		w.value(c.WhenFalse)
	case tsgo.KindBinaryExpression:
		switch b := n.AsBinaryExpression(); b.OperatorToken.Kind {
		case tsgo.KindAmpersandAmpersandToken, tsgo.KindBarBarToken, tsgo.KindQuestionQuestionToken:
			w.value(b.Right)
		default: // Both sides are always computed.
		}
	default: // Nothing is woven in here.
	}
	for _, c := range tsgo.Children(n) {
		if !typeLike(c.Kind) || c.Kind == tsgo.KindHeritageClause {
			w.walk(c)
		}
	}
}

// body weaves into what a loop or if does.
func (w *weaver) body(st *tsgo.Node, text string) {
	start := w.tree.Start(st)
	if st.Kind == tsgo.KindBlock {
		if text != "" {
			w.open(start+1, text)
		}
		return
	}
	w.open(start, "{"+text)
	w.unit(start)
	w.shut(st.End(), "}")
}

func (w *weaver) function(n *tsgo.Node) {
	body := n.Body()
	switch {
	case body == nil:
	case body.Kind != tsgo.KindBlock:
		w.open(w.tree.Start(body), burnValue)
		w.value(body)
		w.shut(body.End(), ")")
	default:
		w.open(afterDirectives(w.tree, body.Statements(), w.tree.Start(body)+1), burn)
	}
}

// afterDirectives is where code may begin in a body: behind "use strict".
func afterDirectives(t *tsgo.Tree, statements []*tsgo.Node, at int) int {
	for _, st := range statements {
		if st.Kind != tsgo.KindExpressionStatement || st.Expression().Kind != tsgo.KindStringLiteral {
			break
		}
		at = st.End()
		if text := t.Text(st); !strings.HasSuffix(text, ";") {
			break // what follows needs its line
		}
	}
	return at
}

// unit counts what begins at an offset.
func (w *weaver) unit(at int) {
	if w.path != "" {
		w.open(at, w.count(at)+";")
	}
}

func (w *weaver) count(at int) string {
	w.units = append(w.units, localise.Place{File: w.path, Line: w.tree.Line(at)})
	return fmt.Sprintf("$autocoder.c(%d)", w.base+len(w.units)-1)
}

// value counts that an expression was computed.
func (w *weaver) value(e *tsgo.Node) {
	if w.path == "" {
		return
	}
	start := w.tree.Start(e)
	w.open(start, "("+w.count(start)+",")
	w.shut(e.End(), ")")
}

// list counts the statements of a block.
func (w *weaver) list(statements []*tsgo.Node) {
	if w.path == "" {
		return
	}
	for k, st := range statements {
		switch st.Kind {
		case tsgo.KindFunctionDeclaration, tsgo.KindImportDeclaration, tsgo.KindExportDeclaration, tsgo.KindEmptyStatement,
			tsgo.KindInterfaceDeclaration, tsgo.KindTypeAliasDeclaration:
			continue
		case tsgo.KindExpressionStatement:
			if k == 0 && st.Expression().Kind == tsgo.KindStringLiteral {
				continue
			}
		default: // Any other statement is run where it stands.
		}
		w.unit(w.tree.Start(st))
	}
}

// topFunctions are the functions with statements or a value that the module has by
// name.
func topFunctions(t *tsgo.Tree) map[string]*tsgo.Node {
	out := map[string]*tsgo.Node{}
	for _, st := range t.Root.Statements() {
		switch st.Kind {
		case tsgo.KindFunctionDeclaration:
			if st.Body() != nil && nameOf(st.Name()) != "" {
				out[nameOf(st.Name())] = st
			}
		case tsgo.KindVariableStatement:
			for _, d := range st.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes {
				if init := d.Initializer(); init != nil && named(d.Name()) && (init.Kind == tsgo.KindArrowFunction || init.Kind == tsgo.KindFunctionExpression) {
					out[d.Name().Text()] = init
				}
			}
		default: // Nothing else makes a function.
		}
	}
	return out
}

// calls notes the arguments of the module's own functions.
func (w *weaver) calls() {
	for name, fn := range topFunctions(w.tree) {
		if tsgo.Generator(fn) {
			continue
		}
		args, ok := parameterNames(fn)
		if !ok {
			continue
		}
		made := "" // one that is called with new makes an object
		if fn.Kind != tsgo.KindArrowFunction {
			made = ",new.target&&this"
		}
		note := fmt.Sprintf("$autocoder.r(%s,[%s]%s)", quoted(w.path+"#"+name), args, made)
		body := fn.Body()
		if body.Kind == tsgo.KindBlock {
			w.open(afterDirectives(w.tree, body.Statements(), w.tree.Start(body)+1), note+";")
		} else {
			w.open(w.tree.Start(body), "("+note+",")
			w.shut(body.End(), ")")
		}
	}
}

// constructions notes the arguments with which classes of the module's own are made.
// One that extends another has no object of its own when its constructor begins.
func (w *weaver) constructions() {
	for name, class := range topClasses(w.tree) {
		if class.ClassLikeData().HeritageClauses != nil {
			continue
		}
		for _, m := range class.Members() {
			if m.Kind != tsgo.KindConstructor || m.Body() == nil {
				continue
			}
			if args, ok := parameterNames(m); ok {
				w.open(w.tree.Start(m.Body())+1, fmt.Sprintf("$autocoder.r(%s,[%s],this);", quoted(w.path+"#"+name), args))
			}
		}
	}
}

// topClasses are the classes that the module has by name.
func topClasses(t *tsgo.Tree) map[string]*tsgo.Node {
	out := map[string]*tsgo.Node{}
	for _, st := range t.Root.Statements() {
		if st.Kind == tsgo.KindClassDeclaration && nameOf(st.Name()) != "" {
			out[nameOf(st.Name())] = st
		}
	}
	return out
}

// parameterNames writes a function's parameters as arguments; patterns have no
// names.
func parameterNames(fn *tsgo.Node) (string, bool) {
	var names []string
	for _, p := range fn.Parameters() {
		name := nameOf(p.Name())
		if name == "" || name == "this" {
			return "", false
		}
		if p.AsParameterDeclaration().DotDotDotToken != nil {
			name = "..." + name
		}
		names = append(names, name)
	}
	return strings.Join(names, ","), true
}

// exposure is code that gives the worker a module's functions and classes.
func exposure(path string, t *tsgo.Tree) string {
	var names []string
	for name := range topFunctions(t) {
		names = append(names, name+":()=>"+name)
	}
	for name := range topClasses(t) {
		names = append(names, name+":()=>"+name)
	}
	slices.Sort(names)
	return fmt.Sprintf("\n;$autocoder.m(%s,{%s});", quoted(path), strings.Join(names, ","))
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return `""` // a string always has a form in JSON
	}
	return string(data)
}

// text is the source with its inserts.
func (w *woven) text() string {
	text, _ := w.with(nil)
	return text
}

// with is the source with edits and inserts. It reports false when an edit takes
// away what an insert belongs to, or puts in what needs one.
func (w *woven) with(edits []textedit.Edit) (string, bool) {
	for _, e := range edits {
		if w.disturbed(e) {
			return "", false
		}
	}
	var out strings.Builder
	out.Grow(len(w.content) + 40*len(w.inserts))
	at, k := 0, 0
	upTo := func(end int, included func(insert) bool) {
		for ; k < len(w.inserts) && (w.inserts[k].at < end || w.inserts[k].at == end && included(w.inserts[k])); k++ {
			out.Write(w.content[at:w.inserts[k].at])
			out.WriteString(w.inserts[k].text)
			at = w.inserts[k].at
		}
		out.Write(w.content[at:end])
		at = end
	}
	all := func(insert) bool { return true }
	for _, e := range edits {
		upTo(e.Start, all)
		out.WriteString(e.New)
		at = e.End
	}
	upTo(len(w.content), all)
	return out.String(), true
}

// needsWeaving are words that begin what must be woven into.
var needsWeaving = regexp.MustCompile(`\b(for|while|do|function)\b|=>`)

// disturbed reports whether an edit and the inserts don't fit together.
func (w *woven) disturbed(e textedit.Edit) bool {
	if needsWeaving.MatchString(e.New) {
		return true
	}
	k, _ := slices.BinarySearchFunc(w.inserts, e.Start, func(i insert, at int) int { return i.at - at })
	for ; k < len(w.inserts) && w.inserts[k].at <= e.End; k++ {
		i := w.inserts[k]
		switch {
		case i.at > e.Start && i.at < e.End:
			return true
		case e.Start == e.End && i.closes:
			return true
		case i.at == e.Start && e.Start < e.End && i.closes && w.opensAt(e.Start):
			return true
		case i.at == e.End && e.Start < e.End && !i.closes:
			// It comes after the new text, as it should.
		}
	}
	return false
}

// opensAt reports whether an insert that opens something stands at an offset.
func (w *woven) opensAt(at int) bool {
	return slices.ContainsFunc(w.inserts, func(i insert) bool { return i.at == at && !i.closes })
}
