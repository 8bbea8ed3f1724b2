package scan

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// checking are names of functions that fail a test.
var checking = regexp.MustCompile(`^(assert\w*|Assert\w*|expect\w*|fail|Fail|FailNow|Fatalf?|Errorf?|strictEqual|deepStrictEqual|deepEqual)$`)

// weakens notes a file that checks less than it did: what tests check by may lie in
// files that look like any other.
func (w *walker) weakens(before *unit) {
	if before == nil {
		return
	}
	if w.helps(before) {
		w.add(fact{cap: Weaken, level: Warns, key: "helper", always: true, what: "it changes a file that the tests check by"})
		return
	}
	if name, line := w.changedCheck(before); name != "" {
		w.add(fact{cap: Weaken, level: Warns, key: "check " + name, line: line, always: true, what: "it changes " + name + ", by which the tests check"})
		return
	}
	w.comparesLess(before)
	w.holdsLess(before)
	w.tellsLess(before)
	w.alwaysTrue(before)
	w.dropsErrors(before)
	if had, has := before.checks(), w.checks(); has < had {
		w.add(fact{cap: Weaken, level: Warns, key: "checks", always: true, what: fmt.Sprintf("%d assertions of %d", has, had)})
	}
}

// changedCheck is a function that is handed a test to report to, that failing tests
// call, and that is another one now; "" for none.
func (w *walker) changedCheck(before *unit) (string, int) {
	now := map[string]*syntax.Node{}
	for f, s := range w.scopes {
		now[s.name] = f
	}
	for f, s := range before.scopes {
		is := now[s.name]
		if !f.Kind.Function() || f.Name == "" || !w.tests.words[f.Name] || is == nil || alike(f, is) {
			continue
		}
		reports := false
		syntax.Walk(f.Body(), func(n *syntax.Node) bool {
			if n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Attr && before.fails(n.Kids[0], s) {
				reports = reports || s.param(n.Kids[0].Kids[0].Name) && !isSelf(n.Kids[0].Kids[0])
			}
			return !reports
		})
		if reports {
			return f.Name, is.Line
		}
	}
	return "", 0
}

// helps reports whether a file belonged to the tests, whatever its name: it used a
// test library or raised failed assertions, and a failing test uses it.
func (w *walker) helps(before *unit) bool {
	library := slices.ContainsFunc(factsOf(before, w.tests), func(f fact) bool { return f.cap == TestLibrary })
	raises := false
	syntax.Walk(before.root, func(n *syntax.Node) bool {
		raises = raises || n.Kind == syntax.Raise && len(n.Kids) > 0 && strings.HasPrefix(raised(n), "Assertion")
		return !raises
	})
	stem := strings.TrimSuffix(path.Base(w.path), path.Ext(w.path))
	return (library || raises) && (w.lang == golang || w.tests.words[stem] || w.tests.words["./"+stem])
}

// fails reports whether a function that is called fails a test: an assertion by its
// name, or a method such as Fatal of what the function was given.
func (u *unit) fails(callee *syntax.Node, s *scope) bool {
	switch callee.Kind {
	case syntax.Ident:
		return u.lang != golang && strings.HasPrefix(callee.Name, "assert") || callee.Name == "expect"
	case syntax.Attr:
		base := callee.Kids[0]
		given := base.Kind == syntax.Ident && (s.param(base.Name) || isSelf(base) || base.Name == "assert")
		return given && checking.MatchString(callee.Name) && (u.lang != golang || callee.Name != "fail")
	default:
		return false
	}
}

// checks counts what can fail a test: assertions, and what raises or calls them.
func (u *unit) checks() int {
	count := 0
	var walk func(n *syntax.Node, s *scope)
	walk = func(n *syntax.Node, s *scope) {
		if inner := u.scopes[n]; inner != nil {
			s = inner
		}
		switch n.Kind {
		case syntax.Assert:
			count++
		case syntax.Raise:
			if len(n.Kids) > 0 && strings.HasPrefix(raised(n), "Assertion") {
				count++
			}
		case syntax.Call:
			if u.fails(n.Kids[0], s) {
				count++
			}
		}
		for _, kid := range n.Kids {
			walk(kid, s)
		}
	}
	walk(u.root, u.top)
	return count
}
