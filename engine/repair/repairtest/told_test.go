package repairtest

import (
	"testing"

	"autocoder/engine/repair/mutate"
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// TestPythonTold: what the errors and the texts of the failing tests say should be comes
// first, and is not thought of where nothing says it.
func TestPythonTold(t *testing.T) {
	t.Parallel()
	wants := func(want, got string) mutate.Options {
		return mutate.Options{Differing: []mutate.Differing{{Want: want, Got: got}}}
	}
	lacks := mutate.Options{Missing: mutate.Missing{Names: []string{"wave"}, Attributes: []string{"_size"}}}
	cases := []struct {
		template, source string
		told             mutate.Options
		only             bool // nothing else makes it
	}{
		{"text wanted", "def f(a):\n    return 'no such ‹fle|file›: %s' % a\n", wants("no such file: a", "no such fle: a"), false},
		{"text wanted", "def f(a):\n    return f'{a} is ‹|not ›there'\n", wants("x is not there", "x is there"), true},
		{"text wanted", "def f(a):\n    raise ValueError('bad value for the first of the arguments of the function‹, a|: b›')\n", wants("of the function: b", "of the function, a"), true},
		{"missing import", "import re\n‹|import wave\n›\ndef f(a):\n    return wave.open(a)\n", lacks, true},
		{"missing definition", "class A:\n    def f(self, n):\n        wave = n + self.n\n        return wave\n\n    def g(self, n):\n        ‹|wave = n + self.n\n        ›return [wave, wave]\n", lacks, false},
		{"missing attribute", "class A:\n    def __init__(self, n, size):\n        self.n = n‹|\n        self._size = size›\n\n    def f(self):\n        return self._size\n", lacks, true},
		{"missing attribute", "class A:\n    def __init__(self, n):\n        ‹|self._size = None\n        ›if n:\n            self._size = n\n\n    def f(self):\n        return self._size\n", lacks, true},
	}
	var sources []string
	for _, c := range cases {
		before, _ := Split(c.source)
		sources = append(sources, before)
	}
	parse := pythonParser(t, sources)
	for _, c := range cases {
		before, after := Split(c.source)
		for _, told := range []bool{true, false} {
			o := mutate.Options{}
			if told {
				o = c.told
			}
			o.Cut = 4
			root, err := parse([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			stream := mutate.NewStream([]mutate.File{{Path: "a", Info: node.NewInfo(root, []byte(before), node.Python()), Score: everywhere(before)}}, o)
			rank, by := 0, ""
			for n := 1; rank == 0; n++ {
				batch := stream.Next(1)
				if len(batch) == 0 {
					break
				}
				text, err := textedit.ApplyEdits([]byte(before), batch[0].Edits)
				if err != nil {
					t.Fatal(err)
				}
				if string(text) == after {
					rank, by = n, batch[0].Template
				}
			}
			if told && (by != c.template || rank > 60) {
				t.Errorf("%s: made by %q as number %d:\n%s", c.template, by, rank, after)
			}
			if !told && c.only && rank > 0 {
				t.Errorf("%s: untold, made by %q as number %d", c.template, by, rank)
			}
		}
	}
}
