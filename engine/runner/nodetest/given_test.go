package nodetest

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestGiven(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for _, name := range []string{"web/package.json", "web/a.test.js", "web/test/b.js", "web/checks/c.test.mjs", "web/lib.js", "d.test.js"} {
		tree[name] = &fstest.MapFile{Data: []byte("{}")}
	}
	for command, want := range map[string]string{
		"node --test":                               "a.test.js checks/c.test.mjs test/b.js: node --test",
		"node --require ./x.cjs --test checks/":     "checks/c.test.mjs: node --require ./x.cjs --test checks/",
		"node --test-reporter=tap --test a.test.js": "a.test.js: node --test a.test.js",
		"/usr/bin/node --test **/*.mjs":             "checks/c.test.mjs: node --test **/*.mjs",
		"node --test none/":                         "",
		"node a.test.js":                            "",
		"npm test":                                  "",
		"":                                          "",
	} {
		unit, ok, err := Given(tree, "web", strings.Fields(command))
		if err != nil || ok != (want != "") {
			t.Errorf("%q: %t, %v", command, ok, err)
			continue
		}
		if got := strings.Join(unit.Parts, " ") + ": " + strings.Join(unit.Command, " "); ok && (got != want || unit.Root != "web") {
			t.Errorf("%q: got %q in %s, want %q", command, got, unit.Root, want)
		}
	}
}
