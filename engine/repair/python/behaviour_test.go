//go:build unix

package python

import (
	"testing"

	"autocoder/engine/repair"
)

func TestBehaviours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, lib, test string
		old             string
		greens          []string
		// want is the cluster of each green; shown whether an input tells it from the
		// first.
		want  []int
		shown []bool
	}{
		{
			name: "two meanings", old: "n < 0",
			lib:    "def sign(n):\n    if n < 0:\n        return 1\n    return 0\n",
			test:   "from lib import sign\n\ndef test_a():\n    assert sign(5) == 1\n\ndef test_b():\n    assert sign(-2) == 0\n",
			greens: []string{"n > 0", "0 < n", "n >= 0", "not n <= 0"},
			want:   []int{0, 0, 1, 0}, shown: []bool{false, false, true, false},
		},
		{
			name: "an exception, in place, a generator", old: "xs.sort(reverse=True)",
			lib:    "def order(xs):\n    xs.sort(reverse=True)\n\n\ndef each(xs):\n    order(xs)\n    yield from xs\n",
			test:   "from lib import each, order\n\ndef test_a():\n    assert list(each([2, 1, 3])) == [1, 2, 3]\n    xs = [3, 1]\n    order(xs)\n    assert xs == [1, 3]\n",
			greens: []string{"xs.sort()", "xs[:] = sorted(xs)", "xs[0] += 0; xs.sort()"},
			want:   []int{0, 0, 1}, shown: []bool{false, false, true},
		},
		{
			name: "a method of a plain object", old: "a - b",
			lib:    "class Sum:\n    def of(self, a, b=0):\n        return a - b\n",
			test:   "import lib\n\ndef test_a():\n    assert lib.Sum().of(2, b=2) == 4\n",
			greens: []string{"a + b", "a * b", "b + a"},
			want:   []int{0, 1, 0}, shown: []bool{false, true, false},
		},
		{
			name: "values of the library", old: "ahead < 0",
			lib:    "from datetime import timedelta\n\n\ndef following(day, weekday):\n    ahead = weekday - day.weekday()\n    if ahead < 0:\n        ahead += 7\n    return day + timedelta(days=ahead)\n",
			test:   "from datetime import date\n\nfrom lib import following\n\ndef test_a():\n    assert following(date(2024, 1, 1), 0) == date(2024, 1, 8)\n    assert following(date(2024, 1, 1), 2) == date(2024, 1, 3)\n",
			greens: []string{"ahead <= 0", "ahead < 1", "not ahead"},
			want:   []int{0, 0, 1}, shown: []bool{false, false, true},
		},
		{
			name: "an object with what it holds", old: "self.items[:1]",
			lib:    "class Basket:\n    def __init__(self):\n        self.items = []\n\n    def put(self, item):\n        self.items.append(item)\n\n    def total(self):\n        return sum(i.price for i in self.items[:1])\n\n\nclass Item:\n    def __init__(self, price):\n        self.price = price\n",
			test:   "from lib import Basket, Item\n\ndef test_a():\n    b = Basket()\n    b.put(Item(2))\n    b.put(Item(3))\n    assert b.total() == 5\n",
			greens: []string{"self.items", "self.items[:2]", "self.items[:]"},
			want:   []int{0, 1, 0}, shown: []bool{false, true, false},
		},
		{
			name: "a method that changes its object", old: "self.n",
			lib:    "class Turns:\n    def __init__(self, n):\n        self.left = n\n\n    def take(self, k):\n        self.n\n        return self.left\n",
			test:   "from lib import Turns\n\ndef test_a():\n    t = Turns(5)\n    assert t.take(1) == 4\n    assert t.take(2) == 2\n",
			greens: []string{"self.left -= k", "self.left = self.left - k", "self.left = max(0, self.left - k)"},
			want:   []int{0, 0, 1}, shown: []bool{false, false, true},
		},
		{
			name: "objects as arguments, and what has a name", old: "0",
			lib:    "import enum\n\n\nclass Kind(enum.Enum):\n    NEW = 1\n    OLD = 2\n\n\nclass Thing:\n    __slots__ = ('kind', 'price')\n\n    def __init__(self, kind, price):\n        self.kind, self.price = kind, price\n\n\ndef cost(thing, more=Kind.NEW):\n    return 0\n",
			test:   "from lib import Kind, Thing, cost\n\ndef test_a():\n    assert cost(Thing(Kind.OLD, 4)) == 4\n",
			greens: []string{"thing.price", "4", "thing.price if thing.kind is Kind.OLD else 0"},
			want:   []int{0, 1, 0}, shown: []bool{false, true, false},
		},
		{
			name: "a coroutine and a class method", old: "a - b",
			lib:    "class Sum:\n    @classmethod\n    async def of(cls, a, b):\n        return a - b\n",
			test:   "import asyncio\nfrom lib import Sum\n\ndef test_a():\n    assert asyncio.run(Sum.of(2, 2)) == 4\n",
			greens: []string{"a + b", "a * b", "b + a"},
			want:   []int{0, 1, 0}, shown: []bool{false, true, false},
		},
		{
			name: "what can't be told is left out", old: "a - b",
			lib:    "import random\n\n\nclass Box:\n    pass\n\n\ndef add(a, b):\n    a - b\n    return Box() if a else random.random()\n",
			test:   "import lib\n\ndef test_a():\n    assert lib.add(2, 2) is None\n",
			greens: []string{"return None", "return None if True else 1"},
			want:   []int{0, 0}, shown: []bool{false, false},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := layProject(t, map[string]string{"lib.py": c.lib, "test_lib.py": c.test})
			s := p.open(t, 1, ids("test_lib.py", "test_a"), nil)
			if _, err := s.Spectrum(t.Context()); err != nil {
				t.Fatal(err)
			}
			var greens []repair.Candidate
			for i, g := range c.greens {
				greens = append(greens, p.change(t, i, "lib.py", c.old, g))
			}
			got, err := s.Behaviours(t.Context(), greens)
			if err != nil || len(got) != len(greens) {
				t.Fatalf("got %v, %v", got, err)
			}
			for i, b := range got {
				if b.Cluster != c.want[i] || (b.Input != "") != c.shown[i] || (b.Output != "") != c.shown[i] {
					t.Errorf("%s: %+v, want cluster %d", c.greens[i], b, c.want[i])
				}
			}
		})
	}
}

// TestBehaviourIsReadable: the input that tells two patches apart is a call as a
// person would write it.
func TestBehaviourIsReadable(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py":      "def first(xs, n):\n    return xs[n:]\n",
		"test_lib.py": "from lib import first\n\ndef test_a():\n    assert first([1, 2], 3) == [1, 2]\n",
	})
	s := p.open(t, 1, ids("test_lib.py", "test_a"), nil)
	if _, err := s.Spectrum(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := s.Behaviours(t.Context(), []repair.Candidate{p.change(t, 0, "lib.py", "xs[n:]", "xs[:n]"), p.change(t, 1, "lib.py", "xs[n:]", "xs")})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	if in := got[1].Input; len(in) < 8 || in[:7] != "first([" || got[1].Output[0] != '[' {
		t.Errorf("got %+v", got[1])
	}
	t.Logf("%+v", got[1])
}

// TestBehavioursWithoutInputs: objects can't be written down, so nothing is told.
func TestBehavioursWithoutInputs(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py":      "def name(x):\n    return x.name[1:]\n",
		"test_lib.py": "import types\nfrom lib import name\n\ndef test_a():\n    assert name(types.SimpleNamespace(name='ab')) == 'ab'\n",
	})
	s := p.open(t, 1, ids("test_lib.py", "test_a"), nil)
	if _, err := s.Spectrum(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := s.Behaviours(t.Context(), []repair.Candidate{p.change(t, 0, "lib.py", "[1:]", "")})
	if err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestBehavioursAsBefore: inputs on which the patches do what the code did before
// don't show what is wrong with it, and tell nothing of them.
func TestBehavioursAsBefore(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py":      "import math\n\n\ndef area(r):\n    return math.pi * r * r\n\n\ndef told(f):\n    return f() + 1\n",
		"test_lib.py": "from lib import area, told\n\ndef test_a():\n    assert area(0) == 0\n    assert told(lambda: 1) == 1\n",
	})
	s := p.open(t, 1, ids("test_lib.py", "test_a"), nil)
	if _, err := s.Spectrum(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.calls) == 0 {
		t.Fatal("no call was recorded: there is nothing that could be compared")
	}
	got, err := s.Behaviours(t.Context(), []repair.Candidate{p.change(t, 0, "lib.py", "f() + 1", "f()"), p.change(t, 1, "lib.py", "f() + 1", "1")})
	if err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestBehavioursUnwritten: an object that holds a function without a name can't be
// made again, so that nothing can be compared.
func TestBehavioursUnwritten(t *testing.T) {
	t.Parallel()
	p := layProject(t, map[string]string{
		"lib.py":      "class Count:\n    def __init__(self, size):\n        self.size = size\n        self.n = 0\n\n    def add(self, k):\n        self.n += k + 1\n        return self.n\n",
		"test_lib.py": "from lib import Count\n\ndef test_a():\n    c = Count(lambda: 3)\n    assert c.add(0) == 0\n",
	})
	s := p.open(t, 1, ids("test_lib.py", "test_a"), nil)
	if _, err := s.Spectrum(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := s.Behaviours(t.Context(), []repair.Candidate{p.change(t, 0, "lib.py", "self.n = 0", "self.n = -1"), p.change(t, 1, "lib.py", "k + 1", "k")})
	if err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}
