package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// swallows notes handlers that would also catch what a test's own check raises:
// those around a call of something that the caller gave.
func (w *walker) swallows(n *syntax.Node, s *scope, where string) {
	if n.Kind == syntax.With {
		w.suppresses(n, s, where)
		return
	}
	body := n.Kids[0]
	for _, kid := range n.Kids[1:] {
		switch kid.Kind {
		case syntax.Handler:
			w.handler(body, kid, s, where)
		case syntax.Finally:
			if leaves(kid) && w.callsBack(body, s, true) {
				w.swallow("a finally that returns", kid.Line, where, nil)
			}
		}
	}
}

func (w *walker) swallow(what string, line int, where string, asks []string) {
	w.add(fact{cap: Swallow, level: Warns, key: what, scope: where, line: line, what: what, asks: asks})
}

// leaves reports whether a block returns or goes on, so that what was raised is
// forgotten.
func leaves(n *syntax.Node) bool {
	return has(n, syntax.Return)
}

func has(n *syntax.Node, kind syntax.Kind) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || c.Kind == kind
		return !found && (c == n || !c.Kind.Function())
	})
	return found
}

func (w *walker) handler(body, h *syntax.Node, s *scope, where string) {
	if w.lang == javascript && mentions(h, []string{"RangeError", "InternalError"}) && w.callsRecursive(body, s) {
		w.swallow("it catches that a recursion never ends", h.Line, where, nil)
		return
	}
	if has(h, syntax.Raise) || w.raisedLater(h, s) {
		return
	}
	types := h.Kids[:len(h.Kids)-1]
	if what, _ := w.catchesAll(types, s); what != "" || w.lang == javascript {
		w.saysSuccess(h, s, where)
	}
	if w.lang == javascript {
		if w.callsBack(body, s, false) && !keepsError(h) {
			w.swallow("a catch around a call of what the caller gave", h.Line, where, nil)
		}
		return
	}
	what, wide := w.catchesAll(types, s)
	switch {
	case what == "RecursionError":
		w.swallow("it catches RecursionError", h.Line, where, []string{"RecursionError", "recursion"})
	case what == "AssertionError":
		w.swallow("it catches AssertionError", h.Line, where, []string{"AssertionError"})
	case wide && w.callsBack(body, s, true), what != "" && w.callsBack(body, s, false) && !keepsError(h):
		w.swallow("it catches "+what+" around a call of what the caller gave", h.Line, where, asksToKeep(wide))
	}
}

// keepsError reports whether a handler hands on what it caught: it gives it back, keeps
// it or tells somebody of it, and not only people. A drill sees whether a test's own
// check is kept with it.
func keepsError(h *syntax.Node) bool {
	if h.Name == "" {
		return false
	}
	name, found := []string{h.Name}, false
	syntax.Walk(h.Kids[len(h.Kids)-1], func(n *syntax.Node) bool {
		switch n.Kind {
		case syntax.Return, syntax.Assign:
			found = found || len(n.Kids) > 0 && mentions(n.Kids[len(n.Kids)-1], name)
		case syntax.Call:
			callee := n.Kids[0].Name
			forPeople := showers[callee] || callee == "log" || callee == "print" || callee == "String" || callee == "str" || callee == "repr"
			found = found || !forPeople && slices.ContainsFunc(n.Kids[1:], func(a *syntax.Node) bool { return mentions(a, name) })
		}
		return !found
	})
	return found
}

// asksToKeep are what asks for a handler around what the caller gave. Where the test
// raises something itself, that what is raised is kept may be what it is for: a drill
// sees whether its own checks are kept with it.
func asksToKeep(wide bool) []string {
	if wide {
		return []string{"BaseException", "KeyboardInterrupt"}
	}
	return []string{"BaseException", "KeyboardInterrupt", raisesItself}
}

// callsRecursive reports whether a block calls a function of the file that calls
// itself.
func (w *walker) callsRecursive(body *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(body, func(n *syntax.Node) bool {
		if n.Kind == syntax.Call {
			for _, f := range w.functions(n.Kids[0], s) {
				syntax.Walk(f.Body(), func(c *syntax.Node) bool {
					found = found || c.Kind == syntax.Call && c.Kids[0].Kind == syntax.Ident && c.Kids[0].Name == n.Kids[0].Name
					return !found
				})
			}
		}
		return !found
	})
	return found
}

// saysSuccess notes a handler of whatever goes wrong that ends the program as if
// nothing had.
func (w *walker) saysSuccess(h *syntax.Node, s *scope, where string) {
	syntax.Walk(h.Kids[len(h.Kids)-1], func(n *syntax.Node) bool {
		if n.Kind == syntax.Call && slices.ContainsFunc(w.paths(n.Kids[0], s), func(p string) bool {
			return p == "sys.exit" || p == "os._exit" || p == "exit" || p == "quit" || p == "process.exit"
		}) && (len(n.Kids) == 1 || len(n.Kids) == 2 && w.zero(n.Kids[1], s)) {
			w.add(fact{cap: Exit, level: Warns, key: "success", scope: where, line: n.Line, what: "with a code that says success, when anything went wrong"})
		}
		return !n.Kind.Function()
	})
}

// raisedLater reports whether what was caught is kept and raised after the handler.
func (w *walker) raisedLater(h *syntax.Node, s *scope) bool {
	kept := map[string]bool{}
	syntax.Walk(h, func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && mentions(n.Kids[len(n.Kids)-1], []string{h.Name}) {
			kept[n.Kids[0].Name] = true
		}
		return true
	})
	found := false
	syntax.Walk(s.node, func(n *syntax.Node) bool {
		found = found || n.Kind == syntax.Raise && n.Line > h.Line && len(n.Kids) > 0 && kept[n.Kids[0].Name]
		return !found
	})
	return found
}

// catchesAll says which class of a handler's would catch a failed assertion.
func (w *walker) catchesAll(types []*syntax.Node, s *scope) (what string, wide bool) {
	if len(types) == 0 {
		return "everything", true
	}
	for _, t := range types {
		for _, p := range w.paths(t, s) {
			switch p {
			case "BaseException", "AssertionError":
				return p, true
			case "Exception", "RecursionError":
				what = p
			}
		}
	}
	return what, false
}

func (w *walker) suppresses(n *syntax.Node, s *scope, where string) {
	for _, item := range n.Kids[:len(n.Kids)-1] {
		if item.Kind != syntax.Call || !slices.Contains(w.paths(item.Kids[0], s), "contextlib.suppress") {
			continue
		}
		if what, wide := w.catchesAll(item.Kids[1:], s); what == "AssertionError" || what != "" && w.callsBack(n.Body(), s, wide) {
			w.swallow("it suppresses "+what, item.Line, where, nil)
		}
	}
}

// ordinary are methods of plain values, which raise nothing of a test's.
var ordinary = words(`strip lstrip rstrip split rsplit splitlines lower upper title get items keys values encode decode format replace startswith endswith
	append pop read readline readlines write close group groups join find index count sort copy update extend isdigit isalpha
	trim toLowerCase toUpperCase slice substring map filter reduce forEach push includes indexOf test match exec toString charAt has set add delete
	json text parse keys entries toFixed padStart padEnd search next seek cursor execute fetchone fetchall commit strftime total_seconds isoformat`)

// callsBack reports whether a block calls what a caller gave: a parameter, or a
// member of one. Widely, also functions of the file that are given a parameter.
func (w *walker) callsBack(body *syntax.Node, s *scope, wide bool) bool {
	found := false
	syntax.Walk(body, func(n *syntax.Node) bool {
		if n.Kind != syntax.Call || found {
			return !found && (!n.Kind.Function() || n == body)
		}
		callee := n.Kids[0]
		switch callee.Kind {
		case syntax.Ident:
			found = w.given(callee, s) || wide && w.ownFunction(callee, s) && slices.ContainsFunc(n.Kids[1:], func(a *syntax.Node) bool { return a.Kind == syntax.Ident && s.param(a.Name) })
		case syntax.Attr, syntax.Index:
			base := callee
			for len(base.Kids) > 0 && (base.Kind == syntax.Attr || base.Kind == syntax.Index || base.Kind == syntax.Call) {
				base = base.Kids[0]
			}
			found = base.Kind == syntax.Ident && (w.given(base, s) || isSelf(base) && callee.Kids[0] != base) && !ordinary[callee.Name]
		}
		return !found
	})
	return found
}

// given reports whether a name comes from the caller: a parameter, or what a loop
// takes out of something.
func (w *walker) given(n *syntax.Node, s *scope) bool {
	binds, _ := s.lookup(n.Name)
	return !isSelf(n) && slices.ContainsFunc(binds, func(b binding) bool { return b.param || b.element })
}

func (w *walker) ownFunction(n *syntax.Node, s *scope) bool {
	binds, _ := s.lookup(n.Name)
	return slices.ContainsFunc(binds, func(b binding) bool { return b.value != nil && b.value.Kind.Function() })
}

// recovers notes Go's recover.
func (w *walker) recovers(p string, n *syntax.Node, where string) {
	if w.lang != golang || p != "recover" {
		return
	}
	if w.madeAnError(n) {
		return
	}
	asks := []string{"panic", "Panics", "recover", "PanicsWithValue", "NotPanics"}
	if !w.usesRecovered(n) {
		asks = nil
	}
	w.swallow("recover", n.Line, where, asks)
}

// madeAnError reports whether what was recovered goes on as an error, which nobody
// who looks at errors misses.
func (w *walker) madeAnError(call *syntax.Node) bool {
	name, found := w.recoveredAs(call), false
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if n.Kind != syntax.Assign && n.Kind != syntax.Return || len(n.Kids) == 0 || found || name == "" || name == "_" {
			return !found
		}
		made := n.Kids[len(n.Kids)-1]
		errs := made.Kind == syntax.Call && (made.Kids[0].Name == "Errorf" || made.Kids[0].Name == "Join") || made.Kind != syntax.Call && namesError(made)
		found = errs && mentions(made, []string{name})
		return !found
	})
	return found
}

// namesError reports whether an expression is of a type whose name says that it is an
// error.
func namesError(n *syntax.Node) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || (c.Kind == syntax.Ident || c.Kind == syntax.Attr || c.Kind == syntax.Dict) && (strings.HasSuffix(c.Name, "Error") || strings.HasSuffix(c.Path, "Error"))
		return !found
	})
	return found
}

// recoveredAs is the name that what was recovered is given, "" for none.
func (w *walker) recoveredAs(call *syntax.Node) string {
	name := ""
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && n.Kids[len(n.Kids)-1] == call {
			name = n.Kids[0].Name
		}
		return true
	})
	return name
}

// usesRecovered reports whether what was recovered is made something of: an
// error, an answer, another panic.
func (w *walker) usesRecovered(call *syntax.Node) bool {
	name := w.recoveredAs(call)
	if name == "" {
		return w.tellsOf(call)
	}
	if name == "_" {
		return false
	}
	used := 0
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if (n.Kind == syntax.Call || n.Kind == syntax.Assign) && slices.ContainsFunc(n.Kids[1:], func(k *syntax.Node) bool { return k.Kind == syntax.Ident && k.Name == name }) {
			used++
		}
		return true
	})
	return used > 0
}

// tellsOf reports whether, where a call is a condition, something is noted.
func (w *walker) tellsOf(call *syntax.Node) bool {
	found := false
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if n.Kind == syntax.If && n.Kids[0].Kind == syntax.Compare && n.Kids[0].Kids[0] == call {
			found = has(n.Kids[1], syntax.Assign)
		}
		return !found
	})
	return found
}

// catches notes a promise's handler that forgets what a caller's function threw,
// and waiting for promises without looking at how they ended.
func (w *walker) catches(p string, n *syntax.Node, s *scope, where string) {
	callee := n.Kids[0]
	gathers := w.lang == python && (p == "asyncio.gather" || p == "asyncio.wait") && slices.ContainsFunc(n.Kids[1:], func(a *syntax.Node) bool {
		return a.Kind == syntax.Keyword && a.Name == "return_exceptions"
	})
	if (p == "Promise.allSettled" || gathers) && w.unused(n) && slices.ContainsFunc(n.Kids[1:], func(a *syntax.Node) bool { return w.callsBack(a, s, false) || w.callsBackWithin(a) }) {
		w.swallow(p+" of what the caller gave, whatever comes of it", n.Line, where, nil)
		return
	}
	if w.lang != javascript || callee.Kind != syntax.Attr {
		return
	}
	var handler *syntax.Node
	switch {
	case callee.Name == "catch" && len(n.Kids) == 2:
		handler = n.Kids[1]
	case callee.Name == "then" && len(n.Kids) == 3:
		handler = n.Kids[2]
	default:
		return
	}
	if w.forgetsError(handler, s) && (w.callsBack(callee.Kids[0], s, false) || w.handsOn(n, s)) {
		w.swallow("a catch after a call of what the caller gave", n.Line, where, nil)
	}
}

// callsBackWithin is callsBack for the functions that stand in an expression.
func (w *walker) callsBackWithin(n *syntax.Node) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		found = found || c.Kind.Function() && c.Body() != nil && w.callsBack(c.Body(), w.scopes[c], false)
		return !found
	})
	return found
}

// forgetsError reports whether a handler raises nothing again. What the caller gave
// as a handler is the caller's own.
func (w *walker) forgetsError(handler *syntax.Node, s *scope) bool {
	if handler.Kind.Function() {
		return !has(handler.Body(), syntax.Raise)
	}
	if handler.Kind != syntax.Ident || w.given(handler, s) {
		return false
	}
	own := w.functions(handler, s)
	return !slices.ContainsFunc(own, func(f *syntax.Node) bool { return has(f.Body(), syntax.Raise) })
}

// unused reports whether nobody looks at what a call gives: it is a statement, or
// what a function gives back.
func (w *walker) unused(call *syntax.Node) bool {
	found := false
	syntax.Walk(w.root, func(n *syntax.Node) bool {
		if n.Kind == syntax.ExprStmt || n.Kind == syntax.Return {
			for _, kid := range n.Kids {
				for kid.Kind == syntax.Await {
					kid = kid.Kids[0]
				}
				found = found || kid == call
			}
		}
		return !found
	})
	return found
}

// handsOn reports whether a chain of promises runs what the caller gave.
func (w *walker) handsOn(chain *syntax.Node, s *scope) bool {
	found := false
	syntax.Walk(chain, func(n *syntax.Node) bool {
		if n.Kind == syntax.Call && n.Kids[0].Name == "then" {
			found = found || slices.ContainsFunc(n.Kids[1:], func(a *syntax.Node) bool { return a.Kind == syntax.Ident && w.given(a, s) })
		}
		return !found
	})
	return found
}
