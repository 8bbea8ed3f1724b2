package mutate

import (
	"regexp"
	"strings"

	"autocoder/engine/repair/node"
)

// Error is a kind of error that the tests speak of.
type Error struct {
	// Class is its name, and Message what it must say, if that is known.
	Class, Message string
	// Thrown means that a failing test ends with it; the others are expected by tests.
	Thrown bool
}

// errs are the templates about errors that are raised and caught.
func errs() []Template {
	return []Template{
		{"error", "raises another kind of error", "raise KeyError(k) → raise ValueError(k)", .9, []node.Kind{node.Raise}, false, raised},
		{"handler", "catches another kind of error, or one more", "except KeyError → except (KeyError, ValueError)", .9, []node.Kind{node.Other}, false, handler},
		{"missing error", "raises an error on a condition", "if n < 0: raise ValueError('n')", 1.5, stmtKinds, false, missingError},
		{"error check", "hands an error on", "if err != nil { return err }", 1.0, stmtKinds, false, errorCheck},
		{"defer", "does something when the function ends", "defer mu.Unlock()", 1.3, stmtKinds, false, deferred},
	}
}

// classes are the errors to try, each once, with what they cost: those that the
// tests speak of, those of the file, those of the language.
func (g *site) classes(thrown bool) []weighed {
	var out []weighed
	seen := map[string]bool{}
	add := func(class string, cost float64) {
		if class != "" && !seen[class] {
			seen[class] = true
			out = append(out, weighed{atom(class), cost})
		}
	}
	for _, e := range g.errors {
		if e.Thrown == thrown {
			add(e.Class, 0)
		}
	}
	node.Walk(g.Root, func(n *node.Node) bool {
		if n.Kind == node.Raise && len(n.Children) > 0 {
			add(g.classOfError(n), .3)
		}
		return true
	})
	for k, c := range g.Dialect.Exceptions {
		add(c, .5+.03*float64(k))
	}
	return out
}

// classOfError is the class that a statement raises, empty when it is no name.
func (g *site) classOfError(n *node.Node) string {
	if at := g.errorName(n); at != nil {
		return at.Name
	}
	return ""
}

func (g *site) errorName(n *node.Node) *node.Node {
	if len(n.Children) == 0 {
		return nil
	}
	at := n.Children[0]
	if at.Kind == node.Call {
		at = at.Children[0]
	}
	if at.Kind != node.Name {
		return nil
	}
	return at
}

func raised(g *site) {
	at := g.errorName(g.n)
	if at == nil || g.Dialect.Exceptions == nil {
		return
	}
	for _, c := range g.classes(false) {
		if c.s != at.Name {
			g.emit(at.Start, at.End, c.s, c.cost, because(at.Name, c.s)+" in "+quote(g.Text(g.n)))
		}
	}
}

func handler(g *site) {
	d, n := g.Dialect, g.n
	if n.Op != "except" || d.Either == nil || len(n.Children) < 2 {
		return
	}
	caught := n.Children[0]
	old := g.Text(caught)
	already := strings.FieldsFunc(strings.Trim(old, "()"), func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
	for _, c := range g.classes(true) {
		if identifiers(old)[c.s] > 0 {
			continue
		}
		both := d.Either(append(already[:len(already):len(already)], c.s))
		g.emit(caught.Start, caught.End, both, c.cost, quote(c.s)+" should be caught as well as "+quote(old))
		g.emit(caught.Start, caught.End, c.s, c.cost+.1, quote(c.s)+" should be caught, not "+quote(old))
	}
}

// missingError raises what the tests expect. Without a test that expects an error
// it makes none: an error is no way to make a test pass.
func missingError(g *site) {
	d := g.Dialect
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if d.Raise == nil || !ok || !alone || g.docstringStmt(g.n) {
		return
	}
	tried := 0
	for _, e := range g.errors {
		if e.Thrown || e.Class == "" || tried == 3 {
			continue
		}
		tried++
		extra := .05 * float64(tried)
		switch {
		case g.Parent(block) != g.fn:
			extra += .6 // what is refused is refused at once
		case at > 2:
			extra += .3
		}
		for _, a := range g.atomsAt(g.n) {
			if a.cost > 1 || singles(a.s) {
				continue
			}
			message := e.Message
			if message == "" {
				message = "invalid " + firstWord(a.s)
			}
			text := d.Raise(e.Class, d.Quote(message, "'"))
			g.before(g.n, l, g.guard(l, a.s, text), a.cost+extra, quote("if "+a.s)+" … "+quote(text)+" is missing before "+quote(g.Text(g.n)))
		}
	}
}

// one is a comparison with a single number other than 0.
var one = regexp.MustCompile(`== -?[1-9]`)

// singles reports whether a condition singles a value out: an error for just that one is
// what a test happens to use, and no rule.
func singles(cond string) bool { return one.MatchString(cond) }

// firstWord is the first identifier of a condition.
func firstWord(s string) string {
	for _, w := range words(s) {
		if w != "not" && w != "isinstance" && w != "len" {
			return w
		}
	}
	return "value"
}

// errorCheck hands on the error that the statement before may have given, in
// languages where errors are values.
func errorCheck(g *site) {
	block, at, ok := g.listed(g.n)
	l, alone := g.lineOf(g.n)
	if g.Dialect.Walrus == "" || !ok || !alone || at == 0 || g.fn.Kind != node.Function {
		return
	}
	results := splitResults(g.fn.Type)
	if len(results) == 0 || results[len(results)-1] != "error" {
		return
	}
	before := block.Children[at-1]
	for _, v := range g.varsBy(g.n, g.n.Start) {
		if v.typ != "error" {
			continue
		}
		cost := .4
		if before.Kind == node.Assign && identifiers(g.Between(before.Start, before.OpStart))[v.name] > 0 {
			cost = 0
		}
		text, _ := g.handsOn(v.name)
		cond := v.name + " != " + g.Dialect.Nil
		g.before(g.n, l, g.guard(l, cond, text), cost, quote("if "+cond)+" … "+quote(text)+" is missing before "+quote(g.Text(g.n)))
	}
}

// splitResults are the types of "(int, error)", or the one type.
func splitResults(typ string) []string {
	if typ == "" {
		return nil
	}
	if !strings.HasPrefix(typ, "(") {
		return []string{typ}
	}
	var out []string
	depth, at := 0, 1
	for i := 1; i < len(typ); i++ {
		switch typ[i] {
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth--; depth < 0 {
				return append(out, strings.TrimSpace(typ[at:i]))
			}
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(typ[at:i]))
				at = i + 1
			}
		}
	}
	return out
}

// closers are what must be done at the end for what was done before.
var closers = map[string]string{
	"Lock": "Unlock", "RLock": "RUnlock", "Open": "Close", "Create": "Close", "Add": "Done", "Acquire": "Release", "Start": "Stop", "Begin": "Rollback",
}

func deferred(g *site) {
	l, alone := g.lineOf(g.n)
	if _, _, ok := g.listed(g.n); g.Dialect.Walrus == "" || !ok || !alone {
		return
	}
	if g.n.Kind == node.ExprStmt && g.n.Children[0].Kind == node.Call {
		// mu.Unlock() → defer mu.Unlock()
		callee := g.n.Children[0].Children[0]
		if callee.Kind == node.Attribute {
			g.emit(g.n.Start, g.n.Start, "defer ", .2, quote("defer")+" is missing before "+quote(g.Text(g.n)))
			if end := closers[callee.Name]; end != "" {
				text := "defer " + g.Text(callee.Children[0]) + "." + end + "()"
				g.after(l, text, 0, quote(text)+" is missing after "+quote(g.Text(g.n)))
			}
		}
	}
	if g.n.Kind == node.OtherStmt && strings.HasPrefix(g.Text(g.n), "defer ") {
		g.emit(g.n.Start, g.n.Start+len("defer "), "", .3, quote("defer")+" should not be there before "+quote(g.Text(g.n)))
	}
}
