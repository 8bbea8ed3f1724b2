package scan

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// cases are the constants of the failing tests: what goes in, what is expected,
// and which belong together.
type cases struct {
	inputs, expected map[string]bool
	// handed are inputs that stand as arguments of calls.
	handed map[string]bool
	// together are pairs that stand in one row or in neighbouring statements.
	together map[[2]string]bool
	// texts of inputs and answers that are special enough to be recognised within
	// others.
	special map[string]bool
	// numbers are inputs that are numbers, and texts those that are texts, in order.
	numbers []float64
	texts   []string
	// called are the functions of the changed files: what they are given is input,
	// whatever they are called.
	called map[string]bool
}

func newCases() *cases {
	return &cases{inputs: map[string]bool{}, handed: map[string]bool{}, expected: map[string]bool{}, together: map[[2]string]bool{}, special: map[string]bool{}, called: map[string]bool{}}
}

// literal is a constant, or a list of such, in the one spelling that is compared.
func (u *unit) literal(n *syntax.Node, s *scope) (string, bool) {
	switch n.Kind {
	case syntax.List, syntax.Tuple, syntax.Set, syntax.Dict, syntax.Pair:
		var parts []string
		for _, kid := range n.Kids {
			if kid.Kind == syntax.Spread {
				continue
			}
			key, ok := u.literal(kid, s)
			if !ok {
				return "", false
			}
			parts = append(parts, key)
		}
		return "[" + strings.Join(parts, ",") + "]", true
	}
	u.folds = 0
	v, ok := u.fold(n, s, deepest)
	return v.String(), ok
}

// trivial reports whether a constant is too common to say anything.
func trivial(key string) bool {
	switch key {
	case "-2", "-1", "0", "1", "2", "true", "false", "null", "", "[]", `""`:
		return true
	}
	return len(key) == 3 && key[0] == '"'
}

// assertions are calls whose arguments are what is expected, not what goes in.
var assertions = regexp.MustCompile(`(?i)^(assert.*|expect.*|.*equal.*|ok|notok|is|same|require|to(be|equal|match|have|throw|contain|strict|satisfy).*|raises|approx|errorf|fatalf|error|fatal|logf|log|closeto|contains|lessThan.*|greater.*|throws|rejects|match.*|isclose|snapshot|t|subTest|test|it|describe|parametrize|print|printf|println|len|str|sorted|list|set|tuple|dict|float|int|repr|abs|round)$`)

// read takes over the constants of a test file.
func (c *cases) read(u *unit) {
	syntax.Walk(u.root, func(n *syntax.Node) bool {
		switch n.Kind {
		case syntax.Block, syntax.File:
			c.statements(u, n.Kids)
		case syntax.List, syntax.Tuple, syntax.Dict, syntax.Pair:
			c.row(u, n)
		}
		return true
	})
	c.roles(u, u.root, false)
}

// near is how many statements before one belong to it.
const near = 3

// statements notes which constants stand near each other.
func (c *cases) statements(u *unit, list []*syntax.Node) {
	var window [][]string
	for _, statement := range list {
		if has(statement, syntax.Block) && statement.Kind != syntax.If && statement.Kind != syntax.ExprStmt && statement.Kind != syntax.With {
			window = nil
			continue
		}
		window = append(window, c.constants(u, statement))
		if len(window) > near {
			window = window[1:]
		}
		var before []string
		for _, w := range window[:len(window)-1] {
			before = append(before, w...)
		}
		c.pair(before, window[len(window)-1])
		c.pair(window[len(window)-1], window[len(window)-1])
	}
}

// most constants of a statement or row are taken in pairs.
const mostPaired = 60

func (c *cases) pair(a, b []string) {
	if len(a) > mostPaired || len(b) > mostPaired {
		return
	}
	for _, x := range a {
		for _, y := range b {
			if x != y {
				c.together[[2]string{x, y}], c.together[[2]string{y, x}] = true, true
			}
		}
	}
}

// constants are all constants below a node, lists of constants included.
func (c *cases) constants(u *unit, n *syntax.Node) []string {
	var out []string
	syntax.Walk(n, func(k *syntax.Node) bool {
		if k.Kind == syntax.Func || k.Kind == syntax.Class {
			return false
		}
		if key, ok := u.literal(k, u.top); ok {
			out = append(out, key)
			return strings.HasPrefix(key, "[")
		}
		return true
	})
	return out
}

// row notes the constants of one row of a table: they may be inputs and answers.
func (c *cases) row(u *unit, n *syntax.Node) {
	parts := c.constants(u, n)
	nested := slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool {
		return k.Kind == syntax.List || k.Kind == syntax.Tuple || k.Kind == syntax.Dict || k.Kind == syntax.Pair
	})
	if len(parts) < 2 || n.Kind == syntax.Dict && nested && len(n.Kids) > 6 {
		return
	}
	if !nested || len(parts) <= 12 && n.Kind != syntax.Dict || len(n.Kids) <= 6 {
		c.pair(parts, parts)
		for _, p := range parts {
			c.input(p)
			c.answer(p)
		}
	}
}

// roles tells inputs, which are arguments of calls, from answers.
func (c *cases) roles(u *unit, n *syntax.Node, within bool) {
	if key, ok := u.literal(n, u.top); ok {
		if within {
			c.input(key)
			c.handed[key] = true
		} else {
			c.answer(key)
		}
		if n.Kind == syntax.Const {
			return
		}
	}
	for i, kid := range n.Kids {
		inner := within && !kid.Kind.Function()
		if n.Kind == syntax.Call && i > 0 {
			name := n.Kids[0].Name
			inner = (c.called[name] || !assertions.MatchString(name)) && !kid.Kind.Function()
		}
		c.roles(u, kid, inner)
	}
}

func (c *cases) input(key string) {
	c.inputs[key] = true
	c.specially(key)
}

func (c *cases) answer(key string) {
	c.expected[key] = true
	c.specially(key)
}

// specially keeps texts that code would hardly have by chance: of two words or
// more.
func (c *cases) specially(key string) {
	text, ok := strings.CutPrefix(key, `"`)
	if text = strings.TrimSuffix(text, `"`); ok && !identifier.MatchString(text) && len(text) >= 6 && len(text) < 400 && len(tokens(text)) > 1 {
		c.special[key] = true
	}
}

var token = regexp.MustCompile(`[A-Za-z0-9]+`)

func tokens(text string) []string { return token.FindAllString(strings.ToLower(text), -1) }

// derived reports whether an answer is made from an input of the same case: it has
// all of its words.
func (c *cases) derived(answer string) bool {
	for _, other := range slices.Sorted(maps.Keys(c.inputs)) {
		if other == answer || !c.together[[2]string{answer, other}] || strings.HasPrefix(other, "[") {
			continue
		}
		long := false
		if !slices.ContainsFunc(tokens(other), func(word string) bool {
			long = long || len(word) >= 3
			return !slices.Contains(tokens(answer), word)
		}) && long {
			return true
		}
	}
	return false
}

// data takes over what a file has that the tests read: its rows or lines.
func (c *cases) data(name string, content []byte) {
	const largest = 64 << 10
	if len(content) > largest {
		return
	}
	var tree any
	if json.Unmarshal(content, &tree) == nil {
		u := newUnit(name, python, &syntax.Node{Kind: syntax.File, Kids: []*syntax.Node{{Kind: syntax.ExprStmt, Kids: []*syntax.Node{jsonNode(tree)}}}})
		c.read(u)
		return
	}
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key := syntax.TextConst(0, line).Value.String()
		c.answer(key)
		if number := syntax.NumberConst(0, line); number.Kind == syntax.Const {
			c.answer(number.Value.String())
		}
	}
}

// within reports whether data has several of what failing tests hand over or expect: it
// was written for them.
func (c *cases) within(content []byte) bool {
	const several = 2
	var tree any
	if json.Unmarshal(content, &tree) != nil {
		return false
	}
	known := map[string]bool{}
	syntax.Walk(jsonNode(tree), func(n *syntax.Node) bool {
		if key := n.Value.String(); n.Kind == syntax.Const && !trivial(key) && (c.inputs[key] || c.expected[key]) {
			known[key] = true
		}
		return true
	})
	return len(known) >= several
}

func jsonNode(v any) *syntax.Node {
	switch v := v.(type) {
	case nil:
		return syntax.NullConst(0)
	case bool:
		return syntax.BoolConst(0, v)
	case float64:
		return &syntax.Node{Kind: syntax.Const, Value: syntax.Value{Kind: syntax.Number, Num: v}}
	case string:
		return syntax.TextConst(0, v)
	case []any:
		n := &syntax.Node{Kind: syntax.List}
		for _, e := range v {
			n.Kids = append(n.Kids, jsonNode(e))
		}
		return n
	case map[string]any:
		n := &syntax.Node{Kind: syntax.Dict}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Kids = append(n.Kids, &syntax.Node{Kind: syntax.Pair, Kids: []*syntax.Node{syntax.TextConst(0, key), jsonNode(v[key])}})
		}
		return n
	default:
		return &syntax.Node{Kind: syntax.Other}
	}
}

// textInputs are the inputs that are texts, as they are read and in order.
func (c *cases) textInputs() []string {
	if c.texts == nil {
		c.texts = []string{}
		for _, key := range slices.Sorted(maps.Keys(c.inputs)) {
			if strings.HasPrefix(key, `"`) {
				c.texts = append(c.texts, unquoted(key))
			}
		}
	}
	return c.texts
}

// close reports whether two bounds enclose an input closely.
func (c *cases) close(low, high float64) bool {
	if len(c.numbers) == 0 {
		for key := range c.inputs {
			if n := syntax.NumberConst(0, key); n.Kind == syntax.Const {
				c.numbers = append(c.numbers, n.Value.Num)
			}
		}
	}
	return slices.ContainsFunc(c.numbers, func(f float64) bool {
		width := math.Max(math.Abs(f)*0.1, 1.5)
		return low <= f && f <= high && f-low <= width && high-f <= width
	})
}

// identifier is a text that is a name of something.
var identifier = regexp.MustCompile(`^[A-Za-z_$][\w$.]*$`)
