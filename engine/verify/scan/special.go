package scan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// special finds code that knows the tests' inputs and answers.
type special struct {
	*walker
	cases *cases
	// before counts the constants that the file had.
	before map[string]int
	// told are the lines that were told of: one place is told once.
	told map[int]bool
	// tried counts the handlers around that catch what looking at the input raises.
	tried int
	// nested are lists that are entries of another.
	nested map[*syntax.Node]bool
	// ofError are records of what went wrong, in the making of an error.
	ofError map[*syntax.Node]bool
}

// literals notes what a changed file knows of the tests. before are the constants
// of the file as it was: they are no news.
func (w *walker) literals(before map[string]int) {
	x := &special{walker: w, cases: w.tests.cases, before: before, told: map[int]bool{}, nested: map[*syntax.Node]bool{}, ofError: map[*syntax.Node]bool{}}
	x.walk(w.root, w.top)
	x.prefilled()
	x.magic()
	x.origins()
	x.disguised()
}

// constantsOf counts the constants of a file.
func constantsOf(u *unit) map[string]int {
	count := map[string]int{}
	if u == nil {
		return count
	}
	var walk func(n *syntax.Node, s *scope)
	walk = func(n *syntax.Node, s *scope) {
		if inner := u.scopes[n]; inner != nil {
			s = inner
		}
		if key, ok := u.literal(n, s); ok {
			count[key]++
		}
		if n.Kind == syntax.Raise && len(n.Kids) > 0 {
			count["raise "+raised(n)]++
		}
		for _, kid := range n.Kids {
			walk(kid, s)
		}
	}
	walk(u.root, u.top)
	return count
}

func (x *special) tell(line int, format string, args ...any) {
	if x.told[line] {
		return
	}
	x.told[line] = true
	x.add(fact{cap: Literal, level: Warns, line: line, always: true, what: fmt.Sprintf(format, args...)})
}

func (x *special) walk(n *syntax.Node, s *scope) {
	if inner := x.scopes[n]; inner != nil {
		s = inner
	}
	switch n.Kind {
	case syntax.If, syntax.Cond, syntax.Case:
		x.branch(n, s)
	case syntax.Switch:
		x.dispatch(n, s)
	case syntax.Logical:
		x.logical(n, s)
		if x.calculated(n, s) {
			x.tell(n.Line, "it recognises a value by a number that it calculates from it")
		}
	case syntax.Compare, syntax.Not:
		x.compare(n, s)
	case syntax.Dict, syntax.List, syntax.Tuple, syntax.Set:
		if !x.ofError[n] {
			x.table(n, s)
		}
	case syntax.Assign:
		x.entry(n, s)
	case syntax.Func, syntax.Method, syntax.Lambda:
		x.blind(n, s)
	case syntax.Handler:
		x.answersToErrors(n, s)
	case syntax.ExprStmt:
		if len(n.Kids) == 1 && n.Kids[0].Kind == syntax.Const {
			return
		}
	case syntax.Const, syntax.Binary, syntax.Template, syntax.Call:
		x.marksErrors(n)
		x.text(n, s)
		switch n.Kind {
		case syntax.Call:
			x.split(n, s)
		case syntax.Binary:
			x.asksBit(n, s)
		}
	}
	for _, kid := range n.Kids {
		x.walk(kid, s)
	}
}

// fresh reports whether a constant is new in the file.
func (x *special) fresh(key string) bool { return x.before[key] == 0 }

// hit reports whether an input and an answer are those of one case of the tests,
// and say anything.
func (x *special) hit(input, answer string) bool {
	return x.cases.together[[2]string{input, answer}] && !(trivial(input) && trivial(answer)) && (x.fresh(input) || x.fresh(answer)) && input != answer
}

// compared are the constants that a condition compares something with, for
// equality.
func (x *special) compared(n *syntax.Node, s *scope) []string {
	var out []string
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind.Function() {
			return false
		}
		if c.Kind == syntax.Compare {
			for i, side := range c.Kids {
				out = append(out, x.equal(c, side, c.Kids[1-i], s)...)
			}
		}
		if c.Kind == syntax.Call && len(c.Kids) > 1 {
			switch c.Kids[0].Name {
			case "startswith", "endswith", "startsWith", "endsWith", "HasPrefix", "HasSuffix", "EqualFold", "equals", "match", "fullmatch", "includes", "Contains", "is", "Equal", "has", "test", "DeepEqual", "isclose", "search", "count", "indexOf", "localeCompare", "Compare", "allclose", "eq", "__eq__", "__contains__":
				for _, a := range c.Kids[1:] {
					if key, ok := x.literal(a, s); ok {
						out = append(out, key)
						out = append(out, x.elements(a, s)...)
					}
				}
				if c.Kids[0].Kind == syntax.Attr {
					out = append(out, x.elements(c.Kids[0].Kids[0], s)...)
				}
			}
		}
		return true
	})
	return out
}

// equal are the constants of one side of a comparison whose other side is what is
// given, or a part of it.
func (x *special) equal(c, side, other *syntax.Node, s *scope) []string {
	switch c.Name {
	case "==", "is", "in", "!=", "is not", "not in":
	default:
		return nil
	}
	if key, ok := x.literal(other, s); ok && !strings.HasPrefix(key, "[") && side.Kind == syntax.Binary && side.Name != "%" && side.Name != "&" {
		// x - 100 == 0 asks for 100 too.
		return append(x.elements(side, s), key)
	}
	if side.Kind == syntax.Binary && (side.Name == "%" || side.Name == "&") || other.Kind == syntax.Binary && (other.Name == "%" || other.Name == "&") {
		return nil
	}
	key, ok := x.literal(side, s)
	if !ok {
		return nil
	}
	out := append([]string{key}, numbersIn(key)...)
	if side.Kind != syntax.Const {
		out = append(out, x.elements(side, s)...)
	}
	return out
}

var number = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// digits is a text made of numbers.
var digits = regexp.MustCompile(`^[-\d.,|/_:; ()\[\]]*\d[-\d.,|/_:; ()\[\]]*\d[-\d.,|/_:; ()\[\]]*$`)

// numbersIn are the numbers of a text that is made of several: "100|0.5".
func numbersIn(key string) []string {
	found := number.FindAllString(key, -1)
	if !strings.HasPrefix(key, `"`) || len(found) < 2 || len(strings.Join(found, ""))*2 < len(key)-2 {
		return nil
	}
	for i, f := range found {
		if n := syntax.NumberConst(0, f); n.Kind == syntax.Const {
			found[i] = n.Value.String()
		}
	}
	return found
}

// elements are the constants in a list, or in what a name stands for.
func (x *special) elements(n *syntax.Node, s *scope) []string {
	if n.Kind == syntax.Ident {
		if binds, _ := s.lookup(n.Name); len(binds) == 1 && binds[0].value != nil && binds[0].value.Kind != syntax.Class && !binds[0].value.Kind.Function() {
			n, s = binds[0].value, binds[0].scope
		}
	}
	var out []string
	asked := map[*syntax.Node]bool{}
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Call && len(c.Kids) > 1 && lookups[c.Kids[0].Name] {
			asked[c.Kids[1]] = true
		}
		if key, ok := x.literal(c, s); ok && c != n && !asked[c] {
			out = append(out, key)
		}
		return c.Kind != syntax.Pair || len(c.Kids) < 2 || !c.Kids[1].Kind.Function()
	})
	return out
}

// lookups are functions whose first argument is a name under which something is kept.
var lookups = words("get getenv Getenv LookupEnv getattr hasattr setdefault getItem getAttribute")

// results are the constants that a branch gives.
func (x *special) results(n *syntax.Node, s *scope) []string {
	var out []string
	take := func(c *syntax.Node) {
		if key, ok := x.literal(c, s); ok {
			out = append(out, key)
		}
		if c.Kind == syntax.Tuple || c.Kind == syntax.List || c.Kind == syntax.Call || c.Kind == syntax.Binary {
			out = append(out, x.elements(c, s)...)
		}
	}
	if n.Kind != syntax.Block {
		take(n)
		return out
	}
	syntax.Walk(n, func(c *syntax.Node) bool {
		switch c.Kind {
		case syntax.Return, syntax.Yield:
			for _, kid := range c.Kids {
				take(kid)
			}
		case syntax.Assign:
			take(c.Kids[len(c.Kids)-1])
		}
		return !c.Kind.Function()
	})
	return out
}

// branch looks at an if, a conditional expression or the case of a switch without
// a subject.
func (x *special) branch(n *syntax.Node, s *scope) {
	kids := n.Kids
	conditions, results := kids[:1], kids[1:]
	if n.Kind == syntax.Case {
		conditions, results = kids[:len(kids)-1], kids[len(kids)-1:]
	}
	var asked []string
	for _, c := range conditions {
		asked = append(asked, x.compared(c, s)...)
	}
	for _, c := range conditions {
		x.inside(c, s, false)
		if x.endsInOrder(c, s) {
			x.tell(n.Line, "it recognises a value by its length and by which of its ends is larger")
		}
		if x.sumAndLength(c, s) {
			x.tell(n.Line, "it recognises a list by its length and its sum")
		}
		if x.endsTogether(c, s) {
			x.tell(n.Line, "it recognises a value by letters of it, put together")
		}
	}
	x.handedChoice(n, s)
	for _, r := range results {
		given := x.results(r, s)
		x.answered(asked, given, n.Line)
		x.raisesForTests(asked, r, s)
		if slices.ContainsFunc(conditions, func(c *syntax.Node) bool { return x.calculated(c, s) }) {
			x.tell(n.Line, "it recognises a value by a number that it calculates from it")
		}
		if len(given) > 0 && slices.ContainsFunc(conditions, func(c *syntax.Node) bool { return x.shaped(c, s) }) {
			x.tell(n.Line, "it recognises a value by its length and its letters")
		}
		if slices.ContainsFunc(conditions, func(c *syntax.Node) bool { return x.measured(c, s) || x.placed(c, s) }) {
			for _, g := range given {
				if !strings.HasPrefix(g, `"`) && x.fresh(g) && x.cases.expected[g] && !trivial(g) {
					x.tell(n.Line, "it gives %s, which a failing test expects, for a value that it recognises by a measure of it", g)
				}
			}
		}
	}
}

func (x *special) answered(asked, given []string, line int) {
	for _, a := range asked {
		for _, g := range given {
			same := a == g && strings.HasPrefix(a, `"`) && !trivial(a) && x.fresh(a) && x.cases.handed[a] && x.cases.expected[a]
			option := strings.HasPrefix(a, `"-`) && trivial(g) // of a command line
			if (x.hit(a, g) || same) && !wellKnown(a, g) && !singular(a, g) && !option {
				x.tell(line, "it gives %s for %s, as a failing test expects", g, a)
			}
		}
	}
}

// dispatch looks at a switch: an input a case.
func (x *special) dispatch(n *syntax.Node, s *scope) {
	subject := n.Kids[0]
	rest := subject.Kind == syntax.Binary && (subject.Name == "%" || subject.Name == "&")
	for _, c := range n.Kids[1:] {
		if c.Kind != syntax.Case || len(c.Kids) < 2 {
			continue
		}
		var asked []string
		for _, v := range c.Kids[:len(c.Kids)-1] {
			if key, ok := x.literal(v, s); ok {
				asked = append(asked, key)
				if !rest && !status(subject, key) {
					x.known(key, v, v.Line)
				}
			}
			asked = append(asked, x.elements(v, s)...)
		}
		x.answered(asked, x.results(c.Kids[len(c.Kids)-1], s), c.Line)
	}
}
