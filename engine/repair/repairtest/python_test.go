package repairtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"sort"
	"testing"

	"autocoder/engine/repair/node"
)

// pythonParser parses with the worker of package python, on the first python3
// there is: all sources at once, since starting Python is what takes time.
func pythonParser(t *testing.T, sources []string) Parse {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	const program = `import json, sys
from worker import tree
json.dump([tree.parse(s.encode()) for s in json.load(sys.stdin)], sys.stdout)`
	in, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", program)
	cmd.Dir, cmd.Stdin = "../python", bytes.NewReader(in)
	cmd.Env = append(cmd.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("parse with %s: %v", python, err)
	}
	var trees []json.RawMessage
	if err := json.Unmarshal(out, &trees); err != nil {
		t.Fatal(err)
	}
	return func(source []byte) (*node.Node, error) {
		return decode(trees[slices.Index(sources, string(source))], source)
	}
}

// decode reads what the worker writes: rows in preorder, and scopes.
func decode(data, source []byte) (*node.Node, error) {
	var tree struct {
		Refused string
		Rows    [][]any
		Scopes  [][2]any
	}
	if err := json.Unmarshal(data, &tree); err != nil || tree.Refused != "" {
		return nil, fmt.Errorf("%v %s", err, tree.Refused)
	}
	var symbols func(k int) []node.Symbol
	symbols = func(k int) []node.Symbol {
		if k < 0 {
			return nil
		}
		var out []node.Symbol
		for _, x := range tree.Scopes[k][1].([]any) {
			s := x.([]any)
			flags := int(s[2].(float64))
			out = append(out, node.Symbol{Name: s[0].(string), Type: s[1].(string), Callable: flags&1 != 0, Local: flags&2 != 0})
		}
		return append(out, symbols(int(tree.Scopes[k][0].(float64)))...)
	}
	starts := []int{0}
	for i, b := range source {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	kinds := map[string]node.Kind{}
	for k, name := range []string{
		"Other", "File", "Function", "Param", "Block", "ExprStmt", "Assign", "VarDecl", "Return", "If", "While", "For", "Break", "Continue", "Raise",
		"Assert", "Try", "With", "OtherStmt", "Name", "Number", "String", "Bool", "Nil", "Binary", "Compare", "Logical", "Unary", "Call", "Keyword",
		"Index", "Slice", "Attribute", "Cond", "List", "Tuple", "Dict", "Lambda", "Comp", "Yield", "Empty",
	} {
		kinds[name] = node.Kind(k)
	}
	at := 0
	var build func() *node.Node
	build = func() *node.Node {
		row := tree.Rows[at]
		at++
		num := func(k int) int {
			if k < len(row) {
				return int(row[k].(float64))
			}
			return 0
		}
		str := func(k int) string {
			if k < len(row) {
				return row[k].(string)
			}
			return ""
		}
		n := &node.Node{Kind: kinds[row[0].(string)], Start: num(1), End: num(2), Op: str(4), OpStart: num(5), OpEnd: num(6), Name: str(7), Type: str(8)}
		if len(row) > 9 {
			n.Scope = symbols(num(9))
		}
		n.Line, n.EndLine = sort.SearchInts(starts, n.Start+1), sort.SearchInts(starts, n.End+1)
		for range num(3) {
			n.Children = append(n.Children, build())
		}
		return n
	}
	return build(), nil
}

func TestPython(t *testing.T) {
	t.Parallel()
	corpus, err := Corpus("python")
	if err != nil {
		t.Fatal(err)
	}
	cases := append(pythonCases(), corpus...)
	var sources []string
	for _, c := range cases {
		before, _ := Split(c.Source)
		sources = append(sources, before)
	}
	Run(t, node.Python(), pythonParser(t, sources), cases)
}

func pythonCases() []Case {
	return []Case{
		// Operators.
		{"comparison", "def f(a, b):\n    return a ‹<|<=› b\n", 3},
		{"comparison", "def f(a, b):\n    if a ‹==|!=› b:\n        return 1\n    return 2\n", 5},
		{"comparison", "def f(a, b):\n    return a ‹in|not in› b\n", 3},
		{"comparison", "def f(a):\n    return a ‹is|is not› None\n", 3},
		{"comparison", "def f(a, b, c):\n    return a < b ‹<|<=› c\n", 6},
		{"comparison and constant", "def f(n):\n    if n ‹== 0|<= 1›:\n        return n\n    return f(n - 1)\n", 250},
		{"arithmetic", "def f(a, b):\n    return a ‹+|-› b\n", 12},
		{"arithmetic", "def f(a, b):\n    return a ‹/|//› b\n", 12},
		{"boolean", "def f(a, b):\n    return a ‹and|or› b\n", 12},
		{"boolean chain", "def f(a, b, c):\n    return a ‹and|or› b ‹and|or› c\n", 40},
		{"operand swap", "def f(a, b):\n    return ‹a - b|b - a›\n", 40},
		{"operand drop", "def f(a, b):\n    c = ‹a + b|a›\n    return b - c\n", 40},
		{"operand drop", "def f(a, b, c):\n    d = ‹a ** b * c|a ** c›\n    return b - d\n", 120},
		{"grouping", "def f(a, b, c):\n    return ‹a + b * c|(a + b) * c›\n", 120},
		{"unary drop", "def f(a):\n    if ‹not a|a›:\n        return 1\n    return 2\n", 12},
		// Constants.
		{"number", "def f(a):\n    return a[‹1|0›]\n", 4},
		{"number", "def f(a):\n    return a[‹-1|0›]\n", 8},
		{"boolean constant", "def f(a):\n    a.ok = ‹True|False›\n    return a\n", 3},
		{"nil constant", "def f(a):\n    r = ‹None|[]›\n    return r\n", 20},
		{"string", "def f(a):\n    return a.split('‹,| ›')\n", 30},
		{"string", "def f(a):\n    return a == '‹(|[›'\n", 30},
		{"constant to variable", "def f(a, b):\n    return a + ‹1|b›\n", 90},
		{"empty to element", "def f(a):\n    r = ‹[]|[[]]›\n    for x in a:\n        r.append(x)\n    return r\n", 300},
		// Names.
		{"grouping", "def f(a):\n    return round(‹a - 32 * 5 / 9|(a - 32) * 5 / 9›, 1)\n", 200},
		{"grouping", "def f(a, b):\n    return ‹a + 1 if b else 2|a + (1 if b else 2)›\n", 200},
		{"as beside", "def f(a, b, n):\n    x = [0] * (n - len(a)) + a\n    y = ‹b|[0] * (n - len(b)) + b›\n    return x, y\n", 900},
		{"unless unchanged", "class A:\n    def put(self, v):\n        ‹|if v == self.v:\n            return\n        ›self.v = v\n        self.tell(v)\n", 1500},
		{"term for another", "def f(a, b):\n    i = j = 0\n    while i < len(a) and j < len(b):\n        i += 1\n        j += 2\n    return ‹[i] + b[j:]|[i] + a[i:] + b[j:]›\n", 1500},
		{"variable", "def f(a, b):\n    return ‹a|b› + 1 - a\n", 20},
		{"sibling", "def f(a, b):\n    return ‹min|max›(a, b)\n", 12},
		{"sibling", "def f(a, b):\n    a.‹append|extend›(b)\n    return a\n", 12},
		{"sibling", "def f(s):\n    return s.‹lower|upper›()\n", 6},
		{"function", "def g(a):\n    return a\n\ndef f(a):\n    return ‹f|g›(a)\n", 250},
		{"attribute", "def f(p):\n    return p.x + p.‹x|y› * p.y\n", 25},
		{"attribute drop", "def f(n):\n    return ‹n.next|n›\n", 12},
		{"attribute", "class A:\n    kind = 'a'\n    kind_of_head = kind\n\n    def f(self, n):\n        return n + self.‹kind|kind_of_head›\n", 30},
		{"method", "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\n    def f(self, n):\n        return n + self.‹one|two›()\n", 30},
		{"method", "def f(s, q):\n    q.put(s)\n    return s.‹put|take›(q) + q.take(s)\n", 150},
		{"misnamed", "LIMIT = 3\n\ndef f(a):\n    return a[‹Limit|LIMIT›] + ‹Limit|LIMIT›\n", 15},
		{"misnamed", "class A:\n    LOWEST = 1\n\ndef f(a):\n    return a[‹Lowst|LOWEST›:]\n\ndef g(lowest):\n    return LOWEST\n", 60},
		{"misnamed", "def f(s):\n    text = s.strip()\n    return g(‹line|text›) + h(‹line|text›)\n", 30},
		// Conditions.
		{"negation", "def f(a):\n    if ‹a|not a›:\n        return 1\n    return 2\n", 20},
		{"weaker condition", "def f(a, b):\n    if ‹a < 0|a < 0 or not b›:\n        return 1\n    return 2\n", 250},
		{"stronger condition", "def f(a, b):\n    while ‹a < 0|a < 0 and b›:\n        a += b\n    return a\n", 300},
		{"condition", "def f(q):\n    while ‹True|len(q) > 0›:\n        q.pop()\n    return q\n", 200},
		{"branch swap", "def f(a, b):\n    return ‹a if a < b else b|b if a < b else a›\n", 50},
		{"branch drop", "def f(a, b):\n    c = ‹a if a < b else b|a›\n    return b - c\n", 200},
		// Errors.
		{"cause", "def f(s):\n    try:\n        return int(s)\n    except ValueError as e:\n        raise KeyError(s)‹| from e›\n", 60},
		{"cause", "def f(s):\n    try:\n        return int(s)\n    except ValueError:\n        raise KeyError(s)‹| from None›\n", 60},
		// Calls.
		{"argument swap", "def f(a, b):\n    return f(‹a|b›, ‹b|a›)\n", 12},
		{"argument drop", "def f(a, b=1):\n    return f(a‹, b|›) - b\n", 120},
		{"keyword add", "def f(xs):\n    return sorted(xs‹|, reverse=True›)\n", 60},
		{"argument of its name", "def g(a, strict, seen):\n    return a\n\ndef f(a, strict=False):\n    return g(a, ‹|strict, ›{})\n", 60},
		{"argument of its name", "def g(a, *, deep=False):\n    return a\n\ndef f(a, deep=False):\n    return g(a‹|, deep=deep›)\n", 60},
		{"argument of its name", "class A:\n    def __init__(self, a, b=None):\n        self.a, self.b = a, b\n\n    def copy(self):\n        if self.b:\n            return A(self.a‹|, self.b›)\n        return A(self.a, None)\n", 120},
		{"argument of its name", "import io\n\ndef f(path, encoding=None):\n    return io.open(path‹|, encoding=encoding›)\n", 60},
		{"argument of its name", "import io\n\ndef f(a, b):\n    g(\n        a,\n        b‹|, sep=b›,\n    )\n    g(b, sep=b)\n", 200},
		{"terms apart", "def f(a, b):\n    s = a + b\n    return a / (‹2.0 - s|2.0 - a - b›)\n", 900},
		{"none or empty", "def f(a=None):\n    if ‹a|a is not None›:\n        return 1\n    return 2\n", 20},
		{"none or empty", "def f(a, b):\n    if b and ‹not a|a is None›:\n        return 1\n    return 2\n", 20},
		{"none or empty", "def f(a):\n    return 1 if ‹a.x is not None|a.x› else 2\n", 40},
		{"none or empty", "def f(a, b):\n    c = ‹a or b|a if a is not None else b›\n    return c + 1\n", 60},
		{"unless none", "def f(a, b):\n    c = ‹a.x|a.x if a.x is not None else b›\n    return c\n", 120},
		{"default given", "def f(xs):\n    return next(iter(xs)‹|, None›)\n", 20},
		{"default of a parameter", "def f(a, b‹|=None›, c=1):\n    return a if b is None else b + c\n", 60},
		{"filled in", "def f(a=None):\n    ‹|if a is None:\n        a = []\n    ›b = len(a)\n    return b + a.count(b)\n", 250},
		{"filled in", "class A:\n    def f(self, width=None):\n        ‹|if width is None:\n            width = self.width\n        ›return self.g(width) + self.width\n", 250},
		{"argument of its name", "def g(a, strict=True):\n    return a\n\ndef f(a):\n    return g(a‹|, strict=False›)\n", 60},
		{"as its neighbour", "def f(a, hi=None):\n    if hi is None:\n        hi = len(a)\n    return a[hi]\n\ndef g(a, hi=None):\n    ‹|if hi is None:\n        hi = len(a)\n    ›return f(a, hi) + hi\n", 300},
		{"emptied entry", "def f(d, k, n):\n    d[k] -= n‹|\n    if d[k] == 0:\n        del d[k]›\n    return d\n", 250},
		{"emptied entry", "def f(d, k, x):\n    d[k].remove(x)‹|\n    if not d[k]:\n        del d[k]›\n    return d\n", 250},
		{"alike", "def f(a, b):\n    x = sorted(c for c in ‹a|a.lower()›)\n    y = sorted(c for c in ‹b|b.lower()›)\n    return x == y\n", 1500},
		{"one more type", "def f(a):\n    return isinstance(a, ‹str|(str, bytes)›)\n", 40},
		{"one more type", "def f(a):\n    return isinstance(a, (list, tuple‹|, set›))\n", 40},
		{"method of the base class", "class A(B):\n    def put(self, n):\n        ‹self|super()›.put(n)\n        return n\n", 40},
		{"own class", "class A:\n    def copy(self):\n        return ‹A|type(self)›(self.x)\n", 40},
		{"not comparable", "class A:\n    def __eq__(self, other):\n        if not isinstance(other, A):\n            return ‹False|NotImplemented›\n        return self.x == other.x\n", 60},
		{"gathered arguments", "def f(a, **options):\n    return g(a‹|, **options›)\n", 40},
		{"called as elsewhere", "def f(a, b):\n    c = a.expandtabs(4)\n    return c + ‹b|b.expandtabs(4)›\n", 400},
		{"character", "def f(a):\n    return '<%‹s|r›>' % a\n", 40},
		{"bound", "def f(a, n):\n    return a / ‹n|max(1, n)›\n", 120},
		{"unwrap", "def f(a):\n    return ‹abs(a)|a›\n", 30},
		{"range", "def f(n):\n    for i in range(‹n|1, n + 1›):\n        print(i)\n", 80},
		{"wrap", "def f(a, b):\n    return ‹a - b|abs(a - b)›\n", 180},
		{"wrap both", "def f(a, b):\n    return ‹a|set(a)› == ‹b|set(b)›\n", 250},
		// Values.
		{"off by one", "def f(a, i):\n    return a[‹i|i + 1›]\n", 15},
		{"off by one", "def f(a, n):\n    return f(a, ‹n|n - 1›)\n", 20},
		{"operand add", "def f(a, n):\n    return f(a, ‹n|n - a›)\n", 250},
		{"as its neighbour", "class A:\n    def put(self, n):\n        if n <= 0:\n            raise ValueError('n')\n        self.n += n\n        self.log.append(('put', n))\n\n    def take(self, m):\n        if m > self.n:\n            raise KeyError(m)\n        self.n -= m‹|\n        self.log.append(('take', m))›\n", 200},
		{"as its neighbour", "class A:\n    def put(self, n):\n        if n <= 0:\n            raise ValueError('none')\n        self.n += n\n\n    def take(self, m):\n        ‹|if m <= 0:\n            raise ValueError('none')\n        ›self.n -= m\n", 200},
		{"as its neighbour", "class A:\n    def get(self, k):\n        if k in self.m:\n            self.hits += 1\n            ‹|self.m.move_to_end(k)\n            ›return self.m[k]\n\n    def put(self, k, v):\n        if k in self.m:\n            self.m.move_to_end(k)\n        self.m[k] = v\n", 200},
		{"bound", "def f(a, b):\n    b = ‹a + 1|max(b, a + 1)›\n    return b\n", 400},
		{"expression", "def f(a, b):\n    c = g(a)\n    d = ‹h(b)|g(a)›\n    return c + d - b\n", 1200},
		{"concatenation", "def f(xs):\n    ys = [x + 1 for x in xs]\n    return ‹ys|ys + xs›\n", 400},
		// Containers.
		{"slice bound", "def f(a, i):\n    return a[‹|1›:]\n", 20},
		{"slice add", "def f(a, i):\n    return f(‹a|a[1:]›, i)\n", 120},
		{"index add", "def f(a, i):\n    return ‹a|a[i]› + 1\n", 250},
		{"into list", "def f(a):\n    return f(‹a|[a]›)\n", 400},
		{"element swap", "def f(a, b):\n    return (‹a|b›, ‹b|a›)\n", 30},
		{"element swap", "def f(a, b):\n    ‹a|b›, ‹b|a› = f(a, b)\n    return a - b\n", 200},
		{"element drop", "def f(a, b):\n    c = [a‹, b|›]\n    return c - b\n", 400},
		// Assignments.
		{"assignment operator", "def f(a, b):\n    a ‹+=|-=› b\n    return a\n", 20},
		{"assignment operator", "def f(a, b):\n    a ‹=|+=› b\n    return a\n", 60},
		{"assignment target", "def f(a, b):\n    ‹a|b› = 1\n    return a + b\n", 120},
		{"return value", "def f(a):\n    for x in a:\n        if x:\n            return ‹False|None›\n    return True\n", 120},
		{"result unused", "def f(a):\n    ‹|return ›g(a)\n", 60},
		{"yield", "def f(a):\n    for x in a:\n        ‹yield f(x)|yield from f(x)›\n", 60},
		// Values that may be missing or empty.
		{"lookup", "def f(d, k):\n    return ‹d[k]|d.get(k)›\n", 60},
		{"lookup", "def f(d, k):\n    return d.get(‹k|k, 0›) + 1\n", 60},
		{"lookup", "def f(d, k):\n    return ‹d.get(k)|d[k]›\n", 60},
		{"put", "def f(d, k, v):\n    ‹d[k] = v|d.setdefault(k, []).append(v)›\n    return d\n", 200},
		{"fallback", "def f(a=None):\n    return len(‹a|a or []›)\n", 400},
		{"empty value", "def f(a):\n    d = ‹{}|set()›\n    for x in a:\n        d.add(x)\n    return d\n", 200},
		{"look up by", "def f(d, names):\n    return [‹n|d[n]› for n in names]\n", 400},
		{"guarded value", "def f(a):\n    return ‹a[-1]|a[-1] if a else None›\n", 300},
		{"each element", "def f(a):\n    return ', '.join(‹a|str(x) for x in a›)\n", 300},
		// Errors.
		{"error", "def f(a):\n    if a < 0:\n        raise ‹KeyError|ValueError›(a)\n    return a\n", 60},
		{"handler", "def f(a):\n    try:\n        return int(a)\n    except ‹ValueError|(ValueError, TypeError)›:\n        return 0\n", 150},
		// Waiting.
		{"await", "async def f(a):\n    b = ‹a.get()|await a.get()›\n    return b + 1\n", 150},
		{"async", "‹|async ›def f(a):\n    return await a.get()\n", 60},
		{"spread", "def f(a):\n    return zip(‹a|*a›)\n", 150},
		{"spread", "def f(g, *a):\n    return g(‹a|*a›)\n", 150},
		{"handed on", "def f(a):\n    yield a\n    ‹|yield from ›f(a[1:])\n", 150},
		{"decorator", "class A:\n    def __init__(self, x):\n        self.x = x\n\n    ‹|@property\n    ›def y(self):\n        return self.x\n", 300},
		{"base class", "class A(B):\n    def __init__(self, x, y):\n        ‹|super().__init__(x)\n        ›self.y = y\n", 150},
		// Texts.
		{"character", "def f(a):\n    return a.strftime('%Y-%‹M|m›')\n", 150},
		{"pattern", "import re\n\ndef f(a):\n    return re.match('[a-z]‹|+›$', a)\n", 60},
		{"opposite", "def f(a):\n    return a.sort_by('‹asc|desc›')\n", 60},
		{"separator", "def f(a):\n    return str(a)‹| + \"-\"› + str(a + 1)\n", 500},
		{"interpolation", "def f(name):\n    return ‹|f›'hello {name}'\n", 20},
		{"interpolation", "def f(name):\n    return f'{name‹:.1f|:.2f›}'\n", 60},
		// Objects.
		{"receiver", "class A:\n    def give(self, other, n):\n        self.take(n)\n        ‹self|other›.take(-n)\n", 150},
		{"other attribute", "class A:\n    def __init__(self, p, q):\n        self.p = p\n        self.q = q\n\n    def total(self):\n        return ‹self.p|self.p * self.q›\n", 500},
		{"bound", "def f(a, b):\n    if a.lo < b.hi:\n        b.hi = ‹a.hi|max(b.hi, a.hi)›\n    return b\n", 200},
		{"missing if", "def f(a):\n    best = a[0]\n    for x in a:\n        ‹|if x > best:\n            ›best = x\n    return best\n", 400},
		{"counterpart", "def f(a, b):\n    if a.name == b.name:\n        return a.n‹| + b.n›\n    return 0\n", 300},
		{"attribute update", "class A:\n    def __init__(self):\n        self.hits = 0\n\n    def get(self, k):\n        ‹|self.hits += 1\n        ›return k\n", 700},
		{"keyword", "def f(width):\n    return g(‹size|width›=width)\n", 60},
		{"variable", "def f(a, n):\n    b = a[:‹d|n›]\n    d = {}\n    d[b] = a\n    return d\n", 30},
		{"keyword", "from datetime import timedelta\n\ndef f(n):\n    return timedelta(‹seconds|minutes›=n)\n", 60},
		{"own function", "def clean(s):\n    return s.strip()\n\ndef f(a):\n    return [‹s|clean(s)› for s in a]\n", 300},
		{"sort key", "def f(a):\n    for x in a:\n        print(x.age)\n    return sorted(a‹|, key=lambda x: x.age›)\n", 330},
		{"tie", "def f(d):\n    return sorted(d.items(), key=lambda p: ‹-p[1]|(-p[1], p[0])›)\n", 300},
		{"missing if, copied", "def f(a):\n    out, line = [], ''\n    for w in a:\n        if len(line) > 9:\n            out.append(line)\n            line = ''\n        line += w\n    ‹|if line:\n        out.append(line)\n    ›return out\n", 3000},
		{"own name", "def f(text):\n    return len(‹'text'|text›)\n", 60},
		// Throughout.
		{"numbers shifted", "def f(m):\n    return m[‹0|1›], m[‹1|2›]\n", 150},
		{"variables swapped", "def f(a, b, c):\n    return c[‹a|b›] - ‹b|a›\n", 200},
		{"siblings swapped", "def f(a, b, c):\n    return ‹min|max›(a, ‹max|min›(b, c))\n", 60},
		{"attributes swapped", "def f(p, q):\n    return p.‹x|y› * 2 + q.‹y|x›\n", 500},
		{"variable shifted", "def f(a, k):\n    return a[‹k|-k›:] + a[:‹k|-k›]\n", 500},
		{"condition and branches", "def f(a, b):\n    if a > b:\n        return ‹True|False›\n    return a ‹==|!=› b\n", 300},
		// Flow.
		{"break and continue", "def f(a):\n    for x in a:\n        if x:\n            ‹break|continue›\n        print(x)\n", 30},
		{"branches", "def f(a, b):\n    if a == b:\n        ‹b = 1|a = 2›\n    else:\n        ‹a = 2|b = 1›\n    return a - b\n", 100},
		{"else if", "def f(a):\n    if a == 1:\n        b = 1\n    ‹if|elif› a == 2:\n        b = 2\n    return b\n", 200},
		{"order", "def f(a, b):\n    ‹a = b|b = a›\n    ‹b = a|a = b›\n    return a - b\n", 250},
		{"out of block", "def f(a):\n    n = 0\n    for x in a:\n        n += x\n‹        |    ›return n\n", 250},
		{"into block", "def f(a):\n    n = 0\n    for x in a:\n        y = x + 1\n‹    |        ›n += y\n    return n\n", 400},
		{"without if", "def f(a, b):\n    ‹if a == b:\n        a += 1|a += 1›\n    return a - b\n", 1700},
		{"without", "def f(a, b):\n‹    a += b\n|›    return a - b\n", 2500},
		// Insertions.
		{"missing guard", "class S:\n    def close(self, done):\n        ‹|if done:\n            return\n        ›self.out.write(done)\n", 700},
		{"own function", "from wires import plain\n\ndef g(a):\n    return plain(a)\n\ndef f(a, b):\n    c = ‹b|plain(b)›\n    return g(a) + c\n", 500},
		{"result unused", "def f(a, b):\n    if a:\n        ‹|return ›a, b\n    return b, a\n", 60},
		{"slice bound", "def f(a, i):\n    return a[‹i:|:i›] + a[i:]\n", 40},
		{"variable", "import _sys\n\nclass S:\n    def f(self, message):\n        if ‹fil|message›:\n            self.put(message, _sys.err)\n", 12},
		{"missing statement", "def f(a):\n    r = []\n    for x in a:\n        y = x + 1\n‹|        r.append(y)\n›    return r\n", 700},
		{"missing statement", "def f(a, seen):\n    if a in seen:\n        return False\n    ‹|seen.add(a)\n    ›return True\n", 700},
		{"missing return", "def f(a):\n    n = 0\n    for x in a:\n        n += x‹|\n    return n›\n", 120},
		{"missing exit", "def f(a):\n    n = 0\n    for x in a:\n        if x:\n            n += x‹|\n            break›\n    return n\n", 500},
		{"late exit", "def f(a):\n    for x in a:\n        found = x.search()‹|\n        if found:\n            break›\n    return found\n", 500},
		{"missing guard", "def f(a):\n    ‹|if not a:\n        return 0\n    ›b = a[0]\n    return b\n", 600},
		{"missing if", "def f(a, b):\n    n = 0\n    for x in a:\n        ‹n += x|if x:\n            n += x›\n    return n\n", 1500},
		// Slips.
		{"shared default", "def f(x, acc=‹[]|None›):\n    ‹|if acc is None:\n        acc = []\n    ›acc.append(x)\n    return acc\n", 30},
		{"shared attribute", "class A:\n‹    items = []\n|›    def __init__(self, n):\n        self.n = n‹|\n        self.items = []›\n\n    def add(self, x):\n        self.items.append(x)\n", 60},
		{"in place", "def f(xs):\n    return ‹xs.sort()|sorted(xs)›\n", 20},
		{"in place", "def f(xs):\n    ‹xs.sort()|xs = sorted(xs)›\n    return xs\n", 20},
		{"raise", "def f(n):\n    if n < 0:\n        ‹return|raise› ValueError('negative')\n    return n\n", 20},
		{"pass", "def f(a):\n    try:\n        return int(a)\n    except ValueError:\n        ‹pass|return None›\n    return 0\n", 40},
		{"as well", "class A:\n    def __eq__(self, other):\n        return self.x == other.x‹| and self.y == other.y›\n\n    def __hash__(self):\n        return hash((self.x, self.y))\n", 80},
		{"both", "def f(tree):\n    if tree is None:\n        return 0\n    return 1 + ‹f(tree.left)|max(f(tree.left), f(tree.right))›\n", 300},
		{"call", "def f(d):\n    return d.‹seconds|total_seconds()›\n", 20},
		{"repeated", "def f(n):\n    return [‹[0] * n] * n|[0] * n for _ in range(n)]›\n", 30},
		{"chained", "def f(s):\n    return s‹|.strip()›.split(',')\n", 150},
		{"receiver", "class A:\n    def __init__(self, rate):\n        self.rate = rate\n\n    def f(self, x):\n        return x * ‹|self.›rate\n", 40},
		{"argument drop", "def f(s):\n    return s.split(‹' '|›)\n", 40},
		{"result unused", "def f(a, b):\n    ‹|return ›a + b\n", 40},
		{"missing guard", "class S:\n    def empty(self):\n        return len(self.a) == 0\n\n    def pop(self):\n        ‹|if self.empty():\n            return None\n        ›return self.a.pop()\n", 900},
		// What the code around begins.
		{"next term", "def f(n):\n    if n < 3:\n        return n\n    return f(n - 1) + f(n - 2)‹| + f(n - 3)›\n", 60},
		{"each in turn", "def f(a, b, c):\n    return a*a == b*b + c*c‹| or b*b == a*a + c*c or c*c == b*b + a*a›\n", 60},
		{"last round", "def f(xs, d):\n    out = []\n    for x in xs[:-1]:\n        out.append(x)\n        out.append(d)‹|\n    out.append(xs[-1])›\n    return out\n", 120},
		{"last round", "def f(xs, d):\n    out = []\n    for i in range(len(xs) - 1):\n        out.append(xs[i])\n        out.append(d)‹|\n    out.append(xs[len(xs) - 1])›\n    return out\n", 120},
		{"best so far", "def f(xs):\n    out = []\n    m = None\n    for x in xs:\n        if m is None:\n            m = x\n        else:\n            m = max(‹xs|m, x›)\n        out.append(m)\n    return out\n", 120},
		{"sort by look up", "def f(xs):\n    order = {'a': 2, 'b': 1}\n    return sorted(xs‹|, key=order.get›)\n", 120},
		{"elements drop", "def f(c):\n    return c in ['a', 'e', 'i'‹, 'w', 'y'|›]\n", 120},
		{"operations swapped", "def f(a, b, c):\n    return ‹a - b / c|a / c - b›\n", 120},
		{"the same for another", "def f(a, b):\n    temp_a, temp_b = a, b\n    if isinstance(temp_a, str): temp_a = temp_a.strip()\n‹|    if isinstance(temp_b, str): temp_b = temp_b.strip()\n›    return a if float(temp_a) > float(temp_b) else b\n", 500},
		{"missing statement", "def f(xs):\n    twice = False\n    n = 0\n    for x in xs:\n        n += x * 2 if twice else x\n‹|        twice = not twice\n›    return n\n", 900},
		{"wrap", "def f(xs):\n    return sorted(xs, key=lambda x: ‹x|abs(x)›)\n", 200},
		{"text taken off", "import re\n\ndef f(s):\n    s = re.sub(r'[^a-z]+', '-', s)\n    return s‹|.strip('-')›\n", 200},
		{"fill up", "def f(lines):\n    width = max(len(l) for l in lines)\n    return [‹l|l.ljust(width)› for l in lines]\n", 120},
		{"indexes swapped", "def f(a, b, i, j, k):\n    return a[i][k] * b‹[j][k]|[k][j]›\n", 60},
		{"put", "def f(xs, key):\n    out = {}\n    for x in xs:\n        ‹out[key(x)] = [x]|out.setdefault(key(x), []).append(x)›\n    return out\n", 120},
		{"pattern", "import re\n\ndef f(s):\n    return re.sub(r'{{(.*‹|?›)}}', '', s)\n", 120},
		{"condition", "class T:\n    def add(self, w):\n        node = self.root\n        node['$'] = w\n\n    def has(self, w):\n        node = self.root\n        return ‹True|'$' in node›\n", 600},
		{"range", "def f(xs, n):\n    return [xs[i:i + n] for i in range(0, len(xs)‹|, n›)]\n", 90},
		{"slice add", "def f(n):\n    return 'b' + ‹bin(n)|bin(n)[2:]›\n", 60},
		{"missing guard", "def f(name):\n    ends = ['txt', 'exe']\n    parts = name.split('.')\n    if len(parts) != 2:\n        return 'No'\n‹|    if parts[1] not in ends:\n        return 'No'\n›    if not parts[0][0].isalpha():\n        return 'No'\n    return 'Yes'\n", 3000},
		{"missing statement", "def f(n):\n    sign = 1\n    if n < 0:\n        n, sign = -n, -1\n    digits = [int(c) for c in str(n)]\n‹|    digits[0] *= sign\n›    return sum(digits)\n", 900},
		// Wholes.
		{"literal everywhere", "def f(a):\n    if a == ‹1|2›:\n        return ‹1|2›\n    return a\n", 150},
		{"literals swapped", "def f(a):\n    if a == 1:\n        return ‹True|False›\n    return ‹False|True›\n", 100},
		{"variable everywhere", "def f(a, b, c):\n    return c[‹a|b›] + ‹a|b› - b\n", 1200},
	}
}

// What an edit would leave as it is, or must never do, is not made.
func TestPythonRefusals(t *testing.T) {
	t.Parallel()
	cases := []struct{ source, never string }{
		{"def f(a):\n    return a + 1\n", "a + 0"},
		{"def f(a):\n    return a * 2\n", "a * 1"},
		{"def f(a, b):\n    return a and b\n", "a and a\n"},
		{"def f(a, b):\n    a = b\n    return a\n", "a = a\n"},
		{"def f(a):\n    if a:\n        return 1\n    return 2\n", "if True"},
		{"def f(a):\n    n = a\n    return n\n", "\n    return None\n    n = a"},
		{"def f(a):\n    assert a\n    return a\n", "def f(a):\n    return a"},
		{"def f(a):\n    if a:\n        raise ValueError(a)\n    return a\n", "if a:\n        pass"},
	}
	var sources []string
	for _, c := range cases {
		sources = append(sources, c.source)
	}
	parse := pythonParser(t, sources)
	for _, c := range cases {
		root, err := parse([]byte(c.source))
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range results(t, node.Python(), root, c.source) {
			if bytes.Contains([]byte(got), []byte(c.never)) {
				t.Errorf("%q becomes\n%s", c.source, got)
			}
		}
	}
}
